"""Where one is in a run: an agent, a step of it, and a node; one selection for graph, tables, charts and address.

The functions that search a trace are pure; `current`, `go` and `pick` read and write the address.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from core.cara.steps import AppendStep, AssessStep, NeighborsStep
from core.figures.hops import assess_of, step_at
from core.trace import Trace
from pages.shared import runs, state


@dataclass(frozen=True, slots=True)
class Selection:
    """`step` is an index within the agent, from 1; `node` is a node's id, or empty."""

    agent: int = 0
    step: int = 1
    node: str = ""


def hop_at(trace: Trace, at: Selection) -> tuple[NeighborsStep | None, AssessStep | None]:
    """The look around a node that the selected step made or last followed, and what the causal module said of it."""
    looks = [s for s in trace.steps_of(at.agent) if isinstance(s, NeighborsStep) and s.index <= at.step]
    return (looks[-1], assess_of(trace, looks[-1])) if looks else (None, None)


def weighable_at(trace: Trace, at: Selection) -> Selection:
    """The selected hop if other weights can change anything there, else the nearest at which they can.

    That takes two judged candidates. Nearest: the same agent's last before, then its first after, then any agent's.
    """
    weighed = [s for s in trace.steps if isinstance(s, AssessStep) and len(s.assessments) > 1]
    _, judged = hop_at(trace, at)
    if not weighed or (judged is not None and len(judged.assessments) > 1):
        return at

    def distance(step: AssessStep) -> tuple[bool, bool, int, int]:
        return (step.agent != at.agent, step.index > at.step, abs(step.index - at.step), step.agent)

    nearest = min(weighed, key=distance)
    known = any(a.id == at.node for a in nearest.assessments)
    return Selection(nearest.agent, nearest.index, at.node if known else nearest.assessments[0].id)


def places(trace: Trace, node: str) -> Iterator[tuple[float, Selection]]:
    """Each step at which a node was met, and how good a place it is to understand the node from.

    A judged candidate (its score, plus 3) says most, then a candidate (2), an appended node (1), a search's find (0).
    """
    for step in trace.steps:
        here = Selection(step.agent, step.index, node)
        if isinstance(step, AssessStep):
            yield from ((3 + a.score, here) for a in step.assessments if a.id == node)
        elif isinstance(step, NeighborsStep):
            yield from ((2.0, here) for c in step.candidates if c.node.id == node)
        elif isinstance(step, AppendStep):
            yield from ((1.0, here) for a in step.nodes if a.node.id == node)
        else:
            yield from ((0.0, here) for f in getattr(step, "found", ()) if f.node.id == node)


def locate(trace: Trace, node: str, near: Selection) -> Selection:
    """The best place to see a node from: the selected hop, else the same agent's best, else any agent's best."""
    hop, judged = hop_at(trace, near)
    here = {(near.agent, s.index) for s in (hop, judged) if s is not None}

    def worth(place: tuple[float, Selection]) -> tuple[bool, bool, float]:
        score, at = place
        return ((at.agent, at.step) in here, at.agent == near.agent, score)

    found = max(places(trace, node), key=worth, default=None)
    return found[1] if found else replace(near, node=node)


def opening(trace: Trace) -> Selection:
    """Where a run opens when the link names no place: the best-ranked node, where its score was highest."""
    agent = trace.agents[0] if trace.agents else 0
    if trace.ranked:
        top = trace.ranked[0]
        agent = min(top.ranks, key=lambda a: (top.ranks[a], a), default=agent)
        return locate(trace, top.id, Selection(agent, 1))
    steps = trace.steps_of(agent)
    last = Selection(agent, steps[-1].index if steps else 1)
    return replace(last, node=best_at(trace, last))


def current(trace: Trace) -> Selection:
    """What the panels show: the address's node where it is best seen from the address's step.

    Without a node it is the best candidate of the step's hop; without a step, the opening place of the run.
    """
    start, node = opening(trace), state.param("node")
    chosen = address_step(trace)
    if chosen is not None:
        start = Selection(*chosen, best_at(trace, Selection(*chosen)))
    return locate(trace, node, start) if node else start


def best_at(trace: Trace, at: Selection) -> str:
    """The best candidate of the selected hop, as judged, else as found; empty when there is none."""
    hop, judged = hop_at(trace, at)
    if judged is not None and judged.assessments:
        return judged.assessments[0].id
    return hop.candidates[0].node.id if hop is not None and hop.candidates else ""


def address_step(trace: Trace) -> tuple[int, int] | None:
    """The step that the address names, if the run has it; without one the graph shows the whole walk."""
    agent, index = state.number("agent") or 0, state.number("step")
    return (agent, index) if index is not None and step_at(trace, agent, index) is not None else None


def pick(trace: Trace, node: str) -> None:
    """Select a node (none, when empty); the graph stays at its step."""
    step = address_step(trace) or (None, None)
    runs.show(trace.run_id, agent=step[0], step=step[1], node=node)


def go_to_step(trace: Trace, agent: int, index: int) -> None:
    """Select a step; the node stays selected while the step's hop has it among its candidates."""
    node = state.param("node")
    hop, _ = hop_at(trace, Selection(agent, index))
    kept = hop is not None and any(c.node.id == node for c in hop.candidates)
    runs.show(trace.run_id, agent=agent, step=index, node=node if kept else "")
