from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from core.corpus.assembly import build_corpus
from core.corpus.chunks import chunks
from core.corpus.document import Corpus, Document
from core.corpus.vectors import BLOCK_CHARACTERS, choose_encoder, document_vectors, encoder_warning
from core.errors import StoppedError
from core.retriever import OnProgress
from core.text.embedding import get_encoder

ENGLISH = "The harbour was closed for a week, and ships had to wait."
CHINESE = "港口关闭了一周，船只不得不等待。"


class Counting:
    """An encoder of letter counts that remembers what it was asked."""

    name, title, dimensions, version = "counting", "Counting", 26, "counting/1"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def encode(self, texts: Sequence[str], on_progress: OnProgress | None = None) -> NDArray[np.float32]:
        rows = np.zeros((len(texts), 26), np.float32)
        for i, text in enumerate(texts):
            if on_progress:
                on_progress("Counting", i / len(texts))
            self.asked.append(text)
            counts = np.array([text.lower().count(chr(97 + c)) for c in range(26)], np.float32)
            rows[i] = counts / max(float(np.linalg.norm(counts)), 1e-9)
        return rows

    def unknown_share(self, texts: Sequence[str]) -> float:
        return sum(not text.isascii() for text in texts) / max(len(texts), 1)


def corpus_of(*texts: str) -> Corpus:
    return build_corpus([Document(f"d{i}", "", text) for i, text in enumerate(texts)], "made")


def plain_vector(text: str) -> NDArray[np.float64]:
    """The same by the definition, one chunk at a time."""
    total = np.zeros(26)
    for chunk in chunks(text):
        counts = np.array([chunk.count(chr(97 + c)) for c in range(26)], float)
        total += counts / np.linalg.norm(counts)
    return total / np.linalg.norm(total)


def test_a_vector_is_the_normalised_mean_of_the_chunks() -> None:
    texts = ["abc", "a" * 4_000 + "b" * 9_000 + "c", "z" * 5_000]
    vectors = document_vectors(corpus_of(*texts), Counting())
    assert (vectors.shape, vectors.dtype) == ((3, 26), np.float32)
    np.testing.assert_allclose(vectors, [plain_vector(text) for text in texts], atol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)


def test_the_title_is_read_and_what_cannot_be_read_is_zero() -> None:
    corpus = build_corpus([Document("a", "bb", "aa"), Document("b", "", "...")], "made")
    vectors = document_vectors(corpus, Counting())
    assert vectors[0][:2] == pytest.approx([2**-0.5, 2**-0.5])
    assert not vectors[1].any()


def test_vectors_are_kept_on_disk_and_follow_the_order_of_documents() -> None:
    texts = ["apple", "boat", "cable"]
    first = document_vectors(corpus_of(*texts), Counting())
    again = Counting()
    np.testing.assert_array_equal(document_vectors(corpus_of(*texts), again), first)
    assert again.asked == []
    np.testing.assert_array_equal(document_vectors(corpus_of(*texts[::-1]), Counting()), first[::-1])


def test_a_stopped_indexing_goes_on_where_it_was() -> None:
    size = BLOCK_CHARACTERS // 2
    corpus = corpus_of(*(letter * size for letter in "abcdef"))  # three blocks of two
    first = Counting()
    shares: list[float] = []
    with pytest.raises(StoppedError, match="stopped") as caught:
        document_vectors(
            corpus, first, lambda what, share: shares.append(share or 0.0), lambda: "e" in {t[0] for t in first.asked}
        )
    assert "what was done is kept" in caught.value.hint
    assert shares == sorted(shares)
    assert 0.6 < shares[-1] < 0.75
    second = Counting()
    vectors = document_vectors(corpus, second)
    assert {text[0] for text in second.asked} == {"e", "f"}
    np.testing.assert_allclose(vectors[range(6), range(6)], 1, atol=1e-6)


def test_documents_that_are_added_alone_are_encoded() -> None:
    texts = [letter * BLOCK_CHARACTERS for letter in "ab"]
    document_vectors(corpus_of(*texts), Counting())
    encoder = Counting()
    document_vectors(corpus_of(*texts, "ccc"), encoder)
    assert encoder.asked == ["ccc"]


def test_the_choice_of_an_encoder() -> None:
    name, reason = choose_encoder(corpus_of(ENGLISH, ENGLISH + " Again."))
    assert (name, reason) == ("minilm", "MiniLM: the texts are English.")
    name, reason = choose_encoder(corpus_of(CHINESE))
    assert (name, "100% zh" in reason) == ("use", True)
    assert choose_encoder(corpus_of(ENGLISH, CHINESE)).name == "use"
    assert choose_encoder(corpus_of("Der Hafen war eine Woche geschlossen, und die Schiffe warten.")).name == "use"
    name, reason = choose_encoder(corpus_of("வணக்கம் உலகம்"))
    assert (name, "does not read ta" in reason) == ("letters", True)
    assert choose_encoder(corpus_of("12 13", "xyz")).name == "minilm"


def test_words_that_the_model_does_not_know_speak_against_it() -> None:
    name, reason = choose_encoder(corpus_of("😀 🚀 💡 🎉 🦄 🐙 🪁 🫠"))
    assert name != "minilm"
    assert "does not know 100% of the word pieces" in reason


def test_an_encoder_that_is_not_installed_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    find_spec = importlib.util.find_spec

    def without_torch(name: str, *rest: Any) -> Any:
        return None if name == "torch" else find_spec(name, *rest)

    monkeypatch.setattr("core.text.embedding._encoders", {})
    monkeypatch.setattr(importlib.util, "find_spec", without_torch)
    name, reason = choose_encoder(corpus_of(ENGLISH))
    assert name == "use"
    assert "not available" in reason


def test_the_english_model_warns_of_chinese() -> None:
    assert "does not know" in encoder_warning([CHINESE], get_encoder("minilm"))
    assert encoder_warning([ENGLISH], get_encoder("minilm")) == ""
