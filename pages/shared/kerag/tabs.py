"""What stands below the columns, in tabs of which one is drawn: another method, tables, cost, exchanges."""

from __future__ import annotations

import streamlit as st

from core.figures.exchanges import talks
from core.figures.kerag.parts import parts_of
from core.figures.kerag.tables import cost_rows, plan_table, reasoning_table, triples_table
from core.trace import Step, Trace
from pages.shared import exchange_panel, how_panel, twins
from pages.shared.kerag import beside, guess
from pages.shared.kerag.place import Place
from pages.shared.messages import caught

TITLES = {"kerag.topic": "topic entities", "kerag.summary": "the reasoning", "kerag.failed": "a step that failed"}


def draw(trace: Trace, at: Place) -> None:
    """The tabs."""
    panels = {
        "Beside CARA": lambda: beside.draw(trace),
        "Tables": lambda: _tables(trace, at),
        "Cost": lambda: twins.draw(cost_rows(trace), key="kerag_cost", decimals=1),
        "Predict": lambda: _predict(trace),
        "How this was decided": lambda: _decided(trace),
    }
    tabs = st.tabs(list(panels), key="panel", on_change="rerun", bind="query-params")
    for tab, panel in zip(tabs, panels.values(), strict=True):
        if tab.open:
            with tab, caught(kept="the run"):
                panel()


def _tables(trace: Trace, at: Place) -> None:
    parts = parts_of(trace.steps)
    for key, table, decimals in (
        ("kerag_plan_table", plan_table(parts), 2),
        ("kerag_reasoning_table", reasoning_table(parts), 2),
        ("kerag_triples_table", triples_table(parts, at.without), 2),
    ):
        st.html(f"<h3 class='cw-column'>{table.name}</h3>")
        twins.draw(table, key=key, decimals=decimals)


def _predict(trace: Trace) -> None:
    st.html(
        "<p class='cw-prose'>Hide the answer and guess it from the plan alone. Best with a run that a colleague made: "
        "the link carries the game.</p>"
    )
    st.button("Hide the answer and guess", key="kerag_guess", on_click=guess.begin, args=(trace,))


def _decided(trace: Trace) -> None:
    left, right = st.columns([1, 1.4], gap="large")
    left.html(how_panel.of_this_run(trace))
    with right:
        shown = 0
        for step in trace.steps:
            for talk in talks([step]):
                shown += 1
                with st.expander(f"Asked and replied: {_title(step)}", key=f"kerag_talk_{step.index}"):
                    st.html(exchange_panel.as_html(talk))
        if not shown:
            st.html("<p class='cw-quiet'>No model was asked in this run.</p>")


def _title(step: Step) -> str:
    hop = getattr(step, "hop", None)
    return f"hop {hop}" if hop is not None else TITLES.get(step.kind, "a step")
