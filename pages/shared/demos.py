"""Demos: runs that are kept on Home, to be shown again. A demo is a copy, so deleting the run leaves it.

On a server of one's own a demo is shown to every browser; on a shared one, to the browser that kept it.
"""

from __future__ import annotations

import streamlit as st

from core.store import RunSummary
from core.trace import Trace
from pages.shared import places, runs, state
from pages.shared.messages import caught
from pages.shared.text import esc, md, short

LABEL = "demo"


def label() -> str:
    """What marks the demos that this browser keeps."""
    return LABEL if state.is_local() else f"{LABEL} {state.browser()}"


def kept() -> list[RunSummary]:
    """The demos that this browser sees, newest first, its own before those of the server."""
    return [line for one in dict.fromkeys((label(), LABEL)) for line in runs.store().list(None, label=one)]


def keep(trace: Trace) -> None:
    """Keep a copy of this run as a demo, unless an equal one is there."""
    with caught(kept="the run"):
        if not is_kept(trace):
            runs.store().save(trace, label=label())


def is_kept(trace: Trace) -> bool:
    """Whether this run, or an equal one, is a demo that this browser sees."""
    alike = (d for d in kept() if d.question == trace.question and d.decided_by == trace.decided_by)
    return any(d.run_id == trace.run_id or runs.store().load(d.run_id).same_content(trace) for d in alike)


def remove(run_id: str) -> None:
    """Take a demo from Home; the run that it was copied from stays."""
    with caught(kept="the demo"):
        runs.delete(run_id)


def draw() -> None:
    """The demos on Home; nothing while there is none."""
    lines: list[RunSummary] = []
    with caught():
        lines = kept()
    if lines:
        st.subheader("Demos", anchor=False)
    for demo in lines:
        with st.container(horizontal=True, vertical_alignment="center", key=f"demo_{demo.run_id}", gap="small"):
            st.page_link(
                places.file_of(demo.method),
                label=md(demo.question, 90),
                query_params={"run": demo.run_id},
                width="stretch",
            )
            facts = [short(f"decided by {demo.decided_by}", 60), demo.dataset]
            spans = "".join(f"<span>{esc(fact)}</span>" for fact in facts)
            st.html(f"<div class='cw-facts cw-two'>{spans}</div>", width=440)
            if demo.label == label():
                st.button("Remove", type="tertiary", key=f"undemo_{demo.run_id}", on_click=remove, args=(demo.run_id,))
