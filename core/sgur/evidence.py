"""What one observation says of every hypothesis at once, worked out when it is first needed and then remembered.

H hypotheses. Nothing here depends on settings. Not here: how the observations of a query are put together.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from core.sgur.index import ExpertIndex, segment_max
from core.sgur.similarity import lin

Flags = NDArray[np.bool_]
Small = NDArray[np.float32]
T = TypeVar("T")

KEPT = 500  # observations that are remembered; one takes about 170 kB among 8,352 hypotheses and 18,386 observations
ALIKE = 0.5  # [ours]: a hypothesis shares a routed observation when it has one this similar
UNKNOWN_FREQUENCY = 0.5  # [ours]: what stands for a frequency that nobody reported


@dataclass(frozen=True, eq=False, slots=True)
class Seen:
    """An observation that was seen: (H,) the best similarity each hypothesis offers, and its candidates (SGUR-4).

    same: it has the very observation. sharing: it has one that is `ALIKE`. compatible: and a path from that
    observation's localisations leads to it; where the observation has none, nothing speaks against it.
    """

    best: Small
    same: Flags
    sharing: Flags
    compatible: Flags


class Evidence:
    """The evidence of single observations of one expert graph; shared by all sessions on it, in any thread."""

    def __init__(self, index: ExpertIndex) -> None:
        self.index = index
        self._similarity: _Memory[Small] = _Memory()
        self._seen: _Memory[Seen] = _Memory()
        self._expected: _Memory[Small] = _Memory()

    def similarity(self, observation: int) -> Small:
        """(O,) of every observation with this one."""
        return self._similarity.get(observation, lambda o: lin(self.index, o).astype(np.float32))

    def seen(self, observation: int) -> Seen:
        """What it means for each hypothesis that this was observed."""
        return self._seen.get(observation, self._make_seen)

    def expected(self, observation: int) -> Small:
        """(H,) the greatest frequency with which each hypothesis shows this or anything narrower, or 0."""
        return self._expected.get(observation, self._make_expected)

    def _make_seen(self, observation: int) -> Seen:
        index = self.index
        best = segment_max(index.graph.reported, self.similarity(observation))
        column = index.never.indices[index.never.indptr[observation] : index.never.indptr[observation + 1]]
        best[column] = 0.0  # the source says that it is not seen with them
        sharing = best >= ALIKE
        where = np.zeros(len(index.graph.localisations))
        where[index.localisations_of(observation)] = 1.0
        compatible = sharing & (index.placed @ where > 0) if where.any() else sharing
        return Seen(best, best >= 1.0, sharing, compatible)

    def _make_expected(self, observation: int) -> Small:
        index = self.index
        start, end = index.narrower.indptr[observation : observation + 2]
        below = np.zeros(len(index.graph.observations), np.float32)
        below[index.narrower.indices[start:end]] = 1.0
        reported = index.graph.reported
        shown = below[reported.indices] * np.nan_to_num(reported.data, nan=UNKNOWN_FREQUENCY)
        best = np.zeros(reported.shape[0], np.float32)
        filled = np.flatnonzero(index.sizes)
        if len(filled):
            best[filled] = np.maximum.reduceat(shown, reported.indptr[filled])
        return best


class _Memory(Generic[T]):
    """The last `KEPT` values that were asked for."""

    def __init__(self) -> None:
        self._kept: OrderedDict[int, T] = OrderedDict()
        self._lock = Lock()

    def get(self, key: int, make: Callable[[int], T]) -> T:
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        value = make(key)
        with self._lock:
            self._kept[key] = value
            if len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return value
