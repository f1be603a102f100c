"""Metrics by hand, and against ir_measures with ranks fed to it."""

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import RR, Qrel, R, ScoredDoc, Success

from core.evaluation.metrics import Scores, completeness, gold_ranks, score

RANKED = ["a", "b", "c", "d", "e", "f"]


def test_by_hand():
    assert score(RANKED, [["a"]]) == Scores(1, 1, 1, 1)
    assert score(RANKED, [["c"], ["x"]]) == Scores(0, 1, 0.5, pytest.approx(1 / 3))
    assert score(RANKED, [["f"]]) == Scores(0, 0, 1, pytest.approx(1 / 6))
    assert score(RANKED, [["x"]]) == Scores(0, 0, 0, 0)
    assert score([], [["x"]]) == Scores(0, 0, 0, 0)


def test_recall_looks_at_twenty():
    ranked = [str(n) for n in range(30)]
    assert score(ranked, [["19"], ["20"]]).recall_20 == 0.5


def test_homonyms_are_one_answer_and_repeats_take_no_place():
    assert gold_ranks(["x", "a2", "a1"], [["a1", "a2"]]) == (2,)
    assert score(["a1", "a2", "b"], [["a1", "a2"], ["b"]]).recall_20 == 1.0
    assert gold_ranks(["a", "a", "a", "b"], [["b"]]) == (2,)
    assert gold_ranks(["a"], [[], ["a"]]) == (None, 1)


def test_without_gold_there_is_nothing_to_measure():
    with pytest.raises(ValueError, match="without gold"):
        score(RANKED, [])


@given(
    ranked=st.lists(st.integers(0, 60).map(str), unique=True, max_size=50),
    gold=st.lists(st.integers(0, 60).map(str), unique=True, min_size=1, max_size=8),
)
def test_against_ir_measures(ranked, gold):
    ours = score(ranked, [[g] for g in gold])
    qrels = [Qrel("q", g, 1) for g in gold]
    run = [ScoredDoc("q", d, -float(rank)) for rank, d in enumerate(ranked)] or [ScoredDoc("q", "none", 0.0)]
    theirs = ir_measures.calc_aggregate([Success @ 1, Success @ 5, R @ 20, RR], qrels, run)
    assert ours.hit_1 == theirs[Success @ 1]
    assert ours.hit_5 == theirs[Success @ 5]
    assert ours.recall_20 == pytest.approx(theirs[R @ 20])
    assert ours.mrr == pytest.approx(theirs[RR])


@given(
    ranked=st.lists(st.integers(0, 20).map(str), unique=True, max_size=20),
    gold=st.lists(st.integers(0, 20).map(str), unique=True, min_size=1, max_size=5),
    data=st.data(),
)
def test_moving_a_gold_answer_up_never_hurts(ranked, gold, data):
    present = [g for g in gold if g in ranked]
    if not present:
        return
    mover = data.draw(st.sampled_from(present))
    at = ranked.index(mover)
    to = data.draw(st.integers(0, at))
    better = [*ranked[:to], mover, *ranked[to:at], *ranked[at + 1 :]]
    before, after = score(ranked, [[g] for g in gold]), score(better, [[g] for g in gold])
    assert all(b <= a for b, a in zip(before, after, strict=True))


@pytest.mark.parametrize(
    ("answer", "names", "share"),
    [
        ("It was Ada Lovelace.", ["Ada Lovelace"], 1.0),
        ("it was ADA  LOVELACE", ["Ada Lovelace", "Bob"], 0.5),
        ("within", ["It", "Thin"], 0.0),
        ("Batman Begins", ["Batman", "Batman Begins"], 0.5),
        ("Batman Begins, not Batman", ["Batman", "Batman Begins"], 1.0),
        ("他在北京市工作", ["北京"], 1.0),
        ("C++ and .NET", ["C++", ".NET"], 1.0),
        ("the ﬁlm", ["film"], 1.0),
        ("", ["x"], 0.0),
        ("a.c", ["abc"], 0.0),
    ],
)
def test_completeness(answer, names, share):
    assert completeness(answer, names) == share


def test_completeness_needs_names():
    with pytest.raises(ValueError, match="at least one"):
        completeness("x", ["", " "])
