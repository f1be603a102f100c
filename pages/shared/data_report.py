"""What was read and what was not: the reader's report, counts by type, the schema as a graph, and the cache."""

from __future__ import annotations

import streamlit as st

from core.caches import cache_sizes, clear_caches
from core.disk_cache import DiskCache
from core.figures.data import degree_histogram, type_bars
from core.figures.graph_page import graph_page
from core.figures.schema_view import schema_graph
from core.figures.tables import schema_table
from core.graph.report import ReadReport
from pages.shared import bridge, charts
from pages.shared.datasets import Dataset
from pages.shared.messages import caught
from pages.shared.text import esc

SCHEMA_HEIGHT = 560


def facts(dataset: Dataset) -> None:
    """The report in numbers, a line above everything else; what needs care is marked in words."""
    report, schema = dataset.loaded.report, dataset.graph.schema()
    numbers = [
        (report.nodes, "node"),
        (report.edges, "edge"),
        (len(schema.node_types), "node type"),
        (len(schema.edge_types), "relation"),
        (report.rejected_total, "rejected line"),
        (report.duplicate_edges + report.duplicate_nodes, "duplicate"),
        (report.self_loops, "self-loop"),
        (report.parallel_pairs, "parallel pair"),
        (report.isolated_nodes, "isolated node"),
        (report.homonyms, "homonym"),
    ]
    cells = "".join(
        f"<div{'' if n else ' class=cw-none'}><b class='cw-num'>{n:,}</b>"
        f"<span>{noun}{'' if n == 1 else 's'}</span></div>"
        for n, noun in numbers
    )
    st.html(f"<div class='cw-stats'>{cells}</div>")
    for notice in report.notices:
        st.html(f"<p class='cw-note'>{esc(notice)}</p>")


def types(dataset: Dataset) -> None:
    """Counts by type and relation, and how many links nodes have."""
    schema, look = dataset.graph.schema(), bridge.theme()
    left, right = st.columns(2, gap="medium")
    with left:
        st.subheader("Nodes by type", anchor=False)
        charts.draw(type_bars(schema.node_types, look), key="node_types")
        st.subheader("Links of a node", anchor=False)
        charts.draw(degree_histogram(dataset.graph.degree, look), key="degrees")
    with right:
        st.subheader("Edges by relation", anchor=False)
        charts.draw(type_bars(schema.edge_types, look, noun="edges"), key="edge_types")


def schema(dataset: Dataset) -> None:
    """Types and the relations between them, as a graph and as a table."""
    page = graph_page(schema_graph(dataset.graph.schema()), theme=bridge.theme(), height=SCHEMA_HEIGHT)
    bridge.frame(page, height=SCHEMA_HEIGHT, alt="Types and relations")
    known = dataset.graph.schema()
    st.dataframe(schema_table(known.edge_types, known.inverse_of).frame(), hide_index=True, height="auto")


def report(dataset: Dataset) -> None:
    """The report in full: files, columns, rejected lines with number and reason."""
    read = dataset.loaded.report
    st.dataframe(_files(read), hide_index=True, height="content")
    if read.rejected:
        st.subheader(f"{read.rejected_total:,} rejected", anchor=False)
        if read.rejected_total > len(read.rejected):
            st.html(f"<p class='cw-quiet'>The first {len(read.rejected)} of {read.rejected_total:,} are listed.</p>")
        st.dataframe(
            [
                {"File": line.file, "Line": line.line, "Reason": line.reason, "What stood there": line.excerpt}
                for line in read.rejected
            ],
            hide_index=True,
        )
    others = [
        (read.nodes_from_edges, "node was named by an edge only", "nodes were named by an edge only"),
        (
            read.nameless_nodes,
            "node has no name and is called by its id",
            "nodes have no name and are called by their id",
        ),
        (
            read.surrogates_replaced,
            "broken character was replaced by U+FFFD",
            "broken characters were replaced by U+FFFD",
        ),
    ]
    lines = [f"{n:,} {one if n == 1 else more}." for n, one, more in others if n]
    if read.homonym_examples:
        lines.append(f"Names that several nodes share: {', '.join(read.homonym_examples)}. Their ids keep them apart.")
    if read.ignored:
        lines.append(f"Not read: {', '.join(read.ignored)}.")
    st.html("".join(f"<p class='cw-note'>{esc(line)}</p>" for line in lines))
    cache()


def _files(read: ReadReport) -> list[dict[str, str | int]]:
    return [
        {
            "File": file.name,
            "Rows": file.rows,
            "Encoding": file.encoding,
            "Columns": ", ".join(f"{part}: {column}" for part, column in file.columns.items()),
        }
        for file in read.files
    ]


def cache() -> None:
    """What the indexes and embeddings of all graphs take on this disk, and a way to clear them."""
    limit, held = DiskCache().limit_bytes, sum(cache_sizes().values())
    with st.container(horizontal=True, vertical_alignment="center", key="cache"):
        st.html(
            f"<span>Indexes and vectors on this disk: <b class='cw-num'>{held / 1024**2:,.1f} MB</b> "
            f"<span class='cw-quiet'>of at most {limit / 1024**3:.0f} GB; "
            "made again when needed</span></span>",
            width="content",
        )
        st.button("Clear", key="clear_cache", on_click=_clear)


def _clear() -> None:
    with caught(kept="the graphs themselves"):
        clear_caches()
