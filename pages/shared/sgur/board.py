"""A session on the screen: what is held, the rounds, the belief before and after, the questions.

It draws a trace; `session` is None while its expert graph is not open (or not here), and then nothing can be answered.
Not here: the panels below (tabs.py).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import streamlit as st

from core.figures.sgur.belief import belief_bars, belief_table, rest_words
from core.figures.sgur.rounds import Round, moved_words, rounds
from core.sgur.steps import Match, ToldStep
from core.trace import Trace
from pages.shared import bridge, charts, state, twins
from pages.shared.sgur import questions
from pages.shared.sgur.questions import Give
from pages.shared.text import esc, md, short

if TYPE_CHECKING:
    from core.sgur.session import Session

ROUND = "sgur_round"  # the widget; the address has `round`


def held(one: Round, *, leader: bool = True) -> str:
    """What is known after a round, as HTML. leader: with whether it may end, which names the leader."""
    belief = one.belief
    seen = [f"<b>{esc(n.name)}</b>" for n in (belief.observed if belief else ())]
    denied = [f"not <b>{esc(n.name)}</b>" for n in (belief.excluded if belief else ())]
    lines = list(told_words(one))
    if leader and one.stop is not None:
        lines.insert(0, f"It may end here. {one.stop.reason}" if one.stop.stop else one.stop.reason)
    more = "".join(f"<p class='cw-note cw-quiet'>{esc(line)}</p>" for line in lines)
    return f"<p class='cw-lead'>{' · '.join([*seen, *denied]) or 'Nothing is held yet.'}</p>{more}"


def told_words(one: Round) -> tuple[str, ...]:
    """How this round's words were read, what of them was not understood, and what contradicts what was said before."""
    lines = []
    if isinstance(one.moved, ToldStep):
        reading = one.moved.reading
        matched = [f"“{m.said.strip()}” as {m.observation.name}" for m in reading.observed if _otherwise(m)]
        matched += [f"“{m.said.strip()}” as not {m.observation.name}" for m in reading.excluded if _otherwise(m)]
        if matched:
            lines.append(f"Read: {'; '.join(matched)}.")
        if reading.unmatched:
            left = (f"“{u.text.strip()}”" + (f" ({u.why})" if u.why else "") for u in reading.unmatched)
            lines.append(f"Not understood, and left out: {'; '.join(left)}.")
    if one.moved is not None and one.moved.reason:
        lines.append(one.moved.reason)
    return tuple(short(line, 400) for line in lines)


def _otherwise(match: Match) -> bool:
    """Whether the words differ from the observation's name, so that it is worth saying what became of them."""
    said = " ".join(match.said.casefold().split())
    return bool(said) and match.how != "hand" and said != match.observation.name.casefold()


def choose_round(trace: Trace, at: Round) -> None:
    """The rounds as buttons; the chosen one goes into the address."""
    made = rounds(trace)
    if len(made) < 2:
        return
    numbers = [one.number for one in made]
    st.session_state[ROUND] = at.number

    def chosen() -> None:
        number = st.session_state.get(ROUND)
        state.put({"round": None if number in (None, numbers[-1]) else number})
        questions.stop_preview()

    st.segmented_control(
        "Rounds",
        numbers,
        key=ROUND,
        on_change=chosen,
        required=True,
        format_func=lambda n: f"Round {n}",
        label_visibility="collapsed",
        width="content",
    )
    st.html(f"<span class='cw-quiet cw-clip'>{esc(short(moved_words(at), 200))}</span>", width="stretch")


def draw(trace: Trace, at: Round, session: Session | None, give: Give, *, is_last: bool) -> None:
    """The belief at the left, the questions at the right."""
    left, right = st.columns([1.35, 1], gap="medium")
    ahead = questions.preview_of(session) if session is not None and is_last else None
    with left:
        if ahead is not None and session is not None:
            _preview(ahead, session, give)
        else:
            before = "before this round" if at.before is not None else "before"
            bars = belief_bars(
                at.belief, at.before, bridge.theme(), selected=state.param("hypothesis"), before_name=before
            )
            _bars(bars, key="sgur_bars")
        shown = ahead[0].belief if ahead is not None else at.belief
        st.html(
            f"<p class='cw-note cw-quiet cw-num'>{esc(rest_words(shown))} Choose a bar to see why it stands there.</p>"
        )
        with st.expander("The belief as a table", key="sgur_belief_twin"):
            base = session.belief if ahead is not None and session is not None else at.before
            twins.draw(belief_table(shown, base), key="sgur_bars_table")
    with right:
        if not is_last:
            st.html("<p class='cw-note cw-quiet'>These were the questions after this round.</p>")
        elif session is None:
            st.html("<p class='cw-note cw-quiet'>Answers can be given once the expert graph is open.</p>")
        questions.draw(at.questions, give if is_last and session is not None else None)


def _preview(ahead: tuple[Session, str], session: Session, give: Give) -> None:
    then, words = ahead
    chosen = questions.previewed()
    if then.belief is not None and session.belief is not None:
        bits = f"{session.belief.entropy_bits:.2f} → {then.belief.entropy_bits:.2f} bits."
    else:
        bits = ""
    with st.container(border=True, horizontal=True, vertical_alignment="center", gap="small", key="sgur_ahead_bar"):
        st.html(
            f"<span><b>Preview</b>: {esc(words)}. <span class='cw-num'>{esc(bits)}</span> "
            "<span class='cw-quiet'>Nothing is kept of it.</span></span>",
            width="stretch",
        )
        st.button("Back to now", key="sgur_no_preview", on_click=questions.stop_preview)
        if chosen is not None:
            st.button("Give this answer", key="sgur_give", on_click=give, args=({chosen[0]: chosen[1]},))
    bars = belief_bars(
        then.belief, session.belief, bridge.theme(), selected=state.param("hypothesis"),
        before_name="now", after_name="then",
    )  # fmt: skip
    _bars(bars, key="sgur_ahead")


def _bars(figure: object, *, key: str) -> None:
    """The bars; a click selects the hypothesis, once more lets it go."""

    def chosen() -> None:
        points = st.session_state[key]["selection"]["points"]
        if points and points[0].get("customdata"):
            state.put({"hypothesis": points[0]["customdata"][0]})

    st.plotly_chart(figure, key=key, theme=None, config=charts.CONFIG, on_select=chosen, selection_mode="points")


def actions(
    session: Session | None, undo: Callable[[], None], leave: Callable[[], None], guess: Callable[[], None]
) -> None:
    """What can be done with the session as a whole."""
    if session is not None:
        st.button("Undo", key="sgur_undo", on_click=undo, help=md("Take the last round back."))
    st.button("Guess first", key="sgur_guess", on_click=guess, help=md("Hide the belief, and guess the leader."))
    st.button("New session", key="sgur_new", on_click=leave)
