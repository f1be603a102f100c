"""Why a candidate has its score: the equation with its numbers, the link, the rationale, and the text it came from."""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st

from core.cara.steps import AssessStep, NeighborsStep
from core.figures.explain import (
    Equation,
    Segment,
    assessment_of,
    candidate_of,
    highlight,
    key_phrases,
    link_sentences,
    question_segments,
    reading_of,
    why_score,
    why_terms,
)
from core.trace import Trace
from pages.shared.selection import Selection
from pages.shared.text import esc

MARKS = {"match": "cw-match", "mention": "cw-mention", "need": "cw-need", "cue": "cw-cue", "explained": "cw-match"}


def draw(trace: Trace, at: Selection, hop: NeighborsStep, judged: AssessStep | None) -> None:
    """The panel for the selected node, when the hop has it among its candidates."""
    candidate = candidate_of(hop, at.node)
    if candidate is None:
        st.html("<p class='cw-quiet'>Choose a node in the graph or a row above to see why it has its score.</p>")
        return
    judgement, reading = assessment_of(judged, at.node), reading_of(trace, at.agent)
    kind = f" <span class='cw-quiet'>{esc(candidate.node.type)}</span>" if candidate.node.type else ""
    parts = [f"<div class='cw-name' dir='auto'>{esc(candidate.node.name)}{kind}</div>"]
    parts += [f"<div class='cw-quiet'>{esc(sentence)}</div>" for sentence in link_sentences(hop, candidate)[:3]]
    parts.append(equations(why_score(judged, hop, at.node)))
    if judgement is not None:
        if judgement.rationale:
            parts.append(f"<div>{esc(judgement.rationale)}</div>")
        asked = marked(question_segments(trace.question, reading, judgement.explains))
        parts.append(f"<div class='cw-question' dir='auto'>{asked}</div>")
    if candidate.text:
        text = marked(highlight(candidate.text, key_phrases(hop, judgement, reading)))
        cut = " <span class='cw-quiet'>(cut)</span>" if candidate.text_cut else ""
        parts.append(f"<blockquote dir='auto'>{text}{cut}</blockquote>")
    st.html(f"<section class='cw-why' aria-label='Why this score'>{''.join(parts)}</section>")
    if judgement is not None and judgement.terms:
        with st.expander("What the judgement was computed from"):
            st.html(equations(why_terms(judgement)))


def equations(lines: Iterable[Equation]) -> str:
    """Label, bar and equation, a line each; a value within [0, 1] has a bar."""
    rows = []
    for line in lines:
        share = f"{100 * line.value:.0f}%" if 0 <= line.value <= 1 else "0"
        strong = " cw-total" if line.label == "Score" else ""
        rows.append(
            f"<div class='cw-eq{strong}'><span>{esc(line.label)}</span>"
            f"<i aria-hidden='true'><i style='width:{share}'></i></i><code>{broken(line.text)}</code></div>"
        )
    return f"<div class='cw-eqs'>{''.join(rows)}</div>"


def broken(equation: str) -> str:
    """An equation as HTML, its numbers on a line of their own."""
    left, middle, right = equation.partition(" = ")
    general, equals, numbers = right.partition(" = ")
    return esc(left + middle + general) + (f"<br>{esc(equals.strip())} {esc(numbers)}" if equals else "")


def marked(segments: Iterable[Segment]) -> str:
    """Segments as HTML, the marked ones in <mark>."""
    return "".join(
        f"<mark class='{MARKS.get(segment.mark, 'cw-match')}'>{esc(segment.text)}</mark>"
        if segment.mark
        else esc(segment.text)
        for segment in segments
    )
