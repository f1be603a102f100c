"""Predict, then reveal: the reader guesses which hypothesis leads before any belief is shown. On while `guess` is in
the address; guesses are kept for the session.
"""

from __future__ import annotations

import streamlit as st

from core.figures.sgur.rounds import Round
from core.sgur.wording import percent
from core.trace import Trace
from pages.shared import state
from pages.shared.sgur import board
from pages.shared.text import esc, md

GUESSES = "sgur_guesses"  # in the session: (run, round) -> (guessed, right)
OFFERED = 6


def is_on() -> bool:
    """Whether the belief is hidden for a guess."""
    return bool(state.param("guess"))


def start() -> None:
    """Hide the belief."""
    state.put({"guess": "1", "hypothesis": None})


def play(trace: Trace, at: Round) -> None:
    """The game in place of the belief."""
    st.html(board.held(at, leader=False))
    guesses: dict[tuple[str, int], tuple[str, bool]] = st.session_state.setdefault(GUESSES, {})
    made = guesses.get((trace.run_id, at.number))
    beliefs = at.belief.beliefs[:OFFERED] if at.belief is not None else ()
    if len(beliefs) < 2:
        st.html("<p class='cw-note'>There are too few hypotheses to guess among.</p>")
        st.button("Show the belief", key="guess_leave", on_click=_leave)
        return
    first = beliefs[0]
    tied = {b.hypothesis.id for b in beliefs if b.distance - first.distance < 1e-9}
    with st.container(horizontal=True, vertical_alignment="center"):
        if made is None:
            said = "Which of these do you think leads? They stand here in the order of their names."
        else:
            own = next((b for b in beliefs if b.hypothesis.id == made[0]), first)
            verdict = "You are right" if made[1] else f"It is {first.hypothesis.name}"
            said = f"{verdict}: {percent(first.probability)} for the leader" + (
                "." if made[1] else f", {percent(own.probability)} for your guess, at place {own.place:g}."
            )
        st.html(f"<p class='cw-lead' role='status'>{esc(said)}</p>", width="stretch")
        st.button(
            "Show the belief", key="guess_leave", type="primary" if made is not None else "secondary", on_click=_leave
        )
    if made is not None:
        right = sum(ok for _, ok in guesses.values())
        st.html(f"<p class='cw-note cw-quiet cw-num'>In this session: {right} of {len(guesses)} right.</p>")
    for b in sorted(beliefs, key=lambda b: b.hypothesis.name) if made is None else beliefs:
        if made is None:
            st.button(
                md(b.hypothesis.name, 120),
                key=f"guess_{b.hypothesis.id}",
                on_click=guesses.__setitem__,
                args=((trace.run_id, at.number), (b.hypothesis.id, b.hypothesis.id in tied)),
            )
        else:
            mark = " · <b>your guess</b>" if b.hypothesis.id == made[0] else ""
            st.html(f"<div class='cw-num'>{esc(b.hypothesis.name)}: {percent(b.probability)}{mark}</div>")


def _leave() -> None:
    state.put({"guess": None})
