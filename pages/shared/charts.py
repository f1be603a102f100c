"""A plotly chart of a run on a page: drawn in our own template, and a clicked point selects its node."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from core.trace import Trace
from pages.shared import selection

if TYPE_CHECKING:
    import plotly.graph_objects as go

CONFIG = {"displayModeBar": False, "scrollZoom": False}


def draw(figure: go.Figure, *, key: str, trace: Trace | None = None) -> None:
    """The chart. Points carry their node's id first in `customdata`."""
    if trace is None:
        st.plotly_chart(figure, key=key, theme=None, config=CONFIG)
        return

    def chosen() -> None:
        points = st.session_state[key]["selection"]["points"]
        if points and points[0].get("customdata"):
            selection.pick(trace, str(points[0]["customdata"][0]))

    st.plotly_chart(figure, key=key, theme=None, config=CONFIG, on_select=chosen, selection_mode="points")
