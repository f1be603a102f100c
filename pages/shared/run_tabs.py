"""What stands below a run's graph, in tabs of which one is drawn: steps, what-if, judgements, fusion, cost, how."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from core.figures.tables import cost_rows, steps_table
from core.trace import Trace
from pages.shared import (
    compare_panel,
    fusion_panel,
    how_panel,
    model_cost,
    predict_panel,
    selection,
    step_panel,
    what_if_panel,
)
from pages.shared.selection import Selection
from pages.shared.text import esc

STEP_COLUMNS = ("Agent", "Step", "Action", "What happened", "Why", "ms")


def draw(trace: Trace, at: Selection) -> None:
    """The tabs. A method without agents has no use for some of them."""
    walks = any(s.kind.startswith("cara.") for s in trace.steps)
    panels: dict[str, Callable[[Trace, Selection], None]] = {"Steps": steps}
    if walks and trace.config.get("assess", True):
        panels |= {"What if": what_if_panel.draw, "Judgements": what_if_panel.judgements}
    if walks:
        panels["Fusion"] = fusion_panel.draw
    panels["Compare"] = compare_panel.draw
    if walks:
        panels["Predict"] = predict_panel.draw
    panels |= {"Cost": cost, "How this was decided": how_panel.draw}
    tabs = st.tabs(list(panels), key="tab", on_change="rerun", bind="query-params")
    for tab, panel in zip(tabs, panels.values(), strict=True):
        if tab.open:
            with tab:
                panel(trace, at)


def steps(trace: Trace, at: Selection) -> None:
    """Every step as a table; a row selects its step in the graph."""
    agents = {f"Agent {a + 1}": a for a in trace.agents}
    only = len(agents) > 1 and st.segmented_control(
        "Agent", ["All", *agents], default="All", key="steps_of", label_visibility="collapsed"
    )
    table = steps_table(trace, agents.get(only or "All"))
    here = f"{at.agent}.{at.step}"
    row = table.keys.index(here) if here in table.keys else None
    key = f"steps_{only}_{row}"

    def chosen() -> None:
        picked = st.session_state[key]["selection"]["rows"]
        if picked:
            agent, _, index = table.keys[picked[0]].partition(".")
            selection.go_to_step(trace, int(agent), int(index))

    st.dataframe(
        table.frame(),
        key=key,
        hide_index=True,
        placeholder="",
        row_height=step_panel.ROW_HEIGHT,
        height=step_panel.table_height(min(len(table.rows), 12)),
        column_order=STEP_COLUMNS,
        column_config={
            "Agent": st.column_config.TextColumn(width=56),
            "Step": st.column_config.NumberColumn(width=40),
            "Action": st.column_config.TextColumn(width=96),
            "What happened": st.column_config.TextColumn(width=440),
            "Why": st.column_config.TextColumn(width=280),
            "ms": st.column_config.NumberColumn(format="%.1f", width=48),
        },
        on_select=chosen,
        selection_mode="single-row",
        selection_default={"selection": {"rows": [row], "columns": [], "cells": []}} if row is not None else None,
    )
    st.html(f"<span class='cw-quiet'>{esc('Choose a row to see its step in the graph.')}</span>")


def cost(trace: Trace, at: Selection) -> None:
    """What the run cost, by agent and in all."""
    model_cost.after(trace)
    st.dataframe(
        cost_rows(trace).frame(),
        hide_index=True,
        placeholder="none",
        height="content",
        column_config={"Seconds": st.column_config.NumberColumn(format="%.2f")},
    )
