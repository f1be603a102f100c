"""A graph as a dict of lists: the dumbest thing that has the four calls. For tests of methods."""

from collections import Counter

import numpy as np

from core.errors import ConfigError
from core.graph.contracts import Hit, Neighbor, Neighborhood, Node, Relation, RelationCount, Schema
from core.trace import DatasetRef


class DictGraph:
    def __init__(self, nodes, edges):
        """Take nodes as {id: (name, type, text)} and edges as [(source id, relation, target id)]."""
        self.ids = list(nodes)
        self.cards = [nodes[i] for i in self.ids]
        at = {i: n for n, i in enumerate(self.ids)}
        self.edges = [(at[s], r, at[t]) for s, r, t in edges]

    @property
    def dataset(self):
        size = {"nodes": len(self.ids), "edges": len(self.edges)}
        return DatasetRef(content_id="sha256:dict", name="dict", size=size)

    def _overlap(self, position, query):
        words = Counter(" ".join(self.cards[position]).lower().split())
        return float(sum(words[w] for w in set(query.lower().split())))

    def search(self, query, k=30):
        scored = [(p, self._overlap(p, query)) for p in range(len(self.ids))]
        best = sorted((x for x in scored if x[1] > 0), key=lambda x: (-x[1], x[0]))
        return tuple(Hit(p, s) for p, s in best[:k])

    def neighbors(self, node, query, node_types=None, edge_types=None, k=20):
        known = {r for _, r, _ in self.edges}
        for name in edge_types or ():
            if name not in known:
                raise ConfigError(f"unknown edge type {name!r}", where="edge_types")
        links = {}
        for s, r, t in self.edges:
            if s == t or (edge_types and r not in edge_types):
                continue
            if s == node:
                links.setdefault(t, []).append(Relation(r, "out"))
            if t == node:
                links.setdefault(s, []).append(Relation(r, "in"))
        if node_types:
            links = {p: rs for p, rs in links.items() if self.cards[p][1] in node_types}
        found = [Neighbor(p, self._overlap(p, query), tuple(rs)) for p, rs in links.items()]
        found.sort(key=lambda n: (-n.score, n.position))
        return Neighborhood(tuple(found[:k]), len(found))

    def node(self, position):
        name, type_, text = self.cards[position]
        counts = Counter()
        for s, r, t in self.edges:
            if s == position:
                counts[r, "out"] += 1
            if t == position:
                counts[r, "in"] += 1
        relations = tuple(RelationCount(r, d, n) for (r, d), n in counts.items())
        return Node(position, self.ids[position], name, type_, text, relations)

    def schema(self):
        return Schema(dict(Counter(c[1] for c in self.cards)), dict(Counter(r for _, r, _ in self.edges)), (),
                      np.zeros((0, 0), np.int64), {})  # fmt: skip
