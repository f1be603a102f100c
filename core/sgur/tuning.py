"""Settings chosen on other diseases than they are judged on: five-fold cross-validation over diseases.

All patients with one disease fall into one fold; for each fold the settings with the best mean reciprocal rank on the
other four are taken. Not here: the runs themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from core.sgur.expert_graph import Floats
from core.sgur.index import Ints

FOLDS = 5
GRID: tuple[dict[str, Any], ...] = tuple(
    {"aligned": aligned, "size_weight": size, "specificity": specificity}
    for aligned in (0, 50)
    for size in (0.1, 0.4, 1.0)
    for specificity in (1.0, 1.5)
)


def folds(diagnoses: Sequence[str], seed: int = 0) -> Ints:
    """(n,) the fold of each patient, from 0."""
    names = sorted(set(diagnoses))
    fold = np.random.default_rng(seed).permutation(len(names)) % FOLDS
    of = dict(zip(names, fold.tolist(), strict=True))
    return np.array([of[d] for d in diagnoses], np.int64)


def cross_validated(places: Sequence[Floats], fold: Ints) -> tuple[Floats, list[int]]:
    """(n, r) for each patient the places by the settings that did best elsewhere; and which, fold by fold.

    places: (n, r) for each settings of a grid. Of equals the first is taken.
    """
    reciprocal = np.stack([(1 / p).mean(axis=1) for p in places])  # (settings, n), the mean over rounds
    chosen = [int(reciprocal[:, fold != f].mean(axis=1).argmax()) if (fold != f).any() else 0 for f in range(FOLDS)]
    picked = np.stack([places[chosen[f]][i] for i, f in enumerate(fold.tolist())])
    return picked, chosen
