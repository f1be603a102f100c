"""Equations 3 and 4 on a worked example, at their ends, and as an ordering."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.cara.scores import candidate_score, causal_relevance, scored
from core.cara.steps import Assessment

share = st.floats(0, 1)


def judged(id, c, e, p):
    return Assessment(id=id, consequentiality=c, essentiality=e, path_consistency=p, causal=0, score=0)


def test_worked_example():
    assert causal_relevance(0.8, 0.6, 0.5) == pytest.approx(0.7)
    assert candidate_score(0.7, 0.3, 0.25) == pytest.approx(0.4)


@given(share, share, share)
def test_the_ends_of_lambda_and_alpha_are_the_parts(c, e, p):
    assert causal_relevance(c, e, 1) == c
    assert causal_relevance(c, e, 0) == e
    assert candidate_score(c, p, 1) == c
    assert candidate_score(c, p, 0) == p


@given(share, share, share, share, share)
def test_a_score_is_a_share(c, e, p, lambda_, alpha):
    s = candidate_score(causal_relevance(c, e, lambda_), p, alpha)
    assert min(c, e, p) - 1e-9 <= s <= max(c, e, p) + 1e-9


def test_best_first_and_ties_keep_their_order():
    rows = [judged("a", 0.1, 0.1, 0.1), judged("b", 0.9, 0.1, 0.5), judged("c", 0.9, 0.1, 0.5)]
    assert [a.id for a in scored(rows, 0.5, 0.5)] == ["b", "c", "a"]
    assert [a.id for a in scored(rows[::-1], 0.5, 0.5)] == ["c", "b", "a"]
    assert scored(rows, 0.5, 0.5)[0].score == pytest.approx(0.5)
