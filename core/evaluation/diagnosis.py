"""Means and intervals of a diagnosis protocol: Hit@k by round, MRR, MTTC, and paired differences (SGUR-9).

A place is a mean over ties, from 1. Not here: how the places came about (`core.sgur.protocol`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.evaluation.intervals import bootstrap, paired_difference

KS = (1, 2, 3, 10)
CONFIDENT = 3  # the place that counts as found for MTTC
Floats = NDArray[np.float64]


def hit_at(places: Floats, k: int) -> Floats:
    """(n, r) 1 where the truth is among the first k."""
    return (places <= k).astype(np.float64)


def turns_to_confidence(places: Floats) -> Floats:
    """(n,) the first round, from 1, with the truth among the first three; one more than there are for none."""
    found = places <= CONFIDENT
    return np.asarray(np.where(found.any(axis=1), found.argmax(axis=1) + 1.0, places.shape[1] + 1.0), np.float64)


def summary(places: Floats, seconds: Floats) -> dict[str, Any]:
    """What SPEC 6 asks of a method, and 95 % intervals. (n, r) places and seconds."""
    last = 1 / places[:, -1]
    return {
        **{f"hit@{k}": [float(x) for x in hit_at(places, k).mean(axis=0)] for k in KS},
        "mrr": float(last.mean()),
        "mttc": float(turns_to_confidence(places).mean()),
        "seconds_per_round": float(seconds.mean()),
        "median_seconds_per_round": float(np.median(seconds)),
        "mrr_by_round": [float(x) for x in (1 / places).mean(axis=0)],
        "intervals": {
            **{f"hit@{k}": [list(bootstrap(column)[1:]) for column in hit_at(places, k).T] for k in KS},
            "mrr": list(bootstrap(last)[1:]),
            "mttc": list(bootstrap(turns_to_confidence(places))[1:]),
        },
    }


def difference(ours: Floats, theirs: Floats) -> dict[str, Any]:
    """Ours minus theirs, patient by patient: [mean, low, high] of each metric, by round where it has rounds."""
    return {
        **{
            f"hit@{k}": [
                list(paired_difference(a, b)) for a, b in zip(hit_at(ours, k).T, hit_at(theirs, k).T, strict=True)
            ]
            for k in KS
        },
        "mrr": list(paired_difference(1 / ours[:, -1], 1 / theirs[:, -1])),
        "mttc": list(paired_difference(turns_to_confidence(ours), turns_to_confidence(theirs))),
    }


def retention(large: Floats, small: Floats) -> dict[str, list[float | None]]:
    """The share of Hit@k by round that a small model keeps of a large one's (SGUR-11); None where that is 0.

    (n, r) places of the same patients by the same method. Above 1 where the small one does better.
    """
    return {
        f"hit@{k}": [
            float(b / a) if a else None
            for a, b in zip(hit_at(large, k).mean(axis=0), hit_at(small, k).mean(axis=0), strict=True)
        ]
        for k in KS
    }
