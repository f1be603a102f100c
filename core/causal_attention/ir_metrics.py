"""How well a ranking of documents does on one query with graded judgements (CAR-9).

nDCG has linear gain, and its ideal ranks all judged documents, found or not, as trec_eval's ndcg_cut does. A
grade above 0 is relevant. Not here: means over queries.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple


class IrScores(NamedTuple):
    """The metrics of one query, each in [0, 1]."""

    ndcg_10: float
    p_5: float
    mrr_10: float


METRICS = {"ndcg@10": "ndcg_10", "p@5": "p_5", "mrr@10": "mrr_10"}


def ir_scores(ranked: Sequence[str], grades: Mapping[str, int]) -> IrScores:
    """All three metrics of a ranking, best first, each document once."""
    return IrScores(ndcg(ranked, grades, 10), precision(ranked, grades, 5), reciprocal_rank(ranked, grades, 10))


def ndcg(ranked: Sequence[str], grades: Mapping[str, int], k: int) -> float:
    """DCG of the first k over that of the best k there are: sum grade / log2(rank + 1). 0 without relevant ones."""
    ideal = sorted((grade for grade in grades.values() if grade > 0), reverse=True)[:k]
    best = sum(grade / math.log2(rank + 1) for rank, grade in enumerate(ideal, 1))
    if not best:
        return 0.0
    return sum(max(grades.get(id_, 0), 0) / math.log2(rank + 1) for rank, id_ in enumerate(ranked[:k], 1)) / best


def precision(ranked: Sequence[str], grades: Mapping[str, int], k: int) -> float:
    """The share of k places that hold a relevant document."""
    return sum(grades.get(id_, 0) > 0 for id_ in ranked[:k]) / k


def reciprocal_rank(ranked: Sequence[str], grades: Mapping[str, int], k: int) -> float:
    """1 / rank of the first relevant document among the first k, else 0."""
    return next((1 / rank for rank, id_ in enumerate(ranked[:k], 1) if grades.get(id_, 0) > 0), 0.0)
