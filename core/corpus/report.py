"""What reading a corpus found: files, characters, chunks, languages, what was skipped and why, duplicates.

A `CorpusReport` is a value: frozen, JSON in and out. Not here: how a page shows it.
"""

from __future__ import annotations

from collections.abc import Mapping

from core.trace import Frozen

LISTED = 200  # skipped files and duplicates named one by one; all are counted


def cleaning_in_words(cleaning: Mapping[str, int]) -> str:
    """What was taken out of texts, and how often: "1 address, 12 dot leaders"."""
    ones = {"addresses": "address"}
    words = {what: n for what, n in cleaning.items() if n}
    return ", ".join(f"{n:,} {what if n > 1 else ones.get(what, what.removesuffix('s'))}" for what, n in words.items())


class CorpusFile(Frozen):
    """One file that was read. `encoding` is empty for formats that are not text."""

    name: str
    format: str
    documents: int = 0
    characters: int = 0
    pages: int = 0  # of a PDF
    encoding: str = ""
    columns: dict[str, str] = {}  # for a table: "text" -> the column's name


class Skipped(Frozen):
    """A file, row or document that was left out. `name` says which: "a.pdf", or "a.csv, line 4"."""

    name: str
    reason: str


class Duplicate(Frozen):
    """A document whose content another one has, word for word; only `same_as` (an id) was indexed."""

    id: str
    source: str
    same_as: str


class CorpusReport(Frozen):
    """Counts are of the corpus as built, except `duplicates` and `skipped`: those are what was left out."""

    format: str = ""
    files: tuple[CorpusFile, ...] = ()
    documents: int = 0
    characters: int = 0
    chunks: int = 0
    languages: dict[str, int] = {}  # language -> documents, most first; "" where it cannot be told
    skipped: tuple[Skipped, ...] = ()  # the first 200
    skipped_total: int = 0
    duplicates: tuple[Duplicate, ...] = ()  # the first 200
    duplicates_total: int = 0
    renamed: int = 0  # documents whose id was taken and got a number
    cleaning: dict[str, int] = {}  # what was taken out of texts -> times
    surrogates_replaced: int = 0  # lone surrogates, now U+FFFD
    notices: tuple[str, ...] = ()
