"""What reading a graph found: rows taken, lines rejected and why, and what a reader of the graph must know.

A `ReadReport` is a value: frozen, JSON in and out, cached beside the graph. Not here: how a page shows it.
"""

from __future__ import annotations

from dataclasses import dataclass

from core.graph.graph import KnowledgeGraph
from core.trace import Frozen

REJECTED_KEPT = 200
EXCERPT = 120


class FileReport(Frozen):
    """One file that was read. `rows` counts the lines or items that were meant to be data."""

    name: str
    rows: int = 0
    encoding: str = ""  # empty for formats that are not text
    delimiter: str = ""
    columns: dict[str, str] = {}  # what was read from where: "source" -> the column's name


class RejectedLine(Frozen):
    """A line (or item, both counted from 1) that could not be used."""

    file: str
    line: int
    reason: str
    excerpt: str = ""


class ReadReport(Frozen):
    """Counts are of the graph as built, except `duplicate_edges` and `rejected`: those are what was left out."""

    format: str
    files: tuple[FileReport, ...] = ()
    nodes: int = 0
    edges: int = 0
    rejected: tuple[RejectedLine, ...] = ()  # the first 200
    rejected_by_reason: dict[str, int] = {}  # all of them
    duplicate_nodes: int = 0  # a row said twice, word for word
    duplicate_edges: int = 0  # same head, type and tail
    parallel_pairs: int = 0  # ordered pairs of nodes joined by edges of several types; all are kept
    self_loops: int = 0  # kept, though a node is never its own neighbour
    isolated_nodes: int = 0  # nodes without an edge to another node
    nodes_from_edges: int = 0  # named by an edge only
    nameless_nodes: int = 0  # called by their id
    homonyms: int = 0  # names that several ids share; the ids keep them apart
    homonym_examples: tuple[str, ...] = ()
    surrogates_replaced: int = 0  # lone surrogates, now U+FFFD
    ignored: tuple[str, ...] = ()  # files and columns that were not read
    notices: tuple[str, ...] = ()

    @property
    def rows(self) -> int:
        """Rows of all files."""
        return sum(file.rows for file in self.files)

    @property
    def rejected_total(self) -> int:
        """All rejected lines, those beyond the first 200 among them."""
        return sum(self.rejected_by_reason.values())


@dataclass(frozen=True, slots=True)
class LoadedGraph:
    """A graph and the report of its reading."""

    graph: KnowledgeGraph
    report: ReadReport
