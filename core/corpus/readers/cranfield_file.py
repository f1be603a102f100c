"""Reader of the Cranfield collection's documents as a file of its own; see `core.corpus.cranfield`."""

from __future__ import annotations

from core.corpus.assembly import Assembly
from core.corpus.columns import DocumentColumnChoice
from core.corpus.cranfield import add_documents, looks_like_it
from core.corpus.readers.reader import Reader
from core.retriever import OnProgress


def claims(_: str, head: bytes) -> bool:
    """By how it begins."""
    return looks_like_it(head)


def read(assembly: Assembly, file: str, data: bytes, _: DocumentColumnChoice, on_progress: OnProgress | None) -> None:
    """Read the documents of the collection."""
    if on_progress:
        on_progress(f"Reading {file}", None)
    add_documents(assembly, data, file)


READER = Reader("cranfield", "the Cranfield collection (cran.all.1400)", claims, read)
