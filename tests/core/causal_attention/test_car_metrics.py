from __future__ import annotations

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import RR, P, ScoredDoc, nDCG

from core.causal_attention.ir_metrics import IrScores, ir_scores, ndcg

IDS = [f"d{i}" for i in range(14)]


def test_linear_gain_and_an_ideal_over_all_judged_documents() -> None:
    # DCG = 3/1 + 1/log2(4); the ideal also has the 2 that was not found: 3/1 + 2/log2(3) + 1/log2(4)
    assert ndcg(["a", "x", "c"], {"a": 3, "b": 2, "c": 1}, 10) == pytest.approx(3.5 / (3 + 2 / 1.5849625 + 0.5))


def test_nothing_relevant_is_zero() -> None:
    assert ir_scores(["a"], {"a": 0}) == IrScores(0.0, 0.0, 0.0)
    assert ir_scores([], {"a": 1}) == IrScores(0.0, 0.0, 0.0)


@given(
    st.lists(st.sampled_from(IDS), unique=True, max_size=14),
    st.dictionaries(st.sampled_from(IDS), st.integers(0, 3), min_size=1).filter(lambda q: any(q.values())),
)
def test_as_ir_measures_counts(ranked: list[str], grades: dict[str, int]) -> None:
    # Ranks are given as scores, since ties change reciprocal ranks there.
    run = [ScoredDoc("q", id_, float(-rank)) for rank, id_ in enumerate(ranked)]
    qrels = [ir_measures.Qrel("q", id_, grade) for id_, grade in grades.items()]
    theirs = ir_measures.calc_aggregate([nDCG @ 10, P @ 5, RR @ 10], qrels, run)
    ours = ir_scores(ranked, grades)
    assert ours.ndcg_10 == pytest.approx(theirs[nDCG @ 10], abs=1e-6)
    assert ours.p_5 == pytest.approx(theirs[P @ 5], abs=1e-6)
    assert ours.mrr_10 == pytest.approx(theirs[RR @ 10], abs=1e-6)
