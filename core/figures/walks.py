"""What a run walked, whatever its method: the moves of each agent, and its whole path as nodes and links.

A method that ranks all nodes at once (BM25, dense) has no moves. Not here: comparing two runs (`compare`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from core.cara.steps import AppendStep, NeighborsStep
from core.graph.contracts import Direction
from core.peers.kar_steps import KarExpandStep, KarGatherStep
from core.peers.paths import PeerPath
from core.peers.think_on_graph_steps import TogEntitiesStep, TogTopicsStep
from core.trace import NodeRef, Step, Trace

FIRST = 10  # lines of a ranked list that stand for the path of a method that does not walk


@dataclass(frozen=True, slots=True)
class Move:
    """A step that took the agent to nodes: `verb` is what it did with them, for a sentence."""

    agent: int
    index: int
    verb: str
    nodes: tuple[NodeRef, ...]

    def same_as(self, other: Move) -> bool:
        """Whether both go to the same nodes, in whatever order."""
        return {n.id for n in self.nodes} == {n.id for n in other.nodes}


@dataclass(frozen=True, slots=True)
class WalkedLink:
    """A link that was walked, from `near`; `direction` is seen from there."""

    near: NodeRef
    far: NodeRef
    type: str
    direction: Direction


@dataclass(frozen=True, slots=True)
class WalkedPath:
    """All that a run walked to, agents united: nodes in order of first visit, links without repeats."""

    nodes: tuple[NodeRef, ...]
    links: tuple[WalkedLink, ...] = ()


def moves(trace: Trace) -> dict[int, tuple[Move, ...]]:
    """Agent -> its moves in order: nodes looked around, kept by a beam, linked to, or put on the list."""
    found = {agent: tuple(_moves_of(trace.steps_of(agent))) for agent in trace.agents}
    return {agent: own for agent, own in found.items() if own}


def walked_path(trace: Trace) -> WalkedPath:
    """The path of a run. Without a walk: the first nodes of its ranked list, and no link."""
    nodes: dict[str, NodeRef] = {}
    links: dict[tuple[str, str, str, Direction], WalkedLink] = {}
    for agent in trace.agents:
        for start, hops in (line for step in trace.steps_of(agent) for line in _lines(step)):
            at = nodes.setdefault(start.id, start)
            for kind, direction, node in hops:
                links.setdefault((at.id, node.id, kind, direction), WalkedLink(at, node, kind, direction))
                at = nodes.setdefault(node.id, node)
    if not nodes:
        return WalkedPath(tuple(NodeRef(id=r.id, name=r.name, type=r.type) for r in trace.ranked[:FIRST]))
    return WalkedPath(tuple(nodes.values()), tuple(links.values()))


def _moves_of(steps: Iterable[Step]) -> Iterator[Move]:
    for step in steps:
        nodes: tuple[NodeRef, ...] = ()
        verb = "keeps"
        if isinstance(step, NeighborsStep):
            verb, nodes = "looks around", (step.node,)
        elif isinstance(step, AppendStep):
            verb, nodes = "puts on its list", tuple(a.node for a in step.nodes)
        elif isinstance(step, TogTopicsStep):
            verb, nodes = "starts at", tuple(n.node for n in step.offered if n.kept)
        elif isinstance(step, TogEntitiesStep):
            nodes = tuple(n.node for n in step.entities if n.kept)
        elif isinstance(step, KarGatherStep):
            verb, nodes = "looks around", (step.node,)
        if nodes:
            yield Move(step.agent, step.index, verb, nodes)


Line = tuple[NodeRef, Sequence[tuple[str, Direction, NodeRef]]]


def _lines(step: Step) -> Iterator[Line]:
    """The stretches that a step walked: where each starts, then (relation, direction, node) hop by hop."""
    if isinstance(step, NeighborsStep):
        yield step.anchor, [(h.link.type, h.link.direction, h.node) for h in step.path]
        yield step.node, ()
    elif isinstance(step, AppendStep):
        for a in step.nodes:
            if a.anchor is not None:
                yield a.anchor, [(h.link.type, h.link.direction, h.node) for h in a.path]
            yield a.node, ()
    elif isinstance(step, TogTopicsStep):
        yield from ((n.node, ()) for n in step.offered if n.kept)
    elif isinstance(step, TogEntitiesStep):
        start, hops = _of(step.path)
        for n in step.entities:
            if n.kept:
                yield start, [*hops, (step.link.type, step.link.direction, n.node)]
    elif isinstance(step, KarExpandStep):
        for t in step.triples:
            yield t.entity, [(t.link.type, t.link.direction, t.node)]


def _of(path: PeerPath) -> Line:
    return path.start, [(h.link.type, h.link.direction, h.node) for h in path.hops]
