"""What the engine derives from an expert graph once: broader observations, information content, masses.

O observations, H hypotheses, L localisations. Not here: a query, and anything that depends on settings.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from core.sgur.expert_graph import ExpertGraph, Floats

if TYPE_CHECKING:
    from scipy.sparse import csc_matrix, csr_matrix

Ints = NDArray[np.int64]
F = TypeVar("F", bound=np.floating[Any])


class ExpertIndex:
    """The derived arrays of one expert graph. Immutable; a session shares it with all that come from it."""

    def __init__(self, graph: ExpertGraph) -> None:
        self.graph = graph

    @cached_property
    def broader(self) -> csr_matrix:
        """(O, O) bool: an observation, and every broader one above it (itself among them)."""
        from scipy.sparse import identity

        reach = (self.graph.parents + identity(len(self.graph.observations), dtype=bool, format="csr")).astype(bool)
        while True:  # each squaring doubles the levels that are bridged
            further = (reach @ reach).astype(bool)
            if further.nnz == reach.nnz:
                further.sort_indices()
                return further
            reach = further

    @cached_property
    def narrower(self) -> csr_matrix:
        """(O, O) bool: an observation, and every narrower one below it (itself among them)."""
        return self.broader.T.tocsr()

    @cached_property
    def implied(self) -> csr_matrix:
        """(H, O) bool: what a hypothesis implies, its observations and all that is broader."""
        implied = (self.graph.reported.astype(bool) @ self.broader).astype(bool)
        implied.sort_indices()
        return implied

    @cached_property
    def idf(self) -> Floats:
        """(O,) ln((H + 1) / (df + .5)), df: hypotheses that report the observation [ours]."""
        df = np.bincount(self.graph.reported.indices, minlength=len(self.graph.observations))
        return np.asarray(np.log((len(self.graph.hypotheses) + 1) / (df + 0.5)), np.float64)

    @cached_property
    def information(self) -> Floats:
        """(O,) information content -ln(share of hypotheses that imply it); what none implies counts as half a one."""
        times = np.bincount(self.implied.indices, minlength=len(self.graph.observations))
        return np.asarray(-np.log(np.maximum(times, 0.5) / max(len(self.graph.hypotheses), 1)), np.float64)

    @cached_property
    def placed(self) -> csr_matrix:
        """(H, L) bool: the localisations that a hypothesis's observations lead to."""
        return (self.graph.reported.astype(bool) @ self.graph.located).astype(bool)

    @cached_property
    def never(self) -> csc_matrix:
        """(H, O) bool, by column: the observations that the source says are not seen with a hypothesis."""
        return self.graph.absent.tocsc()

    @cached_property
    def sizes(self) -> Ints:
        """(H,) observations of each hypothesis."""
        return np.asarray(np.diff(self.graph.reported.indptr), np.int64)

    def observations_of(self, hypothesis: int) -> Ints:
        """Positions of a hypothesis's observations."""
        start, end = self.graph.reported.indptr[hypothesis : hypothesis + 2]
        return np.asarray(self.graph.reported.indices[start:end], np.int64)

    def frequencies_of(self, hypothesis: int) -> Floats:
        """Their frequencies, nan where unknown."""
        start, end = self.graph.reported.indptr[hypothesis : hypothesis + 2]
        return np.asarray(self.graph.reported.data[start:end], np.float64)

    def masses(self, specificity: float) -> Floats:
        """(O,) mass of each observation, idf ** specificity; 1 for all where specificity is 0."""
        return np.asarray(self.idf**specificity, np.float64)

    def localisations_of(self, observation: int) -> Ints:
        """Positions of an observation's localisations."""
        start, end = self.graph.located.indptr[observation : observation + 2]
        return np.asarray(self.graph.located.indices[start:end], np.int64)


def segment_max(matrix: csr_matrix, values: NDArray[F]) -> NDArray[F]:
    """(n,) for each row of an (n, k) csr the greatest of (k,) `values` at its entries; 0 for an empty row."""
    best = np.zeros(matrix.shape[0], values.dtype)
    filled = np.flatnonzero(np.diff(matrix.indptr))
    if len(filled):
        best[filled] = np.maximum.reduceat(values[matrix.indices], matrix.indptr[filled])
    return best
