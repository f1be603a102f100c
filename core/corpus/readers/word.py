"""Reader of Word documents (.docx), by python-docx: paragraphs and tables in their order, a table row a line."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

from core.corpus.archive import checked_zip
from core.corpus.assembly import Assembly
from core.corpus.cleaning import clean_text
from core.corpus.columns import DocumentColumnChoice
from core.corpus.readers.reader import Reader, add_one
from core.errors import InputError
from core.retriever import OnProgress

FORMAT = "Word"
OLD = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # Word before 2007, and a .docx with a password
_DEEPEST = 20  # tables within tables


def claims(name: str, head: bytes) -> bool:
    """By the name. Old Word files are refused here and read by nobody."""
    return name.lower().endswith((".docx", ".docm")) or (head.startswith(OLD) and name.lower().endswith(".doc"))


def read(assembly: Assembly, file: str, data: bytes, _: DocumentColumnChoice, on_progress: OnProgress | None) -> None:
    """Read a Word document. InputError when it is none, damaged, locked, blank, or unpacks to far too much."""
    if data.startswith(OLD):
        locked = file.lower().endswith((".docx", ".docm"))
        what = "it is protected by a password" if locked else "it is a Word file of before 2007 (.doc)"
        raise InputError(what, where=file, hint="Save it as .docx without a password.")
    if not data.startswith(b"PK"):
        raise InputError("it is named .docx, and is no Word document", where=file)
    checked_zip(data, file)
    if on_progress:
        on_progress(f"Reading {file}", None)
    import docx

    try:
        document = docx.Document(io.BytesIO(data))
        lines = list(_lines(document))
        title = str(document.core_properties.title or "").strip() or _first_title(document)
    except Exception as error:  # what a damaged file leads the library to is without end
        what = f"the Word document cannot be read: {type(error).__name__}: {error}"
        raise InputError(what[:300], where=file, hint="It may be damaged; save it once more.") from error
    cleaned = clean_text("\n".join(lines))
    if not cleaned.text:
        raise InputError("it holds no text, only pictures or nothing at all", where=file)
    add_one(assembly, file, FORMAT, title, cleaned)


def _lines(container: Any, depth: int = 0) -> Iterator[str]:
    from docx.table import Table

    for item in container.iter_inner_content():
        if not isinstance(item, Table):
            yield item.text
        elif depth < _DEEPEST:
            for row in item.rows:
                cells = ["\n".join(_lines(cell, depth + 1)).strip() for cell in _own_cells(row)]
                yield " | ".join(cell for cell in cells if cell)


def _own_cells(row: Any) -> list[Any]:
    """The cells of a row, one that spans several columns once."""
    seen: dict[int, Any] = {}
    for cell in row.cells:
        seen.setdefault(id(cell._tc), cell)
    return list(seen.values())


def _first_title(document: Any) -> str:
    """The first paragraph in a title's or heading's style."""
    for paragraph in document.paragraphs:
        style = str(paragraph.style.name) if paragraph.style is not None else ""
        if style.startswith(("Title", "Heading")) and paragraph.text.strip():
            return str(paragraph.text)
    return ""


READER = Reader("word", "Word (.docx)", claims, read)
