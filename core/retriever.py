"""The contract every method has: a question and settings in, a trace out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from core.trace import DatasetRef, Step, Trace

OnStep = Callable[[Step], None]
ShouldStop = Callable[[], bool]
OnProgress = Callable[[str, float | None], None]  # what is being done, and the share done (None: unknown)


class Retriever(Protocol):
    """CARA, each of its peers, and later methods: the evaluation, the command line and the pages treat them alike."""

    method: str

    @property
    def dataset(self) -> DatasetRef:
        """The data it runs on, as a trace names it."""
        ...

    def run(
        self,
        question: str,
        config: Mapping[str, Any] | None = None,
        on_step: OnStep | None = None,
        should_stop: ShouldStop | None = None,
    ) -> Trace:
        """Answer `question`. Each step is handed to `on_step` as it is made, from any thread.

        When `should_stop()` turns true the run ends within half a second with status "stopped" and
        keeps what was done. ConfigError for a setting that is unknown or out of range.
        """
        ...

    def prepare(self, on_progress: OnProgress | None = None) -> None:
        """Load what the first run needs (an index, an encoder), saying what is going on."""
        ...
