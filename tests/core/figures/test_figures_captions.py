import pytest
from film_run import film_run, hostile_run

from core.cara.steps import (
    AppendStep,
    AssessStep,
    FailedStep,
    FinishStep,
    GlobalSearchStep,
    NeighborsStep,
    ReadQuestion,
)
from core.figures.captions import caption, kind_of, reason
from core.figures.hops import hop_of, in_order_of_arrival
from core.peers.steps import PeerSearchStep
from core.trace import NodeRef


@pytest.fixture
def film_trace():
    return film_run()


@pytest.fixture
def hostile_trace():
    return hostile_run()


NODE = NodeRef(id="7", name="Ridley Scott")


def first(trace, kind, agent=0):
    return next(s for s in trace.steps_of(agent) if isinstance(s, kind))


def test_each_step_in_plain_words(film_trace):
    steps = film_trace.steps_of(0)
    assert caption(steps[0]) == (
        "Agent 1, step 1: read the question; names “Alien”; to be explained: “wrote”, “films” and “director”; "
        "looks for a person"
    )
    assert caption(steps[1]) == "Agent 1, step 2: searched the whole graph for “alien director”: 4 found; first: Alien"
    assert caption(steps[4]) == "Agent 1, step 5: looked around Ridley Scott along “directed by”: 11 of 25 neighbours"
    assess = steps[5]
    assert isinstance(assess, AssessStep)
    told = caption(assess, hop_of(film_trace, assess))
    best = assess.assessments[0]
    assert told == (
        f"Agent 1, step 6: weighed the 11 neighbours of Ridley Scott; best: {best.id[2:]} ({best.score:.2f})"
    )
    append = first(film_trace, AppendStep)
    assert caption(append, on_list=2) == (
        f"Agent 1, step {append.index}: put Hampton Fancher and David Peoples on its list (2 so far)"
    )
    assert caption(film_trace.steps_of(2)[-1], on_list=3).endswith(
        "stopped, its budget of steps was spent with 3 nodes on its list"
    )


def test_nothing_found_is_said():
    assert caption(GlobalSearchStep(subquery="x", k=3)).endswith("“x”: nothing found")
    assert caption(NeighborsStep(node=NODE, anchor=NODE, subquery="x", k=3)).endswith("no neighbours")
    assert caption(AppendStep()).endswith("put nothing on its list")
    assert caption(AssessStep(lambda_=0.5, alpha=0.5, kept=0)).endswith("weighed the neighbours: none")
    assert caption(ReadQuestion()) == "Agent 1, step 1: read the question"


def test_an_assessment_without_its_hop_names_no_id(film_trace):
    assess = first(film_trace, AssessStep)
    assert "n:" not in caption(assess, None)


def test_filters_faults_and_other_methods_are_told():
    step = NeighborsStep(
        node=NODE, anchor=NODE, subquery="x", k=3, node_types=("film",), edge_types=("a_b", "c.d"), total=9
    )
    assert "along “a b” and “d”, only film: 0 of 9 neighbours" in caption(step)
    failed = FailedStep(action="neighbors", error="no such node\n" * 100)
    assert caption(failed).startswith("Agent 1, step 1: could not do “neighbors”: no such node no such")
    assert len(caption(failed)) < 240
    assert "by MiniLM vectors: nothing found" in caption(PeerSearchStep(subquery="x", k=3, encoder="MiniLM"))
    assert kind_of(FinishStep()) == "finish"
    assert reason(FinishStep(reason="r" * 999)) == "r" * 239 + "…"


def test_a_hostile_name_cannot_turn_the_sentence_around(hostile_trace):
    told = [caption(s, hop_of(hostile_trace, s) if isinstance(s, AssessStep) else None) for s in hostile_trace.steps]
    assert all(t.count("\u2068") == t.count("\u2069") for t in told)
    assert any("\u2068\u202eevil" in t for t in told)
    assert max(map(len, told)) < 500


def test_steps_arrive_by_clock_and_within_an_agent_by_index(film_trace):
    steps = in_order_of_arrival(film_trace)
    assert [s.at for s in steps] == sorted(s.at for s in film_trace.steps)
    assert [s.agent for s in steps[:3]] == [0, 1, 2]
    no_clock = film_trace.model_copy(
        update={"steps": tuple(s.model_copy(update={"at": 0.0}) for s in reversed(film_trace.steps))}
    )
    arrived = in_order_of_arrival(no_clock)
    assert [(s.index, s.agent) for s in arrived] == sorted((s.index, s.agent) for s in film_trace.steps)


def test_a_clock_that_runs_backwards_does_not_turn_an_agents_steps_around(film_trace):
    odd = film_trace.model_copy(
        update={"steps": tuple(s.model_copy(update={"at": 100.0 - s.at}) for s in film_trace.steps)}
    )
    for agent in odd.agents:
        indexes = [s.index for s in in_order_of_arrival(odd) if s.agent == agent]
        assert indexes == sorted(indexes)
