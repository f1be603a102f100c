"""The reasoning, line by line: each with the triples it cites; the selected line unfolds to take them away."""

from __future__ import annotations

import streamlit as st

from core.figures.kerag.parts import Parts, triple_words
from core.kerag.steps import Line
from core.kerag.take_away import LineSupport, TakenAway
from pages.shared.kerag import place
from pages.shared.kerag.place import Place
from pages.shared.kerag.plan_column import sentence
from pages.shared.text import esc, many, short

CITED = 6  # citations that stand open behind a line
SCROLLED, LIST = 12, 360  # triples beyond which their list scrolls, and its height in px
MOST = 60  # triples of a line that are listed


def draw(parts: Parts, at: Place | None, left: TakenAway | None = None) -> None:
    """The column. at: what is selected; None while the run is on. left: what becomes of the lines without triples."""
    if parts.summary is None:
        words = "Waits for the triples." if at is None else "Nothing was concluded."
        st.html(f"<p class='cw-quiet'>{words}</p>")
        return
    support = {one.line.number: one for one in left.lines} if left is not None else {}
    for line in parts.summary.lines:
        _line(parts, line, at, support.get(line.number))
    if parts.summary.reason:
        st.html(f"<p class='cw-note cw-small'>⚠ {esc(sentence(parts.summary.reason))}</p>")
    if at is not None and at.node and at.triple is None:
        _node(parts, at)


def _line(parts: Parts, line: Line, at: Place | None, support: LineSupport | None) -> None:
    chosen = at is not None and at.line == line.number and bool(line.triples)
    lost = support is not None and support.support == "lost"
    key = f"kerag_line_{'on' if chosen else 'off'}_{line.number}"
    with st.container(gap=None, key=key):
        text = f"<s>{esc(line.text)}</s>" if lost else esc(line.text)
        note = ""
        if support is not None and support.taken:
            word = "Support lost" if lost else "Weakened"
            note = (
                f" <span class='cw-quiet'>{word}: {support.taken} of {many(len(line.triples), 'triple')} taken.</span>"
            )
        st.html(f"<p class='cw-note'><b class='cw-num'>{line.number}.</b> <span dir='auto'>{text}</span>{note}</p>")
        if at is None or not line.triples:
            return
        if not chosen:
            _citations(parts, line)
            return
        long = len(line.triples) > SCROLLED
        with st.container(height=LIST if long else "content", border=False, gap=None, key=f"kerag_list_{line.number}"):
            for triple in line.triples[:MOST]:
                _triple(parts, line.number, triple, at)
        if len(line.triples) > MOST:
            st.html(f"<p class='cw-quiet cw-small'>The first {MOST} of {len(line.triples):,} triples.</p>")


def _citations(parts: Parts, line: Line) -> None:
    numbers = parts.numbers
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.button(
            f"Light {'its triple' if len(line.triples) == 1 else f'its {len(line.triples):,} triples'}",
            key=f"kerag_light_{line.number}",
            type="tertiary",
            on_click=place.show_line,
            args=(line.number,),
        )
        for triple in line.triples[:CITED]:
            st.button(
                f"[{numbers.get(triple, 0)}]",
                key=f"kerag_cite_{line.number}_{triple}",
                type="tertiary",
                help=esc(short(triple_words(parts.retrieved, triple), 120)) if parts.retrieved else None,
                on_click=place.cite,
                args=(parts, line.number, triple),
            )


def _triple(parts: Parts, line: int, triple: int, at: Place) -> None:
    if parts.retrieved is None:
        return
    gone = triple in at.without
    words = esc(triple_words(parts.retrieved, triple))
    marked = " cw-cited" if at.triple == triple else ""
    with st.container(horizontal=True, wrap=False, vertical_alignment="center", gap="small"):
        st.button(
            f"[{parts.numbers.get(triple, 0)}]",
            key=f"kerag_cite_{line}_{triple}",
            type="tertiary",
            on_click=place.cite,
            args=(parts, line, triple),
        )
        told = f"<s>{words}</s>" if gone else words
        st.html(f"<div class='cw-small{marked}' dir='auto'>{told}</div>", width="stretch")
        st.button(
            "Give back" if gone else "Take away",
            key=f"kerag_take_{triple}",
            type="tertiary",
            on_click=place.take,
            args=(at.without ^ {triple},),
        )


def _node(parts: Parts, at: Place) -> None:
    """The triples of a node that was chosen on the graph."""
    found = parts.retrieved
    ref = next((n for n in found.nodes if n.id == at.node), None) if found is not None else None
    if found is None or ref is None:
        return
    own = [
        i
        for i, (head, _, tail, _) in enumerate(found.triples)
        if at.node in (found.nodes[head].id, found.nodes[tail].id)
    ]
    own.sort(key=lambda i: (parts.numbers.get(i, len(found.triples)), i))
    kind = f" ({esc(ref.type)})" if ref.type else ""
    rows = "".join(
        f"<li dir='auto'>{esc(triple_words(found, i))}"
        + (f" <span class='cw-quiet'>[{parts.numbers[i]}]</span>" if i in parts.numbers else "")
        + "</li>"
        for i in own[:MOST]
    )
    more = f"<p class='cw-quiet cw-small'>The first {MOST} of {len(own):,}.</p>" if len(own) > MOST else ""
    with st.container(border=True, key="kerag_node"):
        st.html(
            f"<div class='cw-small'><b dir='auto'>{esc(ref.name)}</b>{kind}: "
            f"{many(len(own), 'triple')} retrieved.</div>"
            f"<ul class='cw-small cw-triples'>{rows}</ul>{more}"
        )
