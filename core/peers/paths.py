"""Paths through a graph as the walking peers keep them in a trace, and in words."""

from __future__ import annotations

from core.graph.contracts import Direction
from core.trace import Frozen, NodeRef


class PeerLink(Frozen):
    """A relation with its direction, seen from the node one stood on."""

    type: str
    direction: Direction


class PeerHop(Frozen):
    """One hop: the link taken and the node it led to."""

    link: PeerLink
    node: NodeRef


class PeerPath(Frozen):
    """From a start node along hops; without hops it is the start alone."""

    start: NodeRef
    hops: tuple[PeerHop, ...] = ()

    @property
    def end(self) -> NodeRef:
        """The node the path leads to."""
        return self.hops[-1].node if self.hops else self.start

    def then(self, link: PeerLink, node: NodeRef) -> PeerPath:
        """The path one hop longer."""
        return PeerPath.model_construct(start=self.start, hops=(*self.hops, PeerHop(link=link, node=node)))

    def in_words(self) -> str:
        """For example: Alien -[directed by]-> Ridley Scott."""
        return self.start.name + "".join(f" {arrow(hop.link)} {hop.node.name}" for hop in self.hops)


def arrow(link: PeerLink) -> str:
    """A link between two names; it points from the head of the edge to its tail."""
    return f"-[{link.type}]->" if link.direction == "out" else f"<-[{link.type}]-"


def node_in_words(node: NodeRef) -> str:
    """Name and type."""
    return f"{node.name} ({node.type})" if node.type else node.name
