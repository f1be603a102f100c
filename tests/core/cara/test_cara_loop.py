"""The loop with scripted deciders: what is recorded, what fails, what stops it, and what-if on the result."""

import threading

import pytest
from dict_graph import DictGraph

from core.cara.contracts import Append, Finish, GlobalSearch, Neighbors, Pick
from core.cara.cost import cost_table
from core.cara.retriever import CaraRetriever
from core.cara.steps import AppendStep, Assessment, AssessStep, FailedStep, FinishStep, NeighborsStep, ReadQuestion
from core.cara.what_if import changed_choices, rescore
from core.errors import CausewayError, ConfigError, QuestionError
from core.trace import Answer, Trace

NODES = {"a": ("Alpha", "x", "start here"), "b": ("Beta", "y", "long " * 100), "c": ("Gamma", "y", "c"),
         "d": ("Delta", "z", "d")}  # fmt: skip
EDGES = [("a", "to", "b"), ("a", "to", "c"), ("c", "on", "a"), ("b", "on", "d"), ("a", "to", "a")]
JUDGED = {"b": (0.9, 0.1, 0.2), "c": (0.2, 0.2, 0.9), "d": (0.5, 0.5, 0.5), "a": (0, 0, 0)}


class Scripted:
    """Plays a list of actions; an exception in the list is raised."""

    decided_by = "a script"
    exchange = None

    def __init__(self, actions):
        self.actions = list(actions)

    def read(self, state):
        return ReadQuestion(encoder="none")

    def next_action(self, state):
        action = self.actions.pop(0) if self.actions else Finish("the script ended")
        if callable(action):
            action = action(state)
        if isinstance(action, Exception):
            raise action
        return action


class Judge:
    decided_by = "a judge"
    exchange = None

    def assess(self, state, hop):
        for c in hop.candidates:
            c_, e, p = JUDGED[c.node.id]
            yield Assessment(id=c.node.id, consequentiality=c_, essentiality=e, path_consistency=p, causal=0, score=0)


class Minds:
    decided_by = "a script"
    notices = ("scripted",)
    exchange = None

    def __init__(self, *scripts):
        self.scripts = scripts

    def for_run(self):
        return self

    def tokens(self):
        return None, None

    def prepare(self, graph, on_progress):
        on_progress("nothing to load", 1.0)

    def policy(self, graph, question, agent, config):
        return Scripted(self.scripts[agent % len(self.scripts)])

    def assessor(self, graph, question, agent, config):
        return Judge()

    def answerer(self, graph, question, config):
        return self

    def answer(self, question, ranked, steps, should_stop=None):
        return Answer(text=", ".join(r.name for r in ranked), decided_by="a script")


WALK = [
    GlobalSearch("alpha"),
    Neighbors(0, "start", anchor=0, source=2),
    Neighbors(2, "more", anchor=0, source=4),
    Append((Pick(2, source=4), Pick(1, source=4), Pick(2))),
]


def run(*scripts, graph=None, **config):
    steps = []
    retriever = CaraRetriever(graph or DictGraph(NODES, EDGES), Minds(*scripts))
    trace = retriever.run("where to?", {"agents": len(scripts), **config}, on_step=steps.append)
    assert sorted(steps, key=id) == sorted(trace.steps, key=id)  # what was handed on is what is kept
    return trace


def test_a_whole_walk_is_recorded_as_made():
    trace = run(WALK)
    kinds = [s.kind.removeprefix("cara.") for s in trace.steps]
    assert kinds == ["read_question", "global_search", "neighbors", "assess", "neighbors", "assess", "append", "finish"]
    assert [s.index for s in trace.steps] == list(range(1, 9))
    hop = trace.steps[2]
    assert {c.node.id for c in hop.candidates} == {"b", "c"}  # the self-loop is no neighbour
    both = next(c for c in hop.candidates if c.node.id == "c")
    assert {(link.type, link.direction) for link in both.links} == {("to", "out"), ("on", "in")}
    assert next(c for c in hop.candidates if c.node.id == "b").text_cut
    assess = trace.steps[3]
    assert (assess.source, assess.decided_by) == (3, "a judge")
    assert [a.id for a in assess.assessments] == ["c", "b"]  # .5 * .2 + .5 * .9 against .5 * .5 + .5 * .2
    assert [n.node.id for n in trace.steps[6].nodes] == ["c", "b"]  # the repeat is skipped
    assert [(r.id, r.ranks) for r in trace.ranked] == [("c", {0: 1}), ("b", {0: 2})]
    assert trace.answer.text == "Gamma, Beta"
    assert trace.usage.calls == {"append": 1, "assess": 2, "global_search": 1, "neighbors": 2}
    assert trace.usage.nodes_examined == 3
    assert trace.usage.prompt_tokens is None
    assert Trace.from_json(trace.to_json()) == trace


def test_without_the_causal_module_no_assessment_is_made():
    trace = run(WALK, assess=False, fusion="count")
    assert not any(isinstance(s, AssessStep) for s in trace.steps)
    assert trace.ranked[0].score == 1.0


