"""Worked examples: the questions a sample suggests to begin with, each with what there is to see in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from core.corpus.samples import CORPUS_SAMPLES
from core.graph.samples import SAMPLES
from pages.shared.text import esc

if TYPE_CHECKING:
    from pages.shared.datasets import Dataset


@dataclass(frozen=True, slots=True)
class Example:
    """A question on a sample, and the sentences that make one want to see it (they may be empty)."""

    sample: str
    title: str  # of the sample
    question: str
    surprise: str
    number: int = 0

    def as_html(self, *, with_title: bool = False) -> str:
        """The text of a card."""
        title = f"<span class='cw-quiet'>{esc(self.title)}</span>" if with_title else ""
        surprise = f"<span>{esc(self.surprise)}</span>" if self.surprise else ""
        return f"<div class='cw-card'>{title}<b>{esc(self.question)}</b>{surprise}</div>"


def of_a_corpus() -> Example:
    """One query of the sample corpus, which similarity alone gets wrong."""
    sample = CORPUS_SAMPLES["company"]
    return Example(
        sample.name,
        sample.title,
        "How do I get my travel expenses reimbursed?",
        "By similarity two newsletters come first that repeat these words and tell nothing. Ranked by what each "
        "document has beside them, the guideline that answers rises above both.",
    )


def of_a_plan() -> Example:
    """A question that is counted, not found."""
    return Example(
        "films",
        SAMPLES["films"].title,
        "How many films won the Palme d'Or?",
        "No text of the graph holds the number. The plan keeps one relation, and the triples behind it are counted; "
        "take one of them away, and see what the answer becomes.",
    )


def of_a_diagnosis() -> Example:
    """A complaint, to be told on the page of diagnosis in rounds."""
    return Example(
        "devices",
        SAMPLES["devices"].title,
        "What is wrong with it?",
        "Tell a complaint, and every fault is weighed against it at once. The next question is the one that is "
        "expected to tell most; both of its answers can be previewed before one is given.",
    )


def examples_of(dataset: Dataset) -> tuple[Example, ...]:
    """The questions that a sample suggests, in its order; none for data of one's own."""
    return _examples(dataset.key, dataset) if dataset.is_sample else ()


def questions_of(dataset: Dataset) -> tuple[str, ...]:
    """The texts of those questions."""
    return tuple(e.question for e in examples_of(dataset))


def best_of(dataset: Dataset) -> Example | None:
    """The first that says what is surprising in it."""
    examples = examples_of(dataset)
    return next((e for e in examples if e.surprise), examples[0] if examples else None)


@st.cache_resource(show_spinner=False)
def _examples(key: str, _dataset: Dataset) -> tuple[Example, ...]:
    from core.evaluation.questions import read_questions

    sample = SAMPLES[key]
    known = {q.id: q for q in read_questions(sample.questions, _dataset.graph)}
    chosen = [known[i] for i in sample.suggested if i in known] or list(known.values())[:6]
    return tuple(Example(key, sample.title, q.text, q.note, number) for number, q in enumerate(chosen, 1))
