"""Where a run went wrong (KERAG-7): at the linking of entities, at the retrieval of the answer, or in the reasoning.

A failure belongs to the first stage that failed. The retrieval is made again from the trace's schema steps, since a
trace keeps only a part of a large neighbourhood. Not here: whether the answer is right (`core.evaluation.judge`).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Literal

from core.graph.contracts import Graph, Relation
from core.kerag.neighbourhood import Gathering
from core.kerag.settings import KeragConfig
from core.kerag.steps import SchemaStep, TopicStep
from core.trace import Frozen, Trace

Stage = Literal["linking", "retrieval", "reasoning", ""]
SEARCHED = 30  # hits among which the node of a name is looked for


class Stages(Frozen):
    """How far a run got. linked: None where no gold topic is known. recall: share of the gold answers retrieved."""

    linked: bool | None
    recall: float | None
    accurate: bool
    failed_at: Stage = ""


def positions_named(graph: Graph, name: str) -> tuple[int, ...]:
    """The nodes of exactly that name, by search."""
    if not name.strip():
        return ()
    return tuple(h.position for h in graph.search(name, SEARCHED) if graph.node(h.position).name == name)


def retrieved(trace: Trace, graph: Graph) -> frozenset[str]:
    """The ids of all nodes of the neighbourhood that a run retrieved."""
    config = KeragConfig.model_validate(trace.config)
    topic = next((s for s in trace.steps if isinstance(s, TopicStep)), None)
    if topic is None or not topic.topics:
        return frozenset()
    wanted = {t.node.id for t in topic.topics}
    positions = _positions(graph, trace.question, [t.node.name for t in topic.topics], wanted)
    gathering = Gathering(graph, positions, config.budget, trace.question, config.without)
    for step in trace.steps:
        if isinstance(step, SchemaStep):
            gathering.follow({Relation(s.relation, s.direction) for s in step.relations if s.kept})
    return frozenset(node.id for node in gathering.neighbourhood().nodes)


def _positions(graph: Graph, question: str, names: Sequence[str], ids: Collection[str]) -> list[int]:
    """The positions of the topics, by a search for their names."""
    found: dict[str, int] = {}
    for name in dict.fromkeys([*names, question]):
        for hit in graph.search(name, 200):
            node = graph.node(hit.position)
            if node.id in ids:
                found.setdefault(node.id, hit.position)
        if len(found) == len(ids):
            break
    return [found[i] for i in ids if i in found]


def stages(trace: Trace, graph: Graph, mention: str, gold: Sequence[Collection[str]], *, accurate: bool) -> Stages:
    """The stages of a run. mention: the name of the gold topic, several with "; "; gold: ids of each gold answer."""
    topics = {t.node.id for s in trace.steps if isinstance(s, TopicStep) for t in s.topics}
    wanted = [{graph.node(p).id for p in positions_named(graph, part.strip())} for part in mention.split(";")]
    wanted = [ids for ids in wanted if ids]
    linked = all(ids & topics for ids in wanted) if wanted else None
    known = [ids for ids in gold if ids]
    recall: float | None = None
    if known:
        found = retrieved(trace, graph)
        recall = sum(bool(found & set(ids)) for ids in known) / len(known)
    failed: Stage = ""
    if not accurate:
        failed = "linking" if linked is False else "retrieval" if recall is not None and recall < 1 else "reasoning"
    return Stages(linked=linked, recall=recall, accurate=accurate, failed_at=failed)
