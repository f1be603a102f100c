"""Whether the Data page shows a graph or a corpus: what the address names, else what was chosen last."""

from __future__ import annotations

import streamlit as st

from pages.shared import corpora, datasets, state

GRAPH, CORPUS = "Graph", "Corpus"
KEY = "data_kind"


def current() -> str:
    """The kind. Call before anything reads `data` of the address, which belongs to this kind alone."""
    named = state.param("data")
    if named in corpora.titles() and named not in datasets.titles():
        kind = CORPUS
    elif named in datasets.titles():
        kind = GRAPH
    elif state.param("kind") == CORPUS.lower() or (not state.param("kind") and st.session_state.get(KEY) == CORPUS):
        kind = CORPUS
    else:
        kind = GRAPH
    st.session_state[KEY] = kind
    state.put({"kind": CORPUS.lower() if kind == CORPUS else None})
    return kind


def draw() -> None:
    """The switch."""
    st.session_state["kind_switch"] = st.session_state[KEY]
    st.segmented_control(
        "Kind of data",
        (GRAPH, CORPUS),
        key="kind_switch",
        required=True,
        label_visibility="collapsed",
        on_change=_switch,
    )


def _switch() -> None:
    kind = st.session_state["kind_switch"]
    st.session_state[KEY] = kind
    rooms = corpora if kind == CORPUS else datasets
    key = st.session_state.get(rooms.CURRENT, "")
    sample = key if key in rooms.samples else None
    state.put({"data": sample, "node": None, "kind": CORPUS.lower() if kind == CORPUS else None})
    state.save_address("data", ("data", "node", "kind"))
