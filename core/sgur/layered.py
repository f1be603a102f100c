"""A small layered graph, of a query or of one hypothesis, as the alignment takes it: masses and directed distances.

Nodes are observations, then the localisations that they lead to. The hypothesis itself (L3) closes every path of its
graph, but holds no mass, since a query has no hypothesis to lay on it. Not here: the cost of laying one on another.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.sgur.expert_graph import Floats
from core.sgur.index import ExpertIndex, Ints

LONGEST = 2.0  # L1 -> L2 -> L3, 1 + 1: the longest path there is, to which distances are scaled
LOCAL_SHARE = 0.2  # [ours]: of an observation's mass, what its localisations hold


@dataclass(frozen=True, eq=False, slots=True)
class Layered:
    """n observations and k localisations: positions in their layers, masses (n + k,), distances (n + k, n + k).

    links: (observation, localisation, w_uv) by place, w_uv = 1 / |N_out(u)| (SGUR-1). A distance is that of the
    shortest directed path under w, over LONGEST; 1 where there is none [ours].
    """

    observations: Ints
    localisations: Ints
    mass: Floats
    distance: Floats
    links: tuple[Ints, Ints, Floats]

    @property
    def size(self) -> int:
        """Nodes."""
        return len(self.mass)


def layered(index: ExpertIndex, observations: Ints, masses: Floats) -> Layered:
    """The graph of some observations. masses: (n,), each to be split between an observation and its localisations."""
    located, n = index.graph.located, len(observations)
    starts = located.indptr[observations].astype(np.int64)
    out = located.indptr[observations + 1].astype(np.int64) - starts
    source = np.repeat(np.arange(n), out)
    entries = np.arange(out.sum()) + np.repeat(starts - np.cumsum(out) + out, out)
    localisations, place = np.unique(located.indices[entries].astype(np.int64), return_inverse=True)
    target, weight = n + place, 1.0 / np.maximum(out, 1)[source]
    given = np.where(out > 0, LOCAL_SHARE, 0.0) * masses
    mass = np.concatenate([masses - given, np.bincount(place, given[source] * weight, len(localisations))])
    distance = np.ones((len(mass), len(mass)))
    np.fill_diagonal(distance, 0.0)
    distance[source, target] = weight / LONGEST
    return Layered(observations, localisations, mass, distance, (source, target, weight))
