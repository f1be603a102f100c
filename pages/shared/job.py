"""A long piece of work beside the page: it says how far it is, can be stopped, and outlives reruns and page switches.

The work runs in a thread of its own and is told everything it needs; whoever started it keeps it (in the session, or
for the whole process) and looks at it. For work that can neither be measured nor stopped: waiting.py.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

import streamlit as st

from core.errors import CausewayError, StoppedError
from core.retriever import OnProgress, ShouldStop
from pages.shared import state
from pages.shared.messages import Message, as_html
from pages.shared.text import esc

T = TypeVar("T")
AT_ONCE = 0.1  # seconds that a quick piece of work is waited for before anything is drawn
GRACE = 0.5  # seconds after a stop in which it may still say how far it was; then it is waited for no longer
SLOTS = 2  # pieces of work at a time, of all sessions: they use every core
log = logging.getLogger(__name__)
_slots = threading.BoundedSemaphore(SLOTS)


@dataclass(frozen=True, slots=True)
class JobState:
    """How it stands. share: done, in [0, 1]; None: unknown. seconds: since it began. failed: why it did not succeed."""

    message: str
    share: float | None
    seconds: float
    ended: bool
    stopping: bool
    stopped: bool
    failed: Message | None = None


class Job(Generic[T]):
    """`work` gets a function to say how far it is, and one that says whether it is to stop.

    The first raises StoppedError when it is, so work that only reports can be stopped, too.
    """

    def __init__(self, work: Callable[[OnProgress, ShouldStop], T], words: str) -> None:
        self._message, self._share = words, None
        self._began, self._ended = time.monotonic(), 0.0
        self._stop, self._stopped_at = threading.Event(), 0.0
        self._results: list[T] = []
        self._failed: Message | None = None
        self._thread = threading.Thread(target=self._run, args=(work,), name=f"job: {words}", daemon=True)
        self._thread.start()
        self._thread.join(AT_ONCE)

    def stop(self) -> None:
        """Have it end: at once for whoever watches; its thread goes on until it next says how far it is."""
        self._stopped_at = self._stopped_at or time.monotonic()
        self._stop.set()

    @property
    def ended(self) -> bool:
        """Whether there is nothing more to wait for."""
        left = self._stopped_at and time.monotonic() - self._stopped_at > GRACE
        return bool(left) or not self._thread.is_alive()

    def result(self) -> T | None:
        """What came of it; None while it runs, and when it was stopped or failed."""
        return self._results[0] if self._results else None

    def state(self) -> JobState:
        """How it stands now."""
        ended = self.ended
        return JobState(
            message=self._message,
            share=self._share,
            seconds=(self._ended or self._stopped_at or time.monotonic()) - self._began,
            ended=ended,
            stopping=self._stop.is_set() and not ended,
            stopped=ended and self._stop.is_set() and not self._results,
            failed=self._failed,
        )

    def _progress(self, message: str, share: float | None) -> None:
        if self._stop.is_set():
            raise StoppedError("the work was stopped")
        self._message, self._share = message, share

    def _run(self, work: Callable[[OnProgress, ShouldStop], T]) -> None:
        try:
            words = self._message
            while not _slots.acquire(timeout=0.2):
                self._progress("waiting for other work on this server", None)
            try:
                self._progress(words, None)
                self._results.append(work(self._progress, self._stop.is_set))
            finally:
                _slots.release()
        except StoppedError:
            self._stop.set()
        except CausewayError as error:
            self._failed = Message(error.what, error.where, hint=error.hint)
        except Exception as error:
            log.exception("a job failed")
            self._failed = Message(
                f"Causeway made a mistake here ({type(error).__name__})", hint="The full report is in the server's log."
            )
        self._ended = time.monotonic()


def watch(job: Job[T], key: str) -> None:
    """Draw and redraw a running job, with its Stop; when it has ended the page is drawn anew."""
    st.fragment(_watch, run_every=0.4)(job, key)


def _watch(job: Job[T], key: str) -> None:
    state.catch_up()
    now = job.state()
    if now.ended:
        st.rerun()
    with st.container(border=True, key=f"job_{key}"):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.html(as_words(now), width="stretch")
            st.button("Stop", key=f"stop_{key}", on_click=job.stop, disabled=now.stopping)
        if now.share is None:
            st.html("<div class='cw-moving'></div>")
        else:
            st.progress(min(1.0, max(0.0, now.share)))


def as_words(now: JobState) -> str:
    """What is being done, how far, and since when, as HTML."""
    doing = "Stopping: what was done is kept" if now.stopping else now.message[:1].upper() + now.message[1:]
    facts = (f"{now.share:.0%} · " if now.share is not None else "") + f"{now.seconds:.0f} s"
    return f"<div role='status'><b>{esc(doing)}</b> <span class='cw-quiet cw-num'>{facts}</span></div>"


def draw_failed(job: Job[T]) -> None:
    """Why it failed, if it did."""
    if (failed := job.state().failed) is not None:
        with st.container(border=True):
            st.html(as_html(failed))
