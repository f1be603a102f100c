"""The pictures and tables of a session: they say what its trace says, and text of the data stays text."""

import re

import pytest

from core.figures.sgur.alignment import alignment_heat_map, alignment_of, alignment_picture, alignment_table
from core.figures.sgur.belief import belief_bars, belief_table, entropy_curve, entropy_table, rest_words
from core.figures.sgur.report import session_html
from core.figures.sgur.rounds import gaps, moved_words, round_at, rounds
from core.figures.sgur.tables import all_tables, history_table, questions_table
from core.figures.sgur.why import belief_of, gain_terms, reasons_table, why_believed
from core.sgur.building import Draft, layer
from core.sgur.engine import Engine
from core.sgur.session import Session
from core.sgur.steps import QuestionsStep
from core.sgur.wording import percent

ODD = "<b>Odd & 'loud'</b><script>alert(1)</script>"
SIGNS = ["hums", "rattles", "smells burnt", ODD, "stays cold"]
FAULTS = {
    "fan": {"hums": 0.9, "rattles": 0.8},
    "belt": {"rattles": 1.0, "smells burnt": 0.5},
    ODD: {ODD: 1.0, "hums": float("nan")},
    "heater": {"stays cold": 1.0, "hums": 0.2},
}


@pytest.fixture(scope="module")
def session():
    draft = Draft(
        name="made",
        source="a test",
        observations=layer("sign", [f"o{i}" for i in range(5)], SIGNS),
        localisations=layer("part", ["p0", "p1"], ["motor", "drum"]),
        hypotheses=layer("fault", [f"h{i}" for i in range(4)], list(FAULTS)),
        treatments=layer("fix", ["t0"], ["oil it"]),
        reported={(h, SIGNS.index(s)): f for h, d in enumerate(FAULTS) for s, f in FAULTS[d].items()},
        located=[(0, 0), (1, 0), (1, 1), (4, 1)],
        treated=[(0, 0)],
        notices=("made up",),
    )
    session = Session(Engine(draft.finish())).tell_ids(["o0"], ["o4"])
    return session.answer({"o1": "yes", "o3": "no"})


@pytest.fixture(scope="module")
def trace(session):
    return session.trace("one")


def test_rounds_are_cut_as_they_were_made(trace):
    first, second = rounds(trace)
    assert (first.number, second.number) == (1, 2)
    assert first.before is None
    assert second.before is first.belief
    assert moved_words(first) == "told: hums, no stays cold"
    assert moved_words(second) == f"answered: rattles, yes, {ODD}, no"
    assert round_at(trace, 1) == first
    assert round_at(trace, None) == round_at(trace, 99) == second
    assert round_at(trace.model_copy(update={"steps": ()}), 1) is None


def test_bars_show_before_outlined_and_after_filled(trace):
    _, second = rounds(trace)
    before, after = belief_bars(second.belief, second.before).data
    was = {b.hypothesis.id: 100 * b.probability for b in second.before.beliefs}
    assert list(after.x) == [100 * b.probability for b in second.belief.beliefs]
    assert list(before.x) == [was.get(b.hypothesis.id, 0.0) for b in second.belief.beliefs]
    assert before.marker.color == "rgba(0,0,0,0)"
    assert [c[0] for c in after.customdata] == [b.hypothesis.id for b in second.belief.beliefs]
    assert not any("<b>Odd" in line for line in after.y)
    assert belief_bars(None).layout.annotations[0].text.startswith("There is no belief")


def test_what_the_bars_leave_out_is_said(trace):
    belief = rounds(trace)[-1].belief
    share = 1 - belief.beliefs[0].probability
    others = len(belief.beliefs) - 1 + belief.rest_count
    assert rest_words(belief, top=1) == f"The other {others} share {percent(share)} among them."
    assert rest_words(None) == ""
    assert rest_words(belief.model_copy(update={"rest_count": 0}), top=len(belief.beliefs)) == ""


def test_places_are_whole_unless_shared(trace):
    first, second = rounds(trace)
    assert belief_table(second.belief, first.belief).rows[0]["Place"] == 1
    shared = second.belief.beliefs[0].model_copy(update={"place": 1.5})
    tied = second.belief.model_copy(update={"beliefs": (shared, shared)})
    assert [r["Place"] for r in belief_table(tied).rows] == [1.5, 1.5]


def test_the_curve_begins_without_evidence_and_has_a_point_a_round(trace):
    (line,) = entropy_curve(trace, at=1).data
    first, second = rounds(trace)
    assert list(line.y) == [2.0, first.belief.entropy_bits, second.belief.entropy_bits]  # log2 of four faults
    assert line.marker.symbol[1] == "star"
    assert [r["Round"] for r in entropy_table(trace).rows] == [1, 2]


def test_the_parts_of_a_distance_add_up_to_its_probability(session, trace):
    step = rounds(trace)[-1].belief
    for belief in step.beliefs:
        lines = {e.label: e for e in why_believed(step, belief, session.config)}
        parts = [lines[n].value for n in ("Features", "Structure", "Unmatched", "Size", "Denied")]
        assert sum(parts) == pytest.approx(lines["Distance"].value)
        assert lines["Beside the first"].value * step.beliefs[0].probability == pytest.approx(belief.probability)
        assert lines["Probability"].text.endswith(f"{belief.probability:.4f}, or {percent(belief.probability)}")
    assert belief_of(step, "h1").hypothesis.id == "h1"
    assert belief_of(step, "nobody") is step.beliefs[0]
    assert belief_of(None, "") is None


