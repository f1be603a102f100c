"""Reader of Parquet: one file of triples or edges, or files of nodes and of edges, columns as for tables.

Edges stay columns of codes all the way, which is what makes millions of them quick. Not here: CSV.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.errors import InputError
from core.graph.readers.assembly import Assembly
from core.graph.readers.columns import ColumnChoice, ColumnMap, guess_columns, map_for
from core.graph.readers.delimited import Row, TableSummary
from core.graph.readers.reader import Reader, report_progress
from core.graph.readers.source import Source
from core.graph.readers.tables import add_rows, check_parts, default_words, named_tables, plan_columns
from core.graph.report import FileReport, LoadedGraph
from core.retriever import OnProgress

FORMAT = "Parquet"
_MAGIC = b"PAR1"


def claims(source: Source) -> tuple[str, ...]:
    """Files that end in .parquet, or a lone file with Parquet's first bytes."""
    if len(source.names) == 1 and source.head(source.names[0]).startswith(_MAGIC):
        return source.names
    return named_tables(source, (".parquet", ".pq"))


def read(source: Source, choice: ColumnChoice, on_progress: OnProgress | None) -> LoadedGraph:
    """Read all Parquet files of the source as one graph."""
    assembly = Assembly(FORMAT, source.name)
    plans: list[tuple[str, tuple[str, ...], ColumnMap]] = []
    for file in source.names:
        columns = _column_names(source.read(file), file)
        given = map_for(choice, file)
        sure = given is not None and (len(source.names) == 1 or not isinstance(choice, ColumnMap))
        plans.append((file, columns, plan_columns(columns, file, given, sure, beside=len(source.names) > 1)))
    parts = [(file, plan) for file, _, plan in plans]
    check_parts(parts)
    for (file, columns, plan), word in zip(plans, default_words(parts), strict=True):
        report_progress(on_progress, f"Reading {file}")
        data = source.read(file)
        if plan.is_edges and not (plan.source_name or plan.source_type or plan.target_name or plan.target_type):
            rows = _add_edge_columns(assembly, file, data, columns, plan, word)
        else:
            table = _read_table(data, file)
            rows = table.num_rows
            add_rows(assembly, file, columns, plan, _rows(table), word)
        assembly.add_file(FileReport(name=file, rows=rows, columns=plan.used()))
    report_progress(on_progress, "Sorting the edges")
    return assembly.finish()


def is_parquet(data: bytes) -> bool:
    """Whether these are the bytes of a Parquet file."""
    return data.startswith(_MAGIC)


def summarise_parquet(data: bytes, file: str) -> TableSummary:
    """The head of a table, for a column mapper."""
    columns = _column_names(data, file)
    return TableSummary(
        file=file,
        encoding="",
        delimiter="",
        columns=columns,
        has_header=True,
        sample=tuple(tuple(row.cells) for row in _rows(_read_table(data, file).slice(0, 20))),
        guess=guess_columns(columns),
    )


def _column_names(data: bytes, file: str) -> tuple[str, ...]:
    import pyarrow
    import pyarrow.parquet

    try:
        return tuple(pyarrow.parquet.read_schema(pyarrow.BufferReader(data)).names)
    except (pyarrow.ArrowException, OSError) as error:
        raise _damaged(file, error) from None


def _read_table(data: bytes, file: str, columns: list[str] | None = None) -> Any:
    """The table (pyarrow.Table), or some of its columns."""
    import pyarrow
    import pyarrow.parquet

    try:
        return pyarrow.parquet.read_table(pyarrow.BufferReader(data), columns=columns)
    except (pyarrow.ArrowException, OSError) as error:
        raise _damaged(file, error) from None


def _damaged(file: str, error: Exception) -> InputError:
    first = (str(error).splitlines() or [type(error).__name__])[0]
    return InputError(f"this Parquet file cannot be read: {first}", where=file, hint="It may be cut off or damaged.")


def _rows(table: Any) -> Iterator[Row]:
    columns = [_texts(table.column(name)) for name in table.column_names]
    for number, cells in enumerate(zip(*columns, strict=True), 1):
        yield Row(number, list(cells))


def _add_edge_columns(
    assembly: Assembly, file: str, data: bytes, columns: Sequence[str], plan: ColumnMap, word: str
) -> int:
    """Add all edges of a file without a Python loop over them; returns how many rows it has."""
    for column in columns:
        if column not in plan.columns():
            assembly.ignore(f"{file}: column {column}")
    table = _read_table(data, file, list(plan.columns()))
    heads, head_ids = _codes(table.column(plan.source))
    tails, tail_ids = _codes(table.column(plan.target))
    if plan.relation:
        kinds, kind_names = _codes(table.column(plan.relation))
    else:
        kinds, kind_names = np.zeros(table.num_rows, dtype=np.int64), []
    empty_heads = np.array([not id_ for id_ in head_ids] + [True])
    empty_tails = np.array([not id_ for id_ in tail_ids] + [True])
    no_head, no_tail = empty_heads[heads], empty_tails[tails]
    for row in np.flatnonzero(no_head | no_tail).tolist():
        assembly.reject(file, row + 1, "the edge has no " + ("source" if no_head[row] else "target"))
    keep = ~(no_head | no_tail)
    # The tails' codes come after the heads'; code -1 (null) of a relation is the empty name at the end.
    assembly.add_edges(
        [*head_ids, *tail_ids],
        heads[keep],
        tails[keep] + len(head_ids),
        [*(name or word for name in kind_names), word],
        np.where(kinds < 0, len(kind_names), kinds)[keep],
    )
    return int(table.num_rows)


def _codes(column: Any) -> tuple[NDArray[np.int64], list[str]]:
    """A column as codes into its distinct values as text; -1 for null."""
    import pyarrow

    kind = column.type
    if pyarrow.types.is_nested(kind) or pyarrow.types.is_null(kind) or pyarrow.types.is_binary(kind):
        column = pyarrow.chunked_array([_strings(column.combine_chunks())], pyarrow.string())
    if not pyarrow.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    array = column.unify_dictionaries().combine_chunks()
    if isinstance(array, pyarrow.ChunkedArray):
        array = array.chunk(0) if array.num_chunks else pyarrow.array([], column.type)
    codes = array.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    return codes, _texts(array.dictionary)


def _texts(column: Any) -> list[str]:
    """A column as Python strings without outer white space; nulls are empty, bytes that are no UTF-8 are U+FFFD."""
    import pyarrow

    column = _strings(column)
    try:
        values = column.to_pylist()
    except UnicodeDecodeError:
        values = [b and b.decode("utf-8", "replace") for b in column.cast(pyarrow.binary()).to_pylist()]
    return [(value or "").strip() for value in values]


def _strings(column: Any) -> Any:
    """A column as text: numbers and booleans as they are written, lists joined, anything else empty."""
    import pyarrow
    import pyarrow.compute

    kind = column.type
    if pyarrow.types.is_dictionary(kind):
        return _strings(column.cast(kind.value_type))
    if pyarrow.types.is_list(kind) or pyarrow.types.is_large_list(kind):
        joined = [", ".join(map(str, value)) if value else "" for value in column.to_pylist()]
        return pyarrow.array(joined, pyarrow.string())
    if pyarrow.types.is_struct(kind) or pyarrow.types.is_map(kind) or pyarrow.types.is_binary(kind):
        return pyarrow.array([""] * len(column), pyarrow.string())
    return column.cast(pyarrow.string())


READER = Reader(FORMAT, "Parquet files of nodes and edges, or of triples (.parquet)", claims, read, several=True)
