from __future__ import annotations

import pytest
from made_expert import drawn, small

from core.errors import ConfigError, QuestionError, TraceError
from core.sgur.engine import Engine
from core.sgur.session import REMADE, Session, running_score
from core.sgur.steps import (
    AnswerStep,
    BeliefStep,
    CandidatesStep,
    QuestionsStep,
    Reading,
    SgurConfig,
    StopStep,
    ToldStep,
)
from core.trace import Trace


@pytest.fixture
def session() -> Session:
    return Session(Engine(small()), SgurConfig(batch=2))


def belief(session: Session) -> BeliefStep:
    found = session.belief
    assert found is not None
    return found


def test_a_round_appends_its_steps_and_changes_no_session(session: Session) -> None:
    told = session.tell_ids(["S:cough", "S:headache"])
    assert session.steps == ()
    assert [s.kind for s in told.steps] == [
        f"sgur.{k}" for k in ("told", "candidates", "belief", "alignment", "questions", "stop")
    ]
    assert [s.index for s in told.steps] == [1, 2, 3, 4, 5, 6]
    assert belief(told).beliefs[0].hypothesis.name == "cold"
    assert sum(b.probability for b in belief(told).beliefs) + belief(told).rest_probability == pytest.approx(1)
    answered = told.answer({"S:fever": "yes"})
    assert belief(answered).beliefs[0].hypothesis.name == "flu"
    assert {s.round for s in answered.steps} == {1, 2}
    assert len(told.steps) == 6


def test_twins_share_a_place(session: Session) -> None:
    first, second = belief(session.tell_ids(["S:cough", "S:headache"])).beliefs[:2]
    assert (first.place, second.place, first.twins) == (1.5, 1.5, 1)
    assert first.probability == second.probability


def test_reasons_name_frequencies_and_what_was_never_reported(session: Session) -> None:
    beliefs = {b.hypothesis.name: b for b in belief(session.tell_ids(["S:dry cough", "S:fever"], ["S:rash"])).beliefs}
    assert [r.words for r in beliefs["measles"].reasons] == [
        "seen in 30 % of cases", "seen in 90 % of cases", "denied, though seen in 100 % of cases",
    ]  # fmt: skip
    assert [r.words for r in beliefs["flu"].reasons] == ["never reported", "seen in 100 % of cases", "not expected"]
    closed = session.with_config(aligned=0).tell_ids(["S:dry cough", "S:fever"], ["S:rash"])
    for b in belief(closed).beliefs:
        assert sum(r.cost for r in b.reasons) == pytest.approx(b.parts.feature + b.parts.denied, abs=0.02 + 0.14)


def test_preview_is_the_answer_and_undo_takes_it_back(session: Session) -> None:
    told = session.tell_ids(["S:cough"])
    seen = told.preview({"S:fever": "yes"})
    given = told.answer({"S:fever": "yes"})
    assert seen.trace().same_content(given.trace())
    assert given.undo() is told
    assert told.undo().undo() is session


def test_do_not_know_changes_nothing_but_is_not_asked_again(session: Session) -> None:
    told = session.tell_ids(["S:cough"])
    assert told.questions is not None
    ids = [q.observation.id for q in told.questions.questions]
    unsure = told.answer(dict.fromkeys(ids, "unknown"))
    assert [b.probability for b in belief(unsure).beliefs] == [b.probability for b in belief(told).beliefs]
    assert unsure.questions is not None
    assert not {q.observation.id for q in unsure.questions.questions} & set(ids)


def test_what_is_said_last_holds_and_a_contradiction_is_named(session: Session) -> None:
    told = session.tell_ids(["S:cough", "S:fever"]).answer({"S:fever": "no"})
    names = told.engine.graph.observations
    assert [names.ids[o] for o in told.query.observed] == ["S:cough"]
    assert [names.ids[o] for o in told.query.excluded] == ["S:fever"]
    step = next(s for s in told.steps if isinstance(s, AnswerStep))
    assert step.answers[0].overrules == "yes"
    assert "fever was held to be present before" in told.notices[-1]
    back = told.answer({"S:fever": "yes"})
    assert [names.ids[o] for o in back.query.observed] == ["S:cough", "S:fever"]
    assert back.query.excluded == ()
    both = session.tell_ids(["S:fever"], ["S:fever"])
    assert both.notices
    assert [names.ids[o] for o in both.query.observed] == ["S:fever"]


def test_ids_that_were_replaced_are_mapped_and_unknown_ones_named(session: Session) -> None:
    told = session.tell_ids(["S:old cough", "S:nowhere"])
    step = next(s for s in told.steps if isinstance(s, ToldStep))
    assert [(m.observation.id, m.how) for m in step.reading.observed] == [("S:cough", "replaced id")]
    assert [u.text for u in step.reading.unmatched] == ["S:nowhere"]
    with pytest.raises(QuestionError, match="no observation of made"):
        told.answer({"S:nowhere": "yes"})
    with pytest.raises(QuestionError, match="no question was answered"):
        told.answer({})


