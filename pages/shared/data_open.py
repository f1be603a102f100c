"""Where a graph comes from: a sample, an upload, or a path of this machine; and which column of a table is what.

A load that fails changes nothing: the data set in use stays in use. Not here: what a graph looks like (data_look.py).
"""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from core.errors import CausewayError
from core.graph.readers import ACCEPTED, ColumnMap, LoadedGraph, TableSummary, inspect_table, read_graph, read_upload
from core.graph.samples import SAMPLES
from pages.shared import datasets, sources
from pages.shared.messages import caught
from pages.shared.text import esc, md

TABLES = (".csv", ".tsv", ".tab", ".psv", ".txt", ".dat", ".parquet")
EDGE_PARTS = {"source": "Source", "target": "Target", "relation": "Relation"}
NODE_PARTS = {"id": "Id", "name": "Name", "type": "Type"}
NONE = "(none)"


def draw() -> None:
    """The panel of the three sources."""
    source = sources.choose(key="source")
    if source == sources.SAMPLES:
        sources.sample_cards(SAMPLES.values(), datasets.current_key(), datasets.choose)
    elif source == sources.UPLOAD:
        _upload()
    elif path := sources.path(key="path", button="load_path", example="/data/graph"):
        _load(lambda progress: read_graph(path, on_progress=progress))


def _upload() -> None:
    files = st.file_uploader(
        "Files of one graph, 50 MB in all: nodes and edges, triples, or a single graph file",
        accept_multiple_files=True,
        key="files",
        max_upload_size=50,
        help=md(f"Read are: {ACCEPTED}.", 900),
    )
    if not files:
        return
    contents = {file.name: file.getvalue() for file in files}
    columns = {name: chosen for name, data in contents.items() if (chosen := _mapper(name, data)) is not None}
    if st.button("Load", type="primary", key="load_upload"):
        _load(lambda progress: read_upload(contents, columns=columns or None, on_progress=progress))


def _load(read: Callable[[Callable[[str, float | None], None]], LoadedGraph]) -> None:
    bar = st.progress(0.0, text="Reading")

    def progress(message: str, share: float | None) -> None:
        bar.progress(min(1.0, max(0.0, share or 0.0)), text=md(message[:1].upper() + message[1:]))

    in_use = datasets.titles().get(datasets.current_key(), "")
    with caught(kept=f"{in_use} stays in use" if in_use else ""):
        datasets.keep_own(read(progress))
        bar.empty()
        st.rerun()
    bar.empty()
    st.rerun()


def _mapper(name: str, data: bytes) -> ColumnMap | None:
    """Which column is what, for one table; None: leave it to the reader's guess."""
    if not name.lower().endswith(TABLES):
        return None
    try:
        table = inspect_table(data, name)
    except CausewayError:
        return None  # no table after all; reading it will say so with its reasons
    known = table.guess.is_edges or table.guess.is_nodes
    label = f"Columns of {name}" + ("" if known else ": please say which column is what")
    with st.expander(md(label, 160), expanded=not known, key=f"mapper_{name}"):
        return _choices(name, table, known)


def _choices(name: str, table: TableSummary, known: bool) -> ColumnMap | None:
    st.dataframe(
        [dict(zip(table.columns, row, strict=False)) for row in table.sample[:5]], hide_index=True, height="content"
    )
    columns = list(table.columns)
    headed = table.has_header
    if not headed and table.sample:
        headed = st.toggle("The first row names the columns", value=not known, key=f"header_{name}")
        columns = list(table.sample[0]) if headed else columns
    guess = table.guess
    kinds = ("Guess" if known else "Leave it to the reader", "Edges", "Nodes")
    kind = st.segmented_control("This table holds", kinds, default=kinds[0], required=True, key=f"kind_{name}")
    if kind == kinds[0]:
        if known:
            used = ", ".join(f"{part}: {column}" for part, column in guess.used().items())
            st.html(f"<span class='cw-quiet'>{esc(used)}</span>")
        return None
    parts = EDGE_PARTS if kind == "Edges" else NODE_PARTS
    chosen: dict[str, str | None] = {}
    for box, (part, label) in zip(st.columns(len(parts)), parts.items(), strict=True):
        options = [NONE, *columns]
        start = getattr(guess, part)
        index = options.index(start) if start in options else 0
        taken = box.selectbox(label, options, index=index, key=f"{part}_{name}")
        chosen[part] = None if taken == NONE else taken
    text: list[str] = []
    if kind == "Nodes":
        text = st.multiselect("Text", columns, default=list(guess.text), key=f"text_{name}")
    return ColumnMap(**chosen, text=tuple(text), header=headed)
