"""Home: what this is, worked examples that open by a click, and this browser's recent runs."""

from __future__ import annotations

import streamlit as st

from core.graph.samples import SAMPLES
from core.methods import METHODS
from core.store import RunSummary
from pages.shared import datasets, demos, places, runs, shell, tour
from pages.shared.examples import Example, best_of, of_a_corpus
from pages.shared.messages import caught
from pages.shared.text import esc, md, short
from pages.shared.times import ago

shell.begin()

INTRODUCTION = (
    "Causeway shows how evidence is found: agents walk a knowledge graph, a causal module scores every candidate "
    "they meet; documents are ranked by what they add to the query's words. Each score can be opened and questioned. "
    "It runs on this machine, with no key and no network."
)
STATUS_WORDS = {
    "finished": "",
    "stopped": "stopped",
    "failed": "failed",
    "interrupted": "interrupted",
    "running": "running",
}


def card(example: Example) -> None:
    with st.container(border=True, height="stretch", vertical_alignment="distribute", key=f"card_{example.sample}"):
        st.html(example.as_html(with_title=True))
        st.page_link(
            "pages/cara.py",
            label="Watch the agents walk",
            icon=":material/arrow_forward:",
            icon_position="right",
            query_params={"data": example.sample, "q": example.question, "go": "1", "agent": "0", "step": "2"},
        )


def corpus_card(example: Example) -> None:
    with st.container(border=True, height="stretch", vertical_alignment="distribute", key=f"card_{example.sample}"):
        st.html(example.as_html(with_title=True))
        st.page_link(
            places.file_of("causal-attention"),
            label="See both rankings",
            icon=":material/arrow_forward:",
            icon_position="right",
            query_params={"data": example.sample, "q": example.question, "go": "1"},
        )


def line(run: RunSummary) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key=f"run_{run.run_id}", gap="small"):
        st.page_link(
            places.file_of(run.method), label=md(run.question, 90), query_params={"run": run.run_id}, width="stretch"
        )
        method = METHODS[run.method].title if run.method in METHODS else run.method.upper()
        facts = [method, run.dataset, STATUS_WORDS[run.status] or short(run.top, 40), ago(run.started_at)]
        st.html(f"<div class='cw-facts'>{''.join(f'<span>{esc(f)}</span>' for f in facts)}</div>", width=600)
        with st.popover("Delete", type="tertiary", key=f"ask_{run.run_id}", disabled=run.status == "running"):
            st.button("Delete this run for good", key=f"delete_{run.run_id}", on_click=delete, args=(run.run_id,))


def delete(run_id: str) -> None:
    with caught(kept="the run"):
        runs.delete(run_id)


shell.head("Causeway")
st.html(f"<p class='cw-lead'>{esc(INTRODUCTION)}</p>")
tour.start_link()
opened = [dataset for name in SAMPLES if (dataset := datasets.open_dataset(name)) is not None]
examples = [example for dataset in opened if (example := best_of(dataset)) is not None]
*columns, last = st.columns(len(examples) + 1)
for column, example in zip(columns, examples, strict=True):
    with column:
        card(example)
with last:
    corpus_card(of_a_corpus())
with st.container(horizontal=True, vertical_alignment="center"):
    st.html("<span class='cw-quiet'>Have a graph or documents of your own?</span>", width="content")
    st.page_link(
        "pages/data.py", label="Load them on the Data page", icon=":material/arrow_forward:", icon_position="right"
    )

demos.draw()
st.subheader("Recent runs", anchor=False)
recent: list[RunSummary] = []
with caught():
    recent = runs.recent()
with st.container(gap=None):
    for run in recent:
        line(run)
if not recent:
    st.html(
        "<p class='cw-quiet'>No run yet. Open a worked example above; every run is kept here until you delete it.</p>"
    )
