from __future__ import annotations

import math

import numpy as np
import pytest
from car_world import FRUIT, TableEncoder, index_of
from hypothesis import given
from hypothesis import strategies as st

from core.causal_attention.scores import Facts, causal, centroid_scores, hybrid, min_max, order

NAN = float("nan")


def facts(*documents: list[tuple[float, bool, float, list[float]]], unknown: float = 0.0) -> Facts:
    """Documents of (weight, exact, nearest, vector); the query is the first axis."""
    m, width = len(documents), max(map(len, documents), default=0)
    made = Facts(
        np.zeros((m, width), np.bool_),
        np.zeros((m, width)),
        np.zeros((m, width), np.bool_),
        np.full((m, width), -1.0),
        np.zeros((m, width)),
        np.zeros((m, width, width)),
        np.full(m, unknown),
    )
    for i, own in enumerate(documents):
        vectors = np.array([v for *_, v in own]) if own else np.zeros((0, 2))
        for j, (weight, exact, nearest, vector) in enumerate(own):
            made.valid[i, j], made.weights[i, j], made.exact[i, j] = True, weight, exact
            made.nearest[i, j], made.query[i, j] = nearest, vector[0]
        made.gram[i, : len(own), : len(own)] = vectors @ vectors.T
    return made


def test_the_centroid_score_by_hand() -> None:
    # B = {(2, (1, 0)), (1, (0, 1))}: v_B = (2/3, 1/3), cos with (1, 0) = 2 / sqrt(5)
    made = facts([(5.0, True, 1.0, [1, 0]), (2.0, False, 0.3, [1, 0]), (1.0, False, 0.1, [0, 1])])
    scored = centroid_scores(made, 15, 0.6)
    assert scored.score[0] == pytest.approx(2 / math.sqrt(5))
    assert scored.shared.tolist() == [[True, False, False]]
    assert scored.rest.tolist() == [[False, True, True]]
    assert scored.absorbed[0] == pytest.approx(5 / 8)
    assert scored.empty == ("",)


def test_absorption_at_tau_and_by_string_alone() -> None:
    made = facts([(1.0, True, 1.0, [1, 0]), (1.0, False, 0.6, [0, 1]), (1.0, False, 0.59, [-1, 0])])
    assert centroid_scores(made, 15, 0.6).shared.tolist() == [[True, True, False]]
    assert centroid_scores(made, 15, 0.6).score[0] == pytest.approx(-1)  # it can be negative
    assert centroid_scores(made, 15, None).shared.tolist() == [[True, False, False]]
    # An exact match is shared at any tau.
    assert centroid_scores(made, 15, 1.0).shared.tolist() == [[True, False, False]]


def test_only_the_k_best_keywords_count() -> None:
    made = facts([(2.0, False, 0.0, [1, 0]), (1.0, False, 0.0, [0, 1])])
    assert centroid_scores(made, 1, 0.6).score[0] == pytest.approx(1)


def test_three_causes_of_an_empty_b() -> None:
    absorbed = facts([(1.0, True, 1.0, [1, 0])])
    assert centroid_scores(absorbed, 15, 0.6).empty == ("all absorbed",)
    assert centroid_scores(facts([]), 15, 0.6).empty == ("no keywords",)
    blind = facts([(1.0, False, 1.0, [1, 0])], unknown=1.0)
    assert centroid_scores(blind, 15, 0.6).empty == ("unknown language",)
    unread = facts([(1.0, False, -1.0, [0, 0])])  # a keyword whose vector is nothing
    assert centroid_scores(unread, 15, 0.6).empty == ("unknown language",)


def test_absorbed_sorts_last_and_a_document_without_keywords_falls_back() -> None:
    made = facts([(1.0, True, 1.0, [1, 0])], [], [(1.0, False, 0.0, [0.5, math.sqrt(0.75)])])
    similarity = np.array([0.9, 0.4, 0.3])
    scored = centroid_scores(made, 15, 0.6)
    plain = causal(scored, similarity)
    assert math.isnan(plain[0])
    assert plain[1:].tolist() == pytest.approx([0.4, 0.5])
    assert order(plain, similarity, ["a", "b", "c"]) == [2, 1, 0]
    assert causal(scored, similarity, fallback=True).tolist() == pytest.approx([0.9, 0.4, 0.5])


