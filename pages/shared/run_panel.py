"""A run while it runs: what is being done, for how long, each agent's steps as they come, and Stop."""

from __future__ import annotations

import streamlit as st

from core.runs import RunState
from core.trace import Step
from pages.shared import model_cost, runs
from pages.shared.text import esc, many, short

LANE = 6  # the newest steps that a lane shows


def watch(run_id: str) -> None:
    """Draw and redraw the run until it ends; then the page is drawn anew, from its trace."""
    st.fragment(_watch, run_every=0.5)(run_id)


def _watch(run_id: str) -> None:
    now = runs.progress(run_id)
    if now.ended:
        st.rerun()
    with st.container(border=True, key="running"):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.html(headline(now), width="stretch")
            st.button("Stop", key="stop_button", on_click=runs.stop, args=(run_id,))
        if asked := model_cost.so_far(now):
            st.html(asked)
        st.progress(now.progress or 0.0) if now.progress is not None else st.html("<div class='cw-moving'></div>")
        if now.agents:
            for column, agent in zip(st.columns(len(now.agents)), now.agents, strict=True):
                column.html(lane(agent, [s for s in now.steps if s.agent == agent]))


def headline(now: RunState) -> str:
    """What is going on, and since when."""
    doing = now.message or ("the agents are walking" if now.steps else "starting")
    return (
        f"<div role='status'><b>{esc(doing[:1].upper() + doing[1:])}</b> "
        f"<span class='cw-quiet cw-num'>{now.seconds:.0f} s · {many(len(now.steps), 'step')}</span></div>"
    )


def lane(agent: int, steps: list[Step]) -> str:
    """An agent's newest steps."""
    lines = "".join(f"<li>{esc(short(in_words(s), 70))}</li>" for s in steps[-LANE:])
    return (
        f"<div class='cw-lane'><b>Agent {agent + 1}</b><ol start='{max(1, len(steps) - LANE + 1)}'>{lines}</ol></div>"
    )


def in_words(step: Step) -> str:
    """One step in a few words, for a lane."""
    kind = step.kind.rpartition(".")[2].replace("_", " ")
    subject = getattr(step, "subquery", "")
    node = getattr(step, "node", None)
    if node is not None:
        return f"neighbours of {node.name}"
    if subject:
        return f"search for {subject}"
    return kind
