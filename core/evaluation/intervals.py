"""Bootstrap intervals of means over questions, and of paired differences between two methods.

Percentile bootstrap: questions are drawn with replacement, as many as there are, `DRAWS` times; the
interval holds the middle 95 % of the means. One seed gives one interval.
Not here: what is averaged (metrics.py).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

DRAWS = 2000
LEVEL = 0.95
_CELLS = 4_000_000  # indices drawn at a time, to bound memory


class Interval(NamedTuple):
    """A mean and its bootstrap interval."""

    mean: float
    low: float
    high: float


def bootstrap_means(values: ArrayLike, seed: int = 0, draws: int = DRAWS) -> NDArray[np.float64]:
    """(draws,) means of as many resamples of (n,) values. ValueError for n = 0."""
    sample = np.asarray(values, dtype=np.float64)
    n = len(sample)
    if n == 0:
        raise ValueError("no value to resample")
    generator = np.random.default_rng(seed)
    block = max(1, _CELLS // n)
    means = [
        sample[generator.integers(0, n, size=(min(block, draws - start), n))].mean(axis=1)
        for start in range(0, draws, block)
    ]
    return np.concatenate(means)


def bootstrap(values: ArrayLike, seed: int = 0, draws: int = DRAWS, level: float = LEVEL) -> Interval:
    """The mean of (n,) values and its interval."""
    means = bootstrap_means(values, seed, draws)
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(np.mean(np.asarray(values, dtype=np.float64))), float(low), float(high))


def paired_difference(
    ours: ArrayLike, theirs: ArrayLike, seed: int = 0, draws: int = DRAWS, level: float = LEVEL
) -> Interval:
    """The mean of ours - theirs, question by question, and its interval. ValueError for unequal lengths."""
    a, b = np.asarray(ours, dtype=np.float64), np.asarray(theirs, dtype=np.float64)
    if a.shape != b.shape:
        raise ValueError(f"paired values differ in shape: {a.shape} and {b.shape}")
    return bootstrap(a - b, seed, draws, level)
