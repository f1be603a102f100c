"""The regime gate on a page: does re-ranking help on this corpus? Measured on judgements, or on the reader's labels.

The verdict belongs to the corpus as it is, and is kept on disk like the labels. Not here: labelling (label_panel.py).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING

import streamlit as st

from core.causal_attention.gate import STATISTICS_NOTE, Verdict, keep_verdict, known_verdict
from core.causal_attention.labels import Labels
from core.figures.causal_attention_experiments.gate import (
    STATISTICS,
    delta_table,
    probes_table,
    reliability_chart,
    reliability_table,
)
from core.trace import Trace
from pages.shared import bridge, charts, corpora, experiments, label_panel, twins
from pages.shared.experiments import Settings
from pages.shared.text import esc, many
from pages.shared.times import ago

if TYPE_CHECKING:
    from core.causal_attention.index import CausalIndex
    from core.causal_attention.probing import Probing
    from core.retriever import OnProgress, ShouldStop

NAME = "gate"
SOURCES = {
    "qrels": "the judgements that came with the corpus",
    "a person": "labels given on this page",
    "a model": "labels that a model gave",
}
Judged = Mapping[str, Mapping[str, int]]


def draw(trace: Trace, index: CausalIndex | None) -> None:
    """The whole panel: measure, the verdict with what it rests on, and labelling."""
    content = trace.dataset.content_id
    labels = label_panel.labels(trace)
    probing = _measure(trace, index, labels)
    verdict = known_verdict(content)
    if verdict is None:
        st.html(
            "<p class='cw-note'>Nobody has measured on this corpus yet whether re-ranking helps; until then the gated "
            "ranking is similarity.</p>"
        )
    else:
        _verdict(verdict)
    if probing is not None:
        corpus = corpora.of(trace)
        with st.expander("Every probe"):
            twins.draw(probes_table(probing.experiment, corpus.queries if corpus else {}), key="gate_probes")
    label_panel.draw(trace, index)


def _measure(trace: Trace, index: CausalIndex | None, labels: Labels) -> Probing | None:
    """The two ways to measure, and what came of the last one in this session."""
    if index is None:
        st.html("<p class='cw-quiet'>To measure, the corpus must be loaded and indexed as it was in this run.</p>")
        return None
    corpus, settings = corpora.of(trace), experiments.settings_of(trace)
    qrels = {q: own for q, own in (corpus.qrels if corpus else {}).items() if any(g > 0 for g in own.values())}
    own = labels.qrels
    with st.container(horizontal=True, vertical_alignment="center", key="gate_measure"):
        if qrels and corpus is not None:
            st.button(
                f"Measure on {many(len(qrels), 'judged query', 'judged queries')}",
                key="gate_qrels",
                disabled=experiments.running(NAME, _about(index, settings, "qrels", qrels)),
                on_click=_begin,
                args=(index, settings, corpus.queries, qrels, "qrels"),
            )
        if own:
            who = labels.labelled_by.replace("a person", "you")
            st.button(
                f"Measure on {many(len(own), 'query', 'queries')} that {who} labelled",
                key="gate_labels",
                disabled=experiments.running(NAME, _about(index, settings, labels.labelled_by, own)),
                on_click=_begin,
                args=(index, settings, {q: q for q in own}, own, labels.labelled_by),
            )
        if not qrels and not own:
            st.html("<span class='cw-quiet'>Label documents below; then it can be measured.</span>")
        else:
            st.html(f"<span class='cw-quiet'>Ranked as above: {esc(settings.words)}.</span>")
    for source, judged in (("qrels", qrels), (labels.labelled_by, own)):
        found = experiments.outcome(NAME, _about(index, settings, source, judged))
        if found is not None:
            return found
    return None


def _begin(index: CausalIndex, settings: Settings, queries: Mapping[str, str], qrels: Judged, source: str) -> None:
    def work(on_progress: OnProgress, should_stop: ShouldStop) -> Probing:
        from core.causal_attention.probing import probe

        made = probe(
            index, queries, qrels, settings.config, labelled_by=source, on_progress=on_progress, should_stop=should_stop
        )  # fmt: skip
        keep_verdict(made.verdict)
        return made

    experiments.begin(NAME, _about(index, settings, source, qrels), "Ranking the probes", work)


def _about(index: CausalIndex, settings: Settings, source: str, qrels: Judged) -> Hashable:
    judged = tuple((q, tuple(sorted(own.items()))) for q, own in sorted(qrels.items()))
    return index.dataset.content_id, index.encoder.name, index.extractor, source, judged, settings.about


def _verdict(verdict: Verdict) -> None:
    """The verdict, its reliability, and the statistics that do not decide."""
    by = SOURCES.get(verdict.labelled_by, f"labels by {verdict.labelled_by}")
    facts = (
        f"Measured on {by}, {ago(verdict.made_at)}. It holds for this corpus as it is; the gated ranking of the next "
        "run follows it."
    )
    with st.container(border=True, key="gate_verdict"):
        st.html(
            f"<div class='cw-answer' role='status'>{esc(verdict.sentence)}</div>"
            f"<div class='cw-quiet'>{esc(facts)}</div>"
        )
    left, right = st.columns([1.3, 1], gap="medium")
    with left:
        charts.draw(reliability_chart(verdict, bridge.theme()), key="gate_reliability")
    with right:
        twins.draw(delta_table(verdict), key="gate_delta", decimals=3, signed=True)
        rows = "".join(
            f"<tr><td>{esc(words)}</td><td class='cw-num'>{verdict.statistics[name]:.2f}</td></tr>"
            for name, words in STATISTICS.items()
            if name in verdict.statistics
        )
        st.html(f"<div class='cw-prose'><table>{rows}</table></div><p class='cw-quiet'>{esc(STATISTICS_NOTE)}</p>")
        with st.expander("Reliability as a table"):
            twins.draw(reliability_table(verdict), key="gate_twin")
