"""Plan, retrieve, summarise: three columns, drawn from the steps there are, so a running run fills them as it goes."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from core.figures.kerag.parts import Parts
from core.figures.words import count, listed, relation_words
from core.kerag.steps import Line, RetrieveStep, SchemaStep, SeenRelation
from pages.shared.text import esc, many, md

Overrule = Callable[[int, SeenRelation], None]
SHOWN = 8  # relations of a hop that stand open; the others by a click


def draw(parts: Parts, *, overrule: Overrule | None = None, on_line: Callable[[int], None] | None = None) -> None:
    """The columns. overrule: called with a hop and a relation whose fate the reader turns; None while a run is on.
    on_line: called with a line's number.
    """
    plan, retrieve, reason = st.columns(3, gap="medium")
    with plan, st.container(border=True, height="stretch", key="kerag_plan"):
        st.html(_heading("1", "Plan"))
        _plan(parts, overrule)
    with retrieve, st.container(border=True, height="stretch", key="kerag_retrieve"):
        st.html(_heading("2", "Retrieve"))
        _retrieved(parts.retrieved)
    with reason, st.container(border=True, height="stretch", key="kerag_summarise"):
        st.html(_heading("3", "Summarise"))
        _reasoning(parts, on_line)


def _heading(number: str, words: str) -> str:
    return f"<h3 class='cw-column'><span class='cw-quiet'>{number}</span> {words}</h3>"


def _plan(parts: Parts, overrule: Overrule | None) -> None:
    if parts.topic is None:
        st.html("<p class='cw-quiet'>Looking for what the question names.</p>")
        return
    names = listed([t.node.name for t in parts.topic.topics], 4) or "nothing of this graph"
    kind = parts.topic.question_kind
    st.html(
        f"<p>Topic <b dir='auto'>{esc(names)}</b>, of type <b>{esc(parts.topic.domain or 'unknown')}</b>; "
        f"a <b>{esc(kind)}</b> question.</p><p class='cw-quiet'>{esc(parts.topic.reason)}</p>"
    )
    for topic in parts.topic.topics:
        if topic.rivals:
            others = listed([f"{r.name} ({r.type})" for r in topic.rivals], 4)
            st.html(f"<p class='cw-note'>Also called so: {esc(others)}.</p>")
    for step in parts.schema:
        _hop(step, overrule)
    if parts.plan is not None:
        hops = many(parts.plan.hops, "hop")
        st.html(f"<p><b>{hops}</b>. <span class='cw-quiet'>{esc(parts.plan.reason)}</span></p>")


def _hop(step: SchemaStep, overrule: Overrule | None) -> None:
    kept = [r for r in step.relations if r.kept]
    label = f"Hop {step.hop}: {len(kept)} of {many(len(step.relations), 'relation')} kept"
    with st.expander(md(label), key=f"kerag_hop_{step.hop}", expanded=step.hop == 1):
        st.html(f"<p class='cw-quiet'>From {many(step.frontier, 'node')}. {esc(step.reason)}</p>")
        ordered = sorted(step.relations, key=lambda r: (not r.kept, -r.relevance, r.relation, r.direction))
        for number, relation in enumerate(ordered[:SHOWN]):
            _relation(step.hop, number, relation, overrule)
        if len(ordered) > SHOWN:
            with st.popover(f"{len(ordered) - SHOWN} more", key=f"kerag_hop_more_{step.hop}"):
                for number, relation in enumerate(ordered[SHOWN:], SHOWN):
                    _relation(step.hop, number, relation, overrule)
        covered = ", ".join(step.covered)
        missing = ", ".join(step.uncovered)
        words = "Enough." if step.enough else "Not enough yet."
        words += f" Covered: {covered}." if covered else ""
        words += f" Not covered: {missing}." if missing else ""
        st.html(f"<p>{esc(words)}</p>")


def _relation(hop: int, number: int, relation: SeenRelation, overrule: Overrule | None) -> None:
    arrow = "→" if relation.direction == "out" else "←"
    to = listed(list(relation.node_types), 2)
    more = f"relevance {relation.relevance:.2f}" + (f", to {to}" if to else "") + f", {count(relation.edges, 'triple')}"
    by = " (by hand)" if relation.by == "hand" else ""
    name = f"{arrow} {relation_words(relation.relation)}"
    if not relation.kept:
        name_html = f"<s>{esc(name)}</s> <span class='cw-quiet'>left out{by}</span>"
    else:
        name_html = f"<b>{esc(name)}</b><span class='cw-quiet'>{by}</span>"
    examples = f"for example {listed(list(relation.examples), 3)}" if relation.examples else ""
    with st.container(horizontal=True, wrap=False, vertical_alignment="center", gap="small"):
        st.html(
            f"<div title='{esc(relation.reason)}'>{name_html}<br><span class='cw-quiet cw-num'>{esc(more)}</span>"
            f"<br><span class='cw-quiet'>{esc(examples)}</span></div>",
            width="stretch",
        )
        if overrule is not None:
            st.button(
                "Leave out" if relation.kept else "Keep",
                key=f"kerag_turn_{hop}_{number}",
                type="tertiary",
                help=md(relation.reason) if relation.reason else None,
                on_click=overrule,
                args=(hop, relation),
            )


def _retrieved(step: RetrieveStep | None) -> None:
    if step is None:
        st.html("<p class='cw-quiet'>Waits for the plan.</p>")
        return
    by_hop: dict[int, int] = {}
    by_relation: dict[int, int] = {}
    for _, relation, _, hop in step.triples:
        by_hop[hop] = by_hop.get(hop, 0) + 1
        by_relation[relation] = by_relation.get(relation, 0) + 1
    st.html(
        f"<p><b class='cw-num'>{step.total:,}</b> triples between <b class='cw-num'>{len(step.nodes):,}</b> nodes."
        f"</p><p class='cw-quiet'>{esc(step.reason)}</p>"
    )
    if step.total > len(step.triples):
        st.html(
            f"<p class='cw-note'>The trace keeps {len(step.triples):,} of them, those nearest to the reasoning.</p>"
        )
    rows = "".join(
        f"<tr><td>{esc(relation_words(step.relations[r]))}</td><td class='cw-num'>{n:,}</td></tr>"
        for r, n in sorted(by_relation.items(), key=lambda item: (-item[1], step.relations[item[0]]))
    )
    hops = ", ".join(f"hop {hop}: {n:,}" for hop, n in sorted(by_hop.items()))
    st.html(f"<table class='cw-table'><tr><th>relation</th><th>triples</th></tr>{rows}</table><p>{esc(hops)}</p>")
    for left in step.left_out:
        st.html(f"<p class='cw-quiet'>Left out: {esc(left.what)}, {many(left.triples, 'triple')}: {esc(left.why)}</p>")


def _reasoning(parts: Parts, on_line: Callable[[int], None] | None) -> None:
    if parts.summary is None:
        st.html("<p class='cw-quiet'>Waits for the triples.</p>")
        return
    for line in parts.summary.lines:
        _line(line, on_line)
    if not parts.summary.known:
        st.html("<p class='cw-note'>The evidence does not carry an answer, so none is given.</p>")


def _line(line: Line, on_line: Callable[[int], None] | None) -> None:
    with st.container(gap=None):
        st.html(f"<p><b class='cw-num'>{line.number}.</b> <span dir='auto'>{esc(line.text)}</span></p>")
        if line.triples and on_line is not None:
            st.button(
                f"Show its {many(len(line.triples), 'triple')}",
                key=f"kerag_line_{line.number}",
                type="tertiary",
                on_click=on_line,
                args=(line.number,),
            )
