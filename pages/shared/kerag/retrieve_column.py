"""What was retrieved: how much, by which relations, what was left out and why. Not here: the graph that shows it."""

from __future__ import annotations

import streamlit as st

from core.figures.kerag.tables import relations_table
from core.kerag.steps import RetrieveStep
from pages.shared import twins
from pages.shared.kerag.plan_column import sentence
from pages.shared.text import esc, many


def draw(step: RetrieveStep | None, *, over: bool = False) -> None:
    """One line, and the rest by a click. over: the run has ended."""
    if step is None:
        st.html(f"<p class='cw-quiet'>{'Nothing was retrieved.' if over else 'Waits for the plan.'}</p>")
        return
    whole = step.total == len(step.triples)
    hops = sorted({hop for *_, hop in step.triples}) if whole else []
    by_hop = ", ".join(f"{sum(h == hop for *_, h in step.triples):,} at hop {hop}" for hop in hops)
    nodes = step.among or (len(step.nodes) if whole else 0)
    st.html(
        f"<p class='cw-note'><b class='cw-num'>{step.total:,}</b> {'triple' if step.total == 1 else 'triples'}"
        + (f" between <b class='cw-num'>{nodes:,}</b> {'node' if nodes == 1 else 'nodes'}" if nodes else "")
        + (f"<span class='cw-quiet cw-num'>: {by_hop}</span>" if len(hops) > 1 else "")
        + ".</p>"
    )


def more(step: RetrieveStep) -> None:
    """The relations by their triples, and what is not in the neighbourhood."""
    words = many(len(step.left_out), "reason") + " why some were left out" if step.left_out else "By relation"
    with st.expander(f"By relation, and {words}" if step.left_out else words, key="kerag_by_relation"):
        if step.total > len(step.triples):
            kept = (
                f"The run keeps {len(step.triples):,} of its {step.total:,} triples: those the reasoning cites first."
            )
            st.html(f"<p class='cw-note'>{kept}</p>")
        twins.draw(relations_table(step), key="kerag_relations")
        for left in step.left_out:
            st.html(
                f"<p class='cw-note cw-quiet'><span dir='auto'>{esc(sentence(left.what).rstrip('.'))}</span>, "
                f"{many(left.triples, 'triple')}: {esc(left.why)}.</p>"
            )