@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_an_end_of_alpha_divides_by_nothing(session, alpha):
    step = session.what_if(alpha=alpha).belief
    config = session.config.model_copy(update={"alpha": alpha})
    assert len(why_believed(step, step.beliefs[0], config)) == 8


def test_a_gain_is_written_out_with_its_numbers(trace):
    step = rounds(trace)[0].questions
    assert isinstance(step, QuestionsStep)
    q = step.questions[0]
    numbers = [float(n) for n in re.findall(r"\d+\.\d+", gain_terms(step, q)[1])]
    assert numbers[0] - numbers[1] * numbers[2] - numbers[3] * numbers[4] == pytest.approx(numbers[5], abs=0.02)
    assert [r["Question"] for r in questions_table(step).rows] == [one.observation.name for one in step.questions]
    assert questions_table(None).rows == ()


def test_the_plan_is_drawn_as_links_as_a_matrix_and_as_rows(trace):
    at = rounds(trace)[-1]
    found = alignment_of(at.alignment, at.belief.beliefs[0].hypothesis.id)
    picture, matrix = alignment_picture(at.alignment, found), alignment_heat_map(at.alignment, found)
    links = [d for d in picture.data if d.mode == "lines" and d.text]
    assert len(links) == len(found.plan) == len(alignment_table(at.alignment, found).rows)
    assert {d.line.dash for d in links} <= {"solid", "dash"}
    for m in found.plan:
        assert matrix.data[0].z[m.source][m.target] == m.mass
    assert sum(r["Mass"] for r in alignment_table(at.alignment, found).rows) == pytest.approx(found.moved, abs=1e-5)
    assert alignment_of(at.alignment, "nobody") is None
    assert alignment_of(None, "h0") is None
    for empty in (alignment_picture(None, None), alignment_heat_map(None, None)):
        assert "no plan" in empty.layout.annotations[0].text


def test_reasons_say_how_often(trace):
    step = rounds(trace)[-1].belief
    fan = reasons_table(belief_of(step, "h0"))
    assert [r["Says of it"] for r in fan.rows[:2]] == ["seen in 90 % of cases", "seen in 80 % of cases"]
    assert fan.rows[-1]["Observation"].startswith("not ")


def test_tables_name_every_round(trace):
    names = [t.name for t in all_tables(trace)]
    assert names[0] == "Rounds"
    assert len(set(names)) == len(names) == 9
    assert [r["Leader"] for r in history_table(trace).rows] == [
        r.belief.beliefs[0].hypothesis.name for r in rounds(trace)
    ]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_file_runs_nothing_and_shows_text_as_text(trace, theme):
    page = session_html(trace, theme)
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert not re.search(r"""(src|href)=["']?http""", page)
    assert "default-src 'none'" in page.replace("&#39;", "'")
    assert "made up" in page
    for one in rounds(trace):
        assert f"Round {one.number}</h2>" in page
        assert f"{100 * one.belief.beliefs[0].probability:.2f} %" in page


def test_a_session_that_is_whole_lacks_nothing_and_an_edited_one_says_what(trace):
    def without(leave_out):
        return gaps(trace.model_copy(update={"steps": tuple(s for s in trace.steps if not leave_out(s))}))

    assert gaps(trace) == gaps(trace.model_copy(update={"steps": ()})) == ""
    assert without(lambda s: s.kind == "sgur.belief" and s.round == 2) == "round 2 lacks its belief"
    assert without(lambda s: s.round == 1) == "round 1 is missing"
    told = without(lambda s: s.kind in ("sgur.told", "sgur.questions", "sgur.stop") and s.round == 1)
    assert told == "round 1 lacks what was told or answered, its questions, whether it may end"
    far = trace.steps[-1].model_copy(update={"round": 9})
    assert gaps(trace.model_copy(update={"steps": (*trace.steps, far)})).startswith(
        "6 rounds are missing, round 3 first"
    )
    lacking = tuple(far.model_copy(update={"round": n}) for n in range(3, 12))
    assert gaps(trace.model_copy(update={"steps": (*trace.steps, *lacking)})).endswith("; and so on, 9 gaps in all")


def test_long_names_of_one_family_stay_apart_and_are_whole_under_the_mouse(trace):
    belief = rounds(trace)[-1].belief
    names = [f"Muscular dystrophy with a very long name indeed, type {n}" for n in "AB"]
    long = tuple(
        b.model_copy(update={"hypothesis": b.hypothesis.model_copy(update={"name": name})})
        for b, name in zip(belief.beliefs, names, strict=False)
    )
    (bars,) = belief_bars(belief.model_copy(update={"beliefs": long})).data
    assert [line.split("  ")[0][-6:] for line in bars.y] == ["type A", "type B"]
    assert all(len(line) < 50 for line in bars.y)
    assert [c[1] for c in bars.customdata] == names


def test_certainty_is_said_of_nothing_that_is_not_certain(trace):
    belief = rounds(trace)[-1].belief
    near = belief.beliefs[0].model_copy(update={"probability": 0.99999})
    assert belief_bars(belief.model_copy(update={"beliefs": (near,)})).data[0].text == ("over 99.99 %",)
