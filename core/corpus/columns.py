"""Which column of a table, or field of an object, is a document's id, title and text: the map and the guess.

Not here: reading the table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.errors import InputError
from core.graph.readers.columns import plain
from core.trace import Frozen


class DocumentColumns(Frozen):
    """Columns by name ("column 1", .. where the table has no header). Several text columns are joined by lines.

    id, title: None when there is none. header: whether the first row names the columns; None: find out.
    """

    id: str | None = None
    title: str | None = None
    text: tuple[str, ...] = ()
    header: bool | None = None

    def used(self) -> dict[str, str]:
        """Part -> column, for the report."""
        parts = {"id": self.id or "", "title": self.title or "", "text": ", ".join(self.text)}
        return {part: column for part, column in parts.items() if column}


class DocumentTable(Frozen):
    """What a column mapper shows: the columns, some rows, and the guess."""

    file: str
    encoding: str
    columns: tuple[str, ...]
    has_header: bool
    sample: tuple[tuple[str, ...], ...]  # up to 20 rows
    guess: DocumentColumns


SAMPLE_ROWS = 20
DocumentColumnChoice = DocumentColumns | Mapping[str, DocumentColumns] | None  # one for all tables, or by file name

# Compared without case, spaces and punctuation, in order of trust.
_IDS = ("id", "docid", "documentid", "documentno", "key", "uid", "pid", "number", "no", "编号", "序号")
_TITLES = ("title", "name", "heading", "headline", "subject", "filename", "标题", "名称", "题目")
_TEXTS = (
    *("text", "body", "content", "contents", "document", "passage", "abstract", "description", "summary"),
    *("article", "paragraph", "chunk", "message", "正文", "内容", "文本"),
)


def map_for(choice: DocumentColumnChoice, file: str) -> DocumentColumns | None:
    """The map that was chosen for a file, None if its columns are to be guessed."""
    return choice if isinstance(choice, DocumentColumns) or choice is None else choice.get(file)


def guess_document_columns(columns: Sequence[str]) -> DocumentColumns:
    """The best guess from names alone; without a known text column all columns but id and title are the text."""
    by_plain: dict[str, str] = {}
    for column in columns:
        by_plain.setdefault(plain(column), column)

    def find(words: Sequence[str]) -> str | None:
        return next((by_plain[word] for word in words if word in by_plain), None)

    id_, title, text = find(_IDS), find(_TITLES), find(_TEXTS)
    if text is not None:
        return DocumentColumns(id=id_, title=title, text=(text,))
    rest = tuple(column for column in columns if column not in (id_, title))
    if not rest and title is not None:
        return DocumentColumns(id=id_, text=(title,))
    return DocumentColumns(id=id_, title=title, text=rest)


def known_header(cells: Sequence[str]) -> bool:
    """Whether a row names columns that are known here."""
    words = {plain(cell) for cell in cells}
    return bool(words & {*_TEXTS, *_TITLES}) or bool(len(words) > 1 and words & set(_IDS))


def plan_document_columns(columns: Sequence[str], file: str, given: DocumentColumns | None) -> DocumentColumns:
    """The columns as given, else guessed. InputError lists the columns when one that was given is not there."""
    if given is None or not given.text:
        guess = guess_document_columns(columns)
        return guess if given is None else guess.model_copy(update={"id": given.id or guess.id})
    wanted = [column for column in (given.id, given.title, *given.text) if column]
    missing = [column for column in wanted if column not in columns]
    if missing:
        listed = ", ".join(columns[:30]) + (", ..." if len(columns) > 30 else "")
        raise InputError(f"there is no column {missing[0]!r}", where=file, hint=f"The columns are: {listed}.")
    return given
