"""The rankings of one pool of candidates, side by side (CAR-5). Each is made by one small thing, a `Reranker`.

Not here: the arithmetic (scores.py), the neural rerankers' models (neural.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from core.causal_attention.scores import Centroids, Facts, Floats, causal, centroid_scores, hybrid, order
from core.causal_attention.steps import Mode, Placed

OFFLINE_MODES: tuple[Mode, ...] = ("baseline", "exact", "semantic", "fallback", "hybrid")
LABELS: dict[Mode, str] = {
    "baseline": "similarity",
    "exact": "causal attention, string match alone",
    "semantic": "causal attention",
    "fallback": "causal attention, an empty B falls back to similarity",
    "hybrid": "similarity and causal attention",
    "maxsim": "MaxSim over MiniLM's token vectors, a training-free stand-in for a cross-encoder",
    "cross-encoder": "trained cross-encoder",
    "gated": "as the regime gate decides",
}


class Settings(NamedTuple):
    """What a ranking depends on beside the evidence; see `CarConfig`."""

    tau: float
    keywords: int = 15
    weight: float = 0.5
    shared_weight: float = 0.0


@dataclass(frozen=True)
class Window:
    """S1: m documents by similarity, best first, and what is known of them. Splits are made when first asked for."""

    ids: Sequence[str]
    similarity: Floats
    facts: Facts
    settings: Settings

    @cached_property
    def semantic(self) -> Centroids:
        """Split and scored with absorption at tau."""
        return centroid_scores(self.facts, self.settings.keywords, self.settings.tau)

    @cached_property
    def exact(self) -> Centroids:
        """Split and scored by string match alone."""
        return centroid_scores(self.facts, self.settings.keywords, None)


class Reranker(Protocol):
    """Scores the m documents of a window; NaN where there is nothing to score, which sorts last."""

    @property
    def mode(self) -> Mode: ...

    def scores(self, window: Window) -> Floats: ...


class Baseline:
    """The cosine of query and document."""

    mode: Mode = "baseline"

    def scores(self, window: Window) -> Floats:
        return window.similarity


class Exact:
    """s_c, with A by string match alone."""

    mode: Mode = "exact"

    def scores(self, window: Window) -> Floats:
        return causal(window.exact, window.similarity)


class Semantic:
    """s_c, with A by string match and absorption at tau (CAR-3, CAR-4)."""

    mode: Mode = "semantic"

    def scores(self, window: Window) -> Floats:
        return causal(window.semantic, window.similarity)


class Fallback:
    """s_c; a document without it has s_sim, whatever emptied its B."""

    mode: Mode = "fallback"

    def scores(self, window: Window) -> Floats:
        return causal(window.semantic, window.similarity, fallback=True)


class Hybrid:
    """The weighted sum of both scores, each brought to [0, 1] over the window."""

    mode: Mode = "hybrid"

    def scores(self, window: Window) -> Floats:
        settings = window.settings
        own = causal(window.semantic, window.similarity)
        return hybrid(window.similarity, own, window.semantic.shared, settings.weight, settings.shared_weight)


@dataclass(frozen=True)
class Given:
    """Scores that were made before, by id: those of a neural reranker."""

    mode: Mode
    by_id: Mapping[str, float]

    def scores(self, window: Window) -> Floats:
        return np.array([self.by_id.get(id_, np.nan) for id_ in window.ids], np.float64)


RERANKERS: dict[Mode, Reranker] = {
    reranker.mode: reranker for reranker in (Baseline(), Exact(), Semantic(), Fallback(), Hybrid())
}


def positions(reranker: Reranker, window: Window) -> list[int]:
    """Positions in the window, best first; ties by s_sim, then id."""
    return order(reranker.scores(window), window.similarity, window.ids)


def places(reranker: Reranker, window: Window, beyond: Sequence[str] = ()) -> tuple[Placed, ...]:
    """The window re-ordered, then the documents beyond it in the order they had, without a score (CAR-5)."""
    scores = reranker.scores(window)
    ranked = order(scores, window.similarity, window.ids)
    values = np.round(scores, 6).tolist()
    first = [
        Placed(id=window.ids[i], score=None if np.isnan(scores[i]) else values[i], rank=rank)
        for rank, i in enumerate(ranked, 1)
    ]
    return (*first, *(Placed(id=id_, score=None, rank=rank) for rank, id_ in enumerate(beyond, len(ranked) + 1)))


class Statistics(NamedTuple):
    """Three cheap statistics of a query (CAR-7), over its ten best candidates. They do not decide the regime.

    overlap: mean share of the candidates' keywords that are query keywords; absorbed: mean share of their
    weight in A; gap: (first - second similarity) / first.
    """

    overlap: float
    absorbed: float
    gap: float


def statistics(window: Window, top: int = 10) -> Statistics:
    """The statistics of a window's first `top` documents; zeros for an empty window."""
    m = min(top, len(window.ids))
    if m == 0:
        return Statistics(0.0, 0.0, 0.0)
    used: NDArray[np.bool_] = window.facts.valid[:m].copy()
    used[:, window.settings.keywords :] = False
    counts = used.sum(axis=1)
    overlap = (used & window.facts.exact[:m]).sum(axis=1) / np.maximum(counts, 1)
    first = float(window.similarity[0])
    gap = (first - float(window.similarity[1])) / first if len(window.ids) > 1 and first > 0 else 0.0
    return Statistics(float(overlap.mean()), float(window.semantic.absorbed[:m].mean()), gap)
