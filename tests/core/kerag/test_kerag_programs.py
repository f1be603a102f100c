"""Questions on a small graph of bridges, whole: what is compared, counted, bounded, denied, and what is not known."""

from __future__ import annotations

import pytest

from core.graph.graph import KnowledgeGraph
from core.kerag.retriever import KeragRetriever
from core.kerag.steps import SummaryStep

NODES = {
    "a": ("Aare", "river", ""),
    "rh": ("Rhine", "river", ""),
    "o": ("Old Bridge", "bridge", "A stone bridge of 1461, it is 110 m long."),
    "n": ("New Bridge", "bridge", "Steel; 210 metres long."),
    "r": ("Rail Bridge", "bridge", "Opened in 1912. 0.1 km."),
    "b": ("Bern", "town", ""),
    "t": ("Thun", "town", ""),
    "ada": ("Ada Moser", "person", ""),
    "bo": ("Bo Keller", "person", ""),
    "c1": ("1,500 francs", "cost", ""),
    "c2": ("900 francs", "cost", ""),
    "c3": ("12 000 francs", "cost", ""),
    "y1": ("3 May 1844", "date", ""),
    "y2": ("1844-05-01", "date", ""),
    "y3": ("1912", "date", ""),
}
EDGES = [
    ("o", "crosses", "a"),
    ("n", "crosses", "a"),
    ("r", "crosses", "a"),
    ("r", "crosses", "rh"),
    ("o", "stands in", "b"),
    ("n", "stands in", "b"),
    ("r", "stands in", "t"),
    ("o", "designed by", "ada"),
    ("n", "designed by", "ada"),
    ("r", "designed by", "bo"),
    ("o", "costs", "c1"),
    ("n", "costs", "c2"),
    ("r", "costs", "c3"),
    ("o", "inaugurated on", "y1"),
    ("n", "inaugurated on", "y2"),
    ("r", "inaugurated on", "y3"),
]


@pytest.fixture(scope="module")
def retriever() -> KeragRetriever:
    ids = list(NODES)
    relations = list(dict.fromkeys(r for _, r, _ in EDGES))
    names, types, texts = (list(column) for column in zip(*NODES.values(), strict=True))
    heads, tails = [ids.index(s) for s, _, _ in EDGES], [ids.index(t) for _, _, t in EDGES]
    codes = [relations.index(r) for _, r, _ in EDGES]
    graph = KnowledgeGraph.from_arrays(ids, names, types, texts, heads, tails, codes, relations, name="bridges")
    return KeragRetriever(graph)


def summary_of(retriever: KeragRetriever, question: str) -> SummaryStep:
    step = retriever.run(question).steps[-1]
    assert isinstance(step, SummaryStep)
    return step


@pytest.mark.parametrize(
    ("question", "names", "value"),
    [
        ("Who designed the Old Bridge?", {"Ada Moser"}, ""),
        ("Which bridges cross the Aare?", {"Old Bridge", "New Bridge", "Rail Bridge"}, ""),
        ("How many bridges cross the Aare?", {"Old Bridge", "New Bridge", "Rail Bridge"}, "3"),
        ("Which bridge crosses the Aare and stands in Bern?", {"Old Bridge", "New Bridge"}, ""),
        ("Which bridges that cross the Aare do not stand in Bern?", {"Rail Bridge"}, ""),
        ("Which bridges cross both the Aare and the Rhine?", {"Rail Bridge"}, ""),
        ("Which is the cheapest bridge that crosses the Aare?", {"New Bridge"}, ""),
        ("What is the total cost of the bridges that cross the Aare?", set(), "14,400 francs"),
        ("Which is the earliest bridge that crosses the Aare?", {"New Bridge"}, ""),
        ("Which is the longest bridge that crosses the Aare?", {"New Bridge"}, ""),  # by their own texts, in m and km
        ("Which was inaugurated first, the Old Bridge or the Rail Bridge?", {"Old Bridge"}, ""),
        ("Which bridges across the Aare were inaugurated after 1900?", {"Rail Bridge"}, ""),
        ("Which bridges across the Aare were inaugurated before 2 May 1844?", {"New Bridge"}, ""),
        ("Who designed the most bridges across the Aare?", {"Ada Moser"}, ""),
        ("Does the Rail Bridge stand in Bern?", set(), "no"),
        ("Does the Old Bridge stand in Bern?", set(), "yes"),
    ],
)
def test_answers(retriever: KeragRetriever, question: str, names: set[str], value: str) -> None:
    summary = summary_of(retriever, question)
    assert {n.name for n in summary.answers} == names, [line.text for line in summary.lines]
    assert summary.value == value
    assert summary.known == bool(names or value)


@pytest.mark.parametrize(
    ("question", "why"),
    [
        ("Who painted the Limmat?", "names nothing"),
        ("What is the colour of the Old Bridge?", "'colour'"),
        ("Which bridges cross Bern and stand in the Rhine?", ""),
        ("Which bridge designed by Bo Keller stands in Bern?", "Nothing is in lines"),
        ("Which is the heaviest bridge that crosses the Aare?", "gives a value"),
        ("Which was inaugurated first, the Aare or the Rhine?", "by which to compare"),
        ("Who is older, Ada Moser or Bo Keller?", "by which to compare"),
        ("Which bridges do not cross the Aare?", "what the question denies"),
        ("How many bridges don't cross the Aare?", "what the question denies"),
        ("What is the average cost of the bridges that cross the Aare?", "no average"),
        ("Old Bridge", "asks nothing that a relation could tell"),
        ("Who is Ada Moser?", "asks nothing that a relation could tell"),
    ],
)
def test_what_is_not_known(retriever: KeragRetriever, question: str, why: str) -> None:
    summary = summary_of(retriever, question)
    assert not summary.known, [line.text for line in summary.lines]
    assert why in summary.lines[-1].text
    assert "I don't know" in summary.lines[-1].text


def test_values_read_from_texts_say_so(retriever: KeragRetriever) -> None:
    summary = summary_of(retriever, "Which is the longest bridge that crosses the Aare?")
    assert "By their own texts: New Bridge, 210 metres" in summary.lines[1].text
    assert summary.lines[1].triples


def test_without_reasoning_one_relation_is_read_off(retriever: KeragRetriever) -> None:
    trace = retriever.run("Who designed the Old Bridge?", {"reason": False})
    summary = trace.steps[-1]
    assert isinstance(summary, SummaryStep)
    assert summary.program is None
    assert "Ada Moser" in {n.name for n in summary.answers}


def test_the_same_question_gives_the_same_trace(retriever: KeragRetriever) -> None:
    question = "Who designed the most bridges across the Aare?"
    assert retriever.run(question).same_content(retriever.run(question))
