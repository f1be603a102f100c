from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.corpus.assembly import build_corpus, natural_key
from core.corpus.document import Corpus, Document, content_id
from core.corpus.report import CorpusReport
from core.errors import EmptyCorpusError

SEA = (
    Document("a2", "Tides", "The moon pulls the sea."),
    Document("a10", "", "Harbours silt up."),
    Document("a9", "", "Harbours silt up."),
    Document("b", "", " \n"),
    Document("c", "Only a title", ""),
)


def test_blank_ones_are_skipped_and_identical_ones_kept_once() -> None:
    corpus = build_corpus(SEA, "sea")
    assert [d.id for d in corpus] == ["a2", "a9", "c"]
    report = corpus.report
    assert (report.documents, report.skipped_total, report.duplicates_total) == (3, 1, 1)
    assert (report.duplicates[0].id, report.duplicates[0].same_as) == ("a10", "a9")
    assert (report.skipped[0].name, report.skipped[0].reason) == ("b", "it holds no text")
    assert (report.characters, report.chunks) == (23 + 17, 3)
    assert corpus.index_of("a9") == 1
    assert "a9" in corpus
    assert "a10" not in corpus
    with pytest.raises(KeyError):
        corpus.index_of("a10")


@given(st.permutations(SEA))
def test_the_order_of_documents_decides_nothing(order: list[Document]) -> None:
    first, other = build_corpus(SEA, "sea"), build_corpus(order, "another name")
    assert {d.id: d for d in first} == {d.id: d for d in other}
    assert first.content_id == other.content_id


def test_the_content_id_knows_every_part() -> None:
    base = content_id([Document("a", "b", "c")])
    assert (
        len({base, *(content_id([Document(*parts)]) for parts in (("x", "b", "c"), ("a", "x", "c"), ("a", "b", "x")))})
        == 4
    )
    assert content_id([Document("a", "bc", "")]) != content_id([Document("a", "b", "c")])
    assert content_id([Document("a", "b", "c", "elsewhere", "en")]) == base


def test_an_id_that_is_taken_gets_a_number() -> None:
    corpus = build_corpus([Document("a", "", t) for t in ("x", "y", "z")] + [Document("", "", "w")], "n")
    assert [d.id for d in corpus] == ["a", "a (2)", "a (3)", "document"]
    assert corpus.report.renamed == 2
    assert "2 documents had an id" in corpus.report.notices[0]


def test_lone_surrogates_are_replaced() -> None:
    corpus = build_corpus([Document("\ud800", "t\udc00", "x\ud800y")], "n")
    assert corpus.documents[0] == Document("\ufffd", "t\ufffd", "x\ufffdy", "", "")
    assert corpus.report.surrogates_replaced == 3


def test_nothing_to_index_says_why() -> None:
    with pytest.raises(EmptyCorpusError, match="b: it holds no text"):
        build_corpus([Document("b", "", "")], "sea")


def test_content_says_the_title_once() -> None:
    assert Document("a", "Tides", "Tides come.").content == "Tides come."
    assert Document("a", "Tides", "The moon.").content == "Tides\nThe moon."
    assert Document("a", "", "The moon.").content == "The moon."
    assert Document("a", "Tides", "").content == "Tides"


def test_two_documents_of_one_id_are_no_corpus() -> None:
    with pytest.raises(ValueError, match="same id"):
        Corpus((Document("a", "", "x"), Document("a", "", "y")), "n", "id", CorpusReport())


def test_the_report_survives_json() -> None:
    report = build_corpus(SEA, "sea").report
    assert CorpusReport.model_validate_json(report.model_dump_json()) == report


def test_natural_order() -> None:
    ids = ["doc2", "doc10", "doc010", "a", "7", "07", "9" * 5_000]
    shuffled = random.Random(1).sample(ids, len(ids))
    assert sorted(shuffled, key=natural_key)[-3] == "doc2"
    assert natural_key("doc2") < natural_key("doc10")