def test_without_any_observation_every_hypothesis_is_as_near(session: Session) -> None:
    told = session.tell(Reading(words="I do not know"))
    assert [b.probability for b in belief(told).beliefs] == pytest.approx([1 / 6] * 6)
    assert belief(told).entropy_bits == pytest.approx(belief(told).entropy_most)
    assert told.stop is not None
    assert (told.stop.stop, told.stop.rule) == (False, "nothing observed")
    denied = session.tell_ids([], ["S:rash"])
    assert belief(denied).beliefs[-1].hypothesis.name in {"measles", "eczema"}


def test_an_observation_that_nobody_reports_leaves_all_candidates(session: Session) -> None:
    told = session.with_config(aligned=2).tell_ids(["S:chest"], [])
    step = next(s for s in told.steps if isinstance(s, CandidatesStep))
    assert step.total == 6
    assert len(belief(told).beliefs) >= step.compatible


def test_two_hundred_observations_are_weighed() -> None:
    graph = drawn(40, 220, 6)
    told = Session(Engine(graph)).tell_ids(graph.observations.ids[:200])
    assert belief(told).terms <= 200
    assert sum(b.probability for b in belief(told).beliefs) + belief(told).rest_probability == pytest.approx(1)


def test_a_trace_replays_to_the_same_content_and_only_on_its_data(session: Session) -> None:
    made = session.tell_ids(["S:cough"], ["S:rash"]).answer({"S:fever": "yes", "S:headache": "unknown"})
    trace = Trace.from_json(made.trace("run").to_json())
    assert trace == made.trace("run")
    again = Session.from_trace(Engine(small()), trace)
    assert again.trace().same_content(trace)
    assert again.undo().undo().steps == ()
    with pytest.raises(TraceError, match="not the data at hand"):
        Session.from_trace(Engine(drawn()), trace)
    with pytest.raises(TraceError, match="method 'cara'"):
        Session.from_trace(Engine(small()), trace.model_copy(update={"method": "cara"}))


def test_a_session_of_another_version_is_worked_out_anew_and_says_so() -> None:
    trace = Session(Engine(small())).tell_ids(["S:fever"], ["S:rash"]).trace()
    assert not Session.from_trace(Engine(small()), trace).notices
    steps = [s.model_copy(update={"entropy_bits": 1.5}) if isinstance(s, BeliefStep) else s for s in trace.steps]
    again = Session.from_trace(Engine(small()), trace.model_copy(update={"steps": tuple(steps)}))
    assert again.notices == (REMADE,)
    assert again.belief is not None
    assert again.belief.entropy_bits != 1.5


@pytest.mark.parametrize(
    "changes",
    [{"alpha": 0.2}, {"beta": 0.5}, {"size_weight": 1.0}, {"specificity": 0.0}, {"kappa": 2}, {"literal": True}],
)
def test_other_settings_give_what_a_fresh_session_with_them_gives(changes: dict[str, float]) -> None:
    engine = Engine(drawn())
    made = Session(engine).tell_ids(["o3", "o8"]).answer({"o5": "yes", "o6": "no"})
    fresh = Session(engine, SgurConfig.model_validate(changes)).tell_ids(["o3", "o8"]).answer({"o5": "yes", "o6": "no"})
    other = made.what_if(**changes)
    assert other.steps[6:]
    assert [s.content() for s in other.steps[6:]] == [s.content() for s in fresh.steps[6:]]
    assert other.steps[:6] == made.steps[:6]
    assert made.with_config(**changes).trace().same_content(fresh.trace())


def test_a_wrong_setting_is_named(session: Session) -> None:
    with pytest.raises(ConfigError, match="alpha"):
        session.what_if(alpha=2.0)
    with pytest.raises(ConfigError, match="alpha"):
        session.tell_ids(["S:cough"]).with_config(alpha=2.0)


def test_it_stops_when_confident_at_the_last_round_or_with_nothing_left(session: Session) -> None:
    def rule(s: Session) -> str:
        assert s.stop is not None
        return s.stop.rule

    assert rule(session.tell_ids(["S:cough"])) == "go on"
    assert rule(session.with_config(rounds=1).tell_ids(["S:cough"])) == "rounds"
    assert rule(session.with_config(confident=0.2).tell_ids(["S:cough"])) == "confident"
    everything = session.tell_ids(session.engine.graph.observations.ids)
    assert isinstance(everything.questions, QuestionsStep)
    assert isinstance(everything.stop, StopStep)
    assert rule(everything.with_config(rounds=9, confident=1.0)) == "nothing to ask"


def test_the_running_score_is_the_mean_place(session: Session) -> None:
    told = session.tell_ids(["S:cough", "S:headache"])
    assert running_score(told, "D:cold") == 1.5
    assert running_score(told, "D:none") is None
    assert running_score(session, "D:cold") is None