def test_parallel_agents_are_fused_and_repeat_exactly():
    other = [Append((Pick(1), Pick(3)))]
    first, second = run(WALK, other, other), run(WALK, other, other)
    assert first.same_content(second)
    assert [r.id for r in first.ranked] == ["b", "d", "c"]
    assert first.ranked[0].score == pytest.approx(1 / 62 + 1 / 61 + 1 / 61)


def test_the_budget_ends_the_walk_and_is_said():
    trace = run([Neighbors(0, "x", anchor=0)] * 10, max_steps=3)
    assert sum(isinstance(s, NeighborsStep) for s in trace.steps) == 3  # assessments are not counted
    assert trace.steps[-1].budget_spent
    assert "Agent 1 spent the whole budget of 3 steps" in trace.notices[-1]


def test_an_action_that_fails_is_a_step_and_the_walk_goes_on():
    trace = run([Neighbors(0, "x", anchor=0, edge_types=("no such",)), *WALK])
    failed = [s for s in trace.steps if isinstance(s, FailedStep)]
    assert len(failed) == 1
    assert "no such" in failed[0].error
    assert [r.id for r in trace.ranked]
    assert any("1 step of this run failed" in n for n in trace.notices)


def test_a_policy_that_only_fails_ends():
    trace = run([CausewayError("no")] * 50)
    assert sum(isinstance(s, FailedStep) for s in trace.steps) == 5
    assert isinstance(trace.steps[-1], FinishStep)


def test_one_broken_agent_leaves_the_others_alone(caplog):
    trace = run(WALK, [ValueError("bug")], WALK)
    assert trace.status == "finished"
    assert trace.ranked[0].ranks == {0: 1, 2: 1}
    broken = trace.steps_of(1)[-1]
    assert isinstance(broken, FailedStep)
    assert "bug" not in broken.error  # the detail is for the log
    assert "bug" in caplog.text


def test_stop_keeps_what_was_done():
    stop = threading.Event()

    def then_stop(state):
        stop.set()
        return Append((Pick(1),))

    steps = []
    retriever = CaraRetriever(DictGraph(NODES, EDGES), Minds([*WALK, then_stop, *WALK]))
    trace = retriever.run("where to?", {"agents": 1}, on_step=steps.append, should_stop=stop.is_set)
    assert trace.status == "stopped"
    assert isinstance(trace.steps[-1], AppendStep)
    assert [r.id for r in trace.ranked] == ["c", "b"]
    assert trace.answer is None


@pytest.mark.parametrize(
    ("config", "name"),
    [({"alpha": 2}, "alpha"), ({"agents": 0}, "agents"), ({"speed": 1}, "speed"), ({"lambda_": "x"}, "lambda")],
)
def test_a_wrong_setting_is_named(config, name):
    with pytest.raises(ConfigError) as error:
        CaraRetriever(DictGraph(NODES, EDGES), Minds(WALK)).run("q?", config)
    assert error.value.where == name


def test_an_empty_question_is_refused():
    with pytest.raises(QuestionError):
        CaraRetriever(DictGraph(NODES, EDGES), Minds(WALK)).run("  ")


def test_the_list_is_cut_to_r_but_the_trace_keeps_all():
    assess = next(s for s in run(WALK, keep=1).steps if isinstance(s, AssessStep))
    assert (assess.kept, len(assess.assessments)) == (1, 2)


def test_cost_counts_a_node_seen_twice_once():
    rows = cost_table(run(WALK, WALK))
    assert [r.agent for r in rows] == [0, 1, None]
    assert [r.nodes for r in rows] == [3, 3, 3]
    assert [r.neighbors for r in rows] == [2, 2, 4]


class TestWhatIf:
    def test_rescoring_equals_a_fresh_run_at_those_weights(self):
        for lambda_, alpha in [(0.0, 0.0), (1.0, 1.0), (0.3, 0.8)]:
            fresh = run(WALK, lambda_=lambda_, alpha=alpha)
            again = rescore(run(WALK), lambda_, alpha)
            pairs = zip(fresh.steps, again.steps, strict=True)
            assert all(a.content() == b.content() for a, b in pairs)

    def test_actions_and_fused_list_stay_as_made(self):
        trace = run(WALK)
        again = rescore(trace, 1.0, 1.0)
        assert again.ranked == trace.ranked
        assert [s for s in again.steps if not isinstance(s, AssessStep)] == [
            s for s in trace.steps if not isinstance(s, AssessStep)
        ]
        assert "as made" in again.notices[-1]
        assert again.config["alpha"] == 1.0

    def test_the_first_hop_whose_choice_changes_is_marked(self):
        walk = [Neighbors(0, "x", anchor=0), Neighbors(2, "y", anchor=0, source=3), Append((Pick(2, source=3),))]
        trace = run(walk)
        assert changed_choices(trace, 0.5, 0.5) == []
        change = changed_choices(trace, 1.0, 1.0)[0]  # by consequentiality alone Beta (.9) beats Gamma (.2)
        assert (change.agent, change.index, change.taken, change.preferred) == (0, 3, ("c",), ("b",))

    def test_a_hop_all_of_whose_candidates_were_taken_never_changes(self):
        assert changed_choices(run(WALK), 1.0, 1.0) == []
