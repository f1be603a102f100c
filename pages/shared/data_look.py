"""Look around in a graph: search its nodes, see one with its neighbours, and grow the picture from there."""

from __future__ import annotations

from typing import Any

import streamlit as st

from core.figures.graph_page import graph_page
from core.figures.graph_view import GraphView
from core.figures.neighbourhood import neighbourhood_view
from core.figures.words import relation_words
from core.graph.contracts import Node
from pages.shared import bridge, state
from pages.shared.datasets import Dataset
from pages.shared.step_panel import ROW_HEIGHT, table_height
from pages.shared.text import esc, many, short

HEIGHT = 600
HITS = 12
MAX_NODES = 80


def draw(dataset: Dataset) -> None:
    """Search and text at the left, the graph at the right."""
    centers = _centers(dataset)
    chosen = _position(dataset, state.param("node"))
    left, right = st.columns([1, 2], gap="medium")
    with right:
        bridge.frame(_page(dataset, tuple(centers), bridge.theme()), height=HEIGHT, alt="A neighbourhood")
    st.fragment(_beside, key="beside_the_graph")(dataset, left, centers, centers[0] if chosen is None else chosen)


def _beside(dataset: Dataset, left: Any, centers: list[int], chosen: int) -> None:
    bridge.listen("look_bridge", node=state.param("node"), on_node=lambda node: state.put({"node": node}))
    named = _position(dataset, state.param("node"))
    chosen = chosen if named is None else named
    with left:
        query = st.text_input(
            "Search nodes", key="look_for", persist_state="session", placeholder="Words of a name or text"
        )
        if query.strip():
            _hits(dataset, query)
        _card(dataset.graph.node(chosen))
        with st.container(horizontal=True):
            if chosen not in centers:
                st.button("Show its neighbours", key="grow", on_click=_grow, args=(dataset, chosen))
            if centers != [chosen]:
                st.button("Show it alone", key="start_over", on_click=_start_from, args=(dataset, chosen))


def _hits(dataset: Dataset, query: str) -> None:
    with st.spinner("Searching; the first search of a graph builds its index"):
        hits = dataset.graph.search(query, HITS)
    if not hits:
        st.html("<p class='cw-quiet'>No node has these words.</p>")
        return
    nodes = [dataset.graph.node(hit.position) for hit in hits]
    key = f"hits_{abs(hash(query))}"

    def pick() -> None:
        rows = st.session_state[key]["selection"]["rows"]
        if rows:
            _start_from(dataset, nodes[rows[0]].position)

    st.dataframe(
        [
            {"Name": short(node.name), "Type": node.type, "BM25": round(hit.score, 2)}
            for node, hit in zip(nodes, hits, strict=True)
        ],
        key=key,
        hide_index=True,
        column_config={"BM25": st.column_config.NumberColumn(format="%.2f")},
        row_height=ROW_HEIGHT,
        height=table_height(min(len(hits), 5)),
        on_select=pick,
        selection_mode="single-row",
    )


def _card(node: Node) -> None:
    links = "".join(
        f"<li>{'→' if r.direction == 'out' else '←'} {esc(relation_words(r.type))} "
        f"<span class='cw-quiet cw-num'>{r.edges:,}</span></li>"
        for r in sorted(node.relations, key=lambda r: -r.edges)[:10]
    )
    more = f"<li class='cw-quiet'>and {len(node.relations) - 10} more</li>" if len(node.relations) > 10 else ""
    kind = f" <span class='cw-quiet'>{esc(node.type)}</span>" if node.type else ""
    st.html(
        f"<section class='cw-why'><div class='cw-name' dir='auto'>{esc(short(node.name, 300))}{kind}</div>"
        f"<blockquote dir='auto'>{esc(short(node.text, 600)) or 'No text.'}</blockquote>"
        f"<div class='cw-quiet'>{many(sum(r.edges for r in node.relations), 'link')}</div>"
        f"<ul>{links}{more}</ul></section>"
    )


def view(dataset: Dataset) -> GraphView:
    """The neighbourhood as drawn now, for export."""
    return neighbourhood_view(dataset.graph, _centers(dataset), max_nodes=MAX_NODES)


def _page(dataset: Dataset, centers: tuple[int, ...], look: Any) -> str:
    drawn = neighbourhood_view(dataset.graph, centers, max_nodes=MAX_NODES, selected=state.param("node") or None)
    kept: tuple[Any, str] | None = st.session_state.get("look_page")
    recipe = (dataset.graph.content_id, centers, look)
    if kept is None or kept[0] != recipe:  # a mere choice of a node must not draw the frame anew
        kept = (recipe, graph_page(drawn, theme=look, height=HEIGHT))
        st.session_state["look_page"] = kept
    return kept[1]


def _centers(dataset: Dataset) -> list[int]:
    """The nodes whose neighbours are drawn: as grown in this session, else the link's node, else the best connected."""
    grown: dict[str, list[int]] = st.session_state.setdefault("centers", {})
    if dataset.graph.content_id not in grown:
        named = _position(dataset, state.param("node"))
        grown[dataset.graph.content_id] = [int(dataset.graph.degree.argmax()) if named is None else named]
    return grown[dataset.graph.content_id]


def _position(dataset: Dataset, node: str) -> int | None:
    try:
        return dataset.graph.index_of(node) if node else None
    except KeyError:
        return None


def _grow(dataset: Dataset, position: int) -> None:
    _centers(dataset).append(position)


def _start_from(dataset: Dataset, position: int) -> None:
    st.session_state["centers"][dataset.graph.content_id] = [position]
    state.put({"node": dataset.graph.ids[position]})
