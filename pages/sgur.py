"""SGUR: a diagnosis in rounds. Tell a complaint, see the belief move, and see why the next question is the next."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import streamlit as st

from core.figures.sgur import rounds as by_round
from core.sgur.steps import Reply
from core.trace import Trace
from pages.shared import keeping, places, runs, shell, state
from pages.shared.messages import caught
from pages.shared.open_trace import open_trace
from pages.shared.sgur import board, engines, exports, guess, links, patients, questions, sessions, start, tabs, tell

if TYPE_CHECKING:
    from core.sgur.patients import Patient
    from core.sgur.session import Session

shell.begin()
state.keep_address("sgur", sessions.ADDRESS)

run_id = state.param("run")
trace: Trace | None = None
if run_id:
    with caught(kept="the other sessions"):
        trace = runs.load(run_id, kept="all other sessions", hint=sessions.NOT_HERE)
    places.lead(trace, "sgur")
    if trace is None:
        state.forget_address("sgur", sessions.ADDRESS[1:])
here = engines.follow(trace) if trace is not None else True
source = engines.current()
state.save_address("sgur", sessions.ADDRESS)
engine = engines.opened(source.name) if here else None
session: Session | None = None
if engine is not None:
    with caught(kept="the session, as it was held"):
        session = sessions.opened(engine, trace) if trace is not None else sessions.new(engine)
missing = by_round.gaps(trace) if trace is not None else ""
if trace is not None:
    links.check(trace, engine)
if missing:
    session = None  # what is missing cannot be made up, so nothing is built on it
shell.head(
    "SGUR",
    data=trace.dataset if trace else engine.graph.dataset if engine else None,
    decided_by=trace.decided_by if trace else "alignment engine, no model",
    run_id=trace.run_id if trace else "",
    exports=exports.of(trace) if trace else (),
    keep=lambda: keeping.draw(trace, can_run=False) if trace else None,
)
notices = trace.notices if trace else engine.graph.notices if engine else ()
engines.bar(source, notices, on_change=sessions.leave)


def kept(made: Session) -> str:
    """Keep a session that moved on; its id."""
    questions.stop_preview()
    return sessions.keep(made, run_id)


def give(answers: Mapping[str, Reply]) -> None:
    """A callback: answer questions."""
    if session is not None:
        with caught(kept="the session as it was"):
            kept(session.answer(answers))


def undo() -> None:
    """A callback: take the last move back; before the first one there is no session."""
    if session is not None:
        with caught(kept="the session as it was"):
            kept(session.undo()) if session.round > 1 else sessions.leave()


def use(changes: dict[str, Any]) -> None:
    """A callback: the whole session with other settings."""
    if session is not None:
        with caught(kept="the session as it was"):
            kept(session.with_config(**changes))


def told_by(patient: Patient, source_words: str) -> None:
    """A callback: a session begins with what a patient tells."""
    if session is not None:
        with caught(kept="the page as it was"):
            made = session.tell_ids(patient.observed, patient.excluded)
            patients.remember(patient, kept(made))


if here:
    engines.draw(source.name)
if trace is None or not trace.steps:
    if engine is not None and session is not None:
        said = start.by_link(engine) or start.draw(engine, source.name, told_by)
        if said is not None:
            with caught(kept="what was read"):
                kept(session.tell(*said))
                tell.clear()
                st.rerun()
    open_trace(expanded=False)
    st.stop()
at = by_round.round_at(trace, state.number("round"))
if at is None:
    st.stop()
last = by_round.rounds(trace)[-1].number
is_last = at.number == last and not missing
sessions.say_what_is_wrong(trace, session, missing)
with st.container(horizontal=True, vertical_alignment="center", gap="small", key="sgur_moves"):
    board.choose_round(trace, at)
    board.actions(session, undo, sessions.leave, guess.start)
if guess.is_on():
    guess.play(trace, at)
    st.stop()
st.html(board.held(at))
if session is not None and is_last:
    with st.expander("Tell more", key=f"sgur_more_{tell.turn()}"):
        more = tell.draw(session.engine, source.name, first=False)
    if more is not None:
        with caught(kept="what was read"):
            kept(session.tell(*more))
            tell.clear()
            st.rerun()
    if (patient := patients.current(session.engine, trace.run_id)) is not None:
        patients.draw(session, patient, give, trace.run_id)
with caught(kept="the session"):
    board.draw(trace, at, session, give, is_last=is_last)
tabs.draw(trace, at, sessions.at_round(session, at.number) if session is not None else None, use)
