"""An evaluation under way: what the operations have come to, and the numbered lines that tell of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from core.kerag.program import Operation, Way
from core.kerag.steps import Line
from core.kerag.triples import NONE, Places, TripleIndex

NAMES_SHOWN = 6  # in a line; the others are counted
CITED = 200  # triples that a line cites at most


class UnknownError(Exception):
    """The evidence does not carry the answer; the message says why."""


@dataclass(eq=False)
class NodeSet:
    """Nodes by place, ascending; by how many paths each was reached; the triples that led here; its line."""

    nodes: Places
    paths: Places
    triples: Places = field(default_factory=lambda: NONE)
    line: int = 0


class Working:
    """The results so far, node sets and values, in the order of the operations; and the lines."""

    def __init__(self, index: TripleIndex) -> None:
        self.index = index
        self.found = index.found
        self.lines: list[Line] = []
        self.results: list[NodeSet | str] = []

    def say(self, text: str, operation: str = "say", triples: Places = NONE, value: str = "") -> int:
        """Write a line that cites the triples; its number."""
        number = len(self.lines) + 1
        cited = tuple(np.unique(triples)[:CITED].tolist())
        self.lines.append(
            Line.model_validate(
                {"number": number, "text": text, "operation": operation, "triples": cited, "value": value}
            )
        )
        return number

    def names(self, nodes: Sequence[int] | Places) -> str:
        """Names with commas; many are counted."""
        names = [self.found.nodes[int(i)].name for i in nodes[:NAMES_SHOWN]]
        more = len(nodes) - len(names)
        if more:
            return f"{', '.join(names)} and {more:,} more"
        return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)

    def input(self, operation: Operation, at: int = 0) -> NodeSet:
        """The nodes that an operation takes; ValueError where its input is a value."""
        result = self.results[operation.of[at]]
        if not isinstance(result, NodeSet):
            raise ValueError(f"'{operation.do}' needs nodes")
        return result

    def reach(self, source: NodeSet, ways: Sequence[Way]) -> tuple[Places, Places, Places]:
        """Nodes one hop on by any of the ways, by how many paths, and the triples taken."""
        there_of, paths_of, triples_of = [], [], []
        for way in ways:
            here, there, triples = self.index.hop(source.nodes, way)
            there_of.append(there)
            paths_of.append(source.paths[here])
            triples_of.append(triples)
        there = np.concatenate(there_of) if there_of else NONE
        ends, inverse = np.unique(there, return_inverse=True)
        paths = np.concatenate(paths_of) if paths_of else NONE
        counts = np.bincount(inverse, weights=paths, minlength=len(ends)).astype(np.int64) if len(ends) else NONE
        return ends, counts, np.concatenate(triples_of) if triples_of else NONE

    def each(self, nodes: Places, ways: Sequence[Way]) -> tuple[Places, Places, list[Places]]:
        """Along all the ways, hop after hop, kept apart by start: (start, end, triples of each hop), path by path."""
        starts = np.arange(len(nodes))
        ends = nodes
        triples: list[Places] = []
        for way in ways:
            here, there, own = self.index.hop(ends, way)
            triples = [t[here] for t in triples] + [own]
            starts, ends = starts[here], there
        return starts, ends, triples

    def into(self, source: NodeSet, nodes: Places) -> Places:
        """Of the triples that led to a set, those with one of the nodes at an end."""
        own = source.triples
        return own[np.isin(self.found.head[own], nodes) | np.isin(self.found.tail[own], nodes)]
