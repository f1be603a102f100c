"""Labelling a query's documents: relevant, or not. The reader sees them without ranks, in order of their titles.

So a ranking cannot sway the label that later judges it. Labels are kept on disk for the corpus as it is; on a server
that others can reach, each browser has its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from core.causal_attention.gate import GATED_MODES
from core.causal_attention.labels import Labels, keep_label, read_labels
from core.causal_attention.steps import RankingStep, Retrieved
from core.trace import NodeRef, Trace
from pages.shared import runs, state
from pages.shared.messages import caught
from pages.shared.text import esc, many, short

if TYPE_CHECKING:
    from core.causal_attention.index import CausalIndex

DEPTH = 10  # of each ranking that the gate compares: as far as its metric looks
GRADES = {"relevant": 1, "not relevant": 0}
TEXT = 260


def labels(trace: Trace) -> Labels:
    """What was labelled on this corpus."""
    return read_labels(trace.dataset.content_id, _owner())


def draw(trace: Trace, index: CausalIndex | None) -> None:
    """The documents of this query, each with its label."""
    now = labels(trace)
    with st.expander("Label this query's documents", expanded=False, key="gate_label"):
        st.fragment(_draw)(trace, index)
    if now.queries:
        useful = len(now.qrels)
        told = many(len(now.queries), "query was labelled", "queries were labelled")
        rest = f", {useful} of them with a relevant document" if useful < len(now.queries) else ""
        st.html(f"<p class='cw-quiet'>{esc(told + rest)}. Ask another query to label its documents, too.</p>")


def _draw(trace: Trace, index: CausalIndex | None) -> None:
    now, documents = labels(trace), candidates(trace)
    done = sum(now.grade(trace.question, d.id) is not None for d in documents)
    st.html(
        f"<p class='cw-note'><b dir='auto'>{esc(short(trace.question, 200))}</b> "
        f"<span class='cw-quiet'>{done} of {many(len(documents), 'document')} labelled. They are the best {DEPTH} of "
        "each ranking, in order of title: their ranks stay hidden. What has no label counts as not relevant."
        "</span></p>"
    )
    for document in documents:
        with st.container(horizontal=True, vertical_alignment="center", wrap=False, gap="medium"):
            key = f"label_{trace.run_id}_{document.id}"
            grade = now.grade(trace.question, document.id)
            st.segmented_control(
                f"Is “{document.name}” relevant?",
                list(GRADES),
                default=next((name for name, value in GRADES.items() if value == grade), None),
                key=key,
                label_visibility="collapsed",
                on_change=_keep,
                args=(trace, document.id, key),
            )
            st.html(
                f"<div class='cw-clip' dir='auto'><b>{esc(short(document.name, 90))}</b> "
                f"<span class='cw-quiet'>{esc(short(_text(index, document.id), TEXT))}</span></div>",
                width="stretch",
            )
    if done and st.button("Done", key="labels_done", help="Offers to measure on your labels, above."):
        st.rerun()


def candidates(trace: Trace) -> list[NodeRef]:
    """The documents worth a label: the best of each ranking that the gate compares, in order of title."""
    named = {c.document.id: c.document for s in trace.steps if isinstance(s, Retrieved) for c in s.candidates}
    found = {
        place.id
        for step in trace.steps
        if isinstance(step, RankingStep) and step.mode in ("baseline", *GATED_MODES)
        for place in step.places[:DEPTH]
    }
    return sorted((named[id_] for id_ in found), key=lambda d: (d.name.casefold(), d.id))


def _keep(trace: Trace, document: str, key: str) -> None:
    chosen = st.session_state[key]
    with caught(kept="the labels given before"):
        keep_label(trace.dataset.content_id, trace.question, document, GRADES.get(chosen), _owner())


def _text(index: CausalIndex | None, id_: str) -> str:
    if index is None:
        return ""
    try:
        return index.documents[index.row_of(id_)].text
    except KeyError:
        return ""


def _owner() -> str:
    return "" if state.is_local() else runs.label()
