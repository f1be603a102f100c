"""The list of document formats, and the choice among them. A further format is one file and one line here."""

from __future__ import annotations

from core.corpus.archive import is_archive
from core.corpus.readers import cranfield_file, html, json_objects, markdown, pdf, plain_text, tables, word
from core.corpus.readers.reader import Reader
from core.errors import InputError

# The first that claims a file reads it, so those that look at content come first.
READERS: tuple[Reader, ...] = (
    cranfield_file.READER,
    pdf.READER,
    word.READER,
    html.READER,
    markdown.READER,
    tables.READER,
    json_objects.READER,
    plain_text.READER,
)
ACCEPTED = "; ".join(reader.title for reader in READERS) + "; a folder or zip of these; BEIR folders"


def reader_for(name: str, head: bytes) -> Reader:
    """The reader of a file. InputError, naming what is read, when nobody reads it."""
    for reader in READERS:
        if reader.claims(name, head):
            return reader
    if is_archive(name, head):
        what = "it is an archive among other files, which is not opened"
        raise InputError(what, where=name, hint="Unpack it, or choose it alone.")
    raise InputError("files of this format are not read", where=name, hint=f"Read are: {ACCEPTED}.")
