"""At which stage a run failed: entities, retrieval or reasoning; and that the retrieval is made again as it was."""

from __future__ import annotations

import pytest
from dict_graph import DictGraph

from core.kerag.neighbourhood import Gathering
from core.kerag.stages import positions_named, retrieved, stages
from core.kerag.steps import SchemaStep, SeenRelation, Topic, TopicStep
from core.trace import NodeRef, Trace

GRAPH = DictGraph(
    {
        "a": ("Aare", "river", ""),
        "o": ("Old Bridge", "bridge", ""),
        "n": ("New Bridge", "bridge", ""),
        "b": ("Bern", "town", ""),
        "t": ("Thun", "town", ""),
    },
    [("o", "crosses", "a"), ("n", "crosses", "a"), ("o", "stands in", "b"), ("n", "stands in", "t")],
)


def trace_of(hops: int, topic: str = "Aare", id_: str = "a") -> Trace:
    ways = [("crosses", "in"), ("stands in", "out")][:hops]
    schema = tuple(
        SchemaStep(
            hop=n,
            frontier=1,
            relations=(
                SeenRelation.model_validate({"relation": r, "direction": d, "edges": 2}),
                SeenRelation(relation="stands in", direction="in", edges=1, kept=False),
            ),
        )
        for n, (r, d) in enumerate(ways, 1)
    )
    first = TopicStep(topics=(Topic(node=NodeRef(id=id_, name=topic), start=0, end=4),))
    return Trace(method="kerag", question="Where are the bridges?", dataset=GRAPH.dataset, steps=(first, *schema))


def test_what_was_retrieved_is_retrieved_again() -> None:
    assert retrieved(trace_of(1), GRAPH) == {"a", "o", "n"}
    assert retrieved(trace_of(2), GRAPH) == {"a", "o", "n", "b", "t"}
    gathering = Gathering(GRAPH, [0], 100)
    assert {n.id for n in gathering.neighbourhood().nodes} == {"a"}
    assert retrieved(Trace(method="kerag", question="?", dataset=GRAPH.dataset), GRAPH) == frozenset()


@pytest.mark.parametrize(
    ("trace", "accurate", "linked", "recall", "failed"),
    [
        (trace_of(2), True, True, 1.0, ""),
        (trace_of(2), False, True, 1.0, "reasoning"),
        (trace_of(1), False, True, 0.0, "retrieval"),
        (trace_of(2, "Bern", "b"), False, False, 0.5, "linking"),
    ],
)
def test_the_first_stage_that_failed(trace: Trace, accurate: bool, linked: bool, recall: float, failed: str) -> None:
    found = stages(trace, GRAPH, "Aare", [["b"], ["t"]], accurate=accurate)
    assert (found.linked, found.failed_at) == (linked, failed)
    assert found.recall == recall


def test_without_a_gold_topic_or_node_nothing_is_claimed() -> None:
    found = stages(trace_of(1), GRAPH, "", [], accurate=False)
    assert (found.linked, found.recall, found.failed_at) == (None, None, "reasoning")
    several = stages(trace_of(1), GRAPH, "Aare; Bern", [], accurate=False)
    assert (several.linked, several.failed_at) == (False, "linking")


def test_names_are_found_exactly() -> None:
    assert positions_named(GRAPH, "Bern") == (3,)
    assert positions_named(GRAPH, "bern") == ()
    assert positions_named(GRAPH, " ") == ()
