"""Reader of tables (CSV, TSV, ..): a row is a document. Which columns are its id, title and text is told or guessed."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

from core.corpus.assembly import Assembly
from core.corpus.columns import (
    SAMPLE_ROWS,
    DocumentColumnChoice,
    DocumentTable,
    guess_document_columns,
    known_header,
    map_for,
    plan_document_columns,
)
from core.corpus.readers.reader import Reader, note_decoding
from core.corpus.readers.rows import RowTaker
from core.errors import InputError
from core.graph.readers.delimited import Table, open_table
from core.retriever import OnProgress

FORMAT = "table"
SUFFIXES = (".csv", ".tsv", ".tab", ".psv")
_PROGRESS_EVERY = 10_000


def claims(name: str, _: bytes) -> bool:
    """By the name."""
    return name.lower().endswith(SUFFIXES)


def read(
    assembly: Assembly, file: str, data: bytes, choice: DocumentColumnChoice, on_progress: OnProgress | None
) -> None:
    """Read a table. InputError when it is binary or empty, or a chosen column is not there."""
    given = map_for(choice, file)
    table = open_document_table(data, file, given.header if given else None)
    if not table.columns:
        raise InputError("the file is empty", where=file)
    plan = plan_document_columns(table.columns, file, given)
    taker = RowTaker(assembly, file, FORMAT, plan)
    width = len(table.columns)
    about = max(table.decoded.text.count("\n"), 1)
    for number, row in enumerate(table.rows(), 1):
        if on_progress and number % _PROGRESS_EVERY == 1:
            on_progress(f"Reading {file}", min(number / about, 1.0))
        cells = row.cells + [""] * (width - len(row.cells))
        if any(cells[width:]):
            assembly.skip(f"{file}, line {row.line}", f"the line has {len(row.cells)} cells, not {width}")
            continue
        taker.take(row.line, dict(zip(table.columns, cells, strict=False)))
    note_decoding(assembly, file, table.decoded)
    if not table.strict_quotes:
        assembly.notice(f"{file} has quotes that do not close, so each of its lines was read by itself.")
    taker.finish(table.decoded.encoding)


def inspect(data: bytes, file: str, header: bool | None) -> DocumentTable:
    """The head of a table, for a column mapper. InputError when it is no text."""
    table = open_document_table(data, file, header)
    return DocumentTable(
        file=file,
        encoding=table.decoded.encoding,
        columns=table.columns,
        has_header=table.has_header,
        sample=tuple(tuple(row.cells) for row in islice(table.rows(), SAMPLE_ROWS)),
        guess=guess_document_columns(table.columns),
    )


def open_document_table(data: bytes, file: str, header: bool | None = None) -> Table:
    """A table with its header found out as document tables have it."""
    table = open_table(data, file, header)
    if header is not None or table.has_header:
        return table
    head = [row.cells for row in islice(table.rows(), SAMPLE_ROWS)]
    if not _has_header(head):
        return table
    names: dict[str, None] = {}
    for number, cell in enumerate(head[0], 1):
        name = cell or f"column {number}"
        names[f"{name} ({number})" if name in names else name] = None
    return replace(table, has_header=True, columns=tuple(names))


def _has_header(head: list[list[str]]) -> bool:
    """A first row that names known columns; or one of words above a column of numbers."""
    if len(head) < 2:
        return False
    first, rest = head[0], [cells for cells in head[1:] if len(cells) == len(head[0])]
    if known_header(first):
        return True
    columns = [[cells[i] for cells in rest] for i in range(len(first))]
    numbers = [bool(column) and all(cell.isdecimal() for cell in column) for column in columns]
    return any(numbers) and all(cell and not cell.isdecimal() for cell in first)


READER = Reader("tables", "tables (.csv, .tsv)", claims, read)
