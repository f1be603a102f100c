"""Something slow that cannot be interrupted, such as a server's reply, done beside the page, which stays usable.

The work runs in a thread of its own and is told everything it needs; the page looks whether it is done. Work that is
no longer waited for is dropped with what comes of it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

from pages.shared.text import esc

T = TypeVar("T")
AT_ONCE = 0.15  # seconds that a quick piece of work is waited for before anything is drawn


class Work(Generic[T]):
    """A piece of work that has begun. `words` say what it is."""

    def __init__(self, work: Callable[[], T], words: str) -> None:
        self.words = words
        self._began = time.monotonic()
        self._results: list[T] = []
        self._errors: list[Exception] = []

        def run() -> None:
            try:
                self._results.append(work())
            except Exception as error:  # raised again where the result is asked for
                self._errors.append(error)

        # A daemon: a server that hangs must not keep the interpreter alive.
        self._thread = threading.Thread(target=run, name="waiting", daemon=True)
        self._thread.start()
        self._thread.join(AT_ONCE)

    @property
    def done(self) -> bool:
        """Whether `result` has an answer."""
        return not self._thread.is_alive()

    def result(self) -> T:
        """What came of it, or the error it ended with; call it when it is done."""
        if self._errors:
            raise self._errors[0]
        return self._results[0]

    def as_html(self) -> str:
        """What is being waited for, and since when."""
        seconds = time.monotonic() - self._began
        return f"<div role='status'>{esc(self.words)} <span class='cw-quiet cw-num'>{seconds:.0f} s</span></div>"
