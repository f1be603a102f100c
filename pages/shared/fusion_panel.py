"""How the agents' lists became one: bars by agent, a table with the rank by count, one node's sum written out."""

from __future__ import annotations

import streamlit as st

from core.figures.cara import fusion_bars
from core.figures.explain import why_fused
from core.figures.tables import fused_lines, fused_table, rrf_constant
from core.trace import Trace
from pages.shared import bridge, charts, step_panel
from pages.shared.selection import Selection
from pages.shared.text import esc


def draw(trace: Trace, at: Selection) -> None:
    """The panel."""
    lines = fused_lines(trace)
    if not lines:
        st.html("<p class='cw-quiet'>No agent put a node on its list.</p>")
        return
    left, right = st.columns([1, 1], gap="medium")
    with left:
        charts.draw(fusion_bars(trace, bridge.theme(), selected=at.node), key="fusion_bars", trace=trace)
    with right:
        step_panel.choose_node(trace, fused_table(trace), at, key="fused", rows=10)
        line = next((line for line in lines if line.node.id == at.node), lines[0])
        why = why_fused(line.fused, rrf_constant(trace))
        st.html(
            f"<section class='cw-why'><div class='cw-name' dir='auto'>{esc(line.node.name)}</div>"
            f"<div class='cw-quiet'>{esc(why.label)}</div><code>{esc(why.text)}</code></section>"
        )
