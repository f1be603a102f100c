"""A run while it runs: what is being done, for how long, a lane for each agent, what it cost so far, and Stop."""

from __future__ import annotations

import streamlit as st

from core.figures.lanes import Lane, lanes, lanes_html
from core.runs import RunState
from core.trace import Trace
from pages.shared import model_cost, question, runs, shell, state
from pages.shared.text import esc, many


def watch(head: Trace) -> None:
    """Draw and redraw the run until it ends; then the page is drawn anew, from its trace.

    head: what is known of it from its beginning: its id, method and settings.
    """
    shell.style("lanes.css")
    st.fragment(_watch, run_every=0.5)(head)


def _watch(head: Trace) -> None:
    state.catch_up()
    now = runs.progress(head.run_id)
    if now.ended:
        st.rerun()
    drawn = drawn_of(head, now)
    with st.container(border=True, key="running"):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.html(headline(now, drawn), width="stretch")
            st.button("Stop", key="stop_button", on_click=runs.stop, args=(head.run_id,))
        st.html(f"<div class='cw-doing'>{model_cost.so_far(now, head.usage.price)}</div>")
        st.progress(now.progress or 0.0) if now.progress is not None else st.html("<div class='cw-moving'></div>")
        st.html(lanes_html(drawn, hops=head.method in question.WALKERS))


def drawn_of(head: Trace, now: RunState) -> tuple[Lane, ...]:
    """The lanes: as many as the run has agents, from the first moment on."""
    walks = head.method in question.WALKERS
    agents = int(head.config.get("agents", question.DEFAULTS.agents)) if walks else 1
    return lanes(now.steps, agents, judged=head.method == "cara" and bool(head.config.get("assess", True)))


def headline(now: RunState, drawn: tuple[Lane, ...] = ()) -> str:
    """What is going on, and since when."""
    doing = now.message
    if not doing and now.steps:
        doing = "writing the answer" if all(lane.ended for lane in drawn) else "the agents are walking"
    doing = doing or "starting"
    return (
        f"<div role='status'><b>{esc(doing[:1].upper() + doing[1:])}</b> "
        f"<span class='cw-quiet cw-num'>{now.seconds:.0f} s · {many(len(now.steps), 'step')}</span></div>"
    )
