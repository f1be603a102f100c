"""Reader of tables: node and edge files (CSV, TSV, ..), or one file of edges or triples, with or without header.

A file's part is told by its columns: two ends make it an edge table, an id a node table; a file of three
columns without a known header is taken as head, relation, tail if its middle column repeats as relations do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from core.errors import EmptyGraphError, InputError
from core.graph.readers.assembly import Assembly
from core.graph.readers.columns import ColumnChoice, ColumnMap, guess_columns, map_for
from core.graph.readers.delimited import Row, Table, open_table
from core.graph.readers.reader import Reader, report_progress
from core.graph.readers.source import Source, stem, suffix
from core.graph.report import FileReport, LoadedGraph
from core.retriever import OnProgress

FORMAT = "CSV or TSV tables"
SUFFIXES = (".csv", ".tsv", ".tab", ".psv", ".txt", ".dat")
TRIPLES = ColumnMap(source="column 1", relation="column 2", target="column 3", header=False)
_NODE_WORDS = ("node", "vert", "entit")
_EDGE_WORDS = ("edge", "link", "triple", "relation")
_LOOKED_AT = 2_000  # rows that the triples test looks at
_FEW = 4  # a table of fewer rows need not repeat a relation
_PROGRESS_EVERY = 50_000


def claims(source: Source) -> tuple[str, ...]:
    """Tables named as nodes and edges if there are such, else all tables."""
    return named_tables(source, SUFFIXES)


def named_tables(source: Source, suffixes: Sequence[str]) -> tuple[str, ...]:
    """The files of these endings that make up one graph, as far as their names tell."""
    tables = tuple(name for name in source.names if suffix(name) in suffixes)
    edges = [name for name in tables if any(word in stem(name) for word in _EDGE_WORDS)]
    nodes = [name for name in tables if any(word in stem(name) for word in _NODE_WORDS) and name not in edges]
    return tuple(nodes + edges) if edges and len(tables) > 1 else tables


def read(source: Source, choice: ColumnChoice, on_progress: OnProgress | None) -> LoadedGraph:
    """Read all tables of the source as one graph. InputError names a table whose columns are unknown."""
    assembly = Assembly(FORMAT, source.name)
    plans: list[tuple[Table, ColumnMap]] = []
    for name in source.names:
        given = map_for(choice, name)
        table = open_table(source.read(name), name, given.header if given else None)
        sure = given is not None and (len(source.names) == 1 or not isinstance(choice, ColumnMap))
        beside = len(source.names) > 1
        plans.append((table, plan_columns(table.columns, name, given, sure, _looks_like_triples(table), beside)))
    check_parts([(table.file, plan) for table, plan in plans])
    names = default_words([(table.file, plan) for table, plan in plans])
    for (table, plan), word in zip(plans, names, strict=True):
        rows = _Rows(table, assembly, on_progress)
        add_rows(assembly, table.file, table.columns, plan, rows, word)
        if table.decoded.guessed:
            assembly.notice(f"{table.file} is not UTF-8; it was read as {table.decoded.encoding}, which is a guess.")
        if not table.strict_quotes:
            assembly.notice(f"{table.file} has quotes that do not close, so each of its lines was read by itself.")
        if plan == TRIPLES:
            assembly.notice(f"{table.file} has no header: its columns were read as head, relation and tail.")
        assembly.add_file(
            FileReport(
                name=table.file,
                rows=rows.count,
                encoding=table.decoded.encoding,
                delimiter=table.delimiter,
                columns=plan.used(),
            ),
            table.decoded.surrogates,
        )
    return assembly.finish()


def plan_columns(
    columns: Sequence[str],
    file: str,
    given: ColumnMap | None,
    sure: bool,
    triples: bool = False,
    beside: bool = False,
) -> ColumnMap:
    """Which column is what: as given (`sure`: or not at all), else guessed. InputError lists the columns.

    beside: whether there are other files, so that this one may be no part of the graph.
    """
    listed = ", ".join(columns[:30]) + (", ..." if len(columns) > 30 else "")
    if given is not None and (given.is_edges or given.is_nodes):
        missing = [column for column in given.columns() if column not in columns]
        if not missing:
            return given
        if sure:
            raise InputError(f"there is no column {missing[0]!r}", where=file, hint=f"The columns are: {listed}.")
    guess = guess_columns(columns)
    if guess.is_edges or guess.is_nodes:
        return guess
    if triples:
        return TRIPLES
    raise InputError(
        f"it is not clear which column is what; the columns are: {listed or 'none'}",
        where=file,
        hint=("If it is no part of the graph, leave this file out. If it is: map " if beside else "Map ")
        + "the columns: source and target (and relation) of edges, or id (and name, type, text) of nodes.",
    )


def check_parts(plans: Sequence[tuple[str, ColumnMap]]) -> None:
    """EmptyGraphError when all tables are node tables."""
    if plans and not any(plan.is_edges for _, plan in plans):
        files = ", ".join(file for file, _ in plans)
        raise EmptyGraphError(
            "these are nodes, and no file of edges came with them",
            where=files,
            hint="Choose the file of edges as well; if this is one, map its source and target columns.",
        )


def default_words(plans: Sequence[tuple[str, ColumnMap]]) -> list[str]:
    """For each table, the type of its edges or nodes where no column says it.

    Of several edge (or node) tables each is taken to hold the one type that its name says.
    """
    edges = sum(plan.is_edges for _, plan in plans)
    several = {True: edges > 1, False: len(plans) - edges > 1}
    return [stem(file).replace("_", " ") if several[plan.is_edges] else "" for file, plan in plans]


def add_rows(
    assembly: Assembly, file: str, columns: Sequence[str], plan: ColumnMap, rows: Iterable[Row], word: str
) -> None:
    """Put the rows of one table, each as long as `columns`, into the assembly; `word` is the type in want of one."""
    if plan.is_edges:
        _add_edges(assembly, file, columns, plan, rows, word)
    else:
        _add_nodes(assembly, file, columns, plan, rows, word)


def _add_nodes(
    assembly: Assembly, file: str, columns: Sequence[str], plan: ColumnMap, rows: Iterable[Row], word: str
) -> None:
    at = {column: i for i, column in enumerate(columns)}
    id_ = at[str(plan.id)]
    name, type_ = (at[part] if part else None for part in (plan.name, plan.type))
    texts = [at[column] for column in plan.text]
    plain_parts = {plan.id, plan.name, plan.type, *plan.text}
    rest = [column for column in columns if column not in plain_parts] if plan.attributes is None else plan.attributes
    attributes = [(column, at[column]) for column in rest]
    for column in columns:
        if column not in plain_parts and column not in rest:
            assembly.ignore(f"{file}: column {column}")
    only_text = texts[0] if len(texts) == 1 and not attributes else None
    for line, cells in rows:
        if only_text is not None:
            text = cells[only_text]
        else:
            lines = [cells[i] for i in texts if cells[i]]
            lines += [f"{column}: {cells[i]}" for column, i in attributes if cells[i]]
            text = "\n".join(lines)
        assembly.add_node(
            file,
            line,
            cells[id_],
            cells[name] if name is not None else "",
            (cells[type_] if type_ is not None else "") or word,
            text,
        )


def _add_edges(
    assembly: Assembly, file: str, columns: Sequence[str], plan: ColumnMap, rows: Iterable[Row], word: str
) -> None:
    at = {column: i for i, column in enumerate(columns)}
    source, target = at[str(plan.source)], at[str(plan.target)]
    relation = at[plan.relation] if plan.relation else None
    ends = [
        (end, at[name] if name else None, at[type_] if type_ else None)
        for end, name, type_ in (
            (source, plan.source_name, plan.source_type),
            (target, plan.target_name, plan.target_type),
        )
        if name or type_
    ]
    for column in columns:
        if column not in plan.columns():
            assembly.ignore(f"{file}: column {column}")
    for line, cells in rows:
        assembly.add_edge(
            file, line, cells[source], (cells[relation] if relation is not None else "") or word, cells[target]
        )
        for end, name, type_ in ends:
            assembly.describe_end(
                cells[end], cells[name] if name is not None else "", cells[type_] if type_ is not None else ""
            )


class _Rows:
    """The rows of a table that have the right width; the others are rejected. Counts, and tells of progress."""

    def __init__(self, table: Table, assembly: Assembly, on_progress: OnProgress | None) -> None:
        self._table, self._assembly, self._on_progress = table, assembly, on_progress
        self.count = 0

    def __iter__(self) -> Iterator[Row]:
        width = len(self._table.columns)
        about = max(self._table.decoded.text.count("\n"), 1)
        for row in self._table.rows():
            if self.count % _PROGRESS_EVERY == 0:
                report_progress(self._on_progress, f"Reading {self._table.file}", min(self.count / about, 1.0))
            self.count += 1
            cells = row.cells
            if len(cells) != width:
                while len(cells) > width and not cells[-1]:
                    cells.pop()  # spreadsheet programs end lines with spare delimiters
                if len(cells) != width:
                    reason = f"the line has {len(cells)} cells, not {width}"
                    self._assembly.reject(self._table.file, row.line, reason, self._table.delimiter.join(cells))
                    continue
            yield row


def _looks_like_triples(table: Table) -> bool:
    """Three columns, no header, and a middle column that repeats as relations do."""
    if table.has_header or len(table.columns) != 3:
        return False
    middle = [row.cells[1] for row in islice(table.rows(), _LOOKED_AT) if len(row.cells) == 3]
    if len(middle) < _FEW:
        return bool(middle)
    return middle[0] in middle[1:] and len(set(middle)) <= len(middle) / 2


READER = Reader(FORMAT, "tables of nodes and edges, or of triples (.csv, .tsv)", claims, read, several=True)
