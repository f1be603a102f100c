"""What a run cost, by agent and in all (CARA-12), counted from its steps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from core.cara.steps import GlobalSearchStep, NeighborsStep
from core.llm.answering import AnswerStep
from core.trace import Frozen, Step, Trace, Usage

CALLS = {
    "cara.global_search": "global_search",
    "cara.neighbors": "neighbors",
    "cara.assess": "assess",
    "cara.append": "append",
    "cara.failed": "failed",
}


class CostRow(Frozen):
    """One agent's cost, or the run's (agent None). Tokens are None when no model was called."""

    agent: int | None
    global_search: int
    neighbors: int
    assess: int
    append: int
    failed: int
    nodes: int
    tokens: int | None
    seconds: float


def usage(steps: Iterable[Step]) -> Usage:
    """Calls by name, and how many distinct nodes were examined."""
    calls: Counter[str] = Counter()
    nodes: set[str] = set()
    for step in steps:
        name = CALLS.get(step.kind)
        if name:
            calls[name] += 1
        nodes |= _seen(step)
    return Usage(calls=dict(sorted(calls.items())), nodes_examined=len(nodes))


def cost_table(trace: Trace) -> list[CostRow]:
    """A row per agent, then one for the whole run; a node seen by two agents counts once in the whole.

    Of a method without CARA's steps only the whole run is told.
    """
    own = {a: tuple(s for s in trace.steps_of(a) if not isinstance(s, AnswerStep)) for a in trace.agents}
    rows = [_row(agent, steps, None) for agent, steps in own.items()]
    tokens = None
    if trace.usage.prompt_tokens is not None or trace.usage.completion_tokens is not None:
        tokens = (trace.usage.prompt_tokens or 0) + (trace.usage.completion_tokens or 0)
    whole = _row(None, trace.steps, tokens).model_copy(update={"seconds": trace.seconds})
    if any(step.kind in CALLS for step in trace.steps):
        return [*rows, whole]
    # Another method's steps are not counted here; what its run counted itself is all there is to tell.
    counted = {name: trace.usage.calls.get(name, 0) for name in CALLS.values()}
    return [whole.model_copy(update={**counted, "nodes": trace.usage.nodes_examined})]


def _row(agent: int | None, steps: tuple[Step, ...], tokens: int | None) -> CostRow:
    used = usage(steps)
    counts = {name: used.calls.get(name, 0) for name in CALLS.values()}
    return CostRow(
        agent=agent, nodes=used.nodes_examined, tokens=tokens, seconds=sum(s.seconds for s in steps), **counts
    )


def _seen(step: Step) -> set[str]:
    if isinstance(step, GlobalSearchStep):
        return {f.node.id for f in step.found}
    if isinstance(step, NeighborsStep):
        return {step.node.id, *(c.node.id for c in step.candidates)}
    return set()
