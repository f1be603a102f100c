"""The triples of a neighbourhood, indexed by relation and end, but for those taken away."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from core.kerag.program import Way
from core.kerag.subgraph import Neighbourhood
from core.kerag.values import Value, parse_value

Places = NDArray[np.int64]
NONE: Places = np.zeros(0, dtype=np.int64)


class TripleIndex:
    """The triples of a neighbourhood by relation and end, but for those taken away."""

    def __init__(self, found: Neighbourhood, without: Collection[int] = ()) -> None:
        self.found = found
        self._place = {node.id: place for place, node in enumerate(found.nodes)}
        self._code = {relation: code for code, relation in enumerate(found.relations)}
        there = np.ones(len(found), dtype=bool)
        there[list(without)] = False
        self._there = np.flatnonzero(there)
        self._values: dict[int, Value | None] = {}
        self._runs: dict[tuple[int, str], tuple[Places, Places, Places]] = {}

    def place(self, id_: str) -> int | None:
        """The place of a node, or None."""
        return self._place.get(id_)

    def value(self, place: int) -> Value | None:
        """The number, date or quantity that a node's name is."""
        if place not in self._values:
            self._values[place] = parse_value(self.found.nodes[place].name)
        return self._values[place]

    def hop(self, nodes: Places, way: Way) -> tuple[Places, Places, Places]:
        """(here, there, triple), one entry for each triple by which `way` leads on from one of the nodes.

        `here` are indices into `nodes`.
        """
        code = self._code.get(way.relation)
        if code is None or not len(nodes):
            return NONE, NONE, NONE
        ends, others, triples = self._run(code, way.direction)
        first, last = np.searchsorted(ends, nodes, "left"), np.searchsorted(ends, nodes, "right")
        many = last - first
        here = np.repeat(np.arange(len(nodes)), many)
        at = np.arange(many.sum()) - np.repeat(np.cumsum(many) - many, many) + np.repeat(first, many)
        return here, others[at], triples[at]

    def _run(self, code: int, direction: str) -> tuple[Places, Places, Places]:
        """The triples of one relation sorted by the end one comes from: those ends, the other ends, the places."""
        known = self._runs.get((code, direction))
        if known is None:
            own = self._there[self.found.relation[self._there] == code]
            ends, others = self.found.head[own], self.found.tail[own]
            if direction == "in":
                ends, others = others, ends
            order = np.argsort(ends, kind="stable")
            known = self._runs[code, direction] = (ends[order], others[order], own[order])
        return known
