"""KERAG beside another method on the same question: both answers, both lists, both costs.

The other run is in the address (`other`). KERAG walks no path, so no ghost lies on the graph.
"""

from __future__ import annotations

import streamlit as st

from core.figures.compare import comparable, cost_table, ranked_table, ranks_chart, title
from core.figures.kerag.parts import parts_of
from core.methods import GRAPH_METHODS
from core.trace import Trace
from pages.shared import bridge, charts, datasets, exports, places, runs, state, twins
from pages.shared.answer import in_short, without_answer
from pages.shared.kerag.answer_card import in_large
from pages.shared.messages import caught
from pages.shared.text import esc, many

FIRST = "cara"


def draw(trace: Trace) -> None:
    """The panel."""
    dataset = datasets.current()
    here = dataset is not None and dataset.graph.dataset.content_id == trace.dataset.content_id
    names = [name for name in GRAPH_METHODS if name != trace.method]
    names.sort(key=lambda name: name != FIRST)
    other_id = state.param("other")
    with st.container(horizontal=True, vertical_alignment="bottom", key="kerag_versus"):
        method = st.selectbox(
            "Beside", names, format_func=lambda name: GRAPH_METHODS[name].title, key="kerag_versus_method", width=240
        )
        st.button(
            "Run it on this question",
            key="kerag_versus_run",
            disabled=not here,
            help=None if here else "The data of this run are not loaded here.",
            on_click=_start,
            args=(trace, method),
        )
        if other_id:
            st.button("Stop comparing", key="kerag_no_other", type="tertiary", on_click=_put, args=(None,))
    if not other_id:
        st.html("<p class='cw-quiet'>The same question to another method: its answer, its list, what it cost.</p>")
        return
    other = runs.load(other_id)
    if other is None or not comparable(trace, other):
        st.html("<p class='cw-note'>The run to compare with is not here, or is of another question.</p>")
    elif not runs.progress(other_id).ended:
        st.fragment(_watch, run_every=0.5)(other_id)
    else:
        _both(trace, other)


def _watch(run_id: str) -> None:
    state.catch_up()
    now = runs.progress(run_id)
    if now.ended:
        st.rerun()
    st.html(f"<p role='status' class='cw-num'>It runs: {now.seconds:.0f} s, {many(len(now.steps), 'step')}.</p>")
    st.button("Stop it", key="kerag_stop_other", on_click=runs.stop, args=(run_id,))


def _both(trace: Trace, other: Trace) -> None:
    left, right = st.columns(2, gap="medium")
    with left, st.container(border=True, height="stretch", key="kerag_answer_here"):
        st.html(f"<span class='cw-quiet'>{esc(title(trace))}</span>{in_large(trace, parts_of(trace.steps))}")
    with right, st.container(border=True, height="stretch", key="kerag_answer_there"):
        found = other.answer is not None and bool(other.answer.text.strip())
        told = in_short(other.answer) if found and other.answer else f"<div>{esc(without_answer(other))}</div>"
        st.html(f"<span class='cw-quiet'>{esc(title(other))}</span>{told}")
        st.page_link(
            places.file_of(other.method),
            label=f"Open the run of {title(other)}",
            icon=":material/arrow_forward:",
            query_params={"run": other.run_id},
        )
    chart, table = st.columns(2, gap="medium")
    with chart:
        charts.draw(ranks_chart(trace, other, bridge.theme()), key="kerag_ranks")
    with table:
        twins.draw(ranked_table(trace, other), key="kerag_both_ranked")
        twins.draw(cost_table(trace, other), key="kerag_both_cost")
    tables = exports.of_both(trace, other)
    st.download_button(
        tables.label, tables.make, tables.file_name, tables.mime, on_click="ignore", key="kerag_both_csv"
    )


def _start(trace: Trace, method: str) -> None:
    dataset = datasets.current()
    if dataset is None:
        return
    with caught(kept="the run that is shown"):
        run_id = runs.finished_before(dataset, method, trace.question, {})
        _put(run_id or runs.start(dataset, method, trace.question, {}))


def _put(run_id: str | None) -> None:
    state.put({"other": run_id})
