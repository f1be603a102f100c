"""One piece of slow work that many runs may need: done once, in the background, so that every run can still stop.

Building an index or importing torch cannot be interrupted from within. Here a run waits for the work and
not in it; when the last one that waits has gone, the work is told to end at its next report of progress.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from core.retriever import OnProgress, ShouldStop

T = TypeVar("T")
_POLL = 0.05  # seconds; a stop is asked for within half a second


class StoppedError(Exception):
    """The one who waited was asked to stop."""


class _NobodyWaitsError(Exception):
    """Raised inside the work, through its progress report."""


class SharedWork(Generic[T]):
    """`work(report)` runs at most once at a time; its result is kept, its error is not (the next call tries again)."""

    def __init__(self, work: Callable[[OnProgress], T]) -> None:
        self._work = work
        self._lock = threading.Lock()
        self._attempt: _Attempt[T] | None = None

    @property
    def ready(self) -> bool:
        """Whether the result is there."""
        attempt = self._attempt
        return attempt is not None and attempt.done.is_set() and attempt.error is None

    def get(self, should_stop: ShouldStop | None = None, on_progress: OnProgress | None = None) -> T:
        """The result. StoppedError when `should_stop()` turns true first; what the work raised, else."""
        with self._lock:
            attempt = self._attempt
            if attempt is None or attempt.given_up or (attempt.done.is_set() and attempt.error is not None):
                attempt = self._attempt = _Attempt()
                attempt.start(self._work, self._lock)
            attempt.waiting += 1
        try:
            told = None
            while not attempt.done.wait(_POLL):
                if should_stop is not None and should_stop():
                    raise StoppedError
                news = attempt.news
                if on_progress is not None and news is not None and news is not told:
                    told = news
                    on_progress(*news)
        finally:
            with self._lock:
                attempt.waiting -= 1
        if attempt.error is not None:
            raise attempt.error
        return attempt.result[0]


class _Attempt(Generic[T]):
    """One go at the work, and who waits for it."""

    def __init__(self) -> None:
        self.done = threading.Event()
        self.waiting = 0
        self.given_up = False
        self.news: tuple[str, float | None] | None = None
        self.result: list[T] = []
        self.error: Exception | None = None

    def start(self, work: Callable[[OnProgress], T], lock: threading.Lock) -> None:
        def report(what: str, share: float | None) -> None:
            self.news = (what, share)
            with lock:
                if self.waiting == 0:
                    self.given_up = True
                    raise _NobodyWaitsError

        def run() -> None:
            try:
                self.result.append(work(report))
            except Exception as error:
                self.error = error
            finally:
                self.done.set()

        threading.Thread(target=run, name="shared-work", daemon=True).start()
