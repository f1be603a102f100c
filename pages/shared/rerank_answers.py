"""The answers that two rankings lead to, side by side, with their documents and the prompts they would be asked with.

Offline they are sentences quoted from the documents; a connected model answers from both at the press of a button.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from core.causal_attention.answer import DOCUMENTS, build_prompt
from core.causal_attention.steps import AnswerStep, Mode, RankingStep
from core.figures.causal_attention.ranking import TITLES
from core.figures.causal_attention_experiments.answers import Given, Side, Source, difference_in_words, sides
from core.figures.exchanges import Part, Talk
from core.llm.estimate import of_calls
from core.trace import Answer, Trace
from pages.shared import corpora, exchange_panel, experiments, model, model_cost, rerank_settings
from pages.shared.document_panel import judged_in
from pages.shared.text import esc, many, short

if TYPE_CHECKING:
    from core.causal_attention.index import CausalIndex
    from core.corpus.document import Document
    from core.retriever import OnProgress, ShouldStop

QUOTED, WRITTEN = "answers_quoted", "answers_written"


@dataclass(frozen=True, slots=True)
class Pair:
    """The question, and the documents of both rankings, best first."""

    question: str
    titles: tuple[str, str]
    documents: tuple[tuple[Document, ...], tuple[Document, ...]]

    @property
    def about(self) -> Hashable:
        """What tells two pairs apart."""
        return self.question, tuple(tuple((d.id, d.content) for d in own) for own in self.documents)


def draw(trace: Trace, index: CausalIndex | None) -> None:
    """The panel, for similarity and the ranking that is looked at."""
    _of_the_run(trace, alone=index is None)
    pair = _pair(trace, index)
    if pair is None or index is None:
        st.html("<p class='cw-quiet'>An answer is made from the documents' texts: load the corpus of this run.</p>")
        return
    _offer_model(pair)
    answers = experiments.outcome(WRITTEN, (pair.about, model.decider()))
    if answers is None and not experiments.running(WRITTEN, (pair.about, model.decider())):
        about = (pair.about, index.encoder.name)
        if not experiments.begun(QUOTED, about):
            _quote(pair, index, about)
        answers = experiments.outcome(QUOTED, about)
    if answers is not None:
        _draw(trace, pair, answers)


def _of_the_run(trace: Trace, *, alone: bool) -> None:
    """What a model wrote in the run itself; with `alone`, what was quoted, too. Nothing once the ranking is another."""
    found = rerank_settings.ranked_again(trace).answer
    if found is None or not (alone or any(isinstance(s, AnswerStep) for s in trace.steps)):
        return
    names = dict.fromkeys(e.node.name for claim in found.claims for e in claim.evidence)
    sources = (
        f"<div class='cw-quiet' dir='auto'>from {esc('; '.join(short(n, 60) for n in names))}</div>" if names else ""
    )
    with st.container(border=True, key="answer_of_run"):
        st.html(
            "<section class='cw-why' aria-label='Answer of this run'><div class='cw-name'>Answer of this run</div>"
            f"<div dir='auto'>{esc(found.text)}</div>{sources}"
            f"<div class='cw-quiet'>{esc(found.decided_by)}</div></section>"
        )


def _pair(trace: Trace, index: CausalIndex | None) -> Pair | None:
    again, mode = rerank_settings.ranked_again(trace), rerank_settings.mode_of(trace)
    mode = "hybrid" if mode in (None, "baseline") else mode
    found = [_documents(again, m, index) for m in ("baseline", mode)] if index is not None else []
    if not found or not all(found):
        return None
    return Pair(trace.question, (TITLES["baseline"], TITLES[mode or "hybrid"]), (found[0], found[1]))


def _documents(trace: Trace, mode: Mode | None, index: CausalIndex) -> tuple[Document, ...]:
    places = next((s.places for s in trace.steps if isinstance(s, RankingStep) and s.mode == mode), ())
    try:
        return tuple(index.documents[index.row_of(place.id)] for place in places[:DOCUMENTS])
    except KeyError:  # the corpus is another one than the run saw
        return ()


def _quote(pair: Pair, index: CausalIndex, about: Hashable) -> None:
    encoder = index.encoder

    def work(on_progress: OnProgress, should_stop: ShouldStop) -> tuple[Answer, Answer]:
        from core.causal_attention.answer import quoted

        first, second = (quoted(pair.question, own, encoder) for own in pair.documents)
        return first, second

    experiments.begin(QUOTED, about, "Reading the documents' sentences", work)


def _offer_model(pair: Pair) -> None:
    """While a model is connected: let it answer from both, and what that can cost at most."""
    connected = model.current()
    if connected is None:
        return
    about = (pair.about, model.decider())

    def begin() -> None:
        source = connected.source()

        def work(on_progress: OnProgress, should_stop: ShouldStop) -> tuple[Answer, Answer]:
            from core.causal_attention.answer import from_model

            made = []
            for title, own in zip(pair.titles, pair.documents, strict=True):
                on_progress(f"Asking for an answer from the documents of {title.lower()}", len(made) / 2)
                asker = source.make_asker()
                made.append(from_model(pair.question, own, asker, source.context_tokens, should_stop)[0])
            return made[0], made[1]

        experiments.begin(WRITTEN, about, "Asking the model", work)

    with st.container(horizontal=True, vertical_alignment="center"):
        busy = experiments.running(WRITTEN, about)
        st.button("Let the model answer from both", key="answers_ask", on_click=begin, disabled=busy)
        estimate = model_cost.estimate_in_words(of_calls(2, connected.endpoint))
        st.html(f"<span class='cw-quiet'><b>{esc(connected.endpoint.label)}</b> {esc(estimate)}</span>")


def _draw(trace: Trace, pair: Pair, answers: Sequence[Answer]) -> None:
    grades = judged_in(corpora.of(trace), trace.question)
    one, other = (Given(*parts) for parts in zip(pair.titles, pair.documents, answers, strict=True))
    st.html(f"<p class='cw-note' role='status' dir='auto'>{esc(difference_in_words(one, other, grades))}</p>")
    for number, (column, side) in enumerate(zip(st.columns(2, gap="medium"), sides(one, other, grades), strict=True)):
        with column, st.container(border=True, height="stretch", key=f"answers_side_{number}"):
            st.html(as_html(side))
            with st.expander("The prompt"):
                messages = build_prompt(pair.question, pair.documents[number])
                parts = tuple(Part(str(m["role"]).capitalize(), str(m["content"])) for m in messages)
                facts = f"{many(len(pair.documents[number]), 'document')}, as a model is asked to answer from them"
                st.html(exchange_panel.as_html(Talk("prompt", parts, facts)))


def as_html(side: Side) -> str:
    """A ranking's documents and its answer; what the other lacks is marked, and named."""
    documents = "".join(
        f"<li dir='auto'>{'<b>' if d.alone else ''}{esc(short(d.name, 90))}{'</b>' if d.alone else ''} "
        f"<span class='cw-quiet'>{', '.join(_facts(d))}</span></li>"
        for d in side.documents
    )
    sentences = "".join(
        f"<p dir='auto'>{'<mark>' if s.alone else ''}{esc(s.text)}{'</mark>' if s.alone else ''}"
        + (f" <span class='cw-quiet'>{esc(short('; '.join(s.sources), 80))}</span>" if s.sources else "")
        + "</p>"
        for s in side.sentences
    )
    return (
        f"<section class='cw-why' aria-label='Answer by {esc(side.title.lower())}'>"
        f"<div class='cw-name'>{esc(side.title)}</div><ol>{documents}</ol>{sentences}"
        f"<div class='cw-quiet'>{esc(side.decided_by)}; marked: what the other answer does not say</div></section>"
    )


def _facts(document: Source) -> list[str]:
    return ["judged relevant"] * bool(document.grade) + ["only here"] * document.alone
