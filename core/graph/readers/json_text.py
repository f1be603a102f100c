"""JSON files to values, with the line of a mistake. Not here: what the values mean."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from core.errors import InputError
from core.graph.readers.source import Source, suffix
from core.graph.readers.text import Decoded, decode


def load_json(source: Source, file: str) -> tuple[Any, Decoded]:
    """The value of a JSON file, parsed once. InputError with line and column."""
    if file not in source.parsed:
        decoded = decode(source.read(file), file)
        try:
            source.parsed[file] = json.loads(decoded.text), decoded
        except json.JSONDecodeError as error:
            where = f"{file}, line {error.lineno}, column {error.colno}"
            raise InputError(f"not valid JSON: {error.msg}", where=where) from None
        except (RecursionError, ValueError) as error:
            raise InputError(f"this JSON cannot be read: {error}", where=file) from None
    value, decoded = source.parsed[file]
    return value, decoded


def json_files(source: Source, holds: Callable[[Any], bool]) -> tuple[str, ...]:
    """The .json files whose value passes the test. A lone file that is not JSON is an InputError, others are not."""
    found = []
    for name in source.names:
        if suffix(name) == ".json":
            try:
                if holds(load_json(source, name)[0]):
                    found.append(name)
            except InputError:
                if len(source.names) == 1:
                    raise
    return tuple(found)


def excerpt(item: Any) -> str:
    """The beginning of an item, for a report."""
    return json.dumps(item, ensure_ascii=False, default=str)[:200]


def as_id(value: Any) -> str:
    """An id as text: a string, a number, or a list of them (networkx writes tuples so); "" for anything else."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, bool) or value is None:
        return ""
    if isinstance(value, (int, float)):
        return str(value)
    if isinstance(value, list) and value and all(as_id(part) for part in value):
        return "(" + ", ".join(as_id(part) for part in value) + ")"
    return ""
