"""Labelling a query's documents: relevant, or not. The reader sees them without ranks, in order of their titles.

So a ranking cannot sway the label that later judges it. Labels are kept on disk for the corpus as it is; on a server
that others can reach, each browser has its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from core.causal_attention.gate import GATED_MODES
from core.causal_attention.labels import Labels, keep_label, keep_labels, read_labels
from core.causal_attention.steps import RankingStep, Retrieved
from core.llm.estimate import of_calls
from core.trace import NodeRef, Trace
from pages.shared import experiments, model, model_cost, runs, state
from pages.shared.messages import caught
from pages.shared.text import esc, many, short

if TYPE_CHECKING:
    from core.causal_attention.index import CausalIndex
    from core.corpus.document import Document
    from core.retriever import OnProgress, ShouldStop

NAME = "labels"
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
    documents = candidates(trace)
    _offer_model(trace, index, documents)
    now = labels(trace)
    done = sum(now.grade(trace.question, d.id) is not None for d in documents)
    st.html(
        f"<p class='cw-note'><b dir='auto'>{esc(short(trace.question, 200))}</b> "
        f"<span class='cw-quiet'>{done} of {many(len(documents), 'document')} labelled. They are the best {DEPTH} of "
        "each ranking, in order of title: their ranks stay hidden. What has no label counts as not relevant."
        "</span></p>"
    )
    for document in documents:
        with st.container(horizontal=True, vertical_alignment="center", wrap=False, gap="medium"):
            key = _key(trace, document.id)
            # What is on disk is what is shown: a choice is stored before this runs, and a model's labels come so, too.
            grade = now.grade(trace.question, document.id)
            state.fill(key, next((name for name, value in GRADES.items() if value == grade), None))
            st.segmented_control(
                f"Is “{document.name}” relevant?",
                list(GRADES),
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


def _offer_model(trace: Trace, index: CausalIndex | None, documents: list[NodeRef]) -> None:
    """While a model is connected: let it label this query, and what that can cost at most."""
    connected = model.current()
    texts = _texts(index, documents) if connected is not None else []
    if connected is None or len(texts) < len(documents):
        return
    about = (trace.dataset.content_id, trace.question, tuple(d.id for d in documents), connected.endpoint.label)
    owner, content, question = _owner(), trace.dataset.content_id, trace.question

    def begin() -> None:
        source = connected.source()

        def work(on_progress: OnProgress, should_stop: ShouldStop) -> bool:
            from core.causal_attention.labels_model import model_labels

            grades, _ = model_labels(question, texts, source.make_asker(), source.context_tokens, should_stop)
            on_progress("Keeping the labels", None)  # a stopped job keeps none
            keep_labels(content, question, grades, by_model=True, owner=owner)
            return True

        experiments.begin(NAME, about, "Asking the model for labels", work)

    with st.container(horizontal=True, vertical_alignment="center"):
        busy = experiments.running(NAME, about)
        st.button("Let the model label them", key="labels_ask", on_click=begin, disabled=busy)
        estimate = model_cost.estimate_in_words(of_calls(1, connected.endpoint))
        st.html(f"<span class='cw-quiet'><b>{esc(connected.endpoint.label)}</b> {esc(estimate)}</span>")
    experiments.outcome(NAME, about)


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


def _key(trace: Trace, document: str) -> str:
    return f"label_{trace.run_id}_{document}"


def _texts(index: CausalIndex | None, documents: list[NodeRef]) -> list[Document]:
    if index is None:
        return []
    try:
        return [index.documents[index.row_of(document.id)] for document in documents]
    except KeyError:
        return []


def _text(index: CausalIndex | None, id_: str) -> str:
    if index is None:
        return ""
    try:
        return index.documents[index.row_of(id_)].text
    except KeyError:
        return ""


def _owner() -> str:
    return "" if state.is_local() else runs.label()
