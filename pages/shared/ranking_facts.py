"""How a ranking was made: what was read of the query, with which settings, what a model was asked, all in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from core.causal_attention.steps import CarConfig, KeywordsStep, ReadQuery, Retrieved
from core.figures.exchanges import talks
from core.trace import Step, Trace
from pages.shared import exchange_panel, model_cost
from pages.shared.text import esc, many, md, short

if TYPE_CHECKING:
    from core.causal_attention.index import CausalIndex

IN_WORDS = """
**What causal attention does.** A keyword that query and document share says why the document was found, and
nothing of what it has to say. So each document's keywords are divided: **A**, those that are the query's or near to
one of it (cosine of τ or more), and **B**, the others. The document is then ranked by B alone: the cosine of
the query with the centroid of B, the mean of its words' vectors, each weighed by how well it fits the document.

1. **Retrieve.** The documents whose vectors are nearest to the query's; the first of them are re-ranked.
2. **Divide** each one's keywords at the threshold τ, which is measured for the encoder: 99 of 100 random pairs of
   terms are less alike.
3. **Score** what is left, and put the documents in that order. The others stay where they were.

**Where it fails.** Where shared words are good evidence, as in most collections of careful texts, leaving them out
makes the ranking worse. Whether it helps cannot be seen without knowing what is relevant: the gate measures it.
"""


def notice(text: str) -> None:
    """What a reader must know, as a line."""
    st.html(f"<p class='cw-note'>{esc(text)}</p>")


def draw(trace: Trace, index: CausalIndex | None) -> None:
    """What is known of the run at the left, the method in general at the right; all of it from the trace."""
    left, right = st.columns(2, gap="large")
    with left:
        st.html(of_this_run(trace))
        model_cost.after(trace)
        for number, step in enumerate(trace.steps):
            for talk in talks([step]):
                with st.expander(f"Asked and replied, {asked_for(step)}", key=f"exchange_{number}"):
                    st.html(exchange_panel.as_html(talk))
    with right:
        st.markdown(IN_WORDS)


def asked_for(step: Step) -> str:
    """What a model was asked for in this step."""
    if isinstance(step, KeywordsStep):
        return md(f"keywords of {step.document.name}", 100)
    return "the query's keywords" if isinstance(step, ReadQuery) else "the answer"


def of_this_run(trace: Trace) -> str:
    """What was read of the query, and the settings, as HTML."""
    read = next((s for s in trace.steps if isinstance(s, ReadQuery)), None)
    found = next((s for s in trace.steps if isinstance(s, Retrieved)), None)
    config = CarConfig.model_validate(trace.config)
    rows = [("Decided by", trace.decided_by or "no one")]
    if read is not None:
        words = ", ".join(f"{k.term} {k.weight:.2f}" for k in read.keywords)
        rows += [
            ("Keywords of the query, weights", words or "none: only common words or signs"),
            ("Keywords by", "a model" if read.extractor == "llm" else read.extractor),
            ("Threshold τ", f"{read.tau:.2f}; the encoder's own is {read.tau_auto:.2f}"),
        ]
    if found is not None:
        kept = f"{many(len(found.candidates), 'document')} of {found.total:,}; {found.window:,} at most re-ranked"
        rows.append(("Candidates", kept))
    rows += [
        ("Keywords of a document", f"{config.keywords} of at most {config.kept} kept"),
        ("Hybrid", f"{config.weight:.2f} × similarity + {1 - config.weight:.2f} × causal attention"),
    ]
    cells = "".join(f"<tr><td>{esc(label)}</td><td dir='auto'>{esc(value)}</td></tr>" for label, value in rows)
    return (
        f"<div class='cw-prose'><table>{cells}</table><p class='cw-quiet'>Causeway {esc(trace.version)}, "
        f"{esc(trace.started_at)}, {esc(trace.dataset.name)} ({esc(short(trace.dataset.content_id, 24))})</p></div>"
    )
