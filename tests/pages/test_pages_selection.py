"""Where a run opens, and where a node or a step of it is best seen from."""

import made
import pytest

from core.cara.steps import AssessStep
from pages.shared.selection import Selection, best_at, hop_at, locate, opening, weighable_at


@pytest.fixture(scope="module")
def trace():
    return made.trace()


def test_a_run_opens_on_its_best_node_where_that_node_was_judged(trace):
    at = opening(trace)
    hop, judged = hop_at(trace, at)
    assert at.node == trace.ranked[0].id == "p2"
    assert hop.node.id == "f1"
    assert "p2" in {a.id for a in judged.assessments}


def test_a_step_belongs_to_the_hop_it_made_or_last_followed(trace):
    by_index = {s.index: s.kind for s in trace.steps_of(1)}
    assert by_index[7] == "cara.neighbors"
    assert hop_at(trace, Selection(1, 6))[0].node.id == "f1"
    assert hop_at(trace, Selection(1, 7))[0].node.id == "f2"
    assert hop_at(trace, Selection(1, 7))[1].index == 8  # judged right after, and shown with it
    assert hop_at(trace, Selection(1, 9))[0].node.id == "f2"
    assert hop_at(trace, Selection(1, 2)) == (None, None)


def test_a_node_is_looked_for_near_the_selected_step_first(trace):
    assert locate(trace, "p2", Selection(1, 8)) == Selection(1, 8, "p2")  # also a candidate of step 6
    assert locate(trace, "c1", Selection(2, 6)) == Selection(2, 4, "c1")  # the same agent's other hop
    assert locate(trace, "f2", Selection(0, 1)).agent == 0


def test_a_node_that_only_one_agent_met_is_found_with_that_agent(trace):
    only = locate(trace, "p1", Selection(2, 6))  # a candidate of both films
    assert only.agent == 2
    assert locate(trace, "no such node", Selection(2, 6)) == Selection(2, 6, "no such node")


def test_the_best_candidate_stands_for_a_step_without_a_chosen_node(trace):
    assert best_at(trace, Selection(0, 4)) == "f1"
    assert best_at(trace, Selection(0, 6)) == "p2"
    assert best_at(trace, Selection(0, 1)) == ""


def test_a_run_without_steps_or_ranking_still_opens():
    empty = made.trace().model_copy(update={"steps": (), "ranked": ()})
    assert opening(empty) == Selection(0, 1)
    assert hop_at(empty, Selection(0, 1)) == (None, None)


def test_what_if_looks_where_two_candidates_can_change_places(trace):
    at = Selection(1, 8, "p1")
    assert len(hop_at(trace, at)[1].assessments) > 1
    assert weighable_at(trace, at) == at
    assert weighable_at(trace, Selection(1, 1)) == Selection(1, 4, "f1")  # nothing was judged yet: the first that was
    one = tuple(
        s.model_copy(update={"assessments": s.assessments[:1]})
        if isinstance(s, AssessStep) and (s.agent, s.index) != (0, 4)
        else s
        for s in trace.steps
    )
    lonely = trace.model_copy(update={"steps": one})
    assert weighable_at(lonely, Selection(0, 6, "p2")) == Selection(0, 4, "f1")  # the same agent's last before
    assert weighable_at(lonely, Selection(2, 6, "c1")) == Selection(0, 4, "c1")  # any agent's; the node stays
    assert weighable_at(trace.model_copy(update={"steps": ()}), at) == at
