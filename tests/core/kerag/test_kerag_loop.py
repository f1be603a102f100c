"""Whole runs of KERAG: steps as they happen, decisions by hand, triples taken away, stops, failures, and the trace."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import pytest
from kerag_world import EDGES, NODES, FourCalls, books, graph_of, letters, offline

import core.methods
from core.errors import ConfigError, EncoderError, ModelError, QuestionError
from core.graph.graph import KnowledgeGraph
from core.kerag.contracts import Topics
from core.kerag.offline import OfflineKeragMinds
from core.kerag.planner import OfflinePlanner
from core.kerag.remembered import Decisions
from core.kerag.retriever import KeragRetriever
from core.kerag.settings import KeragConfig
from core.kerag.steps import (
    KeragFailedStep,
    PlanStep,
    RetrieveStep,
    SchemaStep,
    SeenRelation,
    SummaryStep,
    TopicStep,
)
from core.kerag.subgraph import Neighbourhood
from core.kerag.summariser import OfflineSummariser
from core.kerag.summary import Asked
from core.linking.lenses import Lenses
from core.trace import Trace

QUESTION = "Where was the translator of Winter Letters born?"


def one(trace: Trace, kind: type[Any]) -> Any:
    return next(s for s in trace.steps if isinstance(s, kind))


def test_a_run_plans_retrieves_and_reasons_step_by_step() -> None:
    handed = []
    trace = offline().run(QUESTION, on_step=handed.append)
    assert [s.kind for s in trace.steps] == [
        "kerag.topic",
        "kerag.schema",
        "kerag.schema",
        "kerag.plan",
        "kerag.retrieve",
        "kerag.summary",
    ]
    assert tuple(handed) == trace.steps
    assert [s.index for s in trace.steps] == [1, 2, 3, 4, 5, 6]
    assert [s.at for s in trace.steps] == sorted(s.at for s in trace.steps)
    assert (trace.method, trace.status, trace.error) == ("kerag", "finished", "")
    assert trace.answer is not None
    assert trace.answer.text == "Oslo."
    assert trace.ranked[0].id == "c1"
    assert trace.ranked[0].score == 1.0
    assert {s.decided_by for s in trace.steps} == {"offline planner", "the graph", "offline evaluator over triples"}
    assert trace.usage.calls["plan"] == 3
    assert trace.usage.calls["summarise"] == 1
    assert trace.usage.nodes_examined > 2
    assert Trace.from_json(trace.to_json()) == trace


def test_the_same_question_makes_the_same_trace_on_any_graph_with_the_four_calls() -> None:
    one_, again = offline().run(QUESTION), offline().run(QUESTION)
    assert one_.same_content(again)
    other = offline(FourCalls(books())).run(QUESTION)
    assert [r.id for r in other.ranked] == [r.id for r in one_.ranked]
    assert other.answer == one_.answer


def test_evidence_stands_behind_the_answer() -> None:
    trace = offline().run(QUESTION)
    assert trace.answer is not None
    links = {e.link for claim in trace.answer.claims for e in claim.evidence}
    assert links == {"Winter Letters → translated by → Eva Strand", "Eva Strand → born in → Oslo"}
    assert {e.node.id for s in trace.steps for e in s.evidence()} == {"c1"}


def test_what_was_left_out_is_told_with_its_triples_and_why() -> None:
    step = one(offline().run("Who wrote The Salt Road?"), RetrieveStep)
    told = {left.what: (left.triples, left.why) for left in step.left_out}
    assert told["'published in' at hop 1"] == (1, "no part of the question speaks of it")
    assert step.total == 1


# --- decisions by hand -----------------------------------------------------------------------------


def test_a_relation_left_out_by_hand_is_gone_and_the_rest_runs_again_from_there() -> None:
    plain = offline().run(QUESTION)
    overrule = {"hop": 2, "relation": "born in", "direction": "out", "kept": False}
    trace = offline().run(QUESTION, {"overrules": [overrule]})
    assert [s.content() for s in trace.steps[:2]] == [s.content() for s in plain.steps[:2]]
    second = trace.steps[2]
    assert isinstance(second, SchemaStep)
    born = next(s for s in second.relations if s.relation == "born in")
    assert (born.kept, born.by, born.reason) == (False, "hand", "left out by hand")
    triples = {one(trace, RetrieveStep).triple(n)[1] for n in range(one(trace, RetrieveStep).total)}
    assert "born in" not in triples
    assert trace.answer is not None
    assert trace.answer.text != "Oslo."


def test_a_relation_kept_by_hand_is_retrieved_also_one_hop_beyond_the_plan() -> None:
    overrules = [
        {"hop": 1, "relation": "published by", "direction": "out", "kept": True},
        {"hop": 2, "relation": "located in", "direction": "out", "kept": True},
    ]
    trace = offline().run("Who wrote The Salt Road?", {"overrules": overrules})
    assert sum(isinstance(s, SchemaStep) for s in trace.steps) == 2
    step = one(trace, RetrieveStep)
    told = {(a.id, r, b.id) for a, r, b in map(step.triple, range(step.total))}
    assert ("b1", "published by", "h1") in told
    assert ("h1", "located in", "c2") in told


class CountingPlanner(OfflinePlanner):
    """Decides otherwise each time that it is asked, as a model may."""

    decided_by = "one that never decides twice alike"
    asked = 0

    def topics(self) -> Topics:
        type(self).asked += 1
        return super().topics()

    def judge(self, hop: int, frontier: int, seen: Sequence[SeenRelation], earlier: Sequence[SchemaStep]) -> SchemaStep:
        type(self).asked += 1
        step = super().judge(hop, frontier, seen, earlier)
        return step.model_copy(update={"reason": f"decision {type(self).asked}"})


class CountingMinds(OfflineKeragMinds):
    decided_by = CountingPlanner.decided_by

    def for_run(self) -> OfflineKeragMinds:
        return self

    def planner(self, graph: Any, question: str, config: KeragConfig, should_stop: Any) -> CountingPlanner:
        planner = super().planner(graph, question, config, should_stop)
        return CountingPlanner(planner._reading, config)


def test_steps_before_an_overruled_hop_stay_and_are_not_asked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.kerag.remembered.shared", Decisions())
    monkeypatch.setattr(CountingPlanner, "asked", 0)
    retriever = KeragRetriever(books(), CountingMinds(letters()))
    plain = retriever.run(QUESTION)
    assert CountingPlanner.asked == 3
    overrule = {"hop": 2, "relation": "written by", "direction": "in", "kept": False}
    again = retriever.run(QUESTION, {"overrules": [overrule]})
    assert CountingPlanner.asked == 4  # the second hop alone
    assert [s.content() for s in again.steps[:2]] == [s.content() for s in plain.steps[:2]]
    assert again.usage.calls["plan"] == 1
    gone = retriever.run(QUESTION, {"without": [("b2", "translated by", "p3")]})
    assert gone.steps[1].content() == plain.steps[1].content()
    retriever.run(QUESTION)
    assert CountingPlanner.asked > 6  # a run without a decision by hand decides afresh


def test_steps_before_an_overruled_hop_stay_also_when_the_process_was_started_anew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("core.kerag.remembered.shared", Decisions())
    monkeypatch.setattr(CountingPlanner, "asked", 0)
    graph = books()
    overrule = {"hop": 2, "relation": "written by", "direction": "in", "kept": False}
    stored = Trace.from_json(KeragRetriever(graph, CountingMinds(letters())).run(QUESTION).to_json())
    monkeypatch.setattr("core.kerag.remembered.shared", Decisions())  # nothing is left but the stored run
    later = KeragRetriever(graph, CountingMinds(letters()))
    later.take_over(stored, graph.index_of)
    again = later.run(QUESTION, {"overrules": [overrule]})
    assert CountingPlanner.asked == 4  # three at first, then the second hop alone
    assert [s.content() for s in again.steps[:2]] == [s.content() for s in stored.steps[:2]]
    assert [s.taken_over for s in again.steps[:3]] == [True, True, False]
    assert not any("made them" in notice for notice in again.notices)


def test_steps_of_another_decider_stay_and_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.kerag.remembered.shared", Decisions())
    graph = books()
    theirs = KeragRetriever(graph, CountingMinds(letters())).run(QUESTION)
    ours = offline()
    ours.take_over(theirs, graph.index_of)
    again = ours.run(QUESTION, {"overrules": [{"hop": 2, "relation": "written by", "direction": "in", "kept": False}]})
    assert [s.content() for s in again.steps[:2]] == [s.content() for s in theirs.steps[:2]]
    assert again.steps[2].decided_by == OfflinePlanner.decided_by
    assert "stay as one that never decides twice alike made them" in " ".join(again.notices)


@pytest.mark.parametrize("other", [{"dataset": {"content_id": "x", "name": "x"}}, {"config": {"hops": "many"}}])
def test_a_run_that_means_nothing_here_is_not_taken_over(
    monkeypatch: pytest.MonkeyPatch, other: dict[str, Any]
) -> None:
    monkeypatch.setattr("core.kerag.remembered.shared", Decisions())
    graph = books()
    theirs = KeragRetriever(graph, CountingMinds(letters())).run(QUESTION)
    strange = Trace.model_validate(theirs.model_dump(mode="json") | other)
    ours = offline()
    ours.take_over(strange, graph.index_of)
    again = ours.run(QUESTION, {"overrules": [{"hop": 2, "relation": "written by", "direction": "in", "kept": False}]})
    assert CountingPlanner.decided_by not in {s.decided_by for s in again.steps}


def test_what_was_decided_longest_ago_is_forgotten() -> None:
    decisions = Decisions(limit=2)
    step = SchemaStep(hop=1, frontier=1)
    for key in ("a", "b"):
        decisions.put(key, step)
    assert decisions.get("a") is step
    decisions.put("c", step)
    assert decisions.get("b") is None
    assert decisions.get("a") is step


# --- triples taken away ----------------------------------------------------------------------------


def test_an_answer_without_its_triple_is_not_known() -> None:
    trace = offline().run("Who wrote The Salt Road?", {"without": [("b1", "written by", "p1")]})
    assert trace.answer is not None
    assert "I don't know" in trace.answer.text
    left = [x for x in one(trace, RetrieveStep).left_out if x.what == "triples taken away"]
    assert [(x.triples, x.why) for x in left] == [(1, "taken away by hand")]
    assert trace.ranked[0].id == "b1"  # nothing else is there


# --- what there may be nothing of -------------------------------------------------------------------


def test_a_topic_that_the_graph_lacks() -> None:
    trace = offline().run('Who wrote "The Blue Lamp"?')
    assert trace.status == "finished"
    assert one(trace, TopicStep).reason == "the graph has no node called “The Blue Lamp”"
    assert not any(isinstance(s, SchemaStep) for s in trace.steps)
    assert one(trace, PlanStep).reason == "there is nothing to start from"
    assert one(trace, PlanStep).hops == 0
    assert one(trace, RetrieveStep).total == 0
    assert not one(trace, SummaryStep).known
    assert trace.ranked == ()
    assert trace.answer is not None
    assert "I don't know" in trace.answer.text


def test_a_node_without_edges() -> None:
    nodes = NODES | {"x1": ("Lonely Stone", "stone", "")}
    trace = offline(graph_of(nodes, EDGES)).run("Who wrote Lonely Stone?")
    assert trace.status == "finished"
    assert one(trace, PlanStep).reason == "there is nothing to start from"
    assert [r.id for r in trace.ranked] == ["x1"]


@pytest.mark.parametrize(
    ("config", "where"),
    [({"max_hops": 0}, "max_hops"), ({"budget": 0}, "budget"), ({"nonsense": 1}, "nonsense"), ({"hops": 9}, "hops")],
)
def test_a_setting_that_is_wrong_is_named(config: dict[str, Any], where: str) -> None:
    with pytest.raises(ConfigError, match=where):
        offline().run(QUESTION, config)


def test_an_empty_question() -> None:
    with pytest.raises(QuestionError):
        offline().run("  ")


# --- large neighbourhoods ---------------------------------------------------------------------------


def hub(count: int) -> KnowledgeGraph:
    nodes = {"hub": ("North Press", "publisher", "")} | {f"x{i}": (f"Volume {i}", "book", "") for i in range(count)}
    return graph_of(nodes, [(f"x{i}", "published by", "hub") for i in range(count)])


def test_of_a_large_neighbourhood_the_trace_keeps_what_the_reasoning_cites() -> None:
    count = 16_000
    trace = offline(hub(count)).run("How many books were published by North Press?")
    step, summary = one(trace, RetrieveStep), one(trace, SummaryStep)
    assert step.total == count
    assert len(step.triples) == 5_000
    assert summary.value == f"{count:,}" or summary.value == str(count)
    assert "this record keeps 5,000 of them" in step.reason
    places = {t for line in summary.lines for t in line.triples}
    assert places
    assert max(places) < 5_000
    assert [s.kind for s in trace.steps][-2:] == ["kerag.retrieve", "kerag.summary"]
    assert len(trace.ranked) == 50


def test_the_budget_is_kept_and_told() -> None:
    trace = offline(hub(300)).run("Which books were published by North Press?", {"budget": 40})
    step = one(trace, RetrieveStep)
    assert step.total == 40
    assert any("budget of 40 triples" in left.why and left.triples == 260 for left in step.left_out)


# --- stops and failures -----------------------------------------------------------------------------


@pytest.mark.parametrize("after", [0, 1, 2, 3, 4, 5])
def test_a_stop_keeps_what_was_done(after: int) -> None:
    stop = threading.Event()
    if after == 0:
        stop.set()

    steps = []

    def on_step(step: Any) -> None:
        steps.append(step)
        if len(steps) == after:
            stop.set()

    trace = offline().run(QUESTION, None, on_step, stop.is_set)
    assert trace.status == "stopped"
    assert trace.error == ""
    assert trace.answer is None
    assert tuple(steps) == trace.steps
    assert len(steps) == after
    if after >= 3:
        assert trace.ranked[0].id == "p3"


class Waiting(OfflineKeragMinds):
    """A reasoning that looks at nothing and ends only when it is let go."""

    def __init__(self, began: threading.Event, let_go: threading.Event) -> None:
        super().__init__(letters())
        self.began, self.let_go = began, let_go

    def summariser(self, graph: Any, question: str, config: KeragConfig, should_stop: Any) -> OfflineSummariser:
        minds = self

        class Slow(OfflineSummariser):
            def summarise(self, asked: Asked, found: Neighbourhood, reason: bool = True) -> SummaryStep:
                minds.began.set()
                minds.let_go.wait(60)
                return super().summarise(asked, found, reason)

        return Slow(graph, self._lenses.lens(graph))


def test_a_stop_does_not_wait_for_a_reasoning_that_looks_at_nothing() -> None:
    began, let_go = threading.Event(), threading.Event()
    handed: list[Any] = []
    trace = KeragRetriever(books(), Waiting(began, let_go)).run(QUESTION, None, handed.append, began.is_set)
    assert not let_go.is_set()
    assert trace.status == "stopped"
    assert trace.steps[-1].kind == "kerag.retrieve"
    assert trace.answer is None
    let_go.set()
    for thread in threading.enumerate():
        if thread.name == "shared-work":
            thread.join(20)
    assert tuple(handed) == trace.steps  # what came after the stop was dropped


class BrokenSummariser(OfflineSummariser):
    def summarise(self, asked: Asked, found: Neighbourhood, reason: bool = True) -> Any:
        raise ModelError("the server gave up")


class BrokenPlanner(OfflinePlanner):
    def judge(self, *args: Any) -> Any:
        raise ModelError("no reply was usable")


class Broken(OfflineKeragMinds):
    def __init__(self, planner: bool) -> None:
        super().__init__(letters())
        self._broken_planner = planner

    def planner(self, graph: Any, question: str, config: KeragConfig, should_stop: Any) -> OfflinePlanner:
        made = super().planner(graph, question, config, should_stop)
        return BrokenPlanner(made._reading, config) if self._broken_planner else made

    def summariser(self, graph: Any, question: str, config: KeragConfig, should_stop: Any) -> OfflineSummariser:
        if self._broken_planner:
            return super().summariser(graph, question, config, should_stop)
        return BrokenSummariser(graph, self._lenses.lens(graph))


def test_a_reasoning_that_fails_leaves_the_neighbourhood_and_makes_no_answer_up() -> None:
    trace = KeragRetriever(books(), Broken(planner=False)).run(QUESTION)
    failed = one(trace, KeragFailedStep)
    assert (failed.action, failed.error) == ("reason over the triples", "the server gave up")
    assert trace.status == "finished"
    assert trace.answer is None
    assert [r.id for r in trace.ranked][:1] == ["p3"]
    assert any("1 step of this run failed" in n for n in trace.notices)
    assert trace.usage.calls["failed"] == 1


def test_a_plan_that_fails_ends_with_what_there_is() -> None:
    trace = KeragRetriever(books(), Broken(planner=True)).run(QUESTION)
    assert one(trace, KeragFailedStep).action == "judge the relations at hop 1"
    assert one(trace, RetrieveStep).total == 0
    assert trace.answer is not None
    assert "I don't know" in trace.answer.text


def test_a_graph_that_cannot_be_asked_fails_the_run_in_words() -> None:
    trace = offline(FourCalls(books(), failing=ModelError("the graph's server is away"))).run(QUESTION)
    assert (trace.status, trace.error) == ("failed", "the graph's server is away")
    failed = trace.steps[0]
    assert isinstance(failed, KeragFailedStep)
    assert failed.action == "find the topic entities"


def test_without_any_encoder_the_run_fails_in_words() -> None:
    def none(name: str) -> Any:
        raise EncoderError(f"{name} cannot be loaded")

    trace = KeragRetriever(books(), OfflineKeragMinds(Lenses(none))).run(QUESTION)
    assert trace.status == "failed"
    assert "no encoder can be loaded" in trace.error


def test_it_is_a_method_like_the_others() -> None:
    info = core.methods.method_info("kerag")
    assert (info.title, info.needs, info.config_model) == ("KERAG", "graph", KeragConfig)
    assert isinstance(core.methods.build("kerag", books()), KeragRetriever)
    assert info.most_calls is not None
    assert info.most_calls({"max_hops": 3}) == 5
    assert info.most_calls({"hops": 1}) == 3


def test_preparing_says_what_is_done() -> None:
    told: list[str] = []
    offline().prepare(lambda message, share: told.append(message))
    assert told == ["preparing the search index", "reading the graph's relations"]
    assert offline().dataset.name == "books"
