"""What a link to a session says and the session does not have: told once, and what is shown instead.

Not here: a link to a run or to data that are not here (runs.py, engines.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from core.figures.sgur.rounds import round_at, rounds
from core.trace import Trace
from pages.shared import messages, state
from pages.shared.messages import Message
from pages.shared.sgur import patients
from pages.shared.sgur.tabs import TABS
from pages.shared.text import short

if TYPE_CHECKING:
    from core.sgur.engine import Engine

FOLLOWED = "sgur_links"  # in the session: runs whose link was looked at, or that were made here


def made_here(run_id: str) -> None:
    """A session that this page moved on: its address is the page's own, and no link."""
    _followed().add(run_id)


def check(trace: Trace, engine: Engine | None) -> None:
    """Say what of the address there is not, and take it out. Once a session, when its link is opened."""
    made = rounds(trace)
    if not made or trace.run_id in _followed():
        return
    if engine is not None:
        made_here(trace.run_id)
    last, asked = made[-1].number, state.param("round")
    if asked and state.number("round") not in [one.number for one in made]:
        _drop(
            "round", f"there is no round {short(asked, 20)} in this session", f"The last one, round {last}, is shown."
        )
    at = round_at(trace, state.number("round"))
    named = state.param("hypothesis")
    listed = [b.hypothesis.id for b in at.belief.beliefs] if at is not None and at.belief is not None else []
    if named and named not in listed:
        _drop("hypothesis", "this link names a hypothesis that its round does not list", "The leader is shown.")
    tab = state.param("show")
    if tab and tab not in TABS:
        _drop("show", f"there is no part “{short(tab, 40)}” of this page", f"The part “{TABS[0]}” is shown.")
    if engine is not None and state.param("patient") and not patients.is_known(engine):
        _drop("patient", "this link names a simulated patient that there is not", "The session is shown without one.")


def _drop(name: str, what: str, instead: str) -> None:
    state.put({name: None})
    messages.add(Message(what, hint=instead))


def _followed() -> set[str]:
    found: set[str] = st.session_state.setdefault(FOLLOWED, set())
    return found
