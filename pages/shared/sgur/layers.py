"""A graph that this person loaded, as a source: which of its types and relations stand for which layer.

The map is guessed from names and can be changed. Not here: making an expert graph of it (core/sgur/sources).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from core.graph.samples import SAMPLES
from core.sgur.sources.catalogue import SourceInfo
from core.sgur.sources.from_graph import LayerMap, guess_layers
from pages.shared import datasets
from pages.shared.text import esc, short

if TYPE_CHECKING:
    from core.graph.graph import KnowledgeGraph
    from core.retriever import OnProgress
    from core.sgur.expert_graph import ExpertGraph

MAPS = "sgur_layers"  # in the session: data set -> its map
NONE = "none"
TYPES = {"observation": "Observations", "hypothesis": "Hypotheses", "localisation": "Where", "treatment": "What helps"}
RELATIONS = {
    "reported": "Links hypotheses and observations",
    "located": "Links observations and where",
    "treated": "Links hypotheses and what helps",
}


def own() -> dict[str, SourceInfo]:
    """The sources that this person loaded, by the key of their data set."""
    found = {}
    for key, title in datasets.titles().items():
        dataset = datasets.open_dataset(key) if key not in SAMPLES else None
        if dataset is not None:
            load = partial(_load, dataset.graph, map_of(key, dataset.graph))
            found[key] = SourceInfo(key, title, "A graph of yours, as its types were mapped to the layers.", "", load)
    return found


def map_of(key: str, graph: KnowledgeGraph) -> LayerMap:
    """The map in use: the person's, else the guessed one."""
    maps: dict[str, LayerMap] = st.session_state.setdefault(MAPS, {})
    if key not in maps:
        maps[key] = guess_layers(graph.schema())
    return maps[key]


def identity(key: str) -> str:
    """What tells one map of a graph from another; empty for a source that is known by its name."""
    maps: dict[str, LayerMap] = st.session_state.get(MAPS, {})
    return maps[key].model_dump_json() if key in maps else ""


def missing(key: str) -> str:
    """What still has to be chosen before the graph can be used; empty when nothing has, or it is not one's own."""
    maps: dict[str, LayerMap] = st.session_state.get(MAPS, {})
    return maps[key].missing if key in maps else ""


def form(key: str) -> None:
    """Choose the types and the relations."""
    dataset = datasets.open_dataset(key)
    if dataset is None:
        return
    schema, was = dataset.graph.schema(), map_of(key, dataset.graph)
    if was.missing:
        st.html(f"<p class='cw-note'>This graph can be diagnosed once {esc(was.missing)} is chosen.</p>")
    with st.form("sgur_layers_form"):
        types = [NONE, *schema.node_types]
        chosen: dict[str, str] = {}
        for column, (name, title) in zip(st.columns(4), TYPES.items(), strict=True):
            at = getattr(was, name)
            place = types.index(at) if at in types else 0
            picked = column.selectbox(title, types, place, key=f"sgur_type_{name}", format_func=short)
            chosen[name] = "" if picked == NONE else picked
        links: dict[str, tuple[str, ...]] = {}
        for column, (name, title) in zip(st.columns(3), RELATIONS.items(), strict=True):
            at = [r for r in getattr(was, name) if r in schema.edge_types]
            picks = column.multiselect(title, schema.edge_types, at, key=f"sgur_links_{name}", format_func=short)
            links[name] = tuple(picks)
        if st.form_submit_button("Use these layers", key="sgur_use_layers"):
            st.session_state[MAPS][key] = was.model_copy(update={**chosen, **links})
            st.rerun()


def _load(graph: KnowledgeGraph, layers: LayerMap, on_progress: OnProgress | None) -> ExpertGraph:
    from core.sgur.sources.from_graph import expert_graph

    return expert_graph(graph, layers, on_progress)
