"""Data: choose or load a graph, see what was read and what was not, and look around in it."""

from __future__ import annotations

import streamlit as st

from core.figures.graph_page import graph_page
from pages.shared import bridge, data_look, data_open, data_report, datasets, shell, state
from pages.shared.datasets import Dataset
from pages.shared.messages import caught
from pages.shared.shell import Export

ADDRESS = ("data", "node")
TABS = {
    "Look around": data_look.draw,
    "Types and relations": data_report.types,
    "Schema": data_report.schema,
    "Reader's report": data_report.report,
}

shell.begin()
state.keep_address("data", ADDRESS)


def exports(dataset: Dataset) -> tuple[Export, ...]:
    """What this page offers to download."""
    look = bridge.theme()

    def picture() -> str:
        return graph_page(data_look.view(dataset), theme=look, height=720, standalone=True)

    return (
        Export("Neighbourhood (one HTML file)", "neighbourhood.html", "text/html", picture),
        Export(
            "Reader's report (JSON)",
            "report.json",
            "application/json",
            lambda: dataset.loaded.report.model_dump_json(indent=1),
        ),
    )


dataset = datasets.current()
state.save_address("data", ADDRESS)
shell.head("Data", data=dataset.graph.dataset if dataset else None, exports=exports(dataset) if dataset else ())
if dataset is None:
    st.html("<p>Choose a sample to begin with, or load a graph of your own.</p>")
    data_open.draw()
else:
    with st.expander("Choose or load other data", key="other_data"):
        data_open.draw()
    with caught(kept="the data set"):
        data_report.facts(dataset)
        tabs = st.tabs(list(TABS), key="show", on_change="rerun", bind="query-params")
        for tab, draw in zip(tabs, TABS.values(), strict=True):
            if tab.open:
                with tab:
                    draw(dataset)
