"""The run manager: runs methods in the background, a few at a time, and stops them when asked.

One manager a process (`get_manager`). Each run has a thread of its own, for as long as it holds one of
the manager's slots; everything it needs is passed in, and its steps go to the store as they happen, so
a page that reloads finds the run by its id. Not here: any screen, and what a method does inside.

A stopped run answers within half a second, whatever its method does: the method gets `GRACE` seconds to
hand over what it has, then the run ends with the steps stored so far and later ones are dropped.
"""

from __future__ import annotations

import atexit
import concurrent.futures.thread  # noqa: F401  (its hook at exit must be there before ours: see RunManager)
import logging
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from typing import Any, Literal

from core.errors import CausewayError, StoreError
from core.retriever import Retriever
from core.store import Store, new_run_id
from core.trace import Price, Status, Step, Trace, Usage

log = logging.getLogger(__name__)

SLOTS = 2
GRACE = 0.35  # seconds a stopped method has to hand over its own trace
KEPT = 32  # ended runs whose state is answered from memory
RunStatus = Status | Literal["queued"]


@dataclass(frozen=True, slots=True)
class RunState:
    """A run at this moment.

    steps: in order of arrival. agents: agent -> steps it has made. message, progress: what is being
    done, and the share done in [0, 1] (None: unknown). queue: place in the queue, from 1; 0 when not queued.
    seconds: since the run began, the time in the queue left out.
    """

    run_id: str
    status: RunStatus
    steps: tuple[Step, ...] = ()
    agents: Mapping[int, int] = field(default_factory=dict)
    message: str = ""
    progress: float | None = None
    seconds: float = 0.0
    queue: int = 0
    error: str = ""

    @property
    def ended(self) -> bool:
        """Whether nothing more will happen."""
        return self.status not in ("running", "queued")


class _Run:
    """A run as the manager holds it. `sealed` is set once, by whoever ends the run."""

    def __init__(self, run_id: str, retriever: Retriever, head: Trace, config: dict[str, Any], store: Store) -> None:
        self.run_id, self.head, self.config, self.store = run_id, head, config, store
        self.retriever: Retriever | None = retriever  # until the run ends: it may hold a graph, or a server's key
        self.stop = threading.Event()
        self.done = threading.Event()
        self.guard = threading.Lock()
        self.thread: threading.Thread | None = None
        self.sealed = False
        self.status: RunStatus = "queued"
        self.error, self.message = "", ""
        self.progress: float | None = None
        self.store_error: StoreError | None = None
        self.steps: list[Step] = []
        self.began = self.ended = 0.0

    def on_progress(self, message: str, share: float | None) -> None:
        self.message, self.progress = message, share

    def on_step(self, step: Step) -> None:
        """Store a step; once the run has been ended, drop it. What the disk refuses ends the run, not the method."""
        if self.sealed:
            return
        try:
            stored = self.store.add_step(self.run_id, step)
        except StoreError as error:
            self.store_error = self.store_error or error
            self.stop.set()
            return
        if stored:
            self.steps.append(step)

    def seal(self) -> bool:
        """Claim the right to end this run; true for the first caller alone."""
        with self.guard:
            first, self.sealed = not self.sealed, True
        return first

    def seconds(self) -> float:
        return (self.ended or time.monotonic()) - self.began if self.began else 0.0

    def state(self, queue: int) -> RunState:
        steps = tuple(self.steps)
        return RunState(
            run_id=self.run_id,
            status=self.status,
            steps=steps,
            agents=dict(sorted(Counter(s.agent for s in steps).items())),
            message=f"waiting for {queue} run{'s' if queue > 1 else ''} before it" if queue else self.message,
            progress=self.progress,
            seconds=self.seconds(),
            queue=queue,
            error=self.error,
        )


