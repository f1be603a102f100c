"""`Assembly`: where every reader puts nodes, edges and rejected lines, and takes a graph and its report.

The rules that hold for all formats stand here, once: ids tell nodes apart and never names; the first
declaration of an id counts; a node that only edges name is made, after the declared ones, in order of
ids; edge types are in order of their names; so the order of edges in a file changes nothing.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from core.errors import EmptyGraphError, InputError
from core.graph.columns import clean_column
from core.graph.graph import KnowledgeGraph
from core.graph.report import EXCERPT, REJECTED_KEPT, FileReport, LoadedGraph, ReadReport, RejectedLine

UNTYPED_EDGE = "related to"  # the type of an edge whose file names none
_HOMONYMS_SHOWN = 20

Ints = NDArray[np.int64]


class Assembly:
    """Collects what a reader finds. One assembly makes one graph."""

    def __init__(self, format_name: str, source_name: str) -> None:
        self._format = format_name
        self._source = source_name
        self._nodes: dict[str, tuple[str, str, str]] = {}  # id -> name, type, text
        self._described: dict[str, tuple[str, str, str]] = {}  # the same, from edge rows
        self._vertices: dict[str, int] = {}  # id of an edge end -> number, in order of appearance
        self._types: dict[str, int] = {}
        self._heads, self._tails, self._codes = array("q"), array("q"), array("q")
        self._chunks: list[tuple[Ints, Ints, Ints]] = []
        self._files: list[FileReport] = []
        self._rejected: list[RejectedLine] = []
        self._reasons: Counter[str] = Counter()
        self._duplicate_nodes = 0
        self._surrogates = 0
        self._ignored: list[str] = []
        self._notices: list[str] = []

    def add_file(self, report: FileReport, surrogates: int = 0) -> None:
        """Note a file that was read, and the lone surrogates that decoding it replaced."""
        self._files.append(report)
        self._surrogates += surrogates

    def ignore(self, what: str) -> None:
        """Note a file or column that was not read."""
        if what not in self._ignored:
            self._ignored.append(what)

    def notice(self, sentence: str) -> None:
        """Note what a reader of the graph must know."""
        if sentence not in self._notices:
            self._notices.append(sentence)

    def reject(self, file: str, line: int, reason: str, excerpt: str = "") -> None:
        """Note a line that cannot be used."""
        self._reasons[reason] += 1
        if len(self._rejected) < REJECTED_KEPT:
            excerpt = clean_column([excerpt])[0][0]
            shown = excerpt if len(excerpt) <= EXCERPT else excerpt[: EXCERPT - 1] + "…"
            self._rejected.append(RejectedLine(file=file, line=line, reason=reason, excerpt=shown))

    def add_node(self, file: str, line: int, id_: str, name: str = "", type_: str = "", text: str = "") -> None:
        """Declare a node. A repeated id is a duplicate if the row says the same, else it is rejected."""
        if not id_:
            self.reject(file, line, "the node has no id", name)
            return
        row = (name, type_, text)
        known = self._nodes.setdefault(id_, row)
        if known is row:
            return
        if known == row:
            self._duplicate_nodes += 1
        else:
            self.reject(file, line, "the id belongs to an earlier node", f"{id_}: {name}")

    def add_edge(self, file: str, line: int, head: str, type_: str, tail: str) -> None:
        """Add an edge between two ids."""
        if not head or not tail:
            self.reject(file, line, "the edge has no " + ("source" if not head else "target"), f"{head} {type_} {tail}")
            return
        vertices = self._vertices
        self._heads.append(vertices.setdefault(head, len(vertices)))
        self._tails.append(vertices.setdefault(tail, len(vertices)))
        self._codes.append(self._types.setdefault(type_ or UNTYPED_EDGE, len(self._types)))

    def describe_end(self, id_: str, name: str, type_: str) -> None:
        """What an edge says of one of its ends; counts where no node row and no earlier edge describes it."""
        if id_ and id_ not in self._nodes:
            self._described.setdefault(id_, (name, type_, ""))

    def add_edges(self, ids: Sequence[str], heads: Ints, tails: Ints, type_names: Sequence[str], codes: Ints) -> None:
        """Add many edges at once: `heads` and `tails` index `ids`, `codes` index `type_names`.

        Ids and types that no edge uses are passed over.
        """
        number = _numbered(self._vertices, ids, np.concatenate([heads, tails]))
        code = _numbered(self._types, [name or UNTYPED_EDGE for name in type_names], codes)
        self._chunks.append((number[heads], number[tails], code[codes]))

    @property
    def edge_count(self) -> int:
        """Edges added so far, duplicates among them."""
        return len(self._heads) + sum(len(chunk[0]) for chunk in self._chunks)

    def finish(self) -> LoadedGraph:
        """The graph and its report.

        EmptyGraphError without an edge. InputError when more than half of the rows were rejected, or
        when nodes were declared and no edge end is one of them: then the file was misread.
        """
        rows = sum(file.rows for file in self._files)
        rejected = sum(self._reasons.values())
        if rejected * 2 > rows and rejected:
            first = self._rejected[0]
            raise InputError(
                f"{rejected:,} of {rows:,} rows cannot be used; the first: {first.reason}",
                where=f"{first.file}, line {first.line}",
                hint="Check that the format and the columns are what the file has.",
            )
        if not self.edge_count:
            raise EmptyGraphError(
                f"{len(self._nodes):,} nodes and no edge were found"
                if self._nodes
                else "no node and no edge were found",
                where=", ".join(file.name for file in self._files) or self._source,
                hint="A graph needs at least one edge: add a file of edges, or map its columns.",
            )
        self._check_ends()
        declared = list(self._nodes)
        made = sorted(self._vertices.keys() - self._nodes.keys())
        ids = declared + made
        position = {id_: i for i, id_ in enumerate(ids)}
        of_vertex = np.fromiter((position[i] for i in self._vertices), dtype=np.int64, count=len(self._vertices))
        type_names = sorted(self._types)
        order = {name: code for code, name in enumerate(type_names)}
        of_type = np.fromiter((order[name] for name in self._types), dtype=np.int64, count=len(self._types))
        heads, tails, codes = self._edge_columns()
        heads, tails, codes = of_vertex[heads], of_vertex[tails], of_type[codes]
        described = {**self._described, **self._nodes}
        rows_of_nodes = [described.get(id_, ("", "", "")) for id_ in ids]
        columns: list[tuple[str, ...]] = []
        for column in (ids, *zip(*rows_of_nodes, strict=True)):
            cleaned, count = clean_column(column)
            columns.append(cleaned)
            self._surrogates += count
        clean_types, count = clean_column(type_names)
        self._surrogates += count
        ids_column, names, types, texts = columns
        graph = KnowledgeGraph.from_arrays(
            _distinct(ids_column), names, types, texts, heads, tails, codes, clean_types, name=self._source
        )
        return LoadedGraph(graph, self._report(graph, len(heads), len(made), sum(not name for name in names)))

    def _edge_columns(self) -> tuple[Ints, Ints, Ints]:
        singles = tuple(np.array(column, dtype=np.int64) for column in (self._heads, self._tails, self._codes))
        chunks = [singles, *self._chunks]
        heads, tails, codes = (np.concatenate([chunk[i] for chunk in chunks]) for i in range(3))
        return heads, tails, codes

    def _check_ends(self) -> None:
        """Edges and declared nodes that have nothing in common are two files misread, not a graph."""
        if not self._nodes or any(id_ in self._nodes for id_ in self._vertices):
            return
        stranger = next(iter(self._vertices))
        names = {name for name, _, _ in self._nodes.values()}
        hint = (
            "The edges use the nodes' names: map the nodes' id to that column."
            if stranger in names
            else "Check which columns hold the ids, in both files."
        )
        raise InputError(
            f"no edge end is the id of a node; the first edge end is {stranger[:80]!r}, "
            f"the first node id {next(iter(self._nodes))[:80]!r}",
            where=", ".join(file.name for file in self._files),
            hint=hint,
        )

    def _report(self, graph: KnowledgeGraph, edges_given: int, made: int, nameless: int) -> ReadReport:
        heads, _, tails = graph.edges()
        loops = heads == tails
        pairs = np.sort(heads * len(graph) + tails)
        again = pairs[1:] == pairs[:-1]
        parallel = int(np.count_nonzero(again & np.append(True, ~again[:-1]))) if len(again) else 0
        reached = np.zeros(len(graph), dtype=bool)
        reached[heads[~loops]] = True
        reached[tails[~loops]] = True
        shared = [name for name, count in Counter(graph.names).items() if count > 1]
        return ReadReport(
            format=self._format,
            files=tuple(self._files),
            nodes=len(graph),
            edges=graph.edge_count,
            rejected=tuple(self._rejected),
            rejected_by_reason=dict(self._reasons),
            duplicate_nodes=self._duplicate_nodes,
            duplicate_edges=edges_given - graph.edge_count,
            parallel_pairs=parallel,
            self_loops=graph.adjacency.self_loops,
            isolated_nodes=len(graph) - int(reached.sum()),
            nodes_from_edges=made,
            nameless_nodes=nameless,
            homonyms=len(shared),
            homonym_examples=tuple(shared[:_HOMONYMS_SHOWN]),
            surrogates_replaced=self._surrogates,
            ignored=tuple(self._ignored),
            notices=tuple(self._notices),
        )


def _numbered(known: dict[str, int], names: Sequence[str], used: Ints) -> Ints:
    """A number for each name: its number in `known`, where those that are used and new are put; -1 if unused."""
    wanted = np.zeros(len(names), dtype=bool)
    wanted[used] = True
    numbers = (
        known.setdefault(name, len(known)) if want else -1 for name, want in zip(names, wanted.tolist(), strict=True)
    )
    return np.fromiter(numbers, dtype=np.int64, count=len(names))


def _distinct(ids: Sequence[str]) -> list[str]:
    """Ids that differed only in lone surrogates are the same after cleaning: number the later ones."""
    seen: set[str] = set()
    distinct = []
    for id_ in ids:
        number, candidate = 1, id_
        while candidate in seen:
            number += 1
            candidate = f"{id_} ({number})"
        seen.add(candidate)
        distinct.append(candidate)
    return distinct
