"""One ranking on the page: what it did in words, the slope chart, and the selected document with why it stands there.

All of it is redrawn in a fragment: a moved slider ranks again from the trace alone. The selection is `document` in the
address. Not here: the sliders (rerank_settings.py), the game (rerank_guess.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from core.figures.causal_attention.document_view import document_view
from core.figures.causal_attention.ranking import Ranking, fallen, headline, ranking_of
from core.figures.causal_attention.slope import ROWS, slope_data
from core.figures.causal_attention.tables import ranking_table
from core.trace import Trace
from pages.shared import bridge, corpora, document_panel, rerank_exports, rerank_guess, rerank_settings, state
from pages.shared.text import esc

if TYPE_CHECKING:
    from core.causal_attention.index import CausalIndex

ASSETS = Path(__file__).resolve().parents[2] / "assets"
ROW_HEIGHT = 34  # px
GAME = "rerank_game"  # in the session: whether the page was drawn with a game on
SHOWN = ("Place", "Document", "Shift", "s_sim", "s_c", "Absorbed", "Reason")
_slope = st.components.v2.component(
    "causeway_slope",
    html="<div class='slope-root' role='group' aria-label='Slope chart of the ranking'></div>",
    css=(ASSETS / "slope.css").read_text(encoding="utf-8"),
    js="\n".join((ASSETS / name).read_text(encoding="utf-8") for name in ("slope.js", "slope_bridge.js")),
)


def draw(trace: Trace, index: CausalIndex | None = None) -> None:
    """The ranking of a finished run."""
    rerank_settings.follow(trace)
    st.session_state[GAME] = rerank_guess.is_on()
    st.fragment(_draw, key="ranking")(trace)


def _draw(trace: Trace) -> None:
    if rerank_guess.is_on() != st.session_state.get(GAME):
        st.rerun()  # a game takes the place of the whole run, and gives it back
    again = rerank_settings.ranked_again(trace)
    ranking = ranking_of(again, rerank_settings.mode_of(trace))
    if ranking is None:
        st.html("<p class='cw-quiet'>This run ended before it ranked: there is nothing to draw.</p>")
        return
    judged = document_panel.judged_in(corpora.of(trace), trace.question)
    rerank_exports.remember(again)
    if rerank_guess.is_on():
        rerank_guess.play(trace, ranking, judged)
        return
    said = "".join(f"<p dir='auto'>{esc(line)}</p>" for line in headline(ranking, judged))
    st.html(f"<div class='rr-headline' role='status'>{said}</div>")
    rerank_settings.draw(trace, ranking.modes, ranking.mode)
    selected = _selected(trace, ranking)
    view = document_view(again, ranking, selected, document_panel.text_of(trace, selected), judged)
    left, right = st.columns([1.35, 1], gap="medium")
    with left:
        if state.param("look") == "table":
            _table(ranking, judged, selected)
        else:
            _chart(ranking, judged, selected)
        if view is not None:
            document_panel.why(view)
    with right:
        if view is not None:
            document_panel.draw(view, again, ranking)


def _selected(trace: Trace, ranking: Ranking) -> str:
    """The address's document, else the one whose fall in the run says most, else the first.

    It is taken from the run as it was made, so that a moved slider does not turn to another document.
    """
    named = state.param("document")
    if ranking.line(named) is not None:
        return named
    own = ranking_of(trace)
    fell = fallen(own) if own is not None else None
    return fell.id if fell is not None else ranking.ordered[0].id if ranking.lines else ""


def choose(document: str) -> None:
    """Select a document."""
    state.put({"document": document})


def _chart(ranking: Ranking, judged: Mapping[str, int] | None, selected: str) -> None:
    def chosen() -> None:
        picked = st.session_state["slope"].get("document")
        if picked:
            choose(str(picked))

    data = slope_data(
        ranking,
        bridge.theme(),
        between=rerank_settings.between(ranking.modes),
        selected=selected,
        judged=judged,
        rows=max(ROWS, ranking.size),
    )
    _slope(key="slope", data=data, on_document_change=chosen)


def _table(ranking: Ranking, judged: Mapping[str, int] | None, selected: str) -> None:
    table = ranking_table(ranking, judged)
    row = table.keys.index(selected) if selected in table.keys else None
    key = f"ranking_table_{row}"

    def chosen() -> None:
        picked = st.session_state[key]["selection"]["rows"]
        if picked:
            choose(table.keys[picked[0]])

    number = st.column_config.NumberColumn(format="%.2f", width=56)
    st.dataframe(
        table.frame(),
        key=key,
        hide_index=True,
        row_height=ROW_HEIGHT,
        height=ROW_HEIGHT * (min(len(table.rows), 12) + 1) + 3,
        column_order=(*SHOWN, *(c for c in table.columns if c.startswith("Place:") or c == "Judged")),
        column_config={
            "Place": st.column_config.NumberColumn(width=48),
            "Document": st.column_config.TextColumn(width=320),
            "Shift": st.column_config.NumberColumn(format="%+d", width=48),
            "s_sim": number,
            "s_c": number,
            "Absorbed": st.column_config.NumberColumn(format="percent", width=72),
            "Reason": st.column_config.TextColumn(width=200),
        },
        on_select=chosen,
        selection_mode="single-row",
        selection_default={"selection": {"rows": [row], "columns": [], "cells": []}} if row is not None else None,
    )
