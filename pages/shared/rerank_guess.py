"""Predict, then reveal: the reader guesses which document answers best before any ranking is shown.

The game is on while `guess` is in the address. Guesses are kept for the session.
"""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from core.figures.causal_attention.predict import Game, Guess, game_of, guess_of, score_words, verdict
from core.figures.causal_attention.ranking import Line, Ranking
from core.trace import Trace
from pages.shared import document_panel, state
from pages.shared.text import esc, md, short

GUESSES = "rerank_guesses"  # in the session: run -> guess
OPENING = 240  # characters of a document's text on its card


def is_on() -> bool:
    """Whether the rankings are hidden for a guess."""
    return bool(state.param("guess"))


def start() -> None:
    """Hide the rankings, of this run or of the next."""
    state.put({"guess": 1})


def play(trace: Trace, ranking: Ranking, judged: Mapping[str, int] | None) -> None:
    """The game in place of the ranking."""
    game = game_of(ranking, judged)
    if game is None:
        st.html("<p class='cw-note'>There are too few documents to guess among.</p>")
        st.button("Show the ranking", key="guess_leave", on_click=_leave)
        return
    made = _guesses().get(trace.run_id)
    guess = made.document if made is not None else ""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.html(
            "<p class='cw-lead'>Which of these documents answers best? Choose one; then both rankings are shown. "
            "They stand here in no order.</p>"
            if not guess
            else f"<p class='cw-lead' role='status' dir='auto'>{esc(verdict(game, ranking, guess))}</p>",
            width="stretch",
        )
        st.button("Show the ranking", key="guess_leave", type="primary" if guess else "secondary", on_click=_leave)
    if guess:
        st.html(f"<p class='cw-note cw-quiet cw-num'>In this session: {esc(score_words(_guesses().values()))}</p>")
    for row in range(0, len(game.offered), 2):
        for column, line in zip(st.columns(2), game.offered[row : row + 2], strict=False):
            with column, st.container(border=True, height="stretch", vertical_alignment="distribute"):
                _card(trace, ranking, game, line, guess)


def _card(trace: Trace, ranking: Ranking, game: Game, line: Line, guess: str) -> None:
    document = document_panel.text_of(trace, line.id)
    text = document.text.removeprefix(line.name) if document is not None else ""
    st.html(
        f"<div class='cw-card'><b dir='auto'>{esc(line.name)}</b>"
        f"<span class='cw-quiet' dir='auto'>{esc(short(text, OPENING))}</span></div>"
    )
    if not guess:
        st.button(
            "This one answers best",
            key=f"guess_{line.id}",
            help=md(line.name, 80),
            on_click=_guess,
            args=(trace, game, line.id),
        )
        return
    told = [f"similarity {line.places['baseline']}", f"now {line.places[ranking.mode]}"]
    marks = ["your guess"] if line.id == guess else []
    marks += ["judged best"] if line.id in game.best else []
    st.html(
        f"<div class='cw-num'>{esc(', '.join(told))}"
        + (f" · <b>{esc(', '.join(marks))}</b>" if marks else "")
        + "</div>"
    )


def _guess(trace: Trace, game: Game, document: str) -> None:
    _guesses()[trace.run_id] = guess_of(game, document)
    state.put({"document": document})


def _leave() -> None:
    state.put({"guess": None})


def _guesses() -> dict[str, Guess]:
    found: dict[str, Guess] = st.session_state.setdefault(GUESSES, {})
    return found
