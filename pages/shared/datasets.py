"""The data sets of this session: samples (shared, read once a process) and what this person loaded (theirs alone).

What a person loads lives in their session: another session can neither list nor open it. A link names a sample.
Not here: reading files (core/graph/readers), drawing them (pages/data.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from core.graph.samples import SAMPLES
from pages.shared.messages import Message
from pages.shared.shelf import Shelf

if TYPE_CHECKING:
    from core.graph.graph import KnowledgeGraph
    from core.graph.readers import LoadedGraph
    from core.llm.source import ModelSource
    from core.retriever import Retriever
    from core.trace import Trace

OWN = "own_datasets"
CURRENT = "current_dataset"
FIRST = "films"  # what most people know something of
OWN_LIMIT = 4  # loaded graphs a session keeps; the one loaded first goes first


@dataclass(frozen=True, slots=True)
class Dataset:
    """A graph with what was reported while reading it. `key` is a sample's name, or the content id of one's own."""

    key: str
    title: str
    loaded: LoadedGraph
    is_sample: bool

    @property
    def graph(self) -> KnowledgeGraph:
        return self.loaded.graph


@st.cache_resource(show_spinner=False)
def _sample(name: str) -> LoadedGraph:
    from core.graph.samples import load_sample

    return load_sample(name)


def _opened(name: str) -> Dataset:
    return Dataset(name, SAMPLES[name].title, _sample(name), is_sample=True)


SHELF: Shelf[Dataset] = Shelf(
    own=OWN,
    current=CURRENT,
    samples={sample.name: sample.title for sample in SAMPLES.values()},
    open_sample=_opened,
    newcomers=FIRST,
    limit=OWN_LIMIT,
    others="the other data sets",
    missing=Message(
        "this link names data that is not here",
        hint="A link carries samples only; load the file on the Data page of this browser.",
    ),
)
samples, titles, open_dataset = SHELF.samples, SHELF.titles, SHELF.open
current_key, current, first, choose = SHELF.key_in_use, SHELF.in_use, SHELF.first, SHELF.choose


def follow(trace: Trace) -> None:
    """Use the data that a run saw, when this session has it."""
    seen = trace.dataset.content_id
    if st.session_state.get("followed") == trace.run_id:
        return  # the person may have turned to other data since
    st.session_state["followed"] = trace.run_id
    if seen in SHELF.owned():
        choose(seen)
    for sample in SAMPLES.values():
        if sample.title == trace.dataset.name and _sample(sample.name).graph.content_id == seen:
            choose(sample.name)


def keep_own(loaded: LoadedGraph) -> Dataset:
    """Keep what this person loaded, for this session, and use it."""
    dataset = Dataset(loaded.graph.content_id, loaded.graph.name, loaded, is_sample=False)
    gone = {old.key for old in SHELF.keep(dataset)}
    built = st.session_state.get("retrievers", {})
    st.session_state["retrievers"] = {key: value for key, value in built.items() if key[0] not in gone}
    return dataset


def retriever(dataset: Dataset, method: str, engine: str = "", source: ModelSource | None = None) -> Retriever:
    """A method on this data set. A sample's is shared by all sessions, one's own is made for this session.

    With a `source` of a model's decisions it is made for one run and kept by no one: it holds the session's key.
    """
    if source is not None:
        from core.methods import build

        return build(method, _searched_by(dataset, engine), source)
    if dataset.is_sample:
        return _sample_retriever(dataset.key, method, engine)
    built: dict[tuple[str, str, str], Retriever] = st.session_state.setdefault("retrievers", {})
    key = (dataset.key, method, engine)
    if key not in built:
        built[key] = _build(dataset.graph, method, engine)
    return built[key]


@st.cache_resource(show_spinner=False)
def _sample_retriever(name: str, method: str, engine: str) -> Retriever:
    return _build(_sample(name).graph, method, engine)


def _searched_by(dataset: Dataset, engine: str) -> KnowledgeGraph:
    """The graph with that BM25; made once, since the graph holds the index."""
    if not engine:
        return dataset.graph
    if dataset.is_sample:
        return _sample_searched_by(dataset.key, engine)
    made: dict[tuple[str, str], KnowledgeGraph] = st.session_state.setdefault("engines", {})
    if (dataset.key, engine) not in made:
        made[dataset.key, engine] = dataset.graph.with_engine(engine)
    return made[dataset.key, engine]


@st.cache_resource(show_spinner=False)
def _sample_searched_by(name: str, engine: str) -> KnowledgeGraph:
    return _sample(name).graph.with_engine(engine)


def _build(graph: KnowledgeGraph, method: str, engine: str) -> Retriever:
    from core.methods import build

    return build(method, graph.with_engine(engine) if engine else graph)
