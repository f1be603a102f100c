"""Delimited text (CSV, TSV and kin) to rows: the delimiter and header are found out, quotes are forgiven.

Rows come with the number of the line they begin on. Not here: what the columns mean.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from core.graph.readers.columns import ColumnMap, guess_columns
from core.graph.readers.source import suffix
from core.graph.readers.text import Decoded, decode, split_lines
from core.trace import Frozen

DELIMITERS = (",", "\t", ";", "|")
_SAMPLE_ROWS = 100
_SAMPLE_CHARACTERS = 100_000
_FIELD_LIMIT = 2**31 - 1


class Row(NamedTuple):
    """The cells of a row, outer white space removed, and the line it begins on (from 1)."""

    line: int
    cells: list[str]


@dataclass(frozen=True, slots=True)
class Table:
    """A decoded table; `rows` may be asked for again and again. Without a header, columns are numbered from 1."""

    file: str
    decoded: Decoded
    delimiter: str  # "" when no delimiter was found: one column
    columns: tuple[str, ...]
    has_header: bool
    strict_quotes: bool

    def rows(self) -> Iterator[Row]:
        """The rows that are data: no header, no blank rows."""
        rows = _rows(self.decoded.text, self.delimiter, self.strict_quotes)
        return islice(rows, 1, None) if self.has_header else rows


class TableSummary(Frozen):
    """What a column mapper shows: the columns, some rows, and the guess."""

    file: str
    encoding: str
    delimiter: str
    columns: tuple[str, ...]
    has_header: bool
    sample: tuple[tuple[str, ...], ...]  # up to 20 rows
    guess: ColumnMap


def open_table(data: bytes, file: str, header: bool | None = None) -> Table:
    """Decode a table and find its delimiter and header. InputError for binary data."""
    decoded = decode(data, file)
    text = decoded.text
    delimiter = _declared_delimiter(text)
    if delimiter:  # spreadsheet programs write "sep=;" into a first line of its own
        decoded = decoded._replace(text="\n" + text.split("\n", 1)[-1])
        text = decoded.text
    else:
        delimiter = _find_delimiter(text, file)
    strict = _quotes_are_strict(text, delimiter)
    head = list(islice(_rows(text, delimiter, strict), _SAMPLE_ROWS))
    first = head[0].cells if head else []
    guess = guess_columns(first)
    has_header = guess.is_edges or guess.is_nodes or _unknown_header(head) if header is None else header
    columns = _named(first) if has_header else tuple(f"column {i}" for i in range(1, len(first) + 1))
    return Table(file, decoded, delimiter, columns, has_header, strict)


def summarise(table: Table) -> TableSummary:
    """The head of a table, for a column mapper."""
    return TableSummary(
        file=table.file,
        encoding=table.decoded.encoding,
        delimiter=table.delimiter,
        columns=table.columns,
        has_header=table.has_header,
        sample=tuple(tuple(row.cells) for row in islice(table.rows(), 20)),
        guess=guess_columns(table.columns) if table.has_header else ColumnMap(),
    )


def _unknown_header(head: Sequence[Row]) -> bool:
    """Whether the first row is a header of names not known here.

    Its cells are words, none of them comes back in its column, and yet some column says things again. In a
    file of triples without a header the first relation comes back.
    """
    first, rest = head[0].cells if head else [], head[1:]
    if len(first) < 2 or len(rest) < 3 or not all(first) or any(c.isdigit() for cell in first for c in cell):
        return False
    columns = [[row.cells[i] for row in rest if len(row.cells) == len(first)] for i in range(len(first))]
    comes_back = any(cell in column for cell, column in zip(first, columns, strict=True))
    return not comes_back and any(len(set(column)) < len(column) for column in columns)


def _named(cells: Sequence[str]) -> tuple[str, ...]:
    """Column names made unique and non-empty."""
    seen: Counter[str] = Counter()
    names = []
    for number, cell in enumerate(cells, 1):
        name = cell or f"column {number}"
        seen[name] += 1
        names.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return tuple(names)


def _declared_delimiter(text: str) -> str:
    line = text[:8].splitlines()[:1]
    declared = line[0].strip().strip('"') if line else ""
    return declared[4] if len(declared) == 5 and declared.lower().startswith("sep=") else ""


def _find_delimiter(text: str, file: str) -> str:
    """The delimiter that makes a known header, else the one that gives most rows the same width."""
    sample = text[:_SAMPLE_CHARACTERS]
    best, best_score = "", (False, 0.0, 0)
    candidates = ("\t", ",", ";", "|") if suffix(file) in (".tsv", ".tab") else DELIMITERS
    for delimiter in candidates:
        csv.field_size_limit(_FIELD_LIMIT)
        cut = islice(csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter), _SAMPLE_ROWS)
        rows = [cells for row in cut if any(cells := [cell.strip() for cell in row])]
        if len(sample) < len(text) and 1 < len(rows) < _SAMPLE_ROWS:
            rows.pop()  # it may be cut off
        widths = Counter(map(len, rows))
        if not widths:
            continue
        width, times = max(widths.items(), key=lambda item: (item[1], item[0]))
        if max(widths) < 2:
            continue
        guess = guess_columns(rows[0])
        known = len(rows[0]) > 1 and (guess.is_edges or guess.is_nodes)
        score = (known, times / len(rows) if width > 1 else 0.0, width)
        if score > best_score:
            best, best_score = delimiter, score
    return best


def _quotes_are_strict(text: str, delimiter: str) -> bool:
    """Whether every quote in the text is used as CSV has it; else a lone quote would swallow lines."""
    if '"' not in text:
        return True
    csv.field_size_limit(_FIELD_LIMIT)
    try:
        for _ in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter or ",", strict=True):
            pass
    except csv.Error:
        return False
    return True


def _rows(text: str, delimiter: str, strict: bool) -> Iterator[Row]:
    if not delimiter:
        for number, line in enumerate(split_lines(text), 1):
            if line.strip():
                yield Row(number, [line.strip()])
        return
    if not strict:
        yield from _rows_line_by_line(text, delimiter)
        return
    csv.field_size_limit(_FIELD_LIMIT)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    begins = 1
    for cells in reader:
        stripped = [cell.strip() for cell in cells]
        if any(stripped):
            yield Row(begins, stripped)
        begins = reader.line_num + 1


def _rows_line_by_line(text: str, delimiter: str) -> Iterator[Row]:
    """Each line is a row; a line whose quotes do not close is split at its delimiters, quotes kept."""
    for number, line in enumerate(split_lines(text), 1):
        try:
            cells = next(csv.reader([line], delimiter=delimiter, strict=True), [])
        except csv.Error:
            cells = line.split(delimiter)
        stripped = [cell.strip() for cell in cells]
        if any(stripped):
            yield Row(number, stripped)
