"""Steps that failed, said above the answer: how many, why the first did, and a way to it."""

from __future__ import annotations

import streamlit as st

from core.figures.captions import kind_of
from core.trace import Step, Trace
from pages.shared import selection
from pages.shared.text import esc, many, short


def failed_steps(trace: Trace) -> list[Step]:
    """The steps that could not be carried out, in order of arrival."""
    return [step for step in trace.steps if kind_of(step) == "failed"]


def draw(trace: Trace) -> None:
    """The line; nothing for a run without a failed step."""
    failed = failed_steps(trace)
    if not failed:
        return
    first = failed[0]
    with st.container(horizontal=True, wrap=False, vertical_alignment="center", gap="small", key="failed_steps"):
        st.html(
            f"<span>⚠ <b>{len(failed)} of {many(len(trace.steps), 'step')} failed</b>; the run went on without "
            f"{'it' if len(failed) == 1 else 'them'}. First: "
            f"{esc(short(getattr(first, 'error', ''), 160))}</span>",
            width="stretch",
        )
        st.button(
            "Go to the first", key="go_to_failed", on_click=selection.go_to_step, args=(trace, first.agent, first.index)
        )
