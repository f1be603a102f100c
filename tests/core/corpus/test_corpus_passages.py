from __future__ import annotations

import pytest

from core.corpus.document import Document
from core.corpus.passages import passages
from core.errors import EmptyCorpusError


def test_the_chunks_of_a_document_are_a_corpus() -> None:
    document = Document("a.txt", "Ropes", "x" * 4_000 + "y" * 4_000, "a.txt")
    corpus = passages(document)
    assert [(d.id, len(d.text), d.source) for d in corpus] == [
        ("a.txt #1", 4_096, "a.txt"),
        ("a.txt #2", 4_096, "a.txt"),
        ("a.txt #3", 838, "a.txt"),
    ]
    assert corpus.documents[0].text.startswith("Ropes\nxxx")
    assert corpus.name == "Ropes"


def test_a_chunk_said_twice_is_left_out() -> None:
    corpus = passages(Document("a", "", "z" * 12_000))
    assert corpus.report.duplicates_total == 2


def test_a_blank_document_has_none() -> None:
    with pytest.raises(EmptyCorpusError):
        passages(Document("a", "", " "))
