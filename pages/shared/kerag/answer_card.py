"""The answer of a KERAG run; beside it what it rests on, or the answer again without the triples taken away."""

from __future__ import annotations

import streamlit as st

from core.figures.kerag.parts import Parts, headline, triple_words
from core.kerag.take_away import TakenAway
from core.trace import Trace
from pages.shared.answer import without_answer
from pages.shared.kerag import asking, place
from pages.shared.kerag.place import Place
from pages.shared.text import esc, many, short

SHOWN = 3  # triples beside the answer
CHANGES = {
    "same": "The answer stays the same",
    "changed": "The answer changes",
    "lost": "No answer is left",
    "": "A model reasoned here: only it can tell the new answer",
}


def draw(trace: Trace, parts: Parts, at: Place, left: TakenAway | None, *, can_run: bool) -> None:
    """The card; none for a run that was cut short."""
    if parts.summary is None and trace.status != "finished":
        return
    with st.container(border=True, key="answer"):
        one, other = st.columns([1, 1.2], gap="medium")
        with one:
            st.html(in_large(trace, parts))
        with other:
            if at.without and left is not None:
                _without(trace, parts, at, left, can_run=can_run)
            else:
                _rests_on(parts)


def in_large(trace: Trace, parts: Parts) -> str:
    """The answer itself, and what stands below it."""
    if parts.summary is None:
        return f"<div class='cw-answer'>{esc(without_answer(trace))}</div>"
    return _two(*headline(parts.summary))


def _two(head: str, below: str) -> str:
    more = f"<div class='cw-answer cw-long' dir='auto'>{esc(below)}</div>" if below else ""
    return f"<div class='cw-answer' role='note' dir='auto'>{esc(head)}</div>{more}"


def _rests_on(parts: Parts) -> None:
    found, numbers = parts.retrieved, parts.numbers
    if found is None or not numbers or parts.summary is None:
        return
    line_of = {t: line.number for line in reversed(parts.summary.lines) for t in line.triples}
    with st.container(gap=None):
        deciding = dict.fromkeys(t for line in reversed(parts.summary.lines) for t in line.triples if t in numbers)
        for triple in list(deciding)[:SHOWN]:
            number = numbers[triple]
            with st.container(horizontal=True, wrap=False, vertical_alignment="center", gap="small"):
                st.button(
                    f"[{number}]",
                    key=f"kerag_card_{number}",
                    type="tertiary",
                    on_click=place.cite,
                    args=(parts, line_of[triple], triple),
                )
                words = esc(triple_words(found, triple))
                st.html(f"<div class='cw-one-line' dir='auto' title='{words}'>{words}</div>", width="stretch")
        if len(numbers) > SHOWN:
            st.html(f"<div class='cw-quiet cw-small'>{many(len(numbers), 'triple')} cited in all.</div>")


def _without(trace: Trace, parts: Parts, at: Place, left: TakenAway, *, can_run: bool) -> None:
    gone = sorted(at.without)
    told = "; ".join(short(triple_words(parts.retrieved, t), 80) for t in gone[:2]) if parts.retrieved else ""
    more = f" and {len(gone) - 2} more" if len(gone) > 2 else ""
    after = _two(*headline(left.after)) if left.after is not None else ""
    partial = (
        "<p class='cw-note cw-small'>The run keeps a part of its triples: another way may be left.</p>"
        if left.partial
        else ""
    )
    st.html(
        f"<div role='status'><div class='cw-quiet cw-small' dir='auto'>Without: {esc(told)}{more}. "
        f"<b>{CHANGES[left.change]}</b>.</div>{after}{partial}</div>"
    )
    with st.container(horizontal=True, gap="small"):
        st.button(
            "Give it back" if len(gone) == 1 else "Give all back",
            key="kerag_give_back",
            on_click=place.take,
            args=(frozenset(),),
        )
        if left.after is None and can_run and parts.retrieved is not None:
            ids = tuple((h.id, r, t.id) for h, r, t in (parts.retrieved.triple(g) for g in gone))
            st.button(
                "Ask the model again without",
                key="kerag_ask_without",
                on_click=asking.without_for_good,
                args=(trace, ids),
            )
