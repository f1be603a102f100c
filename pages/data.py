"""Data: choose or load a graph or a corpus, see what was read and what was not, and look around in it."""

from __future__ import annotations

import streamlit as st

from core.figures.graph_page import graph_page
from pages.shared import (
    bridge,
    corpora,
    corpus_open,
    corpus_report,
    data_kind,
    data_look,
    data_open,
    data_report,
    datasets,
    shell,
    state,
)
from pages.shared.corpora import OpenCorpus
from pages.shared.datasets import Dataset
from pages.shared.messages import caught
from pages.shared.shell import Export

ADDRESS = ("data", "node", "kind")
TABS = {
    "Look around": data_look.draw,
    "Types and relations": data_report.types,
    "Schema": data_report.schema,
    "Reader's report": data_report.report,
}
CORPUS_TABS = {
    "Documents": corpus_report.documents,
    "Reader's report": corpus_report.report,
    "Encoder and index": corpus_report.index,
    "Queries": corpus_report.queries,
}


def exports(dataset: Dataset) -> tuple[Export, ...]:
    """What this page offers to download of a graph."""
    look = bridge.theme()

    def picture() -> str:
        return graph_page(data_look.view(dataset), theme=look, height=720, standalone=True)

    return (
        Export("Neighbourhood (one HTML file)", "neighbourhood.html", "text/html", picture),
        _report(lambda: dataset.loaded.report.model_dump_json(indent=1)),
    )


def _report(make: shell.Make) -> Export:
    return Export("Reader's report (JSON)", "report.json", "application/json", make)


def graph() -> None:
    """The page while it shows a graph."""
    dataset = datasets.current()
    state.save_address("data", ADDRESS)
    shell.head("Data", data=dataset.graph.dataset if dataset else None, exports=exports(dataset) if dataset else ())
    data_kind.draw()
    if dataset is None:
        st.html("<p>Choose a sample to begin with, or load a graph of your own.</p>")
        data_open.draw()
        return
    with st.expander("Choose or load other data", key="other_data"):
        data_open.draw()
    with caught(kept="the data set"):
        data_report.facts(dataset)
        tabs = st.tabs(list(TABS), key="show", on_change="rerun", bind="query-params")
        for tab, draw in zip(tabs, TABS.values(), strict=True):
            if tab.open:
                with tab:
                    draw(dataset)


def corpus() -> None:
    """The page while it shows a corpus."""
    opened: OpenCorpus | None = corpora.current()
    state.save_address("data", ADDRESS)
    files = (_report(lambda: opened.corpus.report.model_dump_json(indent=1)),) if opened else ()
    shell.head("Data", data=opened.corpus.dataset if opened else None, exports=files)
    data_kind.draw()
    if opened is None:
        st.html("<p>Choose a sample to begin with, or load documents of your own.</p>")
        corpus_open.draw()
        return
    with st.expander("Choose or load other documents", key="other_documents", expanded=corpus_open.is_reading()):
        corpus_open.draw()
    with caught(kept="the corpus"):
        corpus_report.facts(opened)
        corpus_report.to_ranking(opened)
        tabs = st.tabs(list(CORPUS_TABS), key="part", on_change="rerun", bind="query-params")
        for tab, draw in zip(tabs, CORPUS_TABS.values(), strict=True):
            if tab.open:
                with tab:
                    draw(opened)


shell.begin()
state.keep_address("data", ADDRESS)
(corpus if data_kind.current() == data_kind.CORPUS else graph)()
