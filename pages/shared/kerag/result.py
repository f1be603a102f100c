"""A KERAG run on the page: while it runs, and when it is over."""

from __future__ import annotations

import streamlit as st

from core.figures.kerag.parts import Parts, parts_of
from core.kerag.take_away import take_away
from core.trace import Trace
from pages.shared import messages, model_cost, runs, state
from pages.shared.kerag import answer_card, columns, guess, place, tabs
from pages.shared.messages import Message
from pages.shared.text import esc, many, short


def watch(trace: Trace) -> None:
    """The columns fill as the steps come."""
    st.fragment(_watch, run_every=0.5)(trace)


def _watch(trace: Trace) -> None:
    state.catch_up()
    now = runs.progress(trace.run_id)
    if now.ended:
        st.rerun()
    with st.container(border=True, horizontal=True, vertical_alignment="center", key="running"):
        said = doing(parts_of(now.steps)) if now.steps else now.message or "looking for what the question names"
        st.html(
            f"<div role='status'><b>{esc(said[:1].upper() + said[1:])}</b> "
            f"<span class='cw-quiet cw-num'>{now.seconds:.0f} s · {many(len(now.steps), 'step')}</span>"
            f"{model_cost.so_far(now, trace.usage.price)}</div>",
            width="stretch",
        )
        st.button("Stop", key="stop_button", on_click=runs.stop, args=(trace.run_id,))
    columns.running(tuple(now.steps))


def _kept(parts: Parts) -> str:
    return "what is drawn below" if parts.topic is not None else "the question and its settings"


def doing(parts: Parts) -> str:
    """What is being decided, as the steps so far tell."""
    if parts.topic is None:
        return "looking for what the question names"
    if parts.plan is None:
        return f"looking at the relations at hop {len(parts.schema) + 1}"
    return "retrieving the triples, and reasoning over them"


def draw(trace: Trace, *, can_run: bool) -> None:
    """Answer, columns, tabs."""
    parts = parts_of(trace.steps)
    if guess.is_on(trace, parts):
        guess.play(trace, parts)
        return
    at = place.current(parts)
    guess.told(trace)
    if trace.status != "finished":
        how = {"failed": "failed", "stopped": "was stopped"}.get(trace.status, "was cut off")
        words = f"this run {how}" + (f": {trace.error}" if trace.error else "")
        messages.draw(Message(words, kept=_kept(parts), hint="Press Run to ask again."), key="ended")
    if parts.failed and parts.failed[0].error != trace.error:  # else the message above says it
        first = parts.failed[0]
        st.html(
            f"<p class='cw-note'>⚠ <b>{many(len(parts.failed), 'step')} failed.</b> Could not {esc(first.action)}: "
            f"{esc(short(first.error, 200))}</p>"
        )
    model_cost.after(trace)
    left = take_away(trace, at.without) if at.without else None
    answer_card.draw(trace, parts, at, left, can_run=can_run)
    columns.ended(trace, parts, at, left, can_run=can_run)
    tabs.draw(trace, at)
