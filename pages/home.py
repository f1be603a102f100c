"""Home: what this is, worked examples that open by a click, and this browser's recent runs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from core.graph.samples import SAMPLES
from core.methods import METHODS
from core.store import RunSummary
from pages.shared import datasets, demos, places, runs, shell, tour
from pages.shared.examples import Example, best_of, of_a_corpus, of_a_diagnosis, of_a_plan
from pages.shared.messages import caught
from pages.shared.text import esc, md, short
from pages.shared.times import ago

shell.begin()

INTRODUCTION = (
    "Causeway shows how evidence is found: agents walk a knowledge graph, documents are ranked by what they add to the "
    "query's words, a diagnosis is narrowed down by questions, an answer is planned and reasoned out. Each number can "
    "be opened and questioned. It runs on this machine, with no key and no network."
)
IN_A_ROW = 3  # cards
STATUS_WORDS = {
    "finished": "",
    "stopped": "stopped",
    "failed": "failed",
    "interrupted": "interrupted",
    "running": "running",
}


def card(example: Example, page: str, invitation: str, query: dict[str, str], *, key: str) -> None:
    """A worked example, and where it opens."""
    with st.container(border=True, height="stretch", vertical_alignment="distribute", key=f"card_{key}"):
        st.html(example.as_html(with_title=True))
        st.page_link(page, label=invitation, icon=":material/arrow_forward:", icon_position="right", query_params=query)


def cards() -> list[Callable[[], None]]:
    """One for each way to look at evidence; of walks, one on each sample."""
    opened = [dataset for name in SAMPLES if (dataset := datasets.open_dataset(name)) is not None]
    made: list[Callable[[], None]] = []
    for example in (best for dataset in opened if (best := best_of(dataset)) is not None):
        query = {"data": example.sample, "q": example.question, "go": "1", "agent": "0", "step": "2"}
        made.append(partial(card, example, places.file_of("cara"), "Watch the agents walk", query, key=example.sample))
    for example, method, invitation in (
        (of_a_corpus(), "causal-attention", "See both rankings"),
        (of_a_plan(), "kerag", "See it planned and counted"),
    ):
        query = {"data": example.sample, "q": example.question, "go": "1"}
        made.append(partial(card, example, places.file_of(method), invitation, query, key=method))
    told = of_a_diagnosis()
    made.append(partial(card, told, places.file_of("sgur"), "Tell a complaint", {"data": told.sample}, key="sgur"))
    return made


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
drawn = cards()
for row in range(0, len(drawn), IN_A_ROW):
    for column, draw in zip(st.columns(IN_A_ROW), drawn[row : row + IN_A_ROW], strict=False):
        with column:
            draw()
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
