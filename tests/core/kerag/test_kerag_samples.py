"""The offline method on the three samples: right answers of every kind, and "I don't know" where it is right.

One setting for all graphs. The bounds lie below what was measured, above what the issue asks for (five of each kind).
"""

from __future__ import annotations

from collections import Counter

import pytest

from core.evaluation.judge import match
from core.evaluation.questions import Question, load_questions
from core.graph.graph import KnowledgeGraph
from core.graph.samples import SAMPLES, load_sample
from core.kerag.retriever import KeragRetriever
from core.kerag.sft import training_row
from core.kerag.steps import SummaryStep
from core.kerag.take_away import take_away
from core.trace import Trace

Runs = dict[str, list[tuple[Question, Trace]]]
# kind -> right answers at least, of all three samples together
LEAST = {"lookup": 20, "multi-hop": 33, "count": 10, "superlative": 11, "comparison": 7, "yes/no": 9, "set": 8,
         "false premise": 10}  # fmt: skip


@pytest.fixture(scope="module")
def graphs() -> dict[str, KnowledgeGraph]:
    return {name: load_sample(name).graph for name in SAMPLES}


@pytest.fixture(scope="module")
def runs(graphs: dict[str, KnowledgeGraph], tmp_path_factory: pytest.TempPathFactory) -> Runs:
    """Every question of every sample, asked once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CAUSEWAY_HOME", str(tmp_path_factory.mktemp("home")))
        found: Runs = {}
        for sample in SAMPLES.values():
            retriever = KeragRetriever(graphs[sample.name])
            questions = load_questions(sample.questions, graphs[sample.name]).questions
            found[sample.name] = [(q, retriever.run(q.text)) for q in questions]
    return found


def test_right_answers_of_every_kind(runs: Runs) -> None:
    right: Counter[str] = Counter()
    for question, trace in (pair for own in runs.values() for pair in own):
        assert trace.conclusion is not None, question.text
        right[question.kind] += match(question, trace.conclusion).verdict == "accurate"
    assert {k: right[k] for k, n in LEAST.items() if right[k] < n} == {}


def test_every_line_cites_triples_of_the_trace_and_every_answer_is_told(runs: Runs) -> None:
    for question, trace in (pair for own in runs.values() for pair in own):
        summary = trace.steps[-1]
        assert isinstance(summary, SummaryStep), question.text
        assert summary.lines, question.text
        if not summary.known:
            assert "I don't know" in summary.lines[-1].text
            assert not summary.answers
            continue
        assert summary.answers or summary.value, question.text
        operations = [line for line in summary.lines if line.operation not in ("say", "count", "exists")]
        assert all(line.triples for line in operations), question.text


def test_taking_nothing_away_changes_nothing(runs: Runs) -> None:
    """The program in the trace, run again on the trace's own triples, gives the very answer."""
    for question, trace in (pair for own in runs.values() for pair in own):
        taken = take_away(trace, ())
        assert taken is not None
        if taken.after is not None:
            assert taken.change == "same", question.text
            assert taken.after.lines == taken.before.lines


def test_taking_all_cited_triples_away_leaves_no_line_standing(runs: Runs) -> None:
    for question, trace in runs["films"]:
        taken = take_away(trace, {t for line in taken_lines(trace) for t in line})
        if taken is None or taken.after is None or not taken.before.known or not taken.before.answers:
            continue
        assert taken.change in ("changed", "lost"), question.text
        assert all(line.support == "lost" for line in taken.lines if line.line.triples)


def taken_lines(trace: Trace) -> list[tuple[int, ...]]:
    return [line.triples for step in trace.steps if isinstance(step, SummaryStep) for line in step.lines]


def test_every_run_makes_a_training_row(runs: Runs) -> None:
    from core.evaluation.training import target_of

    for question, trace in runs["literature"]:
        for right in (True, False):
            row = training_row(trace, target_of(question), right=right)
            assert row is not None
            assert [m["role"] for m in row["messages"]] == ["system", "user", "assistant"]
