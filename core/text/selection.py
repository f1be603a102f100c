"""The k best of many scores, with ties in the order of position: the one rule of every ranking of texts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def best_positions(scores: NDArray[np.floating[Any]], k: int) -> NDArray[np.int64]:
    """Positions of the k highest scores of (n,), best first, ties by position; scores of exactly 0 are left out."""
    found = np.flatnonzero(scores)
    k = min(k, len(found))
    if k <= 0:
        return np.zeros(0, np.int64)
    values = scores[found]
    if k < len(found):
        # Of many scores equal to the k-th only the first few are wanted: no sort over all of them.
        threshold = np.partition(values, len(values) - k)[len(values) - k]
        above = found[values > threshold]
        found = np.concatenate([above, found[values == threshold][: k - len(above)]])
        values = scores[found]
    return found[np.lexsort((found, -values))].astype(np.int64, copy=False)
