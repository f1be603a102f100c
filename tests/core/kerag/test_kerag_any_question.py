"""Whatever is asked, with whatever settings: a run ends with a trace that can be read back, and cites what it kept."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kerag_world import books, graph_of, offline

from core.kerag.steps import RetrieveStep, SummaryStep
from core.trace import Trace

WORDS = (
    "Ada Holm|Nils Berg|Winter Letters|The Salt Road|Oslo|1952|books|written|translated|published|born|oldest|first|"
    "most|more|than|how many|total|before 1940|who|which|where|is|and|or|both|not|the|in|by|of|?|“|\n"
).split("|")
RETRIEVER = offline(books())


def checked(question: str, config: dict[str, Any]) -> Trace:
    trace = RETRIEVER.run(question, config)
    assert trace.status == "finished"
    assert Trace.from_json(trace.to_json()) == trace
    kept = next(s for s in trace.steps if isinstance(s, RetrieveStep))
    summary = next(s for s in trace.steps if isinstance(s, SummaryStep))
    assert {t for line in summary.lines for t in line.triples} <= set(range(len(kept.triples)))
    assert {a.id for a in summary.answers} <= {n.id for n in kept.nodes}
    assert summary.known == bool(summary.answers or summary.value)
    assert trace.answer is not None
    return trace


@settings(max_examples=60)
@given(
    words=st.lists(st.sampled_from(WORDS), min_size=1, max_size=12),
    config=st.fixed_dictionaries(
        {},
        optional={
            "hops": st.integers(1, 3),
            "drop_relations": st.booleans(),
            "reason": st.booleans(),
            "budget": st.integers(1, 20),
        },
    ),
)
def test_any_words_in_any_order(words: list[str], config: dict[str, Any]) -> None:
    question = " ".join(words)
    if question.strip():
        checked(question, config)


@pytest.mark.parametrize(
    "question",
    ["?", '""', "a" * 100_000, "Who wrote The Salt Road? " * 300, "谁写了 The Salt Road?", "<script>alert(1)</script>"],
)
def test_odd_questions(question: str) -> None:
    checked(question, {})


@pytest.mark.parametrize(
    ("nodes", "edges"),
    [
        ({}, []),
        ({"a": ("A", "", "")}, []),
        ({"a": ("A", "", ""), "b": ("B", "", "")}, [("a", "", "b")]),
        ({"a": ("A", "", ""), "b": ("A", "", "")}, [("a", "<b>x</b>\n", "b"), ("b", "r", "a"), ("a", "r", "a")]),
    ],
)
def test_odd_graphs(nodes: dict[str, tuple[str, str, str]], edges: list[tuple[str, str, str]]) -> None:
    trace = offline(graph_of(nodes, edges)).run("Who is A related to?")
    assert trace.status == "finished"
    assert Trace.from_json(trace.to_json()) == trace


def test_of_ten_thousand_words_the_first_are_read_and_that_is_said() -> None:
    trace = checked("Which books were written by Ada Holm? " + "Ada Holm wrote " * 5_000, {})
    assert any("first 2,000 characters" in notice for notice in trace.notices)
    assert not any("first" in notice for notice in checked("Which books were written by Ada Holm?", {}).notices)
