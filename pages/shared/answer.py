"""The answer of a run: its text, the evidence it quotes, and citations that select their nodes."""

from __future__ import annotations

import streamlit as st

from core.trace import Evidence, Trace
from pages.shared import selection
from pages.shared.text import esc, many, md, short

SHOWN = 3  # pieces of evidence before "show all"


def draw(trace: Trace) -> None:
    """The answer card; without an answer, what there is instead."""
    with st.container(border=True, key="answer"):
        if trace.answer is None or not trace.answer.text.strip():
            st.html(f"<div class='cw-answer'>{esc(without_answer(trace))}</div>")
            return
        st.html(f"<div class='cw-answer' role='note'>{esc(trace.answer.text)}</div>")
        evidence = list(dict.fromkeys(e for claim in trace.answer.claims for e in claim.evidence))
        for number, piece in enumerate(evidence[:SHOWN], 1):
            _draw_piece(trace, number, piece)
        if len(evidence) > SHOWN:
            with st.expander(f"{len(evidence) - SHOWN} more pieces of evidence"):
                for number, piece in enumerate(evidence[SHOWN:], SHOWN + 1):
                    _draw_piece(trace, number, piece)


def _draw_piece(trace: Trace, number: int, piece: Evidence) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.button(
            md(f"[{number}] {piece.node.name}", 60),
            key=f"cite_{number}",
            type="tertiary",
            on_click=selection.pick,
            args=(trace, piece.node.id),
        )
        quote = f"“{short(piece.quote, 220)}”" if piece.quote else ""
        st.html(
            f"<span class='cw-clip'>{esc(quote)} <span class='cw-quiet'>{esc(short(piece.link, 160))}</span></span>",
            width="stretch",
        )


def without_answer(trace: Trace) -> str:
    """What a run without an answer has to show."""
    kept = f"{many(len(trace.steps), 'step')} {'is' if len(trace.steps) == 1 else 'are'} kept below"
    if trace.status == "finished":
        best = ", ".join(r.name for r in trace.ranked[:3])
        return f"No answer was written. Ranked first: {best}." if best else "Nothing was found."
    if trace.status == "stopped":
        return f"Stopped before an answer was written; {kept}."
    return f"This run did not end ({trace.status}); {kept}."
