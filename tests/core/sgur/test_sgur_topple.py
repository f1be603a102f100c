"""What would change the belief's mind, each against a whole session that was told so."""

import made_expert
import pytest

from core.sgur.engine import Engine
from core.sgur.session import Session
from core.sgur.topple import changes


@pytest.fixture(scope="module")
def engine():
    return Engine(made_expert.small())


def leader_of(session):
    return session.belief.beliefs[0]


def test_each_change_is_what_a_session_told_so_believes(engine):
    session = Session(engine).tell_ids(["S:cough", "S:headache"], ["S:rash"])
    first = leader_of(session).hypothesis.id
    for one in changes(session):
        if one.change == "without":
            observed = [i for i in ("S:cough", "S:headache") if i != one.observation.id]
            excluded = [i for i in ("S:rash",) if i != one.observation.id]
            after = Session(engine).tell_ids(observed, excluded)
        else:
            after = session.answer({one.observation.id: one.change})
        now = {b.hypothesis.id: b.probability for b in after.belief.beliefs}
        assert one.probability == pytest.approx(max(now.values()))
        assert one.kept == pytest.approx(now.get(first, 0.0))
        assert one.topples == (now.get(first, 0.0) < max(now.values()))


def test_every_question_is_tried_both_ways_and_every_held_observation_without():
    session = Session(Engine(made_expert.small())).tell_ids(["S:cough"], ["S:rash"])
    found = list(changes(session, most=2))
    asked = [q.observation.id for q in session.questions.questions[:2]]
    tried = [(id_, change) for id_ in asked for change in ("yes", "no")]
    assert [(c.observation.id, c.change) for c in found] == [*tried, ("S:cough", "without"), ("S:rash", "without")]


def test_a_twin_at_the_same_distance_topples_nobody(engine):
    session = Session(engine).tell_ids(["S:cough", "S:headache"])
    named = {c.leader.name for c in changes(session) if not c.topples}
    assert named <= {leader_of(session).hypothesis.name}


def test_before_the_first_round_there_is_nothing_to_change(engine):
    assert list(changes(Session(engine))) == []
