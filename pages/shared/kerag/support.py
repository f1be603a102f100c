"""The triples a line rests on, and what becomes of the answer without one of them.

Not here: reasoning without a triple (core/kerag/take_away.py).
"""

from __future__ import annotations

import streamlit as st

from core.figures.kerag.parts import Parts
from core.figures.words import relation_words
from core.kerag.steps import RetrieveStep, SummaryStep
from core.kerag.take_away import TakenAway, take_away
from core.trace import Trace
from pages.shared.text import esc, many

GONE = "kerag_taken"  # run id and places of the triples taken away
MOST = 40  # triples of a line that are listed
CHANGES = {
    "same": "The answer stays the same.",
    "changed": "The answer changes.",
    "lost": "No answer is left.",
    "": "A model reasoned here: the answer must be asked for again.",
}


def taken(trace: Trace) -> frozenset[int]:
    """The places of the triples that were taken away from this run."""
    run_id, gone = st.session_state.get(GONE, ("", frozenset()))
    return gone if run_id == trace.run_id else frozenset()


def draw(trace: Trace, parts: Parts, line: int) -> None:
    """The triples of the selected line, each to be taken away or given back; then what becomes of the answer."""
    if parts.retrieved is None or parts.summary is None or not parts.summary.lines:
        st.html("<p class='cw-quiet'>There is no reasoning to rest on triples.</p>")
        return
    chosen = next((one for one in parts.summary.lines if one.number == line), parts.summary.lines[0])
    gone = taken(trace)
    st.html(f"<p><b class='cw-num'>Line {chosen.number}</b> rests on {many(len(chosen.triples), 'triple')}.</p>")
    for place in chosen.triples[:MOST]:
        _triple(trace, parts.retrieved, place, place in gone)
    if len(chosen.triples) > MOST:
        st.html(f"<p class='cw-quiet'>{MOST} of {len(chosen.triples):,} are listed.</p>")
    if gone:
        left = take_away(trace, gone)
        if left is not None:
            st.html(outcome(left))
        st.button("Give all back", key="kerag_give_back", on_click=_put, args=(trace.run_id, frozenset()))


def outcome(left: TakenAway) -> str:
    """Both answers side by side, and each line with what is left of its support."""
    lines = "".join(
        f"<li>{_struck(one.line.text) if one.support == 'lost' else esc(one.line.text)} "
        f"<span class='cw-quiet'>{one.support}{f', {one.taken} taken' if one.taken else ''}</span></li>"
        for one in left.lines
    )
    after = in_words(left.after) if left.after is not None else "not known yet"
    partial = "<p class='cw-note'>The trace keeps a part of the triples: another way may be left.</p>"
    return (
        f"<div class='cw-why'><p><b>{esc(CHANGES[left.change])}</b></p>"
        f"<table class='cw-table'><tr><th>with it</th><th>without</th></tr><tr><td>{esc(in_words(left.before))}</td>"
        f"<td>{esc(after)}</td></tr></table><ol>{lines}</ol>{partial if left.partial else ''}</div>"
    )


def in_words(summary: SummaryStep) -> str:
    """An outcome, short."""
    if not summary.known:
        return "I don't know"
    names = ", ".join(node.name for node in summary.answers[:12])
    more = f" and {len(summary.answers) - 12} more" if len(summary.answers) > 12 else ""
    return f"{summary.value}: {names}{more}" if summary.value and names else summary.value or names + more


def _struck(text: str) -> str:
    return f"<s>{esc(text)}</s>"


def _triple(trace: Trace, found: RetrieveStep, place: int, gone: bool) -> None:
    head, relation, tail = found.triple(place)
    words = f"<b>{esc(head.name)}</b> {esc(relation_words(relation))} <b>{esc(tail.name)}</b>"
    with st.container(horizontal=True, wrap=False, vertical_alignment="center", gap="small"):
        st.html(f"<span dir='auto'>{f'<s>{words}</s>' if gone else words}</span>", width="stretch")
        after = taken(trace) - {place} if gone else taken(trace) | {place}
        label = "Give back" if gone else "Take away"
        st.button(label, key=f"kerag_take_{place}", on_click=_put, args=(trace.run_id, after))


def _put(run_id: str, places: frozenset[int]) -> None:
    st.session_state[GONE] = (run_id, places)
