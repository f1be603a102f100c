"""What a reader of a document format is: a name, words for people, a test, and a function. One file a format."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import PurePosixPath

from core.corpus.assembly import Assembly, Draft
from core.corpus.cleaning import Cleaned
from core.corpus.columns import DocumentColumnChoice
from core.corpus.language import WESTERN, language_of
from core.corpus.limits import MAX_TEXT_BYTES
from core.corpus.report import CorpusFile
from core.errors import InputError
from core.graph.readers.text import Decoded, decode
from core.retriever import OnProgress


@dataclass(frozen=True, slots=True)
class Reader:
    """One format.

    claims: whether a file is of this format, by its name and first bytes. read: puts the file's documents
    into an assembly; InputError says why it cannot.
    """

    name: str
    title: str  # as messages name it, e.g. "PDF (.pdf)"
    claims: Callable[[str, bytes], bool]
    read: Callable[[Assembly, str, bytes, DocumentColumnChoice, OnProgress | None], None]


def add_one(
    assembly: Assembly,
    file: str,
    format_: str,
    title: str,
    cleaned: Cleaned,
    decoded: Decoded | None = None,
    pages: int = 0,
) -> None:
    """Take a file that is one document. A file without a title of its own is called by its name."""
    assembly.cleaning.update(cleaned.counts)
    titled = bool(title.strip())
    shown = " ".join(title.split()) if titled else PurePosixPath(file).stem
    assembly.add(Draft(file, shown, cleaned.text, file, titled))
    note_decoding(assembly, file, decoded)
    assembly.files.append(
        CorpusFile(
            name=file,
            format=format_,
            documents=1,
            characters=len(cleaned.text),
            pages=pages,
            encoding=decoded.encoding if decoded else "",
        )
    )


def decode_document(data: bytes, file: str) -> Decoded:
    """The text of a file that is one document. InputError when it is binary, or above 64 MB."""
    if len(data) > MAX_TEXT_BYTES:
        what = f"it has {len(data) / 1024**2:,.1f} MB; one document may have {MAX_TEXT_BYTES // 1024**2}"
        raise InputError(what, where=file, hint="Split it, or make a table of it with a document in each row.")
    decoded = decode(data, file)
    if decoded.guessed and decoded.encoding.startswith("cp125") and decoded.encoding != "cp1252":
        # Few accents fit the pages of Windows for East and West alike; the language of the words tells.
        with suppress(UnicodeDecodeError):
            western = data.decode("cp1252")
            if language_of(western) in WESTERN:
                return Decoded(western, "cp1252", guessed=True)
    return decoded


def note_decoding(assembly: Assembly, file: str, decoded: Decoded | None) -> None:
    """Say in the report what was replaced, and that an encoding was guessed."""
    if decoded is None:
        return
    assembly.surrogates += decoded.surrogates
    if decoded.guessed:
        assembly.notice(f"{file} is not UTF-8; it was read as {decoded.encoding}, which is a guess.")
