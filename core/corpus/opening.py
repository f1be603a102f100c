"""Opening whatever a person points at as a corpus: documents in any format, with judged queries where there are some.

Not here: the formats (readers/), and BEIR's own (beir.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from os import PathLike
from pathlib import Path, PurePosixPath

from core.corpus import beir, cranfield
from core.corpus.beir import BeirSet, beir_of_files
from core.corpus.columns import DocumentColumnChoice
from core.corpus.document import Corpus
from core.corpus.files import Files, files_of_path, files_of_upload
from core.corpus.readers import read_files
from core.errors import InputError
from core.retriever import OnProgress


def open_corpus(
    path: str | PathLike[str],
    *,
    columns: DocumentColumnChoice = None,
    name: str | None = None,
    on_progress: OnProgress | None = None,
) -> BeirSet:
    """The corpus in a file, a zip archive or a folder. InputError or EmptyCorpusError says file and reason."""
    return _open(files_of_path(Path(path)), columns, name, on_progress)


def open_corpus_upload(
    files: Mapping[str, bytes],
    *,
    columns: DocumentColumnChoice = None,
    name: str | None = None,
    on_progress: OnProgress | None = None,
) -> BeirSet:
    """The same for files in memory, by name. A browser sends them without their folders: see `with_qrels_folder`."""
    return _open(with_qrels_folder(files_of_upload(files)), columns, name, on_progress)


def with_qrels_folder(files: Files) -> Files:
    """The files, with tables that lie beside corpus.jsonl put where BEIR has its judgements."""
    if not beir.claims(files) or any(PurePosixPath(name).parent.name == "qrels" for name in files.names):
        return files
    moved = {
        f"qrels/{name}" if PurePosixPath(name).suffix == ".tsv" and "/" not in name else name: opener
        for name, opener in files.openers.items()
    }
    return replace(files, openers=moved)


def _open(files: Files, columns: DocumentColumnChoice, name: str | None, on_progress: OnProgress | None) -> BeirSet:
    if not (beir.claims(files) or cranfield.claims(files)):
        return BeirSet(read_files(files, columns, name, on_progress), {}, {})
    try:
        return beir_of_files(files, name, on_progress)
    except InputError as error:
        corpus = read_files(files, columns, name, on_progress)  # raises the same again where the documents are at fault
        return BeirSet(_noted(corpus, f"Its queries were not read: {error}"), {}, {})


def _noted(corpus: Corpus, notice: str) -> Corpus:
    report = corpus.report
    return replace(corpus, report=report.model_copy(update={"notices": (*report.notices, notice)}))
