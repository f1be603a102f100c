from __future__ import annotations

import json
import math
import random
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rank_bm25 import BM25Okapi

from core.text.bm25 import BM25Index, Engine
from core.text.tokens import tokenise

WORDS = [f"w{i}" for i in range(60)]
ENGINES: tuple[Engine, ...] = ("bm25s", "okapi")
ODD_QUERIES = ["", "   ", "unknown", "🎬 ❤️", "\ud800", "?!", "w1 " * 10_000, "w1\x00w2", "w1 w1 w2 nowhere"]


def collection(n: int, seed: int, words: list[str] = WORDS) -> list[str]:
    rng = random.Random(seed)
    return [" ".join(rng.choices(words, weights=range(1, len(words) + 1), k=rng.randint(0, 12))) for _ in range(n)]


def lucene(texts: list[str], query: str, k1: float = 1.5, b: float = 0.75) -> list[float]:
    documents = [Counter(tokenise(text)) for text in texts]
    average = sum(sum(d.values()) for d in documents) / len(documents)
    scores = []
    for document in documents:
        score = 0.0
        for word in tokenise(query):
            df = sum(word in d for d in documents)
            if document[word]:
                idf = math.log(1 + (len(texts) - df + 0.5) / (df + 0.5))
                length = sum(document.values())
                score += idf * document[word] / (document[word] + k1 * (1 - b + b * length / average))
        scores.append(score)
    return scores


def all_scores(index: BM25Index, query: str) -> np.ndarray[Any, Any]:
    positions, scores = index.search(query, len(index))
    dense = np.zeros(len(index), np.float32)
    dense[positions] = scores
    return dense


def test_a_small_example_by_hand() -> None:
    index = BM25Index.build(["red fox", "red red dog", "cat"])
    positions, scores = index.search("red", 10)
    idf = math.log(1 + (3 - 2 + 0.5) / (2 + 0.5))
    fox = idf * 1 / (1 + 1.5 * (0.25 + 0.75 * 2 / 2))
    dog = idf * 2 / (2 + 1.5 * (0.25 + 0.75 * 3 / 2))
    assert positions.tolist() == [1, 0]
    assert scores.tolist() == pytest.approx([dog, fox], rel=1e-6)
    assert positions.dtype == np.int64
    assert scores.dtype == np.float32


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 30), st.integers(0, 10_000))
def test_scores_are_lucenes(n: int, seed: int) -> None:
    texts = collection(n, seed)
    query = " ".join(random.Random(seed).choices([*WORDS, "nowhere"], k=5))
    np.testing.assert_allclose(all_scores(BM25Index.build(texts), query), lucene(texts, query), rtol=1e-5)


@pytest.mark.parametrize("seed", range(5))
def test_lists_equal_rank_bm25_where_no_word_is_in_half_of_the_texts(seed: int) -> None:
    texts = collection(400, seed, [f"v{i}" for i in range(300)])
    tokens = [tokenise(text) for text in texts]
    df = Counter(word for words in tokens for word in set(words))
    assert max(df.values()) < len(texts) / 2
    oracle = BM25Okapi(tokens)
    okapi = BM25Index.build(texts, "okapi")
    for query in collection(20, seed + 100, [f"v{i}" for i in range(300)]):
        expected = oracle.get_scores(tokenise(query))
        np.testing.assert_allclose(all_scores(okapi, query), expected, rtol=1e-4, atol=1e-6)
        order = [i for i in np.lexsort((np.arange(400), -np.round(expected, 9))) if expected[i] > 0]
        assert okapi.search(query, 30)[0].tolist() == order[:30]


def test_lucene_and_okapi_rank_alike_for_a_single_rare_word() -> None:
    texts = collection(300, 3, [f"v{i}" for i in range(200)])
    lucene_index, okapi = BM25Index.build(texts), BM25Index.build(texts, "okapi")
    for word in ("v3", "v50", "v120"):
        assert lucene_index.search(word, 50)[0].tolist() == okapi.search(word, 50)[0].tolist()


def test_okapi_keeps_rank_bm25s_floor_where_that_is_positive() -> None:
    texts = [f"common u{i} v{i} w{i}" for i in range(20)]
    oracle = BM25Okapi([tokenise(text) for text in texts])
    assert oracle.average_idf > 0
    index = BM25Index.build(texts, "okapi")
    np.testing.assert_allclose(all_scores(index, "common u3"), oracle.get_scores(["common", "u3"]), rtol=1e-5)


@pytest.mark.parametrize("texts", [["alone"], ["one thing", "other"], ["same", "same"], ["a b", "a c", "a d"]])
def test_okapi_in_tiny_collections_prefers_a_text_with_the_word(texts: list[str]) -> None:
    index = BM25Index.build(texts, "okapi")
    for word in {w for text in texts for w in tokenise(text)}:
        having = [i for i, text in enumerate(texts) if word in tokenise(text)]
        positions, scores = index.search(word, 10)
        assert sorted(positions.tolist()) == having
        assert (scores > 0).all()


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("texts", [[], [""], ["", "  ", "🎬"]])
def test_a_collection_without_words(texts: list[str], engine: Engine) -> None:
    index = BM25Index.build(texts, engine)
    assert len(index) == len(texts)
    positions, scores = index.search("word", 5)
    assert positions.tolist() == scores.tolist() == []
    assert index.score_subset("word", list(range(len(texts)))).tolist() == [0.0] * len(texts)


