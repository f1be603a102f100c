"""The answer of a run: its text, the evidence it quotes, and citations that select their nodes."""

from __future__ import annotations

import streamlit as st

from core.figures.words import listed
from core.trace import Answer, Evidence, Trace
from pages.shared import failed_panel, selection
from pages.shared.text import esc, many, md, short

SHOWN = 3  # pieces of evidence beside the answer; up to MOST open by a click
MOST = 30
LONG = 140  # characters from which an answer is set smaller


def draw(trace: Trace) -> None:
    """The answer card: the text at the left, the evidence it rests on at the right; none for a run cut short.

    Above it stands what failed on the way.
    """
    failed_panel.draw(trace)
    if trace.answer is None and trace.status != "finished":
        return
    with st.container(border=True, key="answer"):
        if trace.answer is None or not trace.answer.text.strip():
            st.html(f"<div class='cw-answer'>{esc(without_answer(trace))}</div>")
            return
        evidence = list(dict.fromkeys(e for claim in trace.answer.claims for e in claim.evidence))
        left, right = st.columns([1, 1.2], gap="medium") if evidence else (st.container(), st.container())
        left.html(in_short(trace.answer))
        with right, st.container(gap=None):
            for number, piece in enumerate(evidence[:SHOWN], 1):
                _draw_piece(trace, number, piece)
            if len(evidence) > SHOWN:
                with st.popover(many(len(evidence) - SHOWN, "more quote"), type="tertiary"):
                    for number, piece in enumerate(evidence[SHOWN:MOST], SHOWN + 1):
                        _draw_piece(trace, number, piece)


def in_short(answer: Answer) -> str:
    """The text, set small when it is long; an offline answer, which lists links, is headed by the nodes it ends in."""
    long = len(answer.text) > LONG
    named = [claim.evidence[-1].node.name for claim in answer.claims if claim.evidence]
    head = ""
    offline = bool(named) and "offline policy" in answer.decided_by  # others head their text themselves
    if offline:
        head = f"<div class='cw-answer' dir='auto'>{esc(listed([short(n, 60) for n in dict.fromkeys(named)], 5))}</div>"
    small = " cw-long" if long or offline else ""
    return f"{head}<div class='cw-answer{small}' role='note' dir='auto'>{esc(answer.text)}</div>"


def _draw_piece(trace: Trace, number: int, piece: Evidence) -> None:
    with st.container(horizontal=True, wrap=False, vertical_alignment="center", gap="small", key=f"piece_{number}"):
        st.button(
            md(f"[{number}] {piece.node.name}", 40),
            key=f"cite_{number}",
            type="tertiary",
            on_click=selection.pick,
            args=(trace, piece.node.id),
        )
        quote = f"“{short(piece.quote, 220)}”" if piece.quote else ""
        link = short(piece.link, 160)
        whole = f"{quote} {link}".strip()
        st.html(
            f"<div class='cw-one-line' dir='auto' title='{esc(whole)}'>"
            f"<span class='cw-quiet'>{esc(link)}</span> {esc(quote)}</div>",
            width="stretch",
        )


def without_answer(trace: Trace) -> str:
    """What a run without an answer has to show."""
    best = ", ".join(r.name for r in trace.ranked[:3])
    return f"No answer was written. Ranked first: {best}." if best else "Nothing was found."
