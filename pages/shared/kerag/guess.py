"""Predict, then reveal: the reader sees the plan and guesses the answer before it is shown.

The game is on while `guess` is in the address and no guess was made. Guesses are kept for the session.
"""

from __future__ import annotations

import streamlit as st

from core.figures.kerag.parts import Parts
from core.figures.kerag.predict import choices, right_one
from core.trace import Trace
from pages.shared import state
from pages.shared.kerag import plan_column
from pages.shared.text import esc, many, md

GUESSES = "kerag_guesses"  # in the session: run -> (guess, right)


def is_on(trace: Trace, parts: Parts) -> bool:
    """Whether the answer is hidden for a guess."""
    return bool(state.param("guess")) and trace.run_id not in _guesses() and parts.summary is not None


def play(trace: Trace, parts: Parts) -> None:
    """The game in place of the run."""
    left, right = st.columns([1.3, 1], gap="medium")
    with left, st.container(border=True, key="kerag_game"):
        st.html(f"<p class='cw-lead' dir='auto'>{esc(trace.question)}</p>")
        st.html("<p class='cw-quiet'>What will the answer be? You see the plan; the reasoning comes after.</p>")
        for number, choice in enumerate(choices(parts, trace.question)):
            st.button(md(choice, 160), key=f"kerag_guess_{number}", on_click=_guess, args=(trace, parts, choice))
        st.button("Show the run", key="kerag_guess_leave", type="tertiary", on_click=_leave)
    with right, st.container(border=True):
        plan_column.draw(parts, None)


def told(trace: Trace) -> None:
    """Above a run: what came of a guess, and the score of the session."""
    made = _guesses().get(trace.run_id)
    if made is None or not state.param("guess"):
        return
    guess, right = made
    rights, all_of = sum(r for _, r in _guesses().values()), len(_guesses())
    verdict = "You guessed as the run answers" if right else "The run answers otherwise"
    st.html(
        f"<p class='cw-note' role='status'><b>{verdict}.</b> Your guess: <span dir='auto'>{esc(guess)}</span>. "
        f"<span class='cw-quiet cw-num'>{rights} of {many(all_of, 'guess', 'guesses')} in this session.</span></p>"
    )


def begin(trace: Trace) -> None:
    """A callback: hide this run's answer."""
    _guesses().pop(trace.run_id, None)
    state.put({"guess": 1, "without": None, "triple": None, "node": None, "step": None})


def _guess(trace: Trace, parts: Parts, choice: str) -> None:
    _guesses()[trace.run_id] = (choice, choice == right_one(parts))


def _leave() -> None:
    state.put({"guess": None})


def _guesses() -> dict[str, tuple[str, bool]]:
    found: dict[str, tuple[str, bool]] = st.session_state.setdefault(GUESSES, {})
    return found
