"""Document files to a corpus: `read_corpus` for a path, `read_corpus_upload` for bytes.

A lone file is read or refused with its reason; of several, those that cannot be read are listed as skipped
with the reason, and the rest are read. Not here: the formats, each in its own file and listed in `registry`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from os import PathLike
from pathlib import Path

from core.corpus import beir, cranfield
from core.corpus.assembly import Assembly
from core.corpus.columns import DocumentColumnChoice, DocumentColumns, DocumentTable
from core.corpus.document import Corpus
from core.corpus.files import HEAD, Files, files_of_path, files_of_upload
from core.corpus.limits import MAX_UPLOAD_BYTES
from core.corpus.readers import json_objects, tables
from core.corpus.readers.registry import ACCEPTED, READERS, reader_for
from core.errors import EmptyCorpusError, InputError
from core.retriever import OnProgress

__all__ = [
    "ACCEPTED",
    "FORMATS",
    "MAX_UPLOAD_BYTES",
    "DocumentColumns",
    "DocumentTable",
    "inspect_document_table",
    "read_corpus",
    "read_corpus_upload",
    "read_files",
]

FORMATS: tuple[str, ...] = tuple(reader.title for reader in READERS)


def read_corpus(
    path: str | PathLike[str],
    *,
    columns: DocumentColumnChoice = None,
    name: str | None = None,
    on_progress: OnProgress | None = None,
) -> Corpus:
    """Read the documents in a file, a zip archive, or a folder and all below it.

    columns: a column map for its tables, or one for each file name; None: guess. name: what to call the
    corpus; the file's or folder's name by default. InputError or EmptyCorpusError says file and reason.
    """
    return read_files(files_of_path(Path(path)), columns, name, on_progress)


def read_corpus_upload(
    files: Mapping[str, bytes],
    *,
    columns: DocumentColumnChoice = None,
    name: str | None = None,
    on_progress: OnProgress | None = None,
) -> Corpus:
    """The same for files in memory, by name. InputError, before anything is read, above 50 MB in all."""
    return read_files(files_of_upload(files), columns, name, on_progress)


def inspect_document_table(data: bytes, file: str, header: bool | None = None) -> DocumentTable:
    """Columns, first rows and the guess for a table or a file of JSON objects: what a column mapper shows.

    header: whether a table's first row names the columns; None: find out. InputError when it is neither.
    """
    if json_objects.claims(file, data[:HEAD]):
        return json_objects.inspect(data, file)
    return tables.inspect(data, file, header)


def read_files(
    files: Files, columns: DocumentColumnChoice = None, name: str | None = None, on_progress: OnProgress | None = None
) -> Corpus:
    """The same for files that are at hand already."""
    if beir.claims(files):
        assembly = beir.read_documents(files, name, on_progress)
    elif cranfield.claims(files):
        assembly = cranfield.read_documents(files, name, on_progress)
    else:
        assembly = _read_each(files, columns, name, on_progress)
    for shown, reason in files.skipped:
        assembly.skip(shown, reason)
    return assembly.finish()


def _read_each(
    files: Files, columns: DocumentColumnChoice, name: str | None, on_progress: OnProgress | None
) -> Assembly:
    assembly = Assembly("", name or files.name)
    lone = len(files.names) == 1 and not files.skipped
    for number, file in enumerate(files.names):
        try:
            _read_file(assembly, file, files.read(file), columns, _part(on_progress, number, len(files.names)))
        except InputError as error:
            if lone:
                raise
            assembly.skip(error.where or file, error.what)
    formats = Counter(file.format for file in assembly.files)
    assembly.format = ", ".join(sorted(formats))
    return assembly


def _read_file(
    assembly: Assembly, file: str, data: bytes, columns: DocumentColumnChoice, on_progress: OnProgress | None
) -> None:
    """One file, wholly or not at all: what a reader took before it failed is put back."""
    if not data.strip():
        raise EmptyCorpusError("the file is empty", where=file)
    reader = reader_for(file, data[:HEAD])
    documents, cleaning = len(assembly.drafts), assembly.cleaning.copy()
    try:
        reader.read(assembly, file, data, columns, on_progress)
    except InputError:
        del assembly.drafts[documents:]
        assembly.cleaning = cleaning
        raise


def _part(on_progress: OnProgress | None, number: int, total: int) -> OnProgress | None:
    """`on_progress` for the file of that number (from 0) among `total`."""
    if on_progress is None:
        return None
    report = on_progress
    return lambda what, share: report(what, (number + (share or 0.0)) / total)
