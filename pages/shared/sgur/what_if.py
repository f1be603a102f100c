"""The last round with other settings, at once; and what would change the belief's mind. Nothing is kept of either.

Not here: how a round is made anew (core/sgur/session.py, core/sgur/topple.py).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import streamlit as st

from core.figures.sgur.belief import belief_bars, belief_table
from core.figures.sgur.tables import questions_table
from core.figures.tables import Cell, Table
from pages.shared import bridge, charts, twins
from pages.shared.text import esc

if TYPE_CHECKING:
    from core.sgur.session import Session
    from core.sgur.topple import Changed

SLIDERS: dict[str, tuple[str, float, float, float]] = {  # setting: what it is called, least, most, step
    "beta": ("β: temperature of the belief", 0.02, 1.0, 0.01),
    "alpha": ("α: share of structure", 0.0, 1.0, 0.05),
    "size_weight": ("Weight of a hypothesis's size", 0.0, 2.0, 0.05),
    "specificity": ("Weight of rare observations", 0.0, 3.0, 0.1),
}
CHANGES = {"yes": "answered yes", "no": "answered no", "without": "never told"}
LITERAL = (
    "The paper taken literally lets only equal nodes meet at no cost, moves only the mass that both sides share, and "
    "asks nothing for what stays behind. The plan that moves equal nodes onto each other then costs nothing for every "
    "hypothesis that shares anything, so nearly all stand at distance 0 and the belief cannot tell them apart. "
    "Measured on exact terms, the truth is among its first three in 4 of 100 cases. Causeway's own terms are how "
    "alike two observations are, the cost of unmatched evidence, and the size of a hypothesis."
)


def draw(session: Session, use: Callable[[dict[str, Any]], None]) -> None:
    """The sliders, and the belief with them beside the one that was made."""
    was = session.config
    columns = st.columns(5, gap="medium")
    changes: dict[str, Any] = {}
    for column, (name, (title, least, most, step)) in zip(columns, SLIDERS.items(), strict=False):
        value = min(max(float(getattr(was, name)), least), most)
        chosen = column.slider(title, least, most, value, step, key=f"sgur_if_{name}")
        if chosen != value:
            changes[name] = chosen
    kappa = columns[4].slider("κ: leaders asked about", 1, 20, min(was.kappa, 20), key="sgur_if_kappa")
    if kappa != min(was.kappa, 20):
        changes["kappa"] = kappa
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        literal = st.toggle("The paper taken literally", was.literal, key="sgur_if_literal")
        if literal != was.literal:
            changes["literal"] = literal
        if changes:
            st.button("Use these from now on", key="sgur_use", on_click=use, args=(changes,))
            st.button("As it was made", key="sgur_if_reset", on_click=_reset)
    if literal:
        st.html(f"<p class='cw-note cw-prose'>{esc(LITERAL)}</p>")
    began = time.perf_counter()
    then = session.what_if(**changes) if changes else session
    spent = time.perf_counter() - began
    if then.belief is None or session.belief is None:
        return
    said = (
        f"{session.belief.entropy_bits:.2f} → {then.belief.entropy_bits:.2f} bits, worked out in {spent:.2f} s. "
        "Nothing is kept unless you use it."
        if changes
        else "Move a slider: the last round is made anew with it, and nothing else changes."
    )
    st.html(f"<p class='cw-note cw-quiet cw-num'>{esc(said)}</p>")
    left, right = st.columns([1.35, 1], gap="medium")
    with left:
        bars = belief_bars(
            then.belief,
            session.belief if changes else None,
            bridge.theme(),
            before_name="as made",
            after_name="with these" if changes else "now",
        )
        charts.draw(bars, key="sgur_if_bars")
        with st.expander("As a table", key="sgur_if_twin"):
            twins.draw(belief_table(then.belief, session.belief), key="sgur_if_table")
    with right:
        twins.draw(questions_table(then.questions), key="sgur_if_questions")


def draw_changes(session: Session) -> None:
    """The answers that would topple the leader, and the evidence that it stands on."""
    leader = session.belief.beliefs[0] if session.belief is not None and session.belief.beliefs else None
    if leader is None:
        st.html("<p class='cw-quiet'>There is no leader yet.</p>")
        return
    name = leader.hypothesis.name
    st.html(
        f"<p class='cw-note'>Which answers would put another hypothesis before <b>{esc(name)}</b>, and on which "
        "evidence does it stand? Each line is a whole round that is worked out and thrown away.</p>"
    )
    found = _kept(session)
    if found is None:
        st.button("Work it out", key="sgur_changes", on_click=_work_out, args=(session,))
        return
    topplers = [c for c in found if c.topples]
    said = (
        f"{len(topplers)} of {len(found)} changes would put another hypothesis first."
        if topplers
        else f"None of these {len(found)} changes would: the leader stands on more than one leg."
    )
    st.html(f"<p class='cw-note'><b>{esc(said)}</b></p>")
    twins.draw(changes_table(found), key="sgur_changes_table")


def changes_table(found: tuple[Changed, ...]) -> Table:
    """What was tried, the topplers first, then by what the leader would be left with."""
    ordered = sorted(found, key=lambda c: (not c.topples, c.kept))
    rows: tuple[dict[str, Cell], ...] = tuple(
        {
            "If": f"{c.observation.name}: {CHANGES[c.change]}",
            "Then first": c.leader.name,
            "With, %": round(100 * c.probability, 4),
            "The present leader, %": round(100 * c.kept, 4),
            "Changes its mind": "yes" if c.topples else "no",
        }
        for c in ordered
    )
    columns = ("If", "Then first", "With, %", "The present leader, %", "Changes its mind")
    return Table("What would change it", columns, rows, tuple(c.observation.id for c in ordered))


def _work_out(session: Session) -> None:
    from core.sgur.topple import changes

    st.session_state["sgur_changes_of"] = (session, tuple(changes(session)))


def _kept(session: Session) -> tuple[Changed, ...] | None:
    kept: tuple[Session, tuple[Changed, ...]] | None = st.session_state.get("sgur_changes_of")
    return kept[1] if kept is not None and kept[0] is session else None


def _reset() -> None:
    for name in (*SLIDERS, "kappa", "literal"):
        st.session_state.pop(f"sgur_if_{name}", None)
