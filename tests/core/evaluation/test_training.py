"""Training rows: reasoning where the answer was right, the gold answer where it was not, the verdicts beside them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import core.__main__ as command_line
from core.errors import EncoderError
from core.evaluation.judge import MatchJudge
from core.evaluation.questions import Gold, Question
from core.evaluation.training import target_of, training_rows
from core.kerag.sft import Target, training_row
from core.kerag.steps import Line, RetrieveStep, SummaryStep, TopicStep
from core.kerag.summariser_model import AnswerReply, ReasonedReply
from core.kerag.summariser_prompts import PLAIN, REASON
from core.trace import DatasetRef, NodeRef, Trace

DATASET = DatasetRef(content_id="sha256:x", name="x", size={"nodes": 3, "edges": 2})
NODES = (NodeRef(id="a", name="Aare"), NodeRef(id="b", name="Old Bridge"), NodeRef(id="c", name="Bern"))
TRIPLES = ((1, 0, 0, 1), (1, 1, 2, 1))


def trace_of(text: str = "What crosses the Aare?", known: bool = True, value: str = "") -> Trace:
    lines = (Line(number=1, text="The Old Bridge does.", operation="follow", triples=(0,)),)
    return Trace(
        method="kerag",
        question=text,
        dataset=DATASET,
        steps=(
            TopicStep(question_kind="lookup"),
            RetrieveStep(nodes=NODES, relations=("crosses", "stands in"), triples=TRIPLES, total=2),
            SummaryStep(lines=lines, answers=(NODES[1],) if known else (), known=known, value=value),
        ),
    )


def messages(trace: Trace, gold: Target, **more: Any) -> list[dict[str, str]]:
    row = training_row(trace, gold, **more)
    assert row is not None
    assert set(row) == {"messages"}
    assert [m["role"] for m in row["messages"]] == ["system", "user", "assistant"]
    assert all(set(m) == {"role", "content"} and isinstance(m["content"], str) for m in row["messages"])
    return row["messages"]


def test_a_right_answer_keeps_its_reasoning() -> None:
    system, user, assistant = messages(trace_of(), Target(), right=True)
    assert system["content"] == REASON
    assert "1. Old Bridge -[crosses]-> Aare" in user["content"]
    reply = ReasonedReply.model_validate_json(assistant["content"])  # what the summariser would read
    assert (reply.answers, reply.known) == (["Old Bridge"], True)
    assert [(t.text, t.triples) for t in reply.reasoning] == [("The Old Bridge does.", [1])]


def test_a_wrong_answer_gives_way_to_the_gold_one_under_the_plain_prompt() -> None:
    system, _, assistant = messages(trace_of(), Target(answers=("New Bridge",)), right=False)
    assert system["content"] == PLAIN
    assert AnswerReply.model_validate_json(assistant["content"]).answers == ["New Bridge"]


def test_cited_triples_are_shown_first_where_not_all_fit() -> None:
    _, user, assistant = messages(trace_of("Where does it stand in?"), Target(), right=True, characters=45)
    assert "crosses" in user["content"]
    assert "stands in]" not in user["content"]
    assert "1 more triples" in user["content"]
    assert json.loads(assistant["content"])["reasoning"][0]["triples"] == [1]


def test_a_run_without_a_neighbourhood_makes_no_row() -> None:
    assert training_row(Trace(method="kerag", question="?", dataset=DATASET), Target(), right=True) is None


@pytest.mark.parametrize(
    ("question", "target"),
    [
        (Question(text="?", answers=(Gold(name="A", ids=("a",)),)), Target(answers=("A",))),
        (Question(text="?", kind="count", value="2", answers=(Gold(name="A", ids=("a",)),)), Target(value="2")),
        (Question(text="?", kind="yes/no", literal=("no",)), Target(value="no")),
        (Question(text="?", kind="false premise", value="false premise"), Target(known=False)),
    ],
)
def test_gold_answers_as_targets(question: Question, target: Target) -> None:
    assert target_of(question) == target


class Answering:
    """Knows the answer to the first question, not to the second; the third breaks."""

    dataset = DATASET
    method = "kerag"

    def prepare(self, on_progress: Any = None) -> None: ...

    def run(self, text: str, config: Any = None, on_step: Any = None, should_stop: Any = None) -> Trace:
        if text == "break":
            raise EncoderError("no encoder")
        return trace_of(text, known=text == "right")


def test_rows_and_verdicts() -> None:
    gold = (Gold(name="Old Bridge", ids=("b",)),)
    questions = [Question(id=t, text=t, answers=gold) for t in ("right", "wrong", "break")]
    made = list(training_rows(Answering(), [*questions, Question(text="no gold")], MatchJudge()))
    assert [row is not None for row, _ in made] == [True, True, False]
    assert [(j.row, j.verdict, j.prompt) for _, j in made] == [
        (1, "accurate", "reasoning"), (2, "missing", "plain"), (None, None, ""),
    ]  # fmt: skip
    assert "no encoder" in made[2][1].reason
    assert list(training_rows(Answering(), questions, MatchJudge(), None, lambda: True)) == []


def test_the_command_writes_rows_and_a_record_beside_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.methods.build", lambda name, graph, source=None: Answering())
    asked = tmp_path / "asked.jsonl"
    lines = [{"question": t, "answers": ["Casablanca"]} for t in ("right", "wrong")]
    asked.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    out = tmp_path / "rows.jsonl"
    words = ["sft", "--sample", "films", "--questions", str(asked), "--out", str(out), "--json"]
    assert command_line.main(words) == 0
    body = json.loads(capsys.readouterr().out)
    assert (body["n"], body["rows"], body["plain"], body["job"]) == (2, 2, 2, None)
    assert body["verdicts"] == {"accurate": 0, "missing": 1, "hallucinated": 1}
    assert len(out.read_text(encoding="utf-8").splitlines()) == 2
    beside = [json.loads(line) for line in (tmp_path / "rows.judged.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [(b["row"], b["verdict"]) for b in beside] == [(1, "hallucinated"), (2, "missing")]


@pytest.mark.parametrize(
    "options",
    [[], ["--out", "x.jsonl", "--launch"], ["--out", "x.jsonl", "--model-judge"]],
)
def test_the_command_refuses_in_words(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line.main(["sft", "--sample", "films", *options, "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["error"]["hint"]


def test_a_file_that_cannot_be_written_is_an_error_in_words(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.methods.build", lambda name, graph, source=None: Answering())
    assert command_line.main(["sft", "--sample", "films", "--limit", "1", "--out", str(tmp_path / "no" / "x")]) == 2
    assert "cannot be written" in capsys.readouterr().err