@pytest.mark.parametrize("engine", ENGINES)
def test_permuting_the_texts_permutes_the_scores_bit_for_bit(engine: Engine) -> None:
    texts = collection(80, 5)
    order = random.Random(1).sample(range(80), 80)
    index, permuted = BM25Index.build(texts, engine), BM25Index.build([texts[i] for i in order], engine)
    for query in collection(20, 6):
        assert all_scores(index, query)[order].tolist() == all_scores(permuted, query).tolist()


def test_the_order_of_the_querys_words_changes_nothing() -> None:
    index = BM25Index.build(collection(80, 5))
    assert all_scores(index, "w3 w9 w50 w21").tolist() == all_scores(index, "w50 w21 w9 w3").tolist()


def test_ties_go_by_position() -> None:
    index = BM25Index.build(["a b", "b a", "x", "a b", "b a"] * 3)
    assert index.search("a", 4)[0].tolist() == [0, 1, 3, 4]
    assert index.search("a", 100)[0].tolist() == [0, 1, 3, 4, 5, 6, 8, 9, 10, 11, 13, 14]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("query", ODD_QUERIES)
def test_odd_queries(query: str, engine: Engine) -> None:
    texts = collection(50, 9)
    index = BM25Index.build(texts, engine)
    positions, scores = index.search(query, 10)
    assert len(positions) == len(scores) <= 10
    assert all("w1" in tokenise(texts[p]) or "w2" in tokenise(texts[p]) for p in positions)
    assert np.isfinite(index.score_subset(query, np.arange(50))).all()


def test_a_repeated_word_counts_each_time() -> None:
    index = BM25Index.build(collection(50, 9))
    np.testing.assert_allclose(all_scores(index, "w40 w40 w40"), 3 * all_scores(index, "w40"), rtol=1e-6)


@pytest.mark.parametrize("k", [0, -3])
def test_k_is_clamped_below(k: int) -> None:
    assert BM25Index.build(["a"]).search("a", k)[0].tolist() == []


def test_k_is_clamped_above() -> None:
    assert BM25Index.build(["a", "b"]).search("a", 10**9)[0].tolist() == [0]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, 59), max_size=30), st.integers(0, 1000))
def test_a_subset_has_the_numbers_of_the_search(positions: list[int], seed: int) -> None:
    index = BM25Index.build(collection(60, 2))
    query = " ".join(random.Random(seed).choices(WORDS, k=4))
    first = index.score_subset(query, positions)
    again = index.score_subset(query, np.array(positions, np.int32))
    expected = all_scores(BM25Index.build(collection(60, 2)), query)[positions]
    assert first.tolist() == again.tolist() == expected.tolist()
    assert first.dtype == np.float32


def test_the_memory_of_queries_is_bounded_and_does_not_change_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.text.bm25._QUERIES_KEPT", 3)
    index = BM25Index.build(collection(60, 2))
    index._dense_kept = 2
    queries = [f"w{i} w{i + 1}" for i in range(20)]
    once = [index.score_subset(q, range(60)).tolist() for q in queries]
    twice = [all_scores(index, q).tolist() for q in reversed(queries)][::-1]
    assert once == twice
    assert len(index._queries) <= 3
    assert len(index._dense) <= 2


def test_a_callers_change_to_a_result_does_not_reach_the_next_one() -> None:
    index = BM25Index.build(["a", "a b"])
    for _ in range(3):
        scores = index.score_subset("a", [0, 1])
        assert scores[0] > 0
        scores[:] = 0


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("texts", [[], ["", "x"], ["中文 ünï", "a b c", "हिन्दी"], collection(100, 4)])
def test_a_saved_index_is_the_same(tmp_path: Path, texts: list[str], engine: Engine) -> None:
    index = BM25Index.build(texts, engine)
    index.save(tmp_path / "index")
    loaded = BM25Index.load(tmp_path / "index")
    assert (len(loaded), loaded.engine, loaded.vocabulary) == (len(index), engine, index.vocabulary)
    for query in ("w1 w59 w30", "中", "हिन्दी x", ""):
        assert all_scores(loaded, query).tolist() == all_scores(index, query).tolist()
        assert loaded.score_subset(query, range(len(texts))).tolist() == all_scores(index, query).tolist()


@pytest.mark.parametrize("harm", ["truncate", "missing", "words", "format", "json", "object"])
def test_a_damaged_index_is_told_from_a_whole_one(tmp_path: Path, harm: str) -> None:
    BM25Index.build(collection(20, 1)).save(tmp_path)
    if harm == "truncate":
        raw = (tmp_path / "data.npy").read_bytes()
        (tmp_path / "data.npy").write_bytes(raw[: len(raw) // 2])
    elif harm == "missing":
        (tmp_path / "indices.npy").unlink()
    elif harm == "words":
        (tmp_path / "vocabulary.txt").write_text("a\nb")
    elif harm == "format":
        (tmp_path / "bm25.json").write_text(json.dumps({"format": "other"}))
    elif harm == "json":
        (tmp_path / "bm25.json").write_text("[1")
    else:
        np.save(tmp_path / "data.npy", np.array([object()]), allow_pickle=True)
    with pytest.raises((ValueError, OSError)):
        BM25Index.load(tmp_path)


def test_progress_is_reported_and_may_end_the_build() -> None:
    told: list[tuple[str, float | None]] = []
    BM25Index.build(["a"] * 45_000, on_progress=lambda what, share: told.append((what, share)))
    assert [share for _, share in told] == [0.0, 20_000 / 45_000, 40_000 / 45_000, None]

    def stop(what: str, share: float | None) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        BM25Index.build(["a"], on_progress=stop)


def test_the_library_underneath_does_not_write_to_the_log(caplog: pytest.LogCaptureFixture) -> None:
    BM25Index.build(["a b"])
    caplog.clear()
    BM25Index.build(["a b"])
    assert caplog.records == []