class RunManager:
    """Runs at most `slots` runs at once; more wait in order. Every method may be called from any thread."""

    def __init__(self, slots: int = SLOTS) -> None:
        self._slots = slots
        self._guard = threading.Lock()
        self._queue: list[_Run] = []
        self._active: list[_Run] = []
        self._ended: OrderedDict[str, _Run] = OrderedDict()
        # The interpreter joins the threads of concurrent.futures before it calls atexit's functions, and a
        # method may have some: a private hook of `threading`, where there is one, comes before that.
        getattr(threading, "_register_atexit", atexit.register)(self.close)

    def start(
        self,
        retriever: Retriever,
        question: str,
        config: Mapping[str, Any],
        store: Store,
        *,
        label: str = "",
        run_id: str = "",
        decided_by: str = "",
        price: Price | None = None,
    ) -> str:
        """Begin a run, or queue it, and return its id (`run_id`, else a new one) at once.

        decided_by: who will decide, where that is known before the method says it. price: what its model costs, kept
        with the run, however it ends. StoreError if the store cannot take the run.
        """
        run_id = run_id or new_run_id()
        head = Trace(
            run_id=run_id,
            method=retriever.method,
            question=question,
            config=dict(config),
            dataset=retriever.dataset,
            decided_by=decided_by,
            usage=Usage(price=price),
            status="running",
            started_at=datetime.now(UTC).isoformat(timespec="milliseconds"),
        )
        store.begin(run_id, head, label=label)
        with self._guard:
            self._queue.append(_Run(run_id, retriever, head, dict(config), store))
            self._fill_slots()
        return run_id

    def stop(self, run_id: str, store: Store | None = None) -> RunState:
        """End a run within half a second, keeping what was done, and return its state. One that has ended stays so."""
        run = self._find(run_id)
        if run is not None:
            run.stop.set()
            if run.status == "queued" or not run.done.wait(GRACE):
                self._end(run, "stopped")
            run.done.wait(0.1)  # another thread may be ending it at this moment
        return self.state(run_id, store)

    def state(self, run_id: str, store: Store | None = None) -> RunState:
        """How a run stands. Runs this manager does not hold are looked up in `store`; StoreError if it is unknown."""
        with self._guard:
            run = self._lookup(run_id)
            if run is not None:
                return run.state(self._queue.index(run) + 1 if run in self._queue else 0)
        if store is None:
            raise StoreError(f"there is no run {run_id} in this process", hint="It may be in the run store.")
        trace = store.load(run_id)
        agents = dict(sorted(Counter(s.agent for s in trace.steps).items()))
        return RunState(run_id, trace.status, trace.steps, agents, seconds=trace.seconds, error=trace.error)

    def wait(self, run_id: str, timeout: float | None = None) -> RunState:
        """Wait until a run of this manager has ended, at most `timeout` seconds. For scripts and tests, not pages."""
        run = self._find(run_id)
        if run is not None:
            run.done.wait(timeout)
        return self.state(run_id)

    def close(self) -> None:
        """Mark what is queued or running as interrupted, and give its threads a moment to end."""
        with self._guard:
            runs = [*self._queue, *self._active]
            self._queue.clear()
        for run in runs:
            run.stop.set()
            self._end(run, "interrupted")
        deadline = time.monotonic() + GRACE
        for run in runs:
            if run.thread is not None:
                run.thread.join(max(0.0, deadline - time.monotonic()))

    # Inside

    def _lookup(self, run_id: str) -> _Run | None:
        return next((r for r in (*self._queue, *self._active) if r.run_id == run_id), self._ended.get(run_id))

    def _find(self, run_id: str) -> _Run | None:
        with self._guard:
            return self._lookup(run_id)

    def _fill_slots(self) -> None:
        """Start queued runs while slots are free. Called with the guard held."""
        while self._queue and len(self._active) < self._slots:
            run = self._queue.pop(0)
            self._active.append(run)
            run.status, run.began = "running", time.monotonic()
            # A daemon: a method that never looks at its stop event must not keep the interpreter alive.
            run.thread = threading.Thread(target=self._work, args=(run,), name=f"run-{run.run_id}", daemon=True)
            run.thread.start()

    def _work(self, run: _Run) -> None:
        retriever = run.retriever
        try:
            if retriever is not None and not run.stop.is_set():
                retriever.prepare(run.on_progress)
                run.message, run.progress = "", None
            if retriever is None or run.stop.is_set():
                self._end(run, "stopped")
                return
            trace = retriever.run(run.head.question, run.config, run.on_step, run.stop.is_set)
        except CausewayError as error:
            if run.store_error is not None:
                self._end(run, "failed", str(run.store_error))
            elif run.stop.is_set():  # a call that was broken off because the run is to stop
                self._end(run, "stopped")
            else:
                self._end(run, "failed", str(error))
        except BaseException as error:
            log.exception("run %s (%s) failed", run.run_id, run.head.method)
            name = type(error).__name__
            self._end(run, "failed", f"{name}: a fault in the program, not in your data; its log has the details.")
        else:
            if run.store_error is not None:
                self._end(run, "failed", str(run.store_error))
            else:
                self._end(run, "finished" if trace.status == "running" else trace.status, trace.error, trace)

    def _end(self, run: _Run, status: Status, error: str = "", trace: Trace | None = None) -> None:
        """End a run, once: later calls, and later steps, change nothing. Its slot is free when this returns."""
        if not run.seal():
            return
        run.retriever = None
        try:
            if trace is not None:
                usage = trace.usage.model_copy(update={"price": run.head.usage.price})
                ended = trace.model_copy(update={"started_at": run.head.started_at, "usage": usage})
                run.store.finish(run.run_id, ended)
            else:
                run.store.end(run.run_id, status, error=error, seconds=run.seconds())
        except Exception as failure:
            log.exception("the end of run %s could not be stored", run.run_id)
            status, error = "failed", error or str(failure)
        if trace is not None and len(run.steps) < len(trace.steps):
            run.steps = list(trace.steps)
        with self._guard:
            run.status, run.error, run.message, run.ended = status, error, "", time.monotonic()
            for runs in (self._queue, self._active):
                if run in runs:
                    runs.remove(run)
            self._ended[run.run_id] = run
            while len(self._ended) > KEPT:
                self._ended.popitem(last=False)
            run.done.set()
            self._fill_slots()


@cache
def get_manager() -> RunManager:
    """The manager of this process."""
    return RunManager()
