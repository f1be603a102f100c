"""Fusion against the formula written out again, hand-worked ties, and invariants."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.cara.fusion import fuse

lists_of_ids = st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=8), max_size=4)


def by_hand(lists, constant):
    """Exact reciprocal ranks, no floating point, no dict order."""
    scores, best = {}, {}
    for ranking in lists:
        unique = [u for i, u in enumerate(ranking) if u not in ranking[:i]]
        for rank, u in enumerate(unique, 1):
            scores[u] = scores.get(u, 0) + Fraction(1, constant + rank)
            best[u] = min(best.get(u, rank), rank)
    return sorted(scores, key=lambda u: (-scores[u], best[u], u)), scores


@given(lists_of_ids, st.sampled_from([1, 10, 60]))
def test_rrf_equals_exact_arithmetic(lists, constant):
    order, scores = by_hand(lists, constant)
    fused = fuse(lists, "rrf", constant)
    assert [f.id for f in fused] == order
    for f in fused:
        assert f.score == pytest.approx(float(scores[f.id]))


def test_worked_example():
    fused = fuse([["a", "b"], ["b", "c"], ["b"]])
    assert [(f.id, f.votes, f.best_rank) for f in fused] == [("b", 3, 1), ("a", 1, 1), ("c", 1, 2)]
    assert fused[0].score == pytest.approx(1 / 62 + 1 / 61 + 1 / 61)
    assert fused[0].ranks == {0: 2, 1: 1, 2: 1}
    assert fused[0].contributions[0] == pytest.approx(1 / 62)


def test_a_repeat_within_a_list_counts_once():
    once, twice = fuse([["a", "b"]]), fuse([["a", "a", "b", "a"]])
    assert once == twice


def test_ties_go_to_the_better_best_rank_then_the_id():
    # two votes each: y's best rank is 1, x's is 2; q has one vote
    fused = fuse([["y", "x"], ["q", "x", "y"]], "count")
    assert [f.id for f in fused] == ["y", "x", "q"]
    assert [f.id for f in fuse([["b"], ["a"]])] == ["a", "b"]


@given(lists_of_ids)
def test_count_is_the_number_of_lists(lists):
    for f in fuse(lists, "count"):
        assert f.score == sum(f.id in ranking for ranking in lists)


@given(lists_of_ids)
def test_agent_order_changes_no_ranking(lists):
    assert [f.id for f in fuse(lists)] == [f.id for f in fuse(lists[::-1])]
