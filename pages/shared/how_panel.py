"""How a run was decided: who decided, the notices of the trace, the settings, and the offline policy in words."""

from __future__ import annotations

import streamlit as st

from core.trace import Trace
from pages.shared.selection import Selection
from pages.shared.text import esc


def draw(trace: Trace, at: Selection) -> None:
    """The panel."""
    items = "".join(f"<li>{esc(notice)}</li>" for notice in trace.notices)
    st.html(f"<div class='cw-prose'><p><b>{esc(trace.decided_by)}</b></p><ul>{items}</ul></div>")
