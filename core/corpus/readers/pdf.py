"""Reader of PDF, by pypdf: the text of each page. Pictures of text are not read but told apart from blank pages."""

from __future__ import annotations

import io
import logging
from typing import Any

from core.corpus.assembly import Assembly
from core.corpus.cleaning import clean_pages
from core.corpus.columns import DocumentColumnChoice
from core.corpus.limits import MAX_CHARACTERS, MAX_PAGES, SCANNED_CHARACTERS
from core.corpus.readers.reader import Reader, add_one
from core.errors import CausewayError, InputError
from core.retriever import OnProgress

FORMAT = "PDF"
MAGIC = b"%PDF-"
_MAGIC_WITHIN = 1_024  # some programs write a few bytes before it


def claims(name: str, head: bytes) -> bool:
    """By the first bytes, or by the name: a .pdf that is none is refused here and read by nobody."""
    return MAGIC in head[:_MAGIC_WITHIN] or name.lower().endswith(".pdf")


def read(assembly: Assembly, file: str, data: bytes, _: DocumentColumnChoice, on_progress: OnProgress | None) -> None:
    """Read a PDF. InputError when it is none, damaged, locked, scanned, blank, or has more than 5,000 pages."""
    if MAGIC not in data[:_MAGIC_WITHIN]:
        is_page = data[:_MAGIC_WITHIN].lstrip().lower().startswith((b"<html", b"<!doctype html"))
        what = "it is named .pdf, and is " + ("a web page" if is_page else "no PDF")
        raise InputError(what, where=file, hint="It may be the answer of a server that asked for a login.")
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # it logs what it mends
    try:
        title, pages, pictures = _pages(file, data, on_progress)
    except CausewayError:
        raise
    except Exception as error:  # what a damaged file leads pypdf to is without end
        raise InputError(f"the PDF cannot be read: {type(error).__name__}: {error}"[:300], where=file) from error
    characters = sum(len("".join(page.split())) for page in pages)
    if characters < SCANNED_CHARACTERS * len(pages) and pictures:
        what = f"its pages are pictures without text: {len(pages)} pages hold {characters} characters"
        raise InputError(what, where=file, hint="Scanned pages need text recognition (OCR) first.")
    if not characters:
        raise InputError(f"its pages are blank ({len(pages)} in all)", where=file)
    add_one(assembly, file, FORMAT, title, clean_pages(pages), pages=len(pages))


def _pages(file: str, data: bytes, on_progress: OnProgress | None) -> tuple[str, list[str], bool]:
    """The title, the text of each page, and whether a page shows a picture."""
    from pypdf import PasswordType, PdfReader
    from pypdf.errors import DependencyError

    reader = PdfReader(io.BytesIO(data))
    if reader.is_encrypted:
        try:
            opened = reader.decrypt("") != PasswordType.NOT_DECRYPTED
        except (DependencyError, NotImplementedError):
            opened = False
        if not opened:
            what = "it is protected by a password"
            raise InputError(what, where=file, hint="Save it without protection, and choose that file.")
    tree: Any = reader.root_object["/Pages"].get_object()
    stated = tree.get("/Count")  # asked before pypdf walks the tree
    count = stated if isinstance(stated, int) and stated > MAX_PAGES else len(reader.pages)
    if count > MAX_PAGES:
        what = f"it has {count:,} pages; the limit is {MAX_PAGES:,}"
        raise InputError(what, where=file, hint="Choose a part of it.")
    pages: list[str] = []
    characters, pictures = 0, False
    for number, page in enumerate(reader.pages, 1):
        if on_progress:
            on_progress(f"Reading {file}, page {number}", (number - 1) / max(count, 1))
        text = page.extract_text()
        characters += len(text)
        if characters > MAX_CHARACTERS or number > MAX_PAGES:
            raise InputError(f"it holds more than {MAX_CHARACTERS:,} characters", where=file)
        pages.append(text)
        pictures = pictures or _shows_picture(page)
    return _title(reader), pages, pictures


def _title(reader: Any) -> str:
    """The title that the file states, unless it is the name of a program's draft."""
    title = str((reader.metadata or {}).get("/Title") or "").replace("\x00", "").strip()
    return "" if title.lower().endswith((".doc", ".docx", ".tex", ".dvi", ".indd", ".pdf")) else title


def _shows_picture(page: Any) -> bool:
    resources = page.get("/Resources")
    objects = resources.get_object().get("/XObject") if resources is not None else None
    items = objects.get_object().values() if objects is not None else ()
    return any(item.get_object().get("/Subtype") == "/Image" for item in items)


READER = Reader("pdf", "PDF (.pdf)", claims, read)
