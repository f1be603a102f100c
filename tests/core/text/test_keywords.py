from __future__ import annotations

import math
import os
import stat
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.text import segment as segment_module
from core.text.keywords import STOP_WORDS, TERM_LIMIT, Idf, Keyword, key_bert, ordered, terms, text_rank, tf_idf
from core.text.segment import segment


def test_words_without_stop_words_and_single_letters() -> None:
    assert terms("The Wing of a B 747, and its 2 flaps: wing-body") == ["wing", "747", "flaps", "wing", "body"]


def test_nothing_to_find() -> None:
    for text in ("", "the of and", "\U0001f600 \U0001f680", "x", "\ud800", "  \n"):
        assert terms(text) == []


def test_a_long_term_is_cut() -> None:
    assert terms("z" * 5000) == ["z" * TERM_LIMIT]


def test_chinese_is_cut_into_words_and_single_characters_count() -> None:
    words = terms("数据出境的安全评估。茶 GDPR")
    assert "数据" in words
    assert "安全" in words
    assert "茶" in words
    assert "的" not in words
    assert words[-1] == "gdpr"


def test_segments_are_the_run() -> None:
    run = "如何评估数据出境的安全"
    assert "".join(segment(run)) == run


def test_jieba_keeps_its_file_in_our_own_folder(private_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import jieba

    monkeypatch.setattr(segment_module, "_ready", [])
    monkeypatch.setattr(jieba.dt, "initialized", False)
    monkeypatch.setattr(jieba.dt, "tmp_dir", None)
    assert segment("安全评估") == ["安全", "评估"]
    folder = private_home / "cache" / "jieba"
    assert jieba.dt.tmp_dir == str(folder)
    assert [f.name for f in folder.iterdir()] == ["jieba.cache"]
    assert stat.S_IMODE(os.stat(folder).st_mode) == 0o700


def test_idf_by_hand() -> None:
    idf = Idf.of([["a", "b", "a"], ["a"], ["c"]])
    assert idf.frequencies == {"a": 2, "b": 1, "c": 1}
    assert idf("a") == pytest.approx(math.log(4 / 3) + 1)
    assert idf("b") == pytest.approx(math.log(4 / 2) + 1)


def test_an_unseen_term_weighs_most() -> None:
    idf = Idf.of([["a"], ["b"], ["b"]])
    assert idf("never seen") == pytest.approx(math.log(4) + 1)
    assert all(idf("never seen") > idf(t) for t in "ab")


def test_tf_idf_is_sorted_by_weight_then_term() -> None:
    idf = Idf.of([["b", "a", "c"], ["c"]])
    found = tf_idf(["b", "a", "c", "c"], idf)
    assert [k.term for k in found] == ["c", "a", "b"]
    assert found[0].weight == pytest.approx(2 * (math.log(3 / 3) + 1), abs=1e-9)
    assert found[1].weight == found[2].weight


def test_repeats_are_one_entry_with_the_sum() -> None:
    assert ordered([("b", 1.0), ("a", 0.5), ("b", 2.0), ("c", 0.0)]) == [Keyword("b", 3.0), Keyword("a", 0.5)]


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.floats(0.01, 9)), max_size=30), st.randoms())
def test_the_order_of_entries_decides_nothing(entries: list[tuple[str, float]], lots: object) -> None:
    shuffled = list(entries)
    lots.shuffle(shuffled)  # type: ignore[attr-defined]
    assert [k.term for k in ordered(entries)] == [k.term for k in ordered(shuffled)]


def dumb_text_rank(tokens: list[str]) -> dict[str, float]:
    """networkx's PageRank over the same graph."""
    import networkx as nx

    graph = nx.Graph()
    graph.add_nodes_from(tokens)
    pairs: Counter[tuple[str, str]] = Counter()
    for i, a in enumerate(tokens):
        for b in tokens[i + 1 : i + 4]:
            if a != b:
                pairs[tuple(sorted((a, b)))] += 1  # type: ignore[index]
    for (a, b), n in pairs.items():
        graph.add_edge(a, b, weight=n)
    ranks: dict[str, float] = nx.pagerank(graph, alpha=0.85, tol=1e-12, max_iter=500)
    return ranks


@given(st.lists(st.sampled_from("abcdefg"), min_size=1, max_size=40))
def test_text_rank_is_page_rank(tokens: list[str]) -> None:
    ours = dict(text_rank(tokens, rounds=300))
    theirs = dumb_text_rank(tokens)
    assert ours.keys() == theirs.keys()
    for term, weight in theirs.items():
        assert ours[term] == pytest.approx(weight, abs=1e-6)


def test_text_rank_of_nothing() -> None:
    assert text_rank([]) == []


def test_key_bert_is_the_cosine_with_the_text() -> None:
    vectors = np.array([[1, 0], [0.6, 0.8], [-1, 0]], np.float32)
    found = key_bert(np.array([1, 0], np.float32), ["near", "half", "against"], vectors)
    assert found == [Keyword("near", 1.0), Keyword("half", 0.6)]


def test_stop_words_are_lower_case() -> None:
    assert all(word == word.casefold() for word in STOP_WORDS)
