"""How the nodes of a set can be measured: which relation gives them a value, and which one leads to what is counted.

It looks into the triples, since whether names are values shows only there. Not here: programs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from core.graph.contracts import Relation
from core.kerag.program import Way
from core.kerag.steps import Topic
from core.kerag.triples import Places
from core.kerag.ways import Ways, family
from core.kerag.working import UnknownError
from core.linking.routes import Codes
from core.linking.similarity import Floats

SAMPLED = 50  # nodes of a set whose values are looked at
NAMED_DIMENSION = 0.15  # what a better fitting dimension is worth beside the similarity of a relation's name
_ITS_WORD = re.compile(r"[^\W_]+")


class Measures:
    """The measures of one question's sets."""

    def __init__(self, ways: Ways, question: str, topics: Sequence[Topic]) -> None:
        self._ways = ways
        self._question = question
        self._topics = topics

    def named_by(self, noun: str) -> Floats:
        """(2T,) how well a noun names what each hop arrives at."""
        roles = self._ways.roles
        if not noun:
            return np.zeros(roles.hops)
        reading = self._ways.lens.word(noun)
        named: Floats = np.maximum(reading.type, reading.role)[np.arange(roles.hops) ^ 1]
        named[0::2] = np.maximum(named[0::2], reading.relation)
        return named

    def _leaving(self, nodes: Places) -> dict[int, Places]:
        """hop code -> what it leads to from the first nodes of a set, in the triples."""
        found = {}
        index, sample = self._ways.index, nodes[:SAMPLED]
        for relation in index.found.relations:
            for direction in ("out", "in"):
                way = Way.model_validate({"relation": relation, "direction": direction})
                ends = index.hop(sample, way)[1]
                if len(ends):
                    found[self._ways.roles.code(_relation(way))] = ends
        return found

    def value_ways(self, nodes: Places, dimensions: Sequence[str], at: int | None) -> tuple[Way, ...]:
        """The relation that gives the nodes a value of the likeliest dimension, and is nearest to the question's words.

        Two hops where no single one does. at: where the comparison stands; words beside it count more.
        """
        for hops in self._hops_from(nodes):
            rated = []
            for codes, ends in hops:
                dimension = self._shared_dimension(ends)
                if dimension in dimensions:
                    rank = dimensions.index(dimension)
                    rated.append((self._said(codes, at) - NAMED_DIMENSION * rank, codes))
            if rated:
                return self._ways.ways(max(rated, key=lambda r: (round(r[0], 6), -r[1][0]))[1])
        raise UnknownError("No relation of the neighbourhood gives a value by which to compare.")

    def _hops_from(self, nodes: Places) -> list[list[tuple[Codes, Places]]]:
        """Single hops, then pairs of hops, with what they lead to."""
        leaving = self._leaving(nodes)
        single: list[tuple[Codes, Places]] = [((hop,), ends) for hop, ends in leaving.items()]
        double: list[tuple[Codes, Places]] = []
        for hop, ends in leaving.items():
            there = np.setdiff1d(ends, nodes)
            for further, far in self._leaving(there).items():
                if not self._ways.roles.goes_back(hop, further):
                    double.append(((hop, further), far))
        return [single, double]

    def _shared_dimension(self, ends: Places) -> str:
        read = [family(v.dimension) for e in ends[:SAMPLED].tolist() if (v := self._ways.index.value(e)) is not None]
        best = max(set(read), key=lambda d: (read.count(d), d)) if read else ""
        return best if len(read) >= 0.5 * len(ends[:SAMPLED]) else ""

    def dimension_of(self, nodes: Places, ways: Sequence[Way]) -> str:
        for way in ways:
            nodes = np.unique(self._ways.index.hop(nodes, way)[1])
        return self._shared_dimension(nodes)

    def _said(self, codes: Codes, at: int | None) -> float:
        """How clearly the question's words speak of the relations: the mean over hops of the best word."""
        names = [(t.start, t.end) for t in self._topics]
        words = [m for m in _ITS_WORD.finditer(self._question) if not any(a <= m.start() < b for a, b in names)]
        readings = self._ways.lens.learn([m.group().lower() for m in words])
        total = 0.0
        for hop in codes:
            near = [
                float(readings[m.group().lower()].relation[hop >> 1])
                * (1.0 if at is None else _nearness(m.start(), at))
                for m in words
            ]
            total += max(near, default=0.0)
        return total / len(codes)

    def hop_to(self, nodes: Places, noun: str) -> int:
        """The hop that leads from a set to what a noun names."""
        named = self.named_by(noun)
        hops = self._hops_from_schema(nodes)
        rated = [(float(named[hop]) + 0.5 * self._said((hop,), None), -hop) for hop in hops]
        if not rated:
            raise UnknownError("Nothing leads on from these nodes.")
        return -max(rated)[1]

    def _hops_from_schema(self, nodes: Places) -> set[int]:
        """The hops that may leave nodes of this kind and whose relation was retrieved."""
        kept = set(self._ways.index.found.relations)
        may = set().union(*(self._ways.may_leave(int(n)) for n in nodes[:5])) if len(nodes) else set()
        return {h for h in may if self._ways.roles.relations[h >> 1] in kept and self._ways.roles.kept[h]}


def _nearness(word: int, at: int) -> float:
    """1 beside the comparison, 0.7 far from it."""
    return 0.7 + 0.3 / (1 + abs(word - at) / 12)


def _relation(way: Way) -> Relation:
    return Relation(way.relation, way.direction)
