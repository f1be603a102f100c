"""One document as a corpus of its chunks, for retrieval within it (CAR-10): all that works on a corpus works on it."""

from __future__ import annotations

from core.corpus.assembly import build_corpus
from core.corpus.chunks import chunks
from core.corpus.document import Corpus, Document


def passages(document: Document) -> Corpus:
    """The chunks of a document as documents, ids "its id #1", "#2", ..; EmptyCorpusError when it is blank.

    A chunk that says the same as an earlier one is listed as a duplicate and left out.
    """
    pieces = [
        Document(f"{document.id} #{number}", "", piece, document.source)
        for number, piece in enumerate(chunks(document.content), 1)
    ]
    return build_corpus(pieces, document.title or document.id)
