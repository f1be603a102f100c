"""The belief over hypotheses (SGUR-6): probabilities from distances, entropy, and places with ties.

P(d) is proportional to exp(-x D(d)); x = n / beta for n observed observations [ours], 1 / beta in the paper's words.
Not here: distances.
"""

from __future__ import annotations

import numpy as np

from core.sgur.expert_graph import Floats

TIE = 1e-9  # distances closer than this are equal
EXACT_REST = 400  # of the hypotheses that are not shown, how many distances are kept each for itself
BAND = 1e-3  # the width within which the others are kept as a mean and a count


def exponent(terms: int, beta: float, literal: bool) -> float:
    """x: what a distance is multiplied with. With n terms, n / beta: D is a mean over the terms, evidence adds up."""
    return 1.0 / beta if literal else max(terms, 1) / beta


def probabilities(distances: Floats, x: float) -> Floats:
    """(H,) exp(-x D), scaled to 1. A distance may be infinite (no candidate), but not all of them."""
    powers = np.exp(-x * (distances - distances.min()))
    return np.asarray(powers / powers.sum(), np.float64)


def entropy_bits(p: Floats) -> float:
    """-sum p log2 p; 0 log 0 is 0."""
    some = p[p > 0]
    return float(max(0.0, -(some * np.log2(some)).sum()))  # in this order: 0.0, not -0.0


def places(distances: Floats) -> Floats:
    """(H,) the place of each from 1; equals share the mean of the places they take together."""
    order = np.argsort(distances, kind="stable")
    along = distances[order]
    with np.errstate(invalid="ignore"):  # infinite distances: inf - inf
        fresh = np.append(True, ~((along[1:] - along[:-1] <= TIE) | (along[1:] == along[:-1])))
    group = np.cumsum(fresh) - 1
    sizes = np.bincount(group)
    ends = np.cumsum(sizes)
    place = np.empty(len(distances))
    place[order] = (ends - (sizes - 1) / 2.0)[group]
    return place


def place_of(distances: Floats, hypothesis: int) -> float:
    """The place of one, as `places` gives it, up to chains of near-equal distances."""
    own = distances[hypothesis]
    with np.errstate(invalid="ignore"):
        equal = (np.abs(distances - own) <= TIE) | (distances == own)
    return float(((distances < own) & ~equal).sum() + (equal.sum() + 1) / 2)


def in_bands(distances: Floats) -> tuple[tuple[float, int], ...]:
    """Finite distances, ascending, as (distance, how many): the first `EXACT_REST` each, the others by bands."""
    along = np.sort(distances[np.isfinite(distances)])
    near, far = along[:EXACT_REST], along[EXACT_REST:]
    bands: list[tuple[float, int]] = [(round(float(d), 7), 1) for d in near]
    if len(far):
        _, band, counts = np.unique(np.floor(far / BAND), return_inverse=True, return_counts=True)
        means = np.bincount(band, far) / counts
        bands += [(round(float(mean), 7), int(count)) for mean, count in zip(means, counts, strict=True)]
    return tuple(bands)
