"""Counting calls and tokens while models are asked. Thread-safe; several agents share one meter."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from core.trace import Price


@dataclass(frozen=True, slots=True)
class Count:
    """What was used so far. `uncounted` calls came back without token counts: the totals are then lower bounds."""

    calls: int = 0
    retries: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    uncounted: int = 0
    seconds: float = 0.0

    def cost(self, price: Price | None) -> float | None:
        """In the price's own currency; None when no price is known."""
        if price is None or (price.prompt is None and price.completion is None):
            return None
        prompt = self.prompt_tokens * (price.prompt or 0.0)
        return (prompt + self.completion_tokens * (price.completion or 0.0)) / 1e6


class Meter:
    """Adds up counts from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._count = Count()

    def add(self, prompt: int | None, completion: int | None, seconds: float, retries: int = 0) -> None:
        with self._lock:
            c = self._count
            self._count = Count(
                calls=c.calls + 1,
                retries=c.retries + retries,
                prompt_tokens=c.prompt_tokens + (prompt or 0),
                completion_tokens=c.completion_tokens + (completion or 0),
                uncounted=c.uncounted + (prompt is None or completion is None),
                seconds=c.seconds + seconds,
            )

    @property
    def count(self) -> Count:
        return self._count
