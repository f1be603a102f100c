"""Reader of JSON Lines, and of a JSON list of objects: an object is a document, its fields are columns."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from core.corpus.assembly import Assembly
from core.corpus.columns import (
    SAMPLE_ROWS,
    DocumentColumnChoice,
    DocumentTable,
    guess_document_columns,
    map_for,
    plan_document_columns,
)
from core.corpus.json_lines import json_lines
from core.corpus.readers.reader import Reader, note_decoding
from core.corpus.readers.rows import RowTaker
from core.errors import InputError
from core.graph.readers.text import Decoded, decode
from core.retriever import OnProgress

FORMAT = "JSON"
_LISTS = ("documents", "docs", "data", "items", "records", "results")


def claims(name: str, _: bytes) -> bool:
    """By the name."""
    return name.lower().endswith((".jsonl", ".ndjson", ".json"))


def read(
    assembly: Assembly, file: str, data: bytes, choice: DocumentColumnChoice, on_progress: OnProgress | None
) -> None:
    """Read objects. InputError with the line of what is not valid, or when a chosen field is not there."""
    decoded, rows = _rows(data, file, on_progress)
    fields = _fields(rows)
    taker = RowTaker(assembly, file, FORMAT, plan_document_columns(fields, file, map_for(choice, file)))
    for line, row in rows:
        taker.take(line, row)
    note_decoding(assembly, file, decoded)
    taker.finish(decoded.encoding)


def inspect(data: bytes, file: str) -> DocumentTable:
    """The fields and first objects, for a column mapper. InputError when it is no JSON."""
    decoded, rows = _rows(data, file, None)
    fields = _fields(rows)
    return DocumentTable(
        file=file,
        encoding=decoded.encoding,
        columns=fields,
        has_header=True,
        sample=tuple(tuple(row.get(field, "") for field in fields) for _, row in rows[:SAMPLE_ROWS]),
        guess=guess_document_columns(fields),
    )


def _rows(data: bytes, file: str, on_progress: OnProgress | None) -> tuple[Decoded, list[tuple[int, dict[str, str]]]]:
    """(place from 1, values by field) of each object. InputError when there is none with a field."""
    decoded = decode(data, file)
    if not decoded.text.strip():
        raise InputError("the file is empty", where=file)
    items: Iterable[tuple[int, dict[str, Any]]]
    if file.lower().endswith(".json"):
        items = _list_of(decoded.text, file)
    else:
        items = json_lines(decoded.text, file, on_progress)
    rows = [(line, {field: _plain(value) for field, value in item.items()}) for line, item in items]
    if not any(row for _, row in rows):
        raise InputError("there is no object with fields in it", where=file)
    return decoded, rows


def _fields(rows: list[tuple[int, dict[str, str]]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(field for _, row in rows for field in row))


def _list_of(text: str, file: str) -> list[tuple[int, dict[str, Any]]]:
    """(number from 1, object) of a JSON list, or of the list in an object that holds documents."""
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        if error.msg == "Extra data":  # JSON Lines under the wrong name
            return list(json_lines(text, file))
        where = f"{file}, line {error.lineno}, column {error.colno}"
        raise InputError(f"not valid JSON: {error.msg}", where=where) from None
    except (RecursionError, ValueError) as error:
        raise InputError(f"this JSON cannot be read: {error}", where=file) from None
    if isinstance(value, dict):
        value = next((value[name] for name in _LISTS if isinstance(value.get(name), list)), [value])
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise InputError("this JSON is no list of objects", where=file, hint="A document is an object in braces.")
    return list(enumerate(value, 1))


def _plain(value: Any) -> str:
    """A value as text: words as they are, numbers and nested values as JSON writes them, nothing for null."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return "\n".join(value)
    return json.dumps(value, ensure_ascii=False)


READER = Reader("json", "JSON Lines (.jsonl), JSON lists (.json)", claims, read)
