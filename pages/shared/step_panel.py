"""Beside the graph: the selected step's hop, its candidates as a table, and why the selected one has its score."""

from __future__ import annotations

from typing import Any

import streamlit as st

from core.figures.explain import path_sentence
from core.figures.tables import Table, candidates_table, fused_table
from core.figures.words import agent_name, named
from core.trace import Trace
from pages.shared import selection, why_panel
from pages.shared.selection import Selection
from pages.shared.text import esc, many

ROW_HEIGHT = 34  # px
ROWS = 6  # candidates shown without scrolling
NAME_WIDTH = 150  # px
SHOWN = ("Candidate", "s", "c", "e", "p")
UNIT = st.column_config.NumberColumn(format="%.2f", width=36)
COLUMNS: dict[str, Any] = {
    "Relation": st.column_config.TextColumn(width="small"),
    "s": st.column_config.ProgressColumn("s", format="%.2f", min_value=0.0, max_value=1.0, width=84),
    "c": UNIT,
    "e": UNIT,
    "p": UNIT,
    "cau": UNIT,
    "Rank": st.column_config.NumberColumn(width=52),
    "BM25": st.column_config.NumberColumn(format="%.2f"),
}


def table_height(rows: int) -> int:
    """The height in px of a data frame that shows `rows` rows under its header, none of them cut."""
    return ROW_HEIGHT * (rows + 1) + 3


def draw(trace: Trace, at: Selection) -> None:
    """The panel; for a method without hops, the list it ranked."""
    hop, judged = selection.hop_at(trace, at)
    if hop is None:
        st.html(
            "<div class='cw-step'><b>Ranked list</b>"
            f"<span class='cw-quiet'>{many(len(trace.ranked), 'node')}</span></div>"
        )
        choose_node(trace, fused_table(trace), at, key=f"ranked_{at.agent}", rows=14)
        return
    shown, total = len(hop.candidates), hop.total
    size = many(shown, "neighbour") if shown >= total else f"{shown:,} of {many(total, 'neighbour')}"
    way = esc(path_sentence(hop)) if hop.path else ""
    stays = f"Stays at step {at.step} while the walk plays, and follows when it pauses."
    st.html(
        f"<div class='cw-step'><b>{esc(agent_name(at.agent))} at {esc(named(hop.node.name))}: "
        f"{esc(size)}</b><div class='cw-way cw-quiet'><span dir='auto'>{way}</span>"
        f"<span>{esc(stays)}</span></div></div>"
    )
    table = candidates_table(hop, judged)
    columns = SHOWN if judged is not None else ("Candidate", "Relation", "BM25")
    choose_node(trace, table, at, key=f"hop_{at.agent}_{hop.index}", rows=ROWS, columns=columns)
    why_panel.draw(trace, at, hop, judged)


def choose_node(
    trace: Trace,
    table: Table,
    at: Selection,
    *,
    key: str,
    rows: int,
    columns: tuple[str, ...] | None = None,
    name_width: int = NAME_WIDTH,
) -> None:
    """A table of nodes; choosing a row selects its node, and the selected node's row is marked.

    name_width: of a candidate's name, in px: what a place beside the graph has, else more.
    """
    row = table.keys.index(at.node) if at.node in table.keys else None
    key = f"{key}_{row}"

    def chosen() -> None:
        picked = st.session_state[key]["selection"]["rows"]
        selection.pick(trace, table.keys[picked[0]] if picked else "")

    st.dataframe(
        table.frame(),
        key=key,
        hide_index=True,
        row_height=ROW_HEIGHT,
        placeholder="",
        height=table_height(min(rows, len(table.rows))),
        column_order=columns,
        column_config={**COLUMNS, "Candidate": st.column_config.TextColumn(width=name_width)},
        on_select=chosen,
        selection_mode="single-row",
        selection_default={"selection": {"rows": [row], "columns": [], "cells": []}} if row is not None else None,
    )
