"""Reader of plain text, in any encoding that can be told. A file is one document, called by its name."""

from __future__ import annotations

from core.corpus.assembly import Assembly
from core.corpus.cleaning import clean_text
from core.corpus.columns import DocumentColumnChoice
from core.corpus.files import suffix
from core.corpus.readers.reader import Reader, add_one, decode_document
from core.errors import InputError
from core.retriever import OnProgress

FORMAT = "text"


def claims(name: str, _: bytes) -> bool:
    """By the name; a file without an ending is tried, too."""
    return suffix(name) in (".txt", ".text", ".log", ".rst", "")


def read(assembly: Assembly, file: str, data: bytes, _: DocumentColumnChoice, on_progress: OnProgress | None) -> None:
    """Read a text. InputError when it is binary or empty."""
    if on_progress:
        on_progress(f"Reading {file}", None)
    decoded = decode_document(data, file)
    cleaned = clean_text(decoded.text)
    if not cleaned.text:
        raise InputError("the file is empty", where=file)
    add_one(assembly, file, FORMAT, "", cleaned, decoded)


READER = Reader("text", "plain text (.txt)", claims, read)
