"""Finding one's way in a CARA trace: which hop an assessment belongs to, the order of arrival, names by id."""

from __future__ import annotations

from collections.abc import Iterator

from core.cara.steps import AppendStep, AssessStep, GlobalSearchStep, NeighborsStep
from core.trace import NodeRef, Step, Trace


def in_order_of_arrival(trace: Trace) -> list[Step]:
    """All agents' steps as they came: by the clock when they ended, as a live run shows them, else by index.

    Within an agent always by index.
    """
    clock = any(step.at > 0 for step in trace.steps)
    keyed: list[tuple[tuple[float, int, int], Step]] = []
    for agent in trace.agents:
        latest = 0.0
        for step in trace.steps_of(agent):
            latest = max(latest, step.at + step.seconds) if clock else float(step.index)
            keyed.append(((latest, agent, step.index), step))
    keyed.sort(key=lambda pair: pair[0])
    return [step for _, step in keyed]


def step_at(trace: Trace, agent: int, index: int | None) -> Step | None:
    """The step of `agent` with that index, or None."""
    return next((s for s in trace.steps if s.agent == agent and s.index == index), None)


def hop_of(trace: Trace, assess: AssessStep) -> NeighborsStep | None:
    """The Neighbors call whose candidates `assess` weighed."""
    step = step_at(trace, assess.agent, assess.source)
    return step if isinstance(step, NeighborsStep) else None


def assess_of(trace: Trace, hop: NeighborsStep) -> AssessStep | None:
    """The assessment of the candidates of `hop`, if there was one."""
    same = (s for s in trace.steps if isinstance(s, AssessStep) and s.agent == hop.agent and s.source == hop.index)
    return next(same, None)


def hops(trace: Trace) -> list[tuple[NeighborsStep, AssessStep | None]]:
    """Every Neighbors call with its assessment, by agent, then in order of the walk."""
    assessed = {(s.agent, s.source): s for s in trace.steps if isinstance(s, AssessStep)}
    calls = sorted((s for s in trace.steps if isinstance(s, NeighborsStep)), key=lambda s: (s.agent, s.index))
    return [(hop, assessed.get((hop.agent, hop.index))) for hop in calls]


def hops_with(trace: Trace, node_id: str) -> list[tuple[NeighborsStep, AssessStep | None]]:
    """The hops that had the node among their candidates: where "why this score" has an answer."""
    return [pair for pair in hops(trace) if any(c.node.id == node_id for c in pair[0].candidates)]


def nodes_named(trace: Trace) -> dict[str, NodeRef]:
    """Every node the trace names, by id."""
    return {ref.id: ref for step in trace.steps for ref in _refs(step)} | {
        r.id: NodeRef(id=r.id, name=r.name, type=r.type) for r in trace.ranked
    }


def _refs(step: Step) -> Iterator[NodeRef]:
    if isinstance(step, GlobalSearchStep):
        yield from (f.node for f in step.found)
    elif isinstance(step, NeighborsStep):
        yield step.anchor
        yield from (h.node for h in step.path)
        yield step.node
        yield from (c.node for c in step.candidates)
    elif isinstance(step, AppendStep):
        for appended in step.nodes:
            if appended.anchor is not None:
                yield appended.anchor
            yield from (h.node for h in appended.path)
            yield appended.node
