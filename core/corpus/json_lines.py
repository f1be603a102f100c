"""JSON Lines to objects, with the line of a mistake. Not here: what the objects mean."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from core.errors import InputError
from core.graph.readers.text import split_lines
from core.retriever import OnProgress

_PROGRESS_EVERY = 10_000


def json_lines(text: str, file: str, on_progress: OnProgress | None = None) -> Iterator[tuple[int, dict[str, Any]]]:
    """(line from 1, object) for each line that is not blank. InputError when one is no JSON object."""
    lines = split_lines(text)
    for number, line in enumerate(lines, 1):
        if on_progress and number % _PROGRESS_EVERY == 1:
            on_progress(f"Reading {file}", number / len(lines))
        if not line.strip():
            continue
        try:
            item = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InputError(f"not valid JSON: {error}", where=f"{file}, line {number}") from None
        if not isinstance(item, dict):
            hint = "Each line of JSON Lines is one object in braces."
            raise InputError("this is no JSON object", where=f"{file}, line {number}", hint=hint)
        yield number, item
