"""Where a corpus comes from: a sample, an upload, or a path of this machine; and which column of a table is what.

Reading runs beside the page and can be stopped. A load that fails changes nothing: the corpus in use stays in use.
Not here: what was read (corpus_report.py).
"""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from core.corpus.beir import BeirSet
from core.corpus.columns import DocumentColumns, DocumentTable
from core.corpus.opening import open_corpus, open_corpus_upload
from core.corpus.readers import ACCEPTED, inspect_document_table
from core.corpus.samples import CORPUS_SAMPLES
from core.errors import CausewayError
from core.retriever import OnProgress
from pages.shared import corpora, job, messages, sources
from pages.shared.data_open import NONE
from pages.shared.job import Job
from pages.shared.text import esc, many, md

TABLES = (".csv", ".tsv", ".tab", ".psv", ".jsonl", ".ndjson", ".json")
OPENING = "corpus_opening"


def draw() -> None:
    """The panel of the three sources; while a corpus is being read, how far it is."""
    opening: Job[BeirSet] | None = st.session_state.get(OPENING)
    if opening is not None and not opening.ended:
        job.watch(opening, "opening")
        return
    if opening is not None:
        del st.session_state[OPENING]
        _come_of(opening)
    source = sources.choose(key="corpus_source")
    if source == sources.SAMPLES:
        sources.sample_cards(CORPUS_SAMPLES.values(), corpora.current_key(), corpora.choose)
    elif source == sources.UPLOAD:
        _upload()
    elif path := sources.path(key="corpus_path", button="load_corpus_path", example="/data/documents"):
        _load(lambda progress: open_corpus(path, on_progress=progress))


def is_reading() -> bool:
    """Whether a corpus is being read."""
    return OPENING in st.session_state


def _come_of(opening: Job[BeirSet]) -> None:
    """Take what was read; or keep what is there, and say why."""
    judged, now = opening.result(), opening.state()
    if judged is not None:
        corpora.keep_own(judged)
    elif now.failed is not None:
        in_use = corpora.titles().get(corpora.current_key(), "")
        messages.add(
            messages.Message(
                now.failed.failed, now.failed.where, f"{in_use} stays in use" if in_use else "", now.failed.hint
            )
        )
    st.rerun()


def _upload() -> None:
    files = st.file_uploader(
        "Documents, 50 MB in all: PDF, Word, HTML, Markdown, text, tables, JSON, a zip of these, or BEIR's files",
        accept_multiple_files=True,
        key="documents",
        max_upload_size=50,
        help=md(f"Read are: {ACCEPTED}.", 900),
    )
    if not files:
        return
    contents = {file.name: file.getvalue() for file in files}
    columns = {name: chosen for name, data in contents.items() if (chosen := _mapper(name, data)) is not None}
    name = f"{next(iter(contents))} and {many(len(contents) - 1, 'more file')}" if len(contents) > 1 else None
    if "corpus.jsonl" in contents:
        name = "Uploaded collection"
    if st.button("Load", type="primary", key="load_documents"):
        _load(lambda progress: open_corpus_upload(contents, columns=columns or None, name=name, on_progress=progress))


def _load(read: Callable[[OnProgress], BeirSet]) -> None:
    st.session_state[OPENING] = Job(lambda progress, _: read(progress), "reading the files")
    st.rerun()


def _mapper(name: str, data: bytes) -> DocumentColumns | None:
    """Which column is what, for one table or file of objects; None: leave it to the reader's guess."""
    if not name.lower().endswith(TABLES) or name in ("corpus.jsonl", "queries.jsonl"):
        return None
    try:
        table = inspect_document_table(data, name)
    except CausewayError:
        return None  # no table after all; reading it will say so with its reasons
    with st.expander(md(f"Columns of {name}", 160), key=f"document_mapper_{name}"):
        return _choices(name, data, table)


def _choices(name: str, data: bytes, table: DocumentTable) -> DocumentColumns | None:
    used = "; ".join(f"{part}: {column}" for part, column in table.guess.used().items())
    st.html(f"<span class='cw-quiet'>The reader's guess: {esc(used)}.</span>")
    if not st.toggle("Choose the columns myself", key=f"choose_{name}"):
        _rows(table)
        return None
    headed: bool | None = None
    if not name.lower().endswith(TABLES[-3:]):
        headed = st.toggle("The first row names the columns", value=table.has_header, key=f"names_{name}")
        if headed != table.has_header:
            table = inspect_document_table(data, name, headed)
    _rows(table)
    columns, guess = list(table.columns), table.guess
    left, middle, right = st.columns([1, 1, 2])
    options = [NONE, *columns]
    chosen = {
        part: box.selectbox(
            label, options, index=options.index(start) if start in options else 0, key=f"document_{part}_{name}"
        )
        for box, part, label, start in ((left, "id", "Id", guess.id), (middle, "title", "Title", guess.title))
    }
    text = right.multiselect("Text", columns, default=list(guess.text), key=f"document_text_{name}")
    if not text:
        st.html("<span class='cw-quiet'>Choose at least one column of text; without one the guess is used.</span>")
        return None
    id_, title = (None if chosen[part] == NONE else chosen[part] for part in ("id", "title"))
    return DocumentColumns(id=id_, title=title, text=tuple(text), header=headed)


def _rows(table: DocumentTable) -> None:
    rows = [dict(zip(table.columns, (cell[:200] for cell in row), strict=False)) for row in table.sample[:5]]
    st.dataframe(rows, hide_index=True, height="content")
