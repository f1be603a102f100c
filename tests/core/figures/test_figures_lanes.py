"""Lanes of a run while it goes: candidates wait hollow, then fill; every text of the data is escaped."""

import film_run
import pytest

from core.cara.steps import AppendStep, AssessStep, FailedStep, FinishStep, NeighborsStep, ReadQuestion
from core.figures.lanes import CANDIDATES, STEPS, Filling, Lane, lanes, lanes_html


def steps_up_to(kind, agent=0):
    """An agent's steps, up to its first of that kind."""
    own = film_run.film_run().steps_of(agent)
    return own[: 1 + next(i for i, s in enumerate(own) if isinstance(s, kind))]


def test_before_the_first_step_each_agent_has_its_lane():
    assert lanes((), 3) == tuple(Lane(a, doing="about to begin") for a in range(3))
    assert [lane.agent for lane in lanes(steps_up_to(ReadQuestion, 2), 1)] == [0, 1, 2]


def test_candidates_are_hollow_while_they_are_judged_and_then_filled_best_first():
    looked = steps_up_to(NeighborsStep)
    [lane] = lanes(looked)
    look = looked[-1]
    assert lane.doing == f"judging {len(look.candidates)} candidates"
    assert lane.hop == look.node.name
    assert [c.name for c in lane.candidates] == [c.node.name for c in look.candidates][:CANDIDATES]
    assert {c.score for c in lane.candidates} == {None}
    weighed = steps_up_to(AssessStep)
    [lane] = lanes(weighed)
    assert lane.doing == "choosing its next step"
    assert [c.score for c in lane.candidates] == [a.score for a in weighed[-1].assessments][:CANDIDATES]
    assert lane.more == max(0, len(look.candidates) - CANDIDATES)


def test_what_the_module_passed_over_stays_hollow_at_the_end():
    *before, weighed = steps_up_to(AssessStep)
    first = weighed.assessments[0]
    [lane] = lanes((*before, weighed.model_copy(update={"assessments": (first,)})))
    assert lane.candidates[0].score == first.score
    assert {c.score for c in lane.candidates[1:]} == {None}


def test_without_the_causal_module_nothing_is_waited_for():
    [lane] = lanes(steps_up_to(NeighborsStep), judged=False)
    assert lane.doing == "choosing its next step"


def test_a_lane_shows_the_newest_steps_and_how_it_stands():
    whole = film_run.film_run().steps_of(0)
    [lane] = lanes(whole)
    assert (lane.ended, lane.doing) == (True, "")
    assert len(lane.steps) == STEPS
    assert lane.first == whole[-STEPS].index
    assert lane.steps[-1].startswith("finished")
    failed = FailedStep(agent=0, index=3, action="look", error="no")
    assert lanes((*whole[:2], failed))[0].doing == "trying again"


def test_the_drawing_says_each_thing_once_and_bars_stay_within_their_frame():
    lane = Lane(
        1, ("read", "looked"), 7, "judging 2 candidates", hop="Alien", candidates=(Filling("A", 1.7), Filling("B"))
    )
    html = lanes_html((lane,), hops=True)
    assert "<b>Agent 2</b> <span class='cw-quiet'>judging 2 candidates</span>" in html
    assert "<li title='read' dir='auto'><span class='cw-quiet'>7</span> read</li>" in html
    assert "width:100%" in html
    assert html.count("<li class='hollow'>") == 1
    assert "cw-hops" in html
    assert "cw-hops" not in lanes_html(
        lanes((), 2), hops=False
    )  # a method that looks around no node needs no room for it


@pytest.mark.parametrize("kind", [NeighborsStep, AssessStep, AppendStep, FinishStep])
def test_hostile_names_are_text(kind):
    steps = film_run.hostile_run().steps
    until = max(i for i, s in enumerate(steps) if isinstance(s, kind))
    html = lanes_html(lanes(steps[: until + 1]), hops=True)
    for tag in ("<script", "<img", "<svg", "onerror='", 'onerror="'):
        assert tag not in html.lower()
