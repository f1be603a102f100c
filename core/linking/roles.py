"""Roles and classes of a graph, from its schema alone: who can stand where, which hop can follow which.

A hop is coded 2t for relation t from head to tail ("out") and 2t + 1 for tail to head ("in"); hop h leaves
role h and arrives at role h ^ 1. Roles played largely by the same nodes form a class: that is how a class
is known even where no node has a type. Not here: words, encoders.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from core.graph.contracts import Relation, Schema
from core.linking.similarity import label_text

SAME_CLASS = 0.5  # share of the smaller role's nodes that must also play the other
# A number, one with a unit or a part of a date ("12 kg", "3 May", "1990s"), a date in words.
_NUMBER = re.compile(r"[+-]?\d[\d.,:/ -]*(?: ?[^\W\d_]{1,12}|%)?$|\d{1,2} \w+ \d{3,4}$|\w+ \d{1,2},? \d{4}$")


class Roles:
    """The role graph of a schema of T relations."""

    def __init__(self, schema: Schema) -> None:
        self.relations: tuple[str, ...] = tuple(schema.edge_types)
        self.hops = 2 * len(self.relations)
        self._code = {name: 2 * t for t, name in enumerate(self.relations)}
        roles = schema.roles
        self.frequency = np.log1p(np.array(list(schema.edge_types.values()), dtype=np.float64))
        self.sizes = np.array([r.size for r in roles], dtype=np.int64)
        self.types = tuple(r.node_types for r in roles)
        self.overlap = schema.overlap
        self.canonical = self._canonical(schema)
        self.kept = self._kept(schema)  # (2T,) hops worth walking
        # (2T,) class of each role; classes are numbered by their first role
        self.class_of = _classes(schema.overlap, self.sizes)
        self.arrival = self.class_of[np.arange(self.hops) ^ 1]
        arrive = np.arange(self.hops) ^ 1
        self.follows = (schema.overlap[arrive] > 0) & self.kept[None, :] if self.hops else np.zeros((0, 0), bool)
        self.numeric = np.array([_numeric_share(r.examples) for r in roles], dtype=np.float64)

    def code(self, relation: Relation) -> int:
        """The hop code of a relation and direction. KeyError for a relation the schema lacks."""
        return self._code[relation.type] + (relation.direction == "in")

    def relation(self, hop: int) -> Relation:
        """The relation and direction of a hop code."""
        return Relation(self.relations[hop >> 1], "in" if hop & 1 else "out")

    def goes_back(self, hop: int, then: int) -> bool:
        """Whether `then` undoes `hop`: the same relation, or its inverse twin, the other way."""
        return bool(self.canonical[then] == self.canonical[hop] ^ 1)

    def _canonical(self, schema: Schema) -> NDArray[np.int64]:
        """(2T,) a hop by an inverse twin counts as the hop it restates."""
        canonical = np.arange(self.hops)
        for twin, original in schema.inverse_of.items():
            if twin in self._code and original in self._code:
                a, b = self._code[twin], self._code[original]
                canonical[a], canonical[a + 1] = b + 1, b
        return canonical

    def _kept(self, schema: Schema) -> NDArray[np.bool_]:
        """A twin that says the same words ("makes_inverse") adds nothing; "parent" beside "child" does."""
        kept = np.ones(self.hops, dtype=bool)
        for twin, original in schema.inverse_of.items():
            if twin in self._code and original in self._code and label_text(twin) == label_text(original):
                kept[self._code[twin] : self._code[twin] + 2] = False
        return kept


def _classes(overlap: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """(2T,) the first role of each role's class: joined where the overlap is half of the smaller role."""
    parent = list(range(len(sizes)))

    def root(i: int) -> int:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    smaller = np.minimum(sizes[:, None], sizes[None, :])
    joined = np.triu((overlap >= SAME_CLASS * smaller) & (smaller > 0), k=1)
    for i, j in zip(*map(np.ndarray.tolist, np.nonzero(joined)), strict=True):
        a, b = root(i), root(j)
        parent[max(a, b)] = min(a, b)
    return np.array([root(i) for i in range(len(sizes))], dtype=np.int64)


def _numeric_share(examples: tuple[str, ...]) -> float:
    """Share of names that look like numbers or dates."""
    if not examples:
        return 0.0
    return sum(bool(_NUMBER.match(e.replace("_", " ").strip())) for e in examples) / len(examples)
