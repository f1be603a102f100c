"""Rates, truthfulness, slices by kind and popularity, the stage table, and what `evaluate` makes of conclusions."""

from __future__ import annotations

from typing import Any

import pytest
from fake_retriever import DATASET, make_trace

from core.__main__ import main
from core.commands.evaluate import _text as in_words
from core.errors import ModelError
from core.evaluation.answers import AnswerRow, answers_json, popularity_of, slices, summarise_answers
from core.evaluation.batch import evaluate
from core.evaluation.questions import Gold, Question, choose_judged
from core.kerag.stages import Stages
from core.kerag.steps import SummaryStep
from core.trace import NodeRef, Ranked


def row(number: int, verdict: str, **more: Any) -> AnswerRow:
    return AnswerRow.model_validate(
        {"method": "m", "question_id": f"q{number}", "question": "?", "verdict": verdict, "f1": 0.5, **more}
    )


ROWS = [
    row(1, "accurate", kind="count", popularity=1),
    row(2, "accurate", kind="count", popularity=10),
    row(3, "hallucinated", kind="set", popularity=100),
    row(4, "missing", kind="set", incomplete=True),
]


def test_rates_by_hand() -> None:
    summary = summarise_answers(ROWS)
    assert summary.n == 4
    assert summary.rates == {
        "accuracy": 0.5, "missing": 0.25, "hallucination": 0.25, "truthfulness": 0.25, "incomplete": 0.25,
        "set_f1": 0.5,
    }  # fmt: skip
    low, high = summary.intervals["accuracy"]
    assert 0 <= low < 0.5 < high <= 1
    assert summary.stages == {}


def test_terciles_keep_equal_degrees_together() -> None:
    rows = [row(n, "accurate", popularity=p) for n, p in enumerate([1, 1, 1, 1, 5, 9])]
    where = popularity_of(rows)
    assert [where[f"q{n}"] for n in range(6)] == ["tail", "tail", "tail", "tail", "head", "head"]
    assert popularity_of([row(1, "accurate")]) == {}
    assert popularity_of(ROWS) == {"q1": "tail", "q2": "torso", "q3": "head"}


def test_slices_and_json() -> None:
    assert {k: s.rates["accuracy"] for k, s in slices(ROWS, lambda r: r.kind).items()} == {"count": 1.0, "set": 0.0}
    body = answers_json(ROWS)
    assert {"accuracy", "missing", "hallucination", "truthfulness", "set_f1", "by_kind", "by_popularity"} <= body.keys()
    assert body["by_popularity"]["head"]["hallucination"] == 1.0
    assert list(body["by_popularity"]) == ["tail", "torso", "head"]
    assert "stages" not in body


def test_a_failure_belongs_to_the_first_stage_that_failed() -> None:
    stages = [
        Stages(linked=True, recall=1.0, accurate=True),
        Stages(linked=False, recall=0.0, accurate=False, failed_at="linking"),
        Stages(linked=True, recall=0.5, accurate=False, failed_at="retrieval"),
        Stages(linked=True, recall=1.0, accurate=False, failed_at="reasoning"),
    ]
    rows = [row(n, "accurate" if s.accurate else "missing", stages=s) for n, s in enumerate(stages)]
    table = summarise_answers(rows).stages
    assert table == {
        "linked": 0.75, "recall": 0.625, "accurate_given_retrieval": 0.5, "failed_at_linking": 0.25,
        "failed_at_retrieval": 0.25, "failed_at_reasoning": 0.25,
    }  # fmt: skip


class NoGraph:
    """The four calls, of which only the search is needed, for a mention that is not there."""

    def search(self, query: str, k: int = 30) -> tuple[()]:
        return ()


class Concluding:
    """Answers with the right node or value; on the questions of `silent` it raises."""

    dataset = DATASET
    method = "m"

    def __init__(self, concludes: bool = True) -> None:
        self.concludes, self.asked = concludes, list[str]()

    def prepare(self, on_progress: Any = None) -> None: ...

    def run(self, text: str, config: Any = None, on_step: Any = None, should_stop: Any = None) -> Any:
        self.asked.append(text)
        value = "2" if text == "how many" else ""
        nodes = (NodeRef(id="a", name="A"),)
        steps = (SummaryStep(answers=nodes, value=value, known=text != "trick"),) if self.concludes else ()
        trace = make_trace(text, method="m")
        return trace.model_copy(update={"steps": steps, "ranked": (Ranked(id="a", name="A", score=1.0),)})


QUESTIONS = [
    Question(id="q1", text="who", answers=(Gold(name="A", ids=("a",)),), kind="lookup"),
    Question(id="q2", text="how many", kind="count", value="2", literal=("2",)),
    Question(id="q3", text="trick", kind="false premise"),
    Question(id="q4", text="no gold at all"),
    Question(id="q5", text="who else", answers=(Gold(name="B", ids=("b",)),), kind="lookup"),
]


def test_methods_that_conclude_are_asked_what_no_ranking_answers() -> None:
    concluding, ranking = Concluding(), Concluding(concludes=False)
    result = evaluate(NoGraph(), QUESTIONS, {"k": concluding, "r": ranking})  # type: ignore[arg-type]
    assert concluding.asked == ["who", "who else", "how many", "trick"]
    assert ranking.asked == ["who", "who else"]
    assert [(r.question_id, r.verdict) for r in result.answers_of("k")] == [
        ("q1", "accurate"), ("q5", "hallucinated"), ("q2", "accurate"), ("q3", "accurate"),
    ]  # fmt: skip
    body = result.as_json()["methods"]
    assert body["k"]["accuracy"] == 0.75
    assert body["k"]["truthfulness"] == 0.5
    assert body["k"]["hit@1"] == 0.5
    assert "accuracy" not in body["r"]
    assert result.n == 2


class BrokenJudge:
    exchange = None

    def judge(self, question: Any, given: Any, text: str) -> Any:
        raise ModelError("no reply")


def test_where_a_model_cannot_judge_the_match_does_and_says_so() -> None:
    result = evaluate(NoGraph(), QUESTIONS[:1], {"k": Concluding()}, judge=BrokenJudge())  # type: ignore[arg-type]
    (row,) = result.answers
    assert row.verdict == "accurate"
    assert "the judge failed: no reply" in row.reason


def test_the_command_prints_a_table_of_answers(capsys: pytest.CaptureFixture[str]) -> None:
    result = evaluate(NoGraph(), QUESTIONS, {"k": Concluding(), "r": Concluding(concludes=False)})  # type: ignore[arg-type]
    text = in_words(result)
    assert "answers of" in text
    assert "0.750" in text
    assert "false premise" in text
    assert "k, stage by stage: " in text
    assert main(["evaluate", "--sample", "films", "--model-judge", "--json"]) == 2
    assert "--model-judge" in capsys.readouterr().out


def test_which_questions_are_judged() -> None:
    assert [q.id for q in choose_judged(QUESTIONS)] == ["q1", "q2", "q3", "q5"]
    assert [q.id for q in choose_judged(QUESTIONS, 1)] == ["q1"]
    assert {q.id for q in choose_judged(QUESTIONS, shuffle=3)} == {"q1", "q2", "q3", "q5"}
    assert len(choose_judged(QUESTIONS, 1, shuffle=3)) == 1


@pytest.mark.parametrize("rows", [[]])
def test_no_rows_are_refused(rows: list[AnswerRow]) -> None:
    with pytest.raises(ValueError, match="no value"):
        summarise_answers(rows)
