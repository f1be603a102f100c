"""The plan of a run: the topic, what was seen at each hop with a switch for each relation, and when it was enough."""

from __future__ import annotations

import streamlit as st

from core.figures.kerag.parts import Parts
from core.figures.words import count, listed, relation_words
from core.kerag.settings import Overrule
from core.kerag.steps import SchemaStep, SeenRelation, TopicStep
from core.trace import Trace
from pages.shared.kerag import asking
from pages.shared.text import esc, many, md

SHOWN = 4  # relations of a hop that stand open; the others by a click


def draw(parts: Parts, trace: Trace | None, *, over: bool = False) -> None:
    """The column. trace: the run whose relations can be overruled; None while it runs, or where its data are not.

    over: the run has ended, and nothing more will come.
    """
    if parts.topic is None:
        words = "Nothing was planned." if over else "Looking for what the question names."
        st.html(f"<p class='cw-quiet'>{words}</p>")
        return
    _topic(parts.topic)
    if trace is not None and asking.overrules(trace):
        _by_hand(trace)
    for step in parts.schema:
        _hop(step, trace, last=step is parts.schema[-1])
    if parts.plan is not None:
        st.html(f"<p class='cw-note'><b>{many(parts.plan.hops, 'hop')}.</b> {esc(ending(parts))}</p>")
    elif over:
        st.html("<p class='cw-quiet'>The plan was not finished.</p>")
    elif parts.schema:
        st.html("<p class='cw-quiet'>Looking further.</p>")


def ending(parts: Parts) -> str:
    """Why the plan ends where it does, in one sentence; what the last hop has said is not said again."""
    last = parts.schema[-1].reason if parts.schema else ""
    why = parts.plan.reason if parts.plan is not None else ""
    return "" if not why or why == last else sentence(why)


def sentence(words: str) -> str:
    """With a capital and a full stop."""
    words = words.strip()
    return f"{words[:1].upper()}{words[1:]}{'' if words.endswith(('.', '!', '?')) else '.'}" if words else ""


def arrow(relation: str, direction: str) -> str:
    """`→ directed by`; backwards `← won`."""
    return f"{'→' if direction == 'out' else '←'} {relation_words(relation)}"


def _topic(step: TopicStep) -> None:
    names = listed([t.node.name for t in step.topics], 4)
    if not names:
        st.html(f"<p class='cw-note'>The question names nothing of this graph. {esc(sentence(step.reason))}</p>")
        return
    kind = f"{'an' if step.question_kind[0] in 'aeiou' else 'a'} <b>{esc(step.question_kind)}</b> question"
    of_type = f" ({esc(step.domain)})" if step.domain else ""
    st.html(
        f"<p class='cw-note'>About <b dir='auto'>{esc(names)}</b>{of_type}: {kind}. "
        f"<span class='cw-quiet'>{esc(sentence(step.reason))}</span></p>"
    )
    for topic in step.topics:
        if topic.rivals:
            others = listed([f"{r.name} ({r.type})" if r.type else r.name for r in topic.rivals], 4)
            st.html(f"<p class='cw-note'>⚠ Also called {esc(topic.node.name)}: {esc(others)}.</p>")


def _by_hand(trace: Trace) -> None:
    made = asking.overrules(trace)
    with st.container(border=True, gap="small", key="kerag_by_hand"):
        for number, one in enumerate(made):
            with st.container(horizontal=True, wrap=False, vertical_alignment="center", gap="small"):
                st.html(f"<p class='cw-note'>{esc(told(one))}</p>", width="stretch")
                st.button("Undo", key=f"kerag_undo_{number}", on_click=asking.undo, args=(trace, (one,)))
        if len(made) > 1:
            st.button("Undo all", key="kerag_undo_all", on_click=asking.undo, args=(trace, made))


def told(one: Overrule) -> str:
    """A decision made by hand, in words."""
    return f"By hand, hop {one.hop}: {arrow(one.relation, one.direction)} {'kept' if one.kept else 'left out'}."


def _hop(step: SchemaStep, trace: Trace | None, *, last: bool) -> None:
    kept = sum(r.kept for r in step.relations)
    label = f"Hop {step.hop}: {kept:,} of {many(len(step.relations), 'relation')} kept"
    with st.expander(md(label), key=f"kerag_hop_{step.hop}", expanded=step.hop == 1 or last):
        start = many(step.frontier, "node")
        st.html(f"<p class='cw-note cw-quiet'>From {start}. {esc(sentence(step.reason))}</p>")
        ordered = sorted(step.relations, key=lambda r: (not r.kept, -r.relevance, r.relation, r.direction))
        for number, relation in enumerate(ordered[:SHOWN]):
            _relation(step, number, relation, trace)
        if len(ordered) > SHOWN:
            with st.popover(f"{len(ordered) - SHOWN} more", key=f"kerag_hop_more_{step.hop}", type="tertiary"):
                for number, relation in enumerate(ordered[SHOWN:], SHOWN):
                    _relation(step, number, relation, trace)
        if step.taken_over and step.exchange is not None:
            st.html("<p class='cw-note cw-small cw-quiet'>Decided in an earlier run; not asked again.</p>")
        words = "Enough." if step.enough else "Not enough yet."
        words += f" Covered: {', '.join(step.covered)}." if step.covered else ""
        words += f" Not covered: {', '.join(step.uncovered)}." if step.uncovered else ""
        st.html(f"<p class='cw-note'>{esc(words)}</p>")


def _relation(step: SchemaStep, number: int, relation: SeenRelation, trace: Trace | None) -> None:
    hop = step.hop
    name = arrow(relation.relation, relation.direction)
    with st.container(gap=None, key=f"kerag_relation_{hop}_{number}"):
        if trace is not None:
            st.toggle(
                md(name),
                value=relation.kept,
                key=f"kerag_turn_{trace.run_id}_{hop}_{relation.direction}_{relation.relation}",
                help=md(f"Turn it to overrule the plan and run again from hop {hop}. {sentence(relation.reason)}"),
                on_change=asking.overrule,
                args=(trace, hop, relation),
            )
        else:
            st.html(f"<p class='cw-note'>{'✓' if relation.kept else '✗'} {esc(name)}</p>")
        st.html(f"<p class='cw-note cw-small cw-quiet'>{_facts(relation, step)}</p>")


def _facts(relation: SeenRelation, step: SchemaStep) -> str:
    fate = "by hand" if relation.by == "hand" else "" if relation.kept else "left out"
    to = listed(list(relation.node_types), 2)
    facts = [
        f"<b>{fate}</b>" if fate else "",
        f"relevance {relation.relevance:.2f}" if step.exchange is None else "",  # a model gives none
        f"{count(relation.edges, 'triple')}{f' to {esc(to)}' if to else ''}",
        f"e.g. {esc(listed(list(relation.examples), 2))}" if relation.examples else "",
        esc(sentence(relation.reason)) if not relation.kept or relation.by == "hand" else "",
    ]
    return " · ".join(filter(None, facts))
