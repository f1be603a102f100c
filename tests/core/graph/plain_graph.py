"""A second, dumber graph: lists and dicts only, written from the contract. The oracle of the graph tests."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from core.graph.contracts import Neighbor, Relation
from core.graph.graph import KnowledgeGraph
from core.text.bm25 import BM25Index

Edge = tuple[int, str, int]


@dataclass
class PlainGraph:
    names: list[str]
    types: list[str]
    edges: list[Edge]  # as given: duplicates and loops among them

    def build(self, edges: list[Edge] | None = None) -> KnowledgeGraph:
        edges = self.edges if edges is None else edges
        kinds = sorted({kind for _, kind, _ in edges})
        return KnowledgeGraph.from_arrays(
            [f"id{i}" for i in range(len(self.names))],
            self.names,
            self.types,
            ["" for _ in self.names],
            [head for head, _, _ in edges],
            [tail for _, _, tail in edges],
            [kinds.index(kind) for _, kind, _ in edges],
            kinds,
        )

    def kinds(self) -> list[str]:
        return sorted({kind for _, kind, _ in self.edges})

    def distinct(self) -> list[Edge]:
        return sorted(set(self.edges))

    def relations(self, node: int) -> list[tuple[str, str, int]]:
        counts = Counter()
        for head, kind, tail in set(self.edges):
            if head == node:
                counts[kind, "out"] += 1
            if tail == node:
                counts[kind, "in"] += 1
        return [(k, d, counts[k, d]) for k in self.kinds() for d in ("out", "in") if counts[k, d]]

    def neighbors(self, node, query, node_types, edge_types, k):
        around: dict[int, set[tuple[str, str]]] = {}
        for head, kind, tail in self.edges:
            if edge_types and kind not in edge_types:
                continue
            if head == node != tail:
                around.setdefault(tail, set()).add((kind, "out"))
            if tail == node != head:
                around.setdefault(head, set()).add((kind, "in"))
        around = {other: links for other, links in around.items() if not node_types or self.types[other] in node_types}
        index = BM25Index.build(self.names)
        scores = dict(zip(sorted(around), index.score_subset(query, sorted(around)).tolist(), strict=True))
        best = sorted(around, key=lambda other: (-scores[other], other))[:k]
        order = {(kind, way): i for i, (kind, way) in enumerate((x, y) for x in self.kinds() for y in ("out", "in"))}
        return (
            tuple(
                Neighbor(other, scores[other], tuple(Relation(*link) for link in sorted(around[other], key=order.get)))
                for other in best
            ),
            len(around),
        )

    def roles(self) -> dict[tuple[str, str], set[int]]:
        return {
            (kind, side): {edge[place] for edge in self.edges if edge[1] == kind}
            for kind in self.kinds()
            for side, place in (("head", 0), ("tail", 2))
        }

    def inverses(self) -> set[frozenset[str]]:
        pairs = {kind: {(h, t) for h, k, t in self.edges if k == kind and h != t} for kind in self.kinds()}
        twins = set()
        for a in pairs:
            for b in pairs:
                shared = pairs[a] & {(t, h) for h, t in pairs[b]}
                if a != b and shared and len(shared) >= 0.95 * max(len(pairs[a]), len(pairs[b])):
                    twins.add(frozenset((a, b)))
        return twins
