"""How alike two observations are: Lin's measure over the hierarchy [ours], 1 for the same one.

Lin(a, b) = 2 IC(c) / (IC(a) + IC(b)), c the most informative observation that is broader than both (or one of them).
Lin, 1998. Without a hierarchy only the same observation is alike. Not here: how words are matched with observations.
"""

from __future__ import annotations

import numpy as np

from core.sgur.expert_graph import Floats
from core.sgur.index import ExpertIndex, segment_max


def common_information(index: ExpertIndex, observation: int) -> Floats:
    """(O,) IC of the most informative observation broader than both this one and each other (Resnik's measure)."""
    start, end = index.broader.indptr[observation : observation + 2]
    own = np.zeros(len(index.graph.observations))
    above = index.broader.indices[start:end]
    own[above] = index.information[above]
    return segment_max(index.broader, own)


def lin(index: ExpertIndex, observation: int) -> Floats:
    """(O,) Lin's similarity of every observation with this one, in [0, 1]."""
    both = index.information + index.information[observation]
    alike = np.divide(2 * common_information(index, observation), both, out=np.zeros_like(both), where=both > 0)
    alike[observation] = 1.0
    return np.asarray(np.minimum(alike, 1.0), np.float64)
