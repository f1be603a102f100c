"""The arithmetic of causal attention (CAR-3 to CAR-5): split, centroid score, min-max, hybrid, and order.

All of it works on stored cosines, never on vectors: with unit vectors E(q), E(t) and B = {(t, lambda_t)},

    s_c = cos(E(q), v_B) = sum_B lambda_t E(q).E(t) / sqrt(sum_{t,u in B} lambda_t lambda_u E(t).E(u)),

since the division by sum lambda_t in v_B cancels. So other settings give exactly what a fresh run gives.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.causal_attention.steps import EmptyB

UNKNOWN_LIMIT = 0.05  # a larger share of keywords that the encoder does not know: it is blind to the document
_NOTHING = 1e-9  # a squared norm below this is a vector of nothing
PLACES = 6  # to which scores are compared, the precision of the vectors

Floats = NDArray[np.float64]


class Facts(NamedTuple):
    """The evidence of m documents with at most K keywords each, best first, padded.

    valid (m, K); weights (m, K); exact (m, K); nearest (m, K) largest cosine to a query keyword; query (m, K)
    E(q).E(t); gram (m, K, K); unknown (m,) share of keywords that the encoder does not know.
    """

    valid: NDArray[np.bool_]
    weights: Floats
    exact: NDArray[np.bool_]
    nearest: Floats
    query: Floats
    gram: Floats
    unknown: Floats

    def take(self, m: int) -> Facts:
        """The first m documents."""
        return Facts(
            self.valid[:m],
            self.weights[:m],
            self.exact[:m],
            self.nearest[:m],
            self.query[:m],
            self.gram[:m],
            self.unknown[:m],
        )


class Centroids(NamedTuple):
    """What became of m documents. score: s_c, NaN where there is none; shared, rest (m, K): the sets A and B.

    empty: why there is no score ("" where there is one). absorbed: share of the weight in A.
    """

    score: Floats
    shared: NDArray[np.bool_]
    rest: NDArray[np.bool_]
    absorbed: Floats
    empty: tuple[EmptyB, ...]


def split(facts: Facts, k: int, tau: float | None) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """A and B (CAR-3), (m, K) each, of the k best keywords. tau None: by string match alone."""
    used = facts.valid.copy()
    used[:, k:] = False
    shared = facts.exact if tau is None else facts.exact | (facts.nearest >= tau)
    return used & shared, used & ~shared


def centroid_scores(facts: Facts, k: int, tau: float | None) -> Centroids:
    """s_c of every document (CAR-4). See `Centroids`; sums run in order of the keywords."""
    shared, rest = split(facts, k, tau)
    weights = np.where(rest, facts.weights, 0.0)
    dot = np.einsum("mk,mk->m", weights, facts.query)
    square = np.einsum("mk,mk->m", weights, np.matmul(facts.gram, weights[:, :, None])[:, :, 0])
    known = square > _NOTHING
    score = np.full(len(dot), np.nan)
    np.divide(dot, np.sqrt(square, where=known, out=np.ones_like(square)), out=score, where=known)
    total = np.where(shared | rest, facts.weights, 0.0).sum(axis=1)
    in_a = np.where(shared, facts.weights, 0.0).sum(axis=1)
    absorbed = np.divide(in_a, total, out=np.zeros_like(total), where=total > 0)
    empty: list[EmptyB] = [""] * len(score)
    for i in np.flatnonzero(~known).tolist():
        empty[i] = _why(bool((shared | rest)[i].any()), bool(rest[i].any()), float(facts.unknown[i]))
    return Centroids(np.clip(score, -1.0, 1.0), shared, rest, absorbed, tuple(empty))


def _why(any_term: bool, any_rest: bool, unknown: float) -> EmptyB:
    if not any_term:
        return "no keywords"
    if unknown > UNKNOWN_LIMIT or any_rest:  # words were left, and their vectors say nothing
        return "unknown language"
    return "all absorbed"


def causal(centroids: Centroids, similarity: Floats, fallback: bool = False) -> Floats:
    """The causal-attention score of m documents (CAR-4), NaN: sorts last.

    A document with no usable keyword has s_sim. One whose keywords were all absorbed has none, or s_sim
    in the "fallback" variant. A text that the encoder cannot read was not absorbed: it has s_sim, too.
    """
    score = centroids.score.copy()
    for i, why in enumerate(centroids.empty):
        if why and (fallback or why != "all absorbed"):
            score[i] = similarity[i]
    return score


def min_max(values: Floats) -> Floats:
    """(x - min) / (max - min) of (n,) values; zeros where all are equal, or there is one. NaN counts as the minimum."""
    if not len(values) or np.isnan(values).all():
        return np.zeros(len(values))
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    if high - low < 10.0**-PLACES:
        return np.zeros(len(values))
    return np.asarray((np.where(np.isnan(values), low, values) - low) / (high - low))


def hybrid(
    similarity: Floats, causal_score: Floats, shared: NDArray[np.bool_], weight: float, shared_weight: float
) -> Floats:
    """weight minmax(s_sim) + (1 - weight) minmax(s_c) + shared_weight minmax(|A|) (CAR-5); the last part is [ours]."""
    score = weight * min_max(similarity) + (1 - weight) * min_max(causal_score)
    if shared_weight:
        score = score + shared_weight * min_max(shared.sum(axis=1).astype(np.float64))
    return score


def order(scores: Floats, similarity: Floats, ids: Sequence[str]) -> list[int]:
    """Positions, best first: by score (NaN last), then s_sim, then id: what order they came in changes nothing."""
    rounded = np.round(np.where(np.isnan(scores), -np.inf, scores), PLACES).tolist()
    alike = np.round(similarity, PLACES).tolist()
    return sorted(range(len(ids)), key=lambda i: (-rounded[i], -alike[i], ids[i]))
