"""Training data from questions with gold answers (KERAG-4): each is answered, judged, and made a row.

Beside the rows goes a record with the judge's verdict on each, since a row with other keys would be refused.
Not here: what a row says (`core.kerag.sft`), or the training itself (`core.llm.fine_tuning`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from core.errors import CausewayError
from core.evaluation.judge import Judge, Verdict
from core.evaluation.questions import Question, plain_kind
from core.kerag.sft import Row, Target, training_row
from core.retriever import Retriever, ShouldStop
from core.trace import Conclusion, Frozen


class Judged(Frozen):
    """What stands beside a row. row: its line in the file, from 1; None where no row could be made, and why."""

    row: int | None
    id: str
    question: str
    verdict: Verdict | None = None
    reason: str = ""
    judged_by: str = ""
    prompt: Literal["reasoning", "plain", ""] = ""


def training_rows(
    retriever: Retriever,
    questions: Sequence[Question],
    judge: Judge,
    config: Mapping[str, Any] | None = None,
    should_stop: ShouldStop = lambda: False,
) -> Iterator[tuple[Row | None, Judged]]:
    """A row and its record for each question that has a gold answer, as they are made."""
    written = 0
    for question in questions:
        if should_stop():
            return
        if not question.judged:
            continue
        try:
            trace = retriever.run(question.text, config, None, should_stop)
            if trace.status == "stopped":
                return
            given = trace.conclusion or Conclusion(known=False)
            judgment = judge.judge(question, given, trace.answer.text if trace.answer else "")
        except CausewayError as error:
            yield None, Judged(row=None, id=question.id, question=question.text, reason=str(error))
            continue
        right = judgment.verdict == "accurate"
        row = training_row(trace, target_of(question), right=right)
        written += row is not None
        yield (
            row,
            Judged(
                row=written if row is not None else None,
                id=question.id,
                question=question.text,
                verdict=judgment.verdict,
                reason=judgment.reason if row is not None else "the run retrieved nothing to answer from",
                judged_by=judgment.by,
                prompt="" if row is None else "reasoning" if right else "plain",
            ),
        )


def target_of(question: Question) -> Target:
    """The gold answer as a target."""
    if question.unanswerable:
        return Target(known=False)
    if plain_kind(question.kind) in ("count", "yes/no", "yes no", "boolean") and (question.value or question.literal):
        return Target(value=question.value or question.literal[0])
    if question.answers:
        return Target(answers=tuple(dict.fromkeys(gold.name for gold in question.answers)))
    return Target(value=question.value or ", ".join(question.literal))
