"""SGUR: a diagnosis in rounds. Tell a complaint, see the belief move, and see why the next question is the next."""

from __future__ import annotations

import streamlit as st

from core.figures.sgur import rounds as by_round
from core.figures.sgur.belief import belief_bars, belief_table, entropy_curve, entropy_table
from core.sgur.steps import Reply
from core.trace import Trace
from pages.shared import bridge, charts, places, runs, shell, state, twins
from pages.shared.messages import caught
from pages.shared.sgur import engines, questions, sessions, tell
from pages.shared.text import esc

shell.begin()
state.keep_address("sgur", sessions.ADDRESS)

run_id = state.param("run")
trace: Trace | None = None
if run_id:
    with caught(kept="the other sessions"):
        trace = runs.load(run_id)
    places.lead(trace, "sgur")
    if trace is None:
        state.forget_address("sgur", ("run", "round"))
source = engines.current()
state.save_address("sgur", sessions.ADDRESS)
engine = engines.opened(source.name)
shell.head(
    "SGUR",
    data=trace.dataset if trace else engine.graph.dataset if engine else None,
    decided_by=trace.decided_by if trace else "alignment engine, no model",
    run_id=trace.run_id if trace else "",
)
engines.draw(source.name)
if engine is None:
    st.stop()
session = sessions.opened(engine, trace) if trace is not None else sessions.new(engine)
for notice in engine.graph.notices:
    st.html(f"<p class='cw-note'>{esc(notice)}</p>")


def give(observation: str, reply: Reply) -> None:
    """A callback: answer a question."""
    with caught(kept="the session as it was"):
        st.session_state.pop(questions.PREVIEW, None)
        sessions.keep(session.answer({observation: reply}), run_id)


def undo() -> None:
    """A callback: take the last move back."""
    with caught(kept="the session as it was"):
        st.session_state.pop(questions.PREVIEW, None)
        sessions.keep(session.undo(), run_id)


with st.expander("Tell", expanded=session.round == 0, key="sgur_told"):
    said = tell.draw(engine, first=session.round == 0)
if said is not None:
    with caught(kept="what was read"):
        sessions.keep(session.tell(*said), run_id)
        tell.clear()
        st.rerun()
if session.round and trace is not None:
    at = by_round.round_at(trace, state.number("round"))
    with st.container(horizontal=True):
        st.button("Undo", key="sgur_undo", on_click=undo)
        st.button("New session", key="sgur_new", on_click=sessions.leave)
    preview = questions.preview_of(session)
    left, right = st.columns([1.2, 1], gap="medium")
    theme = bridge.theme()
    with left:
        if preview is not None:
            ahead, words = preview
            st.html(f"<p><b>Preview</b>, if {esc(words)}. Nothing is kept of it.</p>")
            charts.draw(
                belief_bars(ahead.belief, session.belief, theme, before_name="now", after_name="then"), key="sgur_ahead"
            )
        else:
            charts.draw(belief_bars(at.belief if at else None, at.before if at else None, theme), key="sgur_bars")
        twins.draw(belief_table(at.belief if at else None, at.before if at else None), key="sgur_bars_table")
    with right:
        charts.draw(entropy_curve(trace, theme, at=at.number if at else None), key="sgur_curve")
        twins.draw(entropy_table(trace), key="sgur_curve_table")
        questions.draw(session, session.questions, give)
