"""The offline planner: what it keeps and leaves out at a hop, what is covered, and when it is enough."""

from __future__ import annotations

from typing import Any

import pytest
from kerag_world import EDGES, NODES, graph_of, letters, offline

from core.graph.graph import KnowledgeGraph
from core.kerag.planner import OfflinePlanner
from core.kerag.reading import Reading
from core.kerag.settings import KeragConfig
from core.kerag.steps import PlanStep, SchemaStep, SeenRelation, TopicStep
from core.trace import Trace


def planned(question: str, graph: KnowledgeGraph | None = None, **config: Any) -> tuple[Trace, list[SchemaStep]]:
    trace = offline(graph).run(question, config)
    return trace, [s for s in trace.steps if isinstance(s, SchemaStep)]


def kept(step: SchemaStep) -> set[tuple[str, str]]:
    return {(s.relation, s.direction) for s in step.relations if s.kept}


def test_a_lookup_needs_one_hop_and_one_relation() -> None:
    trace, schema = planned("Who wrote The Salt Road?")
    assert [kept(s) for s in schema] == [{("written by", "out")}]
    assert (schema[0].covered, schema[0].uncovered, schema[0].enough) == (("wrote",), (), True)
    written = next(s for s in schema[0].relations if s.relation == "written by")
    assert (written.covers, written.relevance, written.reason) == (("wrote",), 1.0, "speaks of “wrote”")
    left = next(s for s in schema[0].relations if s.relation == "published in")
    assert (left.kept, left.reason) == (False, "no part of the question speaks of it")
    plan = next(s for s in trace.steps if isinstance(s, PlanStep))
    assert (plan.hops, plan.domain, [t.id for t in plan.topics]) == (1, "book", ["b1"])
    assert set(plan.left_out) == {"translated by", "published by", "published in"}


def test_a_second_hop_is_planned_where_a_part_of_the_question_is_still_open() -> None:
    _, schema = planned("Where was the translator of Winter Letters born?")
    assert len(schema) == 2
    assert kept(schema[0]) == {("translated by", "out")}
    assert (schema[0].enough, schema[0].uncovered) == (False, ("born",))
    assert schema[0].reason == "'born in' is still ahead for “born”"
    assert ("born in", "out") in kept(schema[1])
    assert (schema[1].enough, schema[1].covered) == (True, ("translator", "born"))


def test_no_more_hops_than_allowed() -> None:
    trace, schema = planned("Where are the publishers of the books that Ada Holm wrote located?", max_hops=2)
    assert len(schema) == 2
    assert not schema[-1].enough
    plan = next(s for s in trace.steps if isinstance(s, PlanStep))
    assert plan.reason == "no more than 2 hops may be planned"


@pytest.mark.parametrize("hops", [1, 2, 3])
def test_a_fixed_number_of_hops_is_kept_to(hops: int) -> None:
    trace, schema = planned("Who wrote The Salt Road?", hops=hops)
    assert len(schema) == hops
    plan = next(s for s in trace.steps if isinstance(s, PlanStep))
    assert plan.hops == hops
    assert plan.reason == (f"{hops} hops were asked for" if hops > 1 else "1 hop was asked for")


def test_without_the_filter_nothing_is_left_out() -> None:
    _, schema = planned("Who wrote The Salt Road?", drop_relations=False)
    assert all(s.kept for s in schema[0].relations)
    assert {s.reason for s in schema[0].relations} == {"speaks of “wrote”", "nothing is left out in this run"}


def test_values_are_fetched_where_they_are_to_be_compared() -> None:
    trace, schema = planned("Which of the books of Ada Holm is the oldest?")
    assert ("published in", "out") in kept(schema[1])
    assert next(s for s in trace.steps if isinstance(s, TopicStep)).question_kind == "superlative"


def test_how_many_is_no_part_to_wait_for() -> None:
    _, schema = planned("How many books were published by North Press?")
    assert len(schema) == 1
    assert schema[0].uncovered == ()


def test_a_twin_that_says_the_same_backwards_is_left_out() -> None:
    twins = [(t, "written by inverse", s) for s, r, t in EDGES if r == "written by"]
    _, schema = planned("Who wrote The Salt Road?", graph_of(NODES, [*EDGES, *twins]))
    seen = {s.relation: s for s in schema[0].relations}
    assert {seen["written by"].kept, seen["written by inverse"].kept} == {True, False}
    other = next(s for s in seen.values() if s.relation.startswith("written by") and not s.kept)
    assert other.reason == "says the same as another relation, backwards"


def test_a_relation_of_many_triples_needs_more_than_one_of_few() -> None:
    """The same faint similarity keeps a small relation and drops a large one."""
    seen = [
        SeenRelation(relation="located in", direction="in", edges=edges, node_types=("publisher",))
        for edges in (5, 5_000)
    ]
    graph = graph_of(NODES, EDGES)
    reading = Reading(graph, letters().lens(graph), "Which books were translated by Nils Berg?")
    planner = OfflinePlanner(reading, KeragConfig())
    planner.topics()
    judged = planner.judge(1, 1, seen, ()).relations
    assert [j.kept for j in judged] == [True, False]
    assert judged[0].relevance == judged[1].relevance > 0


def test_what_was_decided_by_hand_stands() -> None:
    graph = graph_of(NODES, EDGES)
    reading = Reading(graph, letters().lens(graph), "Who wrote The Salt Road?")
    planner = OfflinePlanner(reading, KeragConfig(drop_relations=False))
    planner.topics()
    seen = [
        SeenRelation(relation="written by", direction="out", edges=1, kept=False, by="hand", reason="left out by hand"),
        SeenRelation(relation="published in", direction="out", edges=1, kept=True, by="hand", reason="kept by hand"),
    ]
    judged = planner.judge(1, 1, seen, ()).relations
    assert [(j.kept, j.by, j.reason) for j in judged] == [
        (False, "hand", "left out by hand"),
        (True, "hand", "kept by hand"),
    ]
    assert judged[0].relevance == 1.0


def test_topics_that_are_taken_up_again_are_planned_with_alike() -> None:
    graph = graph_of(NODES, EDGES)
    reading = Reading(graph, letters().lens(graph), "Where was the translator of Winter Letters born?")
    first, second = OfflinePlanner(reading, KeragConfig()), OfflinePlanner(reading, KeragConfig())
    second.resume(first.topics())
    seen = [SeenRelation(relation=r, direction="out", edges=1) for r in ("translated by", "published in")]
    assert first.judge(1, 1, seen, ()) == second.judge(1, 1, seen, ())


def test_a_question_that_speaks_of_no_relation_may_mean_any_and_goes_no_further() -> None:
    _, schema = planned("How heavy is The Salt Road?")
    assert len(schema) == 1
    assert {s.reason for s in schema[0].relations} == {"the question speaks of no relation, so any may be meant"}
    assert schema[0].reason == "the question speaks of no relation; what lies nearest must do"
