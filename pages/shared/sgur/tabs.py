"""What can be asked of a session, in tabs below the belief: why, the alignment, the rounds, what if, and the method.

A further panel is a further line in TABS. Not here: the belief and the questions (board.py).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import streamlit as st

from core.figures.sgur.belief import entropy_curve, entropy_table
from core.figures.sgur.measured import measured
from core.figures.sgur.rounds import Round
from core.figures.sgur.tables import history_table
from core.trace import Trace
from pages.shared import bridge, charts, twins
from pages.shared.messages import caught
from pages.shared.sgur import protocol, what_if, why
from pages.shared.text import esc

if TYPE_CHECKING:
    from core.sgur.session import Session

Use = Callable[[dict[str, Any]], None]
TABS = ("Why", "Alignment", "Rounds", "What if", "What would change it", "How well it works")
NOT_SHOWN = (
    "<p><b>What did not show there.</b> Structure adds next to nothing to features: without any alignment the closed "
    "form does as well. Weighing every observation alike costs little. On exact terms a plain count of shared terms "
    "does as well as the whole method; on published cases naive Bayes does. Reading a message through the nearest "
    "clusters of the routing layer loses a fifth of its terms: without it more is understood.</p>"
    "<p><b>What did.</b> Partial alignment is far ahead of full alignment. Questions by information gain find the "
    "right hypothesis sooner than questions by lot; the leader's rarest observation is as good a question at first, "
    "and falls behind later.</p>"
)
NOT_OPEN = "<p class='cw-quiet'>This is worked out anew from a whole session, once its expert graph is open.</p>"
COMMANDS = (
    ("600 simulated patients, as the paper does", "evaluate-sgur --protocol paper"),
    ("The same, telling things inexactly", "evaluate-sgur --protocol noisy"),
    ("The same, told in words, with and without the routing layer", "evaluate-sgur --protocol text --encoder minilm"),
    ("Questions by information gain, by lot, or the leader's rarest", "evaluate-sgur --protocol acquisition"),
    ("Cases out of a file", "evaluate-sgur --protocol cases --cases FILE"),
    ("One complaint", 'diagnose --text "muscle weakness, walks on tiptoe"'),
    ("How long a round takes", "bench sgur"),
)


def draw(trace: Trace, at: Round, session: Session | None, use: Use) -> None:
    """All tabs; only the open one is worked out."""
    tabs = st.tabs(list(TABS), key="show", on_change="rerun", bind="query-params")
    for name, tab in zip(TABS, tabs, strict=True):
        if tab.open:
            with tab, caught(kept="the session"):
                _panel(name, trace, at, session, use)


def _panel(name: str, trace: Trace, at: Round, session: Session | None, use: Use) -> None:
    if name == "Why":
        why.draw(trace, at)
    elif name == "Alignment":
        why.draw_alignment(trace, at)
    elif name == "Rounds":
        _rounds(trace, at)
    elif name == "How well it works":
        _how_well(session)
    elif session is None:
        st.html(NOT_OPEN)
    elif name == "What if":
        what_if.draw(session, use)
    else:
        what_if.draw_changes(session)


def _rounds(trace: Trace, at: Round) -> None:
    left, right = st.columns([1, 1.6], gap="medium")
    with left:
        charts.draw(entropy_curve(trace, bridge.theme(), at=at.number), key="sgur_curve")
    with right:
        twins.draw(history_table(trace), key="sgur_history")
    if at.candidates is not None:
        c = at.candidates
        said = (
            f"In round {at.number}, of {c.total:,} hypotheses {c.sharing:,} have an observation like one that was told "
            f"({c.same:,} the same one), {c.compatible:,} of them in a place that fits; the closest {c.aligned:,} were "
            "aligned node by node."
        )
        st.html(f"<p class='cw-note cw-quiet cw-num'>{esc(said)}</p>")
    with st.expander("The curve as a table", key="sgur_curve_twin"):
        twins.draw(entropy_table(trace), key="sgur_curve_table")


def _how_well(session: Session | None) -> None:
    st.html(f"<div class='cw-prose'><p>{esc(what_if.LITERAL)}</p></div>")
    results = measured()
    if results:
        titles = {one.title: one for one in results}
        chosen = st.selectbox("Measured here", list(titles), key="sgur_measured") or results[0].title
        one = titles[chosen]
        twins.draw(one.table, key=f"sgur_measured_{results.index(one)}")
        st.html(
            f"<p class='cw-note cw-quiet'>On the Human Phenotype Ontology, {esc(one.day)}, with no model, by <code>"
            f"python -m core {esc(one.command)}</code>. An interval that holds 0 shows no difference.</p>"
        )
    st.html(f"<div class='cw-prose'>{NOT_SHOWN}</div>")
    with st.expander("Run a protocol here", key="sgur_protocol_here", on_change="rerun") as here:
        if session is None:
            st.html(NOT_OPEN)
        elif here.open:
            protocol.draw(session.engine)
    with st.expander("Whole protocols, on the command line", key="sgur_protocol_commands"):
        for words, command in COMMANDS:
            st.html(f"<p class='cw-note cw-quiet'>{esc(words)}</p>")
            st.code(f"python -m core {command}", language=None)
