"""What a command gives back, and how it speaks meanwhile: replies, progress on standard error, and Ctrl-C.

Standard output carries the reply and nothing else. Not here: what the commands do.
"""

from __future__ import annotations

import contextlib
import json
import logging
import math
import re
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import typer

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on standard output.")]
# Control characters, and marks that turn the direction of what follows; line breaks are left, tabs too.
_MARKS = "\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufff9-\ufffb"
_UNPRINTABLE = re.compile(f"[{_MARKS}]")
_NUMBER = re.compile(r"(?:under |over )?-?[\d,]+(?:\.\d+)?(?: %)?")


@dataclass(frozen=True, slots=True)
class Reply:
    """The result of a command: an object for `--json`, and the same for people. `code`: the exit code."""

    body: dict[str, Any]
    text: str
    as_json: bool = False
    code: int = 0

    def printed(self) -> str:
        """What goes to standard output."""
        return as_json(self.body) if self.as_json else safe(self.text)


def as_json(body: Any) -> str:
    """One JSON object, without NaN or infinity, which JSON does not have: they become null.

    Marks that a terminal would obey are written as escapes, so the object stays what it is.
    """
    text = json.dumps(_finite(body), ensure_ascii=False, indent=1, allow_nan=False)
    return _UNPRINTABLE.sub(lambda mark: f"\\u{ord(mark[0]):04x}", text)


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def safe(text: str) -> str:
    """Text for a terminal, line by line as it is, without the marks that a terminal would obey."""
    return _UNPRINTABLE.sub("\ufffd", text.replace("\r\n", "\n"))


def plain(text: str, limit: int = 0) -> str:
    """Text from data, fit for a terminal: one line, no control or direction marks, cut to `limit` characters."""
    flat = " ".join(_UNPRINTABLE.sub("\ufffd", text.replace("\r", "\n")).split())
    return flat if not limit or len(flat) <= limit else flat[: limit - 1] + "…"


def table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A table of aligned columns; numbers stand to the right."""
    cells = [[_cell(value) for value in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(header, *cells, strict=True)]
    right = [all(_is_number(row[i]) for row in rows) for i in range(len(header))]
    lines = [list(header), ["-" * width for width in widths], *cells]
    return "\n".join(
        "  ".join(c.rjust(w) if r else c.ljust(w) for c, w, r in zip(line, widths, right, strict=True)).rstrip()
        for line in lines
    )


def _is_number(value: object) -> bool:
    return value is None or isinstance(value, (int, float)) or _NUMBER.fullmatch(str(value)) is not None


def _cell(value: object) -> str:
    if value is None:
        return "-"
    return f"{value:.3f}" if isinstance(value, float) else plain(str(value), 60)


def say(message: str) -> None:
    """A line, or some, on standard error."""
    print(safe(message), file=sys.stderr, flush=True)


class SafeFormatter(logging.Formatter):
    """Log lines for a terminal: what a library says may quote names and messages."""

    def format(self, record: logging.LogRecord) -> str:
        return safe(super().format(record))


class Progress:
    """An `OnProgress` on standard error: one line that is written over on a terminal, else a line now and then."""

    def __init__(self, every: float = 5.0) -> None:
        self._terminal = sys.stderr.isatty()
        self._every = 0.1 if self._terminal else every
        self._last, self._width = -math.inf if self._terminal else time.monotonic(), 0

    def __call__(self, message: str, share: float | None) -> None:
        now = time.monotonic()
        if now - self._last < self._every:
            return
        self._last = now
        line = plain(message, 100) + ("" if share is None else f" ({share:.0%})")
        if self._terminal:
            print("\r" + line.ljust(self._width), end="", file=sys.stderr, flush=True)
            self._width = len(line)
        else:
            say(line)

    def close(self) -> None:
        """Clear the line."""
        if self._terminal and self._width:
            print("\r" + " " * self._width + "\r", end="", file=sys.stderr, flush=True)


@contextlib.contextmanager
def progress() -> Iterator[Progress]:
    """Progress while a command works."""
    shown = Progress()
    try:
        yield shown
    finally:
        shown.close()


@contextlib.contextmanager
def stop_on_interrupt() -> Iterator[threading.Event]:
    """An event that the first Ctrl-C sets, so that what was done is kept; the second one ends the command."""
    event = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield event
        return

    def first(_signal: int, _frame: object) -> None:
        event.set()
        signal.signal(signal.SIGINT, before)
        say("\nStopping; what was done is kept. Press Ctrl-C again to end at once.")

    before = signal.signal(signal.SIGINT, first)
    try:
        yield event
    finally:
        signal.signal(signal.SIGINT, before)
