"""A graph that has the four calls of the contract and nothing else, over plain lists."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from core.graph.contracts import Hit, Neighborhood, Node, Schema
from core.trace import DatasetRef


class FourCalls:
    """`search` counts shared words, so that a test can work out the ranking by hand."""

    def __init__(self, nodes: Sequence[tuple[str, str, str]], content_id: str = "sha256:four") -> None:
        self.nodes = [Node(i, id_, name, "thing", text, ()) for i, (id_, name, text) in enumerate(nodes)]
        self.dataset = DatasetRef(content_id=content_id, name="four", size={"nodes": len(nodes), "edges": 0})
        self.searched: list[tuple[str, int]] = []

    def search(self, query: str, k: int = 30) -> tuple[Hit, ...]:
        self.searched.append((query, k))
        words = query.lower().split()
        scores = [sum(f"{n.name} {n.text}".lower().split().count(w) for w in words) for n in self.nodes]
        order = sorted((i for i, s in enumerate(scores) if s), key=lambda i: (-scores[i], i))
        return tuple(Hit(i, float(scores[i])) for i in order[:k])

    def neighbors(
        self,
        node: int,
        query: str,
        node_types: Collection[str] | None = None,
        edge_types: Collection[str] | None = None,
        k: int = 20,
    ) -> Neighborhood:
        raise AssertionError("a peer that ranks all nodes does not walk")

    def node(self, position: int) -> Node:
        return self.nodes[position]

    def schema(self) -> Schema:
        raise AssertionError("a peer that ranks all nodes reads no schema")