def test_min_max() -> None:
    assert min_max(np.array([1.0, 3.0, 2.0])).tolist() == [0.0, 1.0, 0.5]
    assert min_max(np.array([0.7, 0.7])).tolist() == [0.0, 0.0]
    assert min_max(np.array([0.7])).tolist() == [0.0]
    assert min_max(np.zeros(0)).tolist() == []
    assert min_max(np.array([NAN, NAN])).tolist() == [0.0, 0.0]


def test_the_sentinel_is_replaced_before_min_max() -> None:
    # A sentinel left in would squeeze .2 and .4 together near 1.
    assert min_max(np.array([0.2, 0.4, NAN])).tolist() == [0.0, 1.0, 0.0]
    shared = np.array([[True], [False], [True]])
    score = hybrid(np.array([0.9, 0.5, 0.7]), np.array([0.2, 0.4, NAN]), shared, 0.5, 0.0)
    assert score.tolist() == pytest.approx([0.5, 0.5, 0.25])


def test_the_weight_of_shared_keywords_is_signed() -> None:
    same, shared = np.array([0.5, 0.5]), np.array([[True, True], [True, False]])
    assert hybrid(same, same, shared, 0.5, 0.2).tolist() == pytest.approx([0.2, 0.0])
    assert hybrid(same, same, shared, 0.5, -0.2).tolist() == pytest.approx([-0.2, 0.0])


def test_ties_go_to_similarity_then_to_the_id() -> None:
    equal = np.zeros(4)
    assert order(equal, np.array([0.1, 0.3, 0.2, 0.3]), ["a", "d", "b", "c"]) == [3, 1, 2, 0]


@given(st.lists(st.tuples(st.floats(-1, 1), st.floats(-1, 1)), max_size=12), st.randoms())
def test_the_order_of_candidates_decides_nothing(pairs: list[tuple[float, float]], lots: object) -> None:
    ids = [f"d{i}" for i in range(len(pairs))]
    places = list(range(len(pairs)))
    lots.shuffle(places)  # type: ignore[attr-defined]
    scores, alike = (np.array([p[i] for p in pairs], np.float64) for i in (0, 1))
    before = [ids[i] for i in order(scores, alike, ids)]
    mixed = [ids[i] for i in places]
    after = [mixed[i] for i in order(scores[places], alike[places], mixed)]
    assert before == after


def dumb_score(index: object, query: str, id_: str, k: int, tau: float | None) -> float | None:
    """CAR-3 and CAR-4 from the vectors themselves, one document at a time."""
    row = index.row_of(id_)  # type: ignore[attr-defined]
    encoder: TableEncoder = index.encoder  # type: ignore[attr-defined]
    asked = encoder.encode([query])[0].astype(np.float64)
    query_terms = [kw.term for kw in index.read(query, 10).keywords]  # type: ignore[attr-defined]
    centroid, total = np.zeros(8), 0.0
    for term, weight in index.table.keywords(row, k):  # type: ignore[attr-defined]
        vector = encoder.encode([term])[0].astype(np.float64)
        near = max((float(vector @ encoder.encode([u])[0]) for u in query_terms), default=-1.0)
        if term in query_terms or (tau is not None and near >= tau):
            continue
        centroid += weight * vector
        total += weight
    if not total:
        return None
    centroid /= total
    return float(asked @ centroid / np.linalg.norm(centroid))


@pytest.mark.parametrize("tau", [None, 0.2, 0.5, 0.9])
@pytest.mark.parametrize("k", [2, 15])
def test_scores_of_a_corpus_against_a_dumber_program(tau: float | None, k: int) -> None:
    index = index_of(FRUIT)
    query = "apple harvest"
    pool = index.pool(index.read(query, 10), 6, 30)
    scored = centroid_scores(pool.facts, k, tau)
    assert len(pool.ids) == 6
    for i, id_ in enumerate(pool.ids):
        expected = dumb_score(index, query, id_, k, tau)
        if expected is None:
            assert scored.empty[i] == "all absorbed"
        else:
            assert scored.score[i] == pytest.approx(expected, abs=1e-5)
