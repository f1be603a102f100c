"""Work that takes seconds to minutes, done beside the page: it says how far it is, and stops when asked.

A job belongs to the session that began it, under the name of the panel that shows it; it outlives reruns and page
switches. A panel names what the job is about, so that a result of other settings is never taken for this one.
Not here: runs (runs.py), and what cannot be interrupted (waiting.py).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar

import streamlit as st

from core.errors import CausewayError, StoppedError
from core.retriever import OnProgress, ShouldStop
from pages.shared import messages
from pages.shared.messages import Message
from pages.shared.text import esc

T = TypeVar("T")
JOBS = "background_jobs"
AT_ONCE = 0.2  # seconds that a quick job is waited for before anything is drawn


class Job(Generic[T]):
    """A piece of work that has begun; it is handed a way to report, which raises once `stop` was called."""

    def __init__(self, about: Hashable, work: Callable[[OnProgress, ShouldStop], T]) -> None:
        self.about = about
        self.message, self.share = "Starting", None
        self._stop = threading.Event()
        self._began, self._ended = time.monotonic(), 0.0
        self._results: list[T] = []
        self._error: Exception | None = None

        def run() -> None:
            try:
                self._results.append(work(self._report, self._stop.is_set))
            except Exception as error:  # raised again where the result is asked for
                self._error = error
            finally:
                self._ended = time.monotonic()

        # A daemon: an encoder at work must not keep the interpreter alive.
        self._thread = threading.Thread(target=run, name="background", daemon=True)
        self._thread.start()
        self._thread.join(AT_ONCE)

    message: str
    share: float | None  # that is done, in [0, 1]; None: unknown

    def _report(self, message: str, share: float | None) -> None:
        if self._stop.is_set():
            raise StoppedError("the work was stopped")
        self.message, self.share = message, share

    @property
    def done(self) -> bool:
        """Whether there is a result, or an error."""
        return not self._thread.is_alive()

    @property
    def stopped(self) -> bool:
        """Whether it was asked to end before it had; what comes of it is dropped."""
        return self._stop.is_set()

    @property
    def seconds(self) -> float:
        """Since it began, or that it took."""
        return (self._ended or time.monotonic()) - self._began

    def stop(self) -> None:
        """End it at its next report."""
        if not self.done:
            self._stop.set()

    def result(self) -> T:
        """What came of it, or the error it ended with; call it when it is done."""
        if self._error is not None:
            raise self._error
        return self._results[0]


def begin(name: str, about: Hashable, work: Callable[[OnProgress, ShouldStop], Any]) -> Job[Any]:
    """Start a job under that name; one that still runs there is stopped."""
    before = _jobs().get(name)
    if before is not None:
        before.stop()
    _jobs()[name] = Job(about, work)
    return _jobs()[name]


def job(name: str, about: Hashable) -> Job[Any] | None:
    """The job of that name, when it is about just that."""
    found = _jobs().get(name)
    return found if found is not None and found.about == about else None


def forget(name: str) -> None:
    """Drop a job and what came of it."""
    found = _jobs().pop(name, None)
    if found is not None:
        found.stop()


def running(name: str, about: Hashable) -> bool:
    """Whether that job is at work."""
    found = job(name, about)
    return found is not None and not found.done and not found.stopped


def outcome(name: str, about: Hashable) -> Any:
    """What came of the job; None while it runs, or when it was stopped or failed, which is drawn in its place."""
    found = job(name, about)
    if found is None:
        return None
    if found.stopped:
        st.html("<p class='cw-note' role='status'>Stopped. What was encoded is kept: begin again to go on.</p>")
    elif not found.done:
        st.fragment(_watch, run_every=0.5)(name)
    else:
        try:
            return found.result()
        except CausewayError as error:
            messages.draw(Message(error.what, error.where, hint=error.hint), key=f"failed_{name}")
        except Exception as error:  # a fault of ours: said in words, its report in the log
            messages.log.error("a background job failed", exc_info=error)
            failed = f"Causeway made a mistake here ({type(error).__name__})"
            messages.draw(Message(failed, hint="Try it again; the full report is in the log."), key=f"failed_{name}")
    return None


def _watch(name: str) -> None:
    now = _jobs().get(name)
    if now is None or now.done or now.stopped:
        st.rerun()
    with st.container(border=True, key=f"working_{name}"):
        with st.container(horizontal=True, vertical_alignment="center"):
            seconds = f"<span class='cw-quiet cw-num'>{now.seconds:.0f} s</span>"
            st.html(f"<div role='status'><b>{esc(now.message)}</b> {seconds}</div>", width="stretch")
            st.button("Stop", key=f"stop_{name}", on_click=now.stop)
        if now.share is None:
            st.html("<div class='cw-moving'></div>")
        else:
            st.progress(min(1.0, max(0.0, now.share)))


def _jobs() -> dict[str, Job[Any]]:
    found: dict[str, Job[Any]] = st.session_state.setdefault(JOBS, {})
    return found
