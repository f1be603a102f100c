"""A ranking that is over, drawn from its trace: the rankings themselves, then what can be asked of them, in tabs.

A further panel is a further line in TABS: a name, and a function of the trace and of the index it was made on, which
is None where this session does not have it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import streamlit as st

from core.trace import Trace
from pages.shared import (
    dag_panel,
    gate_panel,
    ranking_facts,
    rerank_answers,
    rerank_guess,
    rerank_panel,
    stuffing_panel,
    themes_panel,
)
from pages.shared.messages import caught

if TYPE_CHECKING:
    from core.causal_attention.index import CausalIndex

Panel = Callable[[Trace, "CausalIndex | None"], None]
TABS: dict[str, Panel] = {
    "Answers": rerank_answers.draw,
    "Does it help here?": gate_panel.draw,
    "Stuffing": stuffing_panel.draw,
    "Eight themes": themes_panel.draw,
    "Causal graph": dag_panel.draw,
    "How it was ranked": ranking_facts.draw,
}


def draw(trace: Trace, index: CausalIndex | None) -> None:
    """The whole of a finished (or stopped) run."""
    for notice in trace.notices:
        ranking_facts.notice(notice)
    with caught(kept="the run"):
        rerank_panel.draw(trace, index)
    if rerank_guess.is_on():
        return  # the tabs would tell
    tabs = st.tabs(list(TABS), key="show", on_change="rerun", bind="query-params")
    for tab, panel in zip(tabs, TABS.values(), strict=True):
        if tab.open:
            with tab, caught(kept="the ranking"):
                panel(trace, index)
