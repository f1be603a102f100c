from __future__ import annotations

import itertools

import numpy as np
import pytest
from car_world import FRUIT, TableEncoder, index_of

from core.causal_attention.index import TAU_OF_PAPER, measured_tau
from core.causal_attention.keyword_table import KIND
from core.disk_cache import DiskCache
from core.text.keywords import Idf, terms, tf_idf


def test_keywords_use_the_idf_of_the_whole_corpus() -> None:
    index = index_of(FRUIT)
    idf = Idf.of([terms(text) for text in FRUIT.values()])
    for row, text in enumerate(FRUIT.values()):
        assert index.table.keywords(row) == tf_idf(terms(text), idf)


def test_it_is_made_once_and_read_back_the_same() -> None:
    first = TableEncoder()
    made = index_of(FRUIT, first)
    second = TableEncoder()
    read = index_of(FRUIT, second)
    assert first.calls > 0
    assert second.calls == 0
    assert read.table.terms == made.table.terms
    for name in ("vectors", "unknown", "indptr", "ids", "weights"):
        np.testing.assert_array_equal(getattr(read.table, name), getattr(made.table, name))
    assert read.table.idf == made.table.idf


def test_other_order_other_text_or_other_extractor_is_made_anew() -> None:
    index_of(FRUIT)
    for texts, extractor in (
        (dict(reversed(FRUIT.items())), "tf-idf"),
        ({**FRUIT, "d1": "lemon"}, "tf-idf"),
        (FRUIT, "textrank"),
        (FRUIT, "keybert"),
    ):
        index = index_of(texts, extractor=extractor)
        for row, text in enumerate(texts.values()):
            assert {k.term for k in index.table.keywords(row)} <= set(terms(text))
    assert len([e for e in DiskCache().entries() if e.kind == KIND]) == 5


def test_a_damaged_entry_is_made_anew() -> None:
    made = index_of(FRUIT)
    (entry,) = [e for e in DiskCache().entries() if e.kind == KIND]
    file = entry.path / "words.json"
    file.write_bytes(b"x" * file.stat().st_size)
    assert index_of(FRUIT).table.terms == made.table.terms


def test_a_stopped_indexing_passes_the_stop_on() -> None:
    def stop(what: str, share: float | None) -> None:
        if "keywords" in what:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        index_of(FRUIT, on_progress=stop)
    assert index_of(FRUIT).table.terms


def test_tau_is_the_99th_percentile_of_pairs() -> None:
    vectors = TableEncoder().encode([f"w{i}" for i in range(60)])
    cosines = [float(a @ b) for a, b in itertools.combinations(vectors, 2)]
    assert measured_tau(vectors) == pytest.approx(np.percentile(cosines, 99), abs=1e-3)
    many = TableEncoder().encode([f"w{i}" for i in range(400)])
    cosines = [float(a @ b) for a, b in itertools.combinations(many, 2)]
    assert measured_tau(many) == pytest.approx(np.percentile(cosines, 99), abs=0.02)
    assert measured_tau(vectors[:5]) == TAU_OF_PAPER


def test_the_most_similar_with_ties_by_id() -> None:
    index = index_of({"c": "apple", "a": "apple", "b": "rope", "d": "apple"})
    rows, scores = index.nearest_rows(index.encoder.encode(["apple"])[0], 2)
    assert [index.documents[r].id for r in rows] == ["a", "c"]
    assert scores.tolist() == [1.0, 1.0]
    assert len(index.nearest_rows(index.encoder.encode(["apple"])[0], 99)[0]) == 4


def test_an_empty_corpus_has_an_empty_pool() -> None:
    index = index_of({})
    pool = index.pool(index.read("apple", 10), 20, 30)
    assert pool.ids == ()
    assert pool.size(20, 0.0) == 0


def test_the_evidence_of_a_document_does_not_depend_on_the_others() -> None:
    index = index_of(FRUIT)
    reading = index.read("apple harvest", 10)
    whole = index.pool(reading, 6, 30)
    for n in range(1, 6):
        part = index.pool(reading, n, 30)
        for i, id_ in enumerate(part.ids):
            j = whole.ids.index(id_)
            k = len(part.terms[i])
            np.testing.assert_array_equal(part.facts.query[i, :k], whole.facts.query[j, :k])
            np.testing.assert_array_equal(part.facts.nearest[i, :k], whole.facts.nearest[j, :k])
            np.testing.assert_array_equal(part.facts.gram[i, :k, :k], whole.facts.gram[j, :k, :k])


def test_nearest_names_the_query_keyword() -> None:
    table = {"car": [1.0], "auto": [0.9, 0.436], "wagon": [0.0, 1.0], "tree": [0.0, 0.0, 1.0], "cart": [0.1, 0.995]}
    index = index_of({"d": "auto tree cart"}, TableEncoder(table))
    pool = index.pool(index.read("car wagon", 10), 1, 30)
    nearest = dict(zip(pool.terms[0], pool.nearest[0], strict=True))
    assert nearest["auto"] == "car"
    assert nearest["cart"] == "wagon"
