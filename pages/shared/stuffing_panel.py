"""The stuffing simulator on a page: m stuffed documents a query go into the corpus, in memory, and the curves move.

On a judged corpus all its queries are asked; on any other the query of this run, whose answer the reader names.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import streamlit as st

from core.causal_attention.steps import Retrieved
from core.causal_attention.stuffing import GENERATORS, LEVELS, Generator, Simulation
from core.figures.causal_attention_experiments.stuffing import stuffing_chart, stuffing_in_words, stuffing_table
from core.trace import NodeRef, Trace
from pages.shared import bridge, charts, corpora, experiments, twins
from pages.shared.experiments import Settings
from pages.shared.text import esc, many, short

if TYPE_CHECKING:
    from core.causal_attention.index import CausalIndex
    from core.retriever import OnProgress, ShouldStop

MEANINGS: dict[Generator, str] = {
    "repeated": "the query's keywords, repeated",
    "off-topic": "the same among sentences about something else",
    "synonyms": "the corpus's nearest words to the keywords, repeated",
}
FEW = 60  # queries up to which every m is tried, not only some
STEPS = tuple(range(LEVELS[-1] + 1))
FIRST = 3
THIS = "This query"


@dataclass(frozen=True, slots=True)
class Task:
    """What is simulated. one_answer: one document is the only right one, so a place says more than nDCG."""

    queries: Mapping[str, str]
    qrels: Mapping[str, Mapping[str, int]]
    shown: str  # the query whose first stuffed document is shown
    generator: Generator
    seed: int
    one_answer: bool

    @property
    def name(self) -> str:
        """One job a generator and scope, so that what was simulated before is still there."""
        return f"stuffing_{self.generator}_{'one' if self.one_answer else 'all'}"


@dataclass(frozen=True, slots=True)
class Done:
    """What came of it, and one of the documents that were put in."""

    simulation: Simulation
    document: str


def draw(trace: Trace, index: CausalIndex | None) -> None:
    """The whole panel."""
    if index is None:
        st.html(
            "<p class='cw-quiet'>To put documents into the corpus, it must be loaded and indexed as in this run.</p>"
        )
        return
    task, settings = _choose(trace), experiments.settings_of(trace)
    about = _about(index, task, settings)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Put stuffed documents in",
            key="stuffing_begin",
            disabled=experiments.running(task.name, about),
            on_click=_begin,
            args=(index, task, settings),
            help="They live in memory for this simulation; the corpus stays as it is.",
        )
        st.html(f"<span class='cw-quiet'>Ranked as above: {esc(settings.words)}.</span>")
    done = experiments.outcome(task.name, about)
    if done is not None:
        st.fragment(_results)(done, task)


def _choose(trace: Trace) -> Task:
    """The widgets above the button."""
    corpus = corpora.of(trace)
    judged = {q: own for q, own in (corpus.qrels if corpus else {}).items() if any(g > 0 for g in own.values())}
    queries = {q: corpus.queries[q] for q in judged if q in corpus.queries} if corpus else {}
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        every = f"All {many(len(queries), 'judged query', 'judged queries')}"
        scope = (
            st.segmented_control(
                "Queries", [every, THIS], default=every, required=True, key="stuffing_scope", persist_state="session"
            )
            if queries
            else THIS
        )
        generator = st.segmented_control(
            "Stuffed documents are",
            GENERATORS,
            default="off-topic",
            required=True,
            key="stuffing_generator",
            help="; ".join(f"{name}: {said}" for name, said in MEANINGS.items()) + ".",
            persist_state="session",
        )
        seed = st.number_input("Seed", 0, 9999, 0, key="stuffing_seed", width=120, persist_state="session")
    here = next((q for q, text in queries.items() if text == trace.question), "")
    if scope != THIS:
        return Task(queries, judged, here or next(iter(queries)), generator or "off-topic", int(seed), False)
    right = _answer(trace, judged.get(here, {}))
    grades = {"this": {right: 1}} if right else {}
    return Task({"this": trace.question}, grades, "this", generator or "off-topic", int(seed), True)


def _answer(trace: Trace, grades: Mapping[str, int]) -> str:
    """The document that answers this query: the reader's choice, at first the one that was judged best."""
    found = [c.document for s in trace.steps if isinstance(s, Retrieved) for c in s.candidates]
    if not found:
        return ""
    best = max(found, key=lambda d: grades.get(d.id, 0))  # the first of equals: the most similar
    chosen: NodeRef = st.selectbox(
        "The document that answers it",
        found,
        found.index(best),
        format_func=lambda d: short(d.name, 100),
        key=f"stuffing_answer_{trace.run_id}",
    )
    return chosen.id


def _begin(index: CausalIndex, task: Task, settings: Settings) -> None:
    levels = STEPS if len(task.queries) <= FEW else LEVELS

    def work(on_progress: OnProgress, should_stop: ShouldStop) -> Done:
        from core.causal_attention.experiment import read_queries
        from core.causal_attention.stuffing import simulate, stuffed_rounds

        made = simulate(
            index,
            task.queries,
            task.qrels,
            task.generator,
            levels,
            settings.config,
            task.seed,
            on_progress=on_progress,
            should_stop=should_stop,
        )
        shown = read_queries(index, {task.shown: task.queries[task.shown]}, settings.config.query_keywords)
        if task.one_answer:  # a gate of one probe is none
            made = replace(made, modes={mode: own for mode, own in made.modes.items() if mode != "gated"})
        return Done(made, stuffed_rounds(index, shown, task.generator, 1, task.seed)[0][0].text)

    experiments.begin(task.name, _about(index, task, settings), "Writing stuffed documents", work)


def _about(index: CausalIndex, task: Task, settings: Settings) -> Hashable:
    judged = tuple((q, tuple(sorted(own.items()))) for q, own in sorted(task.qrels.items()))
    queries = tuple(sorted(task.queries.items()))
    engine = (index.encoder.name, index.extractor)
    return index.dataset.content_id, engine, settings.about, judged, queries, task.seed


def _results(done: Done, task: Task) -> None:
    """The slider, and what it moves."""
    simulation = done.simulation
    m = st.select_slider(
        "Stuffed documents a query, m",
        simulation.m,
        FIRST,
        key=f"{task.name}_m",
        persist_state="session",
    )
    said = stuffing_in_words(simulation, m, one_answer=task.one_answer)
    st.html(f"<div class='cw-answer cw-long' role='status'>{esc(said)}</div>")
    left, right = st.columns([1.5, 1], gap="medium")
    with left:
        charts.draw(stuffing_chart(simulation, m, bridge.theme()), key=f"{task.name}_chart_{m}")
    with right:
        st.html(
            f"<div class='cw-why'><div class='cw-name'>What is put in: {esc(MEANINGS[task.generator])}</div>"
            f"<div class='cw-quiet' dir='auto'>For “{esc(short(task.queries[task.shown], 120))}”</div>"
            f"<blockquote dir='auto'>{esc(short(done.document, 420))}</blockquote></div>"
        )
    with st.expander("Every m as a table", expanded=False):
        twins.draw(stuffing_table(simulation, one_answer=task.one_answer), key=f"{task.name}_twin")
    if task.one_answer:
        told = "This query alone; its stuffed documents are in the corpus at once."
    else:
        told = (
            f"{many(simulation.queries, 'query', 'queries')}; every query's stuffed documents are in the corpus at "
            "once. At every m the gate decides anew, on up to 30 of these queries as probes."
        )
    st.html(f"<p class='cw-quiet'>{told}</p>")
