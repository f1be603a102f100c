"""The session on the screen: opened by its run id, moved on, taken back; every state of it is in the store at once.

A session is rebuilt from its trace where this browser has not made it, so a link, a reload, and a file all lead to the
same place. Not here: what is drawn of it.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import streamlit as st

from core.sgur.steps import AnswerStep, SgurConfig, ToldStep
from core.store import new_run_id
from pages.shared import messages, runs, state
from pages.shared.messages import Message
from pages.shared.sgur import links
from pages.shared.text import esc

if TYPE_CHECKING:
    from core.sgur.engine import Engine
    from core.sgur.session import Session
    from core.trace import Trace

KEPT = "sgur_sessions"
MOST = 4  # sessions whose worked-out rounds are held; others are replayed from their traces
NOT_HERE = "Tell the complaint again: the same words and settings give the same session. Or open its trace file."
MOVES = (ToldStep, AnswerStep)
ADDRESS = ("data", "run", "round", "hypothesis", "show", "patient", "guess")


def new(engine: Engine) -> Session:
    """A session before its first round."""
    from core.sgur.session import Session

    return Session(engine)


def opened(engine: Engine, trace: Trace) -> Session:
    """The session of a trace: the one at hand, else replayed move by move. TraceError for other data."""
    from core.sgur.session import Session

    kept: dict[str, Session] = st.session_state.setdefault(KEPT, {})
    held = kept.get(trace.run_id)
    if held is None or held.engine is not engine or _made_by(held.trace()) != _made_by(trace):
        held = Session.from_trace(engine, trace)
        _keep(trace.run_id, held)
    return held


def keep(session: Session, run_id: str = "") -> str:
    """Put this state into the store and point the address at it: under the session's id if this browser made it, else
    under a new one, so that what somebody else shared, and a demo, stay as they are. So does what another tab has put
    there since.
    """
    ours = bool(run_id) and any(line.run_id == run_id for line in runs.store().list(None, label=runs.label()))
    if ours and _went_on(run_id):
        ours = False
        messages.add(Message("this session went on in another tab", kept="both: yours goes on as a session of its own"))
    at = run_id if ours else new_run_id()
    trace = session.trace(at, datetime.now(UTC).isoformat(timespec="milliseconds"))
    if ours:
        runs.store().replace(at, trace)
    else:
        runs.store().save(trace, label=runs.label(), run_id=at)
    _keep(at, session)
    links.made_here(at)
    state.put({"run": at, "round": None, "data": state.param("data")})
    state.save_address("sgur", ADDRESS)
    return at


def _went_on(run_id: str) -> bool:
    """Whether the store holds another state than the one that was drawn here."""
    held: Session | None = st.session_state.get(KEPT, {}).get(run_id)
    return held is not None and _made_by(held.trace()) != _made_by(runs.store().load(run_id))


def say_what_is_wrong(trace: Trace, session: Session | None, missing: str) -> None:
    """What must be known before anything is read off a session: that steps are missing, or that it was made anew."""
    if missing:
        incomplete = Message(
            f"this session is not whole: {missing}",
            kept="what there is of it, drawn below",
            hint="It cannot be gone on with. Open the file as it was downloaded.",
        )
        messages.draw(incomplete, key="sgur_gaps")
    if session is None:
        return
    from core.sgur.session import REMADE

    for notice in session.notices:
        if notice == REMADE and notice not in trace.notices:
            st.html(f"<p class='cw-note' role='status'>{esc(notice)}</p>")


def at_round(session: Session, number: int) -> Session:
    """The session as it was after that round."""
    while session.round > number and session.before is not None:
        session = session.before
    return session


def leave() -> None:
    """Begin anew; the session that was on the screen stays in the list of runs."""
    state.forget_address("sgur", ADDRESS[1:])


def _made_by(trace: Trace) -> tuple[object, ...]:
    """What a session follows from: its settings, those that its version did not have by default, and its moves."""
    moves = [s.reading if isinstance(s, ToldStep) else s.answers for s in trace.steps if isinstance(s, MOVES)]
    return (SgurConfig.model_validate(trace.config), moves)


def _keep(run_id: str, session: Session) -> None:
    kept: dict[str, Session] = st.session_state.setdefault(KEPT, {})
    kept.pop(run_id, None)
    kept[run_id] = session
    while len(kept) > MOST:
        kept.pop(next(iter(kept)))
