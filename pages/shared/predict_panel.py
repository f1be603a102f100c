"""Predict, then reveal: the viewer guesses which candidate an agent follows, hop by hop, before it is shown.

While a game is on (`predict` in the address names the agent) it takes the place of the run: the graph ends at the
step before, and answer, lists and scores are not drawn. Guesses are kept for the session.
"""

from __future__ import annotations

import streamlit as st

from core.figures import predict
from core.figures.cara_view import cara_view
from core.figures.explain import link_sentences
from core.figures.graph_page import graph_page
from core.figures.palette import Theme
from core.figures.predict import Tally, Turn
from core.figures.tables import candidates_table
from core.figures.words import agent_name
from core.trace import Trace
from pages.shared import bridge, state, step_panel
from pages.shared.selection import Selection
from pages.shared.text import esc, many, md

HEIGHT = 584  # px, of the graph
GUESSES = "guesses"  # in the session: (run, agent, hop) -> (node, right, how often BM25 is)
SEEN = "revealed"  # in the session: (run, agent) -> turns gone through


def draw(trace: Trace, at: Selection) -> None:
    """The tab: what the game is, a button for each agent, and the score so far."""
    if is_on(trace):
        st.rerun()  # a game was begun in this fragment: it takes the place of the whole run
    st.html(
        "<p class='cw-prose'>Guess which candidate an agent follows next, hop by hop, before you are shown. You see "
        "what the agent saw, without its scores; the answer and the rest of the walk are hidden until then.</p>"
    )
    with st.container(horizontal=True, vertical_alignment="center", key="predict_start"):
        for agent in trace.agents:
            found = len(predict.turns(trace, agent))
            st.button(
                f"{agent_name(agent)}: {many(found, 'hop')} to guess",
                key=f"predict_{agent}",
                disabled=not found,
                on_click=_begin,
                args=(trace, agent),
            )
        st.html(f"<span class='cw-quiet'>{esc(score().in_words())}</span>", width="content")


def is_on(trace: Trace) -> bool:
    """Whether a game on this run is being played."""
    agent = state.number("predict")
    return agent is not None and agent in trace.agents and bool(predict.turns(trace, agent))


def play(trace: Trace) -> None:
    """The game in place of the run."""
    agent = state.number("predict") or 0
    turns = predict.turns(trace, agent)
    place = _seen().get((trace.run_id, agent), 0)
    if place >= len(turns):
        _end(trace, agent, turns)
        return
    turn = turns[place]
    guess = _guesses().get((trace.run_id, agent, turn.hop.index))
    shown = predict.before(trace, turn) if guess is None else predict.after(trace, turn)
    left, right = st.columns([1.75, 1], gap="medium")
    with left:
        bridge.frame(_page(shown.content_id, shown, bridge.theme()), height=HEIGHT, alt="The walk up to this hop")
    with right, st.container(key="game"):
        st.html(
            f"<div class='cw-step'><span class='cw-quiet' dir='auto'>{esc(trace.question)}</span>"
            f"<b>{esc(predict.question(turn, place + 1, len(turns)))}</b></div>"
        )
        if guess is None:
            _offer(trace, agent, turn)
        else:
            _reveal(trace, agent, turn, guess[0])
        with st.container(horizontal=True, wrap=False, vertical_alignment="center"):
            st.html(f"<span class='cw-quiet cw-num' role='status'>{esc(score().in_words())}</span>", width="stretch")
            st.button("Leave the game", key="predict_leave", type="tertiary", on_click=_leave)


def score() -> Tally:
    """The guesses of this session, of all games."""
    return predict.tally((right, words) for _, right, words in _guesses().values())


def _offer(trace: Trace, agent: int, turn: Turn) -> None:
    for candidate in turn.offered:
        links = "; ".join(link_sentences(turn.hop, candidate))
        st.button(
            md(candidate.node.name, 70),
            key=f"guess_{turn.hop.index}_{candidate.node.id}",
            help=md(f"{links}. {candidate.text}", 300),
            on_click=_guess,
            args=(trace, agent, turn, candidate.node.id),
            width="stretch",
        )
    left_out = len(turn.hop.candidates) - len(turn.offered)
    if left_out > 0:
        st.html(f"<span class='cw-quiet'>{esc(many(left_out, 'weaker candidate'))} not offered.</span>")


def _reveal(trace: Trace, agent: int, turn: Turn, guess: str) -> None:
    st.html(f"<p class='cw-note' role='status'>{esc(predict.verdict(turn, guess))}</p>")
    table = candidates_table(turn.hop, turn.judged)
    st.dataframe(
        table.frame(),
        key=f"revealed_{turn.hop.index}",
        hide_index=True,
        row_height=step_panel.ROW_HEIGHT,
        height=step_panel.table_height(min(8, len(table.rows))),
        column_order=(*step_panel.SHOWN, "BM25") if turn.judged is not None else ("Candidate", "Relation", "BM25"),
        column_config=step_panel.COLUMNS,
    )
    st.button("Go on", key="predict_next", type="primary", on_click=_go_on, args=(trace, agent))


def _end(trace: Trace, agent: int, turns: tuple[Turn, ...]) -> None:
    keys = [(trace.run_id, agent, turn.hop.index) for turn in turns]
    own = predict.tally((r, w) for _, r, w in (_guesses()[key] for key in keys if key in _guesses()))
    session = f" In this session: {score().in_words()}" if score().of > own.of else ""
    with st.container(border=True, key="game"):
        st.html(
            f"<div class='cw-answer' role='status'>{esc(own.in_words())}</div><p class='cw-quiet'>{esc(session)}</p>"
        )
        with st.container(horizontal=True):
            st.button("See the whole run", key="predict_leave", type="primary", on_click=_leave)
            for other in trace.agents:
                if other != agent and predict.turns(trace, other):
                    st.button(
                        f"Guess {agent_name(other)}", key=f"predict_{other}", on_click=_begin, args=(trace, other)
                    )


def _begin(trace: Trace, agent: int) -> None:
    _seen().pop((trace.run_id, agent), None)
    for key in [k for k in _guesses() if k[:2] == (trace.run_id, agent)]:
        del _guesses()[key]
    state.put({"predict": agent, "agent": None, "step": None, "node": None, "other": None})


def _guess(trace: Trace, agent: int, turn: Turn, node: str) -> None:
    _guesses()[trace.run_id, agent, turn.hop.index] = (node, turn.is_right(node), turn.by_words_right)


def _go_on(trace: Trace, agent: int) -> None:
    _seen()[trace.run_id, agent] = _seen().get((trace.run_id, agent), 0) + 1


def _leave() -> None:
    state.put({"predict": None})


def _guesses() -> dict[tuple[str, int, int], tuple[str, bool, float]]:
    found: dict[tuple[str, int, int], tuple[str, bool, float]] = st.session_state.setdefault(GUESSES, {})
    return found


def _seen() -> dict[tuple[str, int], int]:
    found: dict[tuple[str, int], int] = st.session_state.setdefault(SEEN, {})
    return found


@st.cache_data(max_entries=16, show_spinner=False)
def _page(content_id: str, _shown: Trace, theme: Theme) -> str:
    return graph_page(cara_view(_shown), theme=theme, height=HEIGHT)
