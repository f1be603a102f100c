"""Answers of a method over many questions: verdicts, accuracy, truthfulness, slices by kind and popularity (KERAG-5).

A: share of accurate answers, M of missing ones, H of hallucinated ones; truthfulness T = A - H.
Not here: one verdict (`judge`), rankings (`batch`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from core.evaluation.intervals import bootstrap
from core.evaluation.judge import Verdict
from core.kerag.stages import Stages
from core.trace import Frozen

RATES = ("accuracy", "missing", "hallucination", "truthfulness", "incomplete", "set_f1")
POPULARITY = ("tail", "torso", "head")


class AnswerRow(Frozen):
    """One answer and its verdict. popularity: degree of the question's topic; None where it is not known."""

    method: str
    question_id: str
    question: str
    kind: str = ""
    hops: int | None = None
    answer: str = ""
    verdict: Verdict
    incomplete: bool = False
    f1: float
    reason: str = ""
    judged_by: str = ""
    popularity: int | None = None
    stages: Stages | None = None
    run_id: str = ""


class AnswerSummary(Frozen):
    """Rates over answers, each with a 95 % bootstrap interval, and the stage table where it was looked at.

    stages: "linked" and "recall" (means where known), "accurate_given_retrieval", and the share of all answers whose
    failure belongs to each stage.
    """

    n: int
    rates: dict[str, float]
    intervals: dict[str, tuple[float, float]]
    stages: dict[str, float] = {}
    stage_intervals: dict[str, tuple[float, float]] = {}


def summarise_answers(rows: Sequence[AnswerRow], seed: int = 0) -> AnswerSummary:
    """Rates and intervals. ValueError for no rows."""
    columns = {
        "accuracy": [float(r.verdict == "accurate") for r in rows],
        "missing": [float(r.verdict == "missing") for r in rows],
        "hallucination": [float(r.verdict == "hallucinated") for r in rows],
        "truthfulness": [float(r.verdict == "accurate") - float(r.verdict == "hallucinated") for r in rows],
        "incomplete": [float(r.incomplete) for r in rows],
        "set_f1": [r.f1 for r in rows],
    }
    means = {name: bootstrap(values, seed) for name, values in columns.items()}
    staged = {name: bootstrap(values, seed) for name, values in _stage_columns(rows).items() if values}
    return AnswerSummary(
        n=len(rows),
        rates={name: i.mean for name, i in means.items()},
        intervals={name: (i.low, i.high) for name, i in means.items()},
        stages={name: i.mean for name, i in staged.items()},
        stage_intervals={name: (i.low, i.high) for name, i in staged.items()},
    )


def _stage_columns(rows: Sequence[AnswerRow]) -> dict[str, list[float]]:
    known = [(r, r.stages) for r in rows if r.stages is not None]
    if not known:
        return {}
    columns = {
        "linked": [float(s.linked) for _, s in known if s.linked is not None],
        "recall": [s.recall for _, s in known if s.recall is not None],
        "accurate_given_retrieval": [float(s.accurate) for _, s in known if s.recall == 1.0],
    }
    for stage in ("linking", "retrieval", "reasoning"):
        columns[f"failed_at_{stage}"] = [float(s.failed_at == stage) for _, s in known]
    return columns


def popularity_of(rows: Sequence[AnswerRow]) -> dict[str, str]:
    """question id -> tail, torso or head, by terciles of the topic's degree; questions without one are left out.

    Equal degrees stay together: they belong to the tercile in which the first of them falls.
    """
    degree = {r.question_id: r.popularity for r in rows if r.popularity is not None}
    ordered = sorted(degree.values())
    n = len(ordered)
    return {id_: POPULARITY[min(2, 3 * ordered.index(own) // n)] for id_, own in degree.items()}


def slices(rows: Sequence[AnswerRow], key: Callable[[AnswerRow], str], seed: int = 0) -> dict[str, AnswerSummary]:
    """A summary for each value of `key`, in order of the values; "" is left out."""
    groups: dict[str, list[AnswerRow]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return {value: summarise_answers(own, seed) for value, own in sorted(groups.items()) if value}


def by_popularity(rows: Sequence[AnswerRow], seed: int = 0) -> dict[str, AnswerSummary]:
    """A summary for tail, torso and head (see `popularity_of`)."""
    where = popularity_of(rows)
    found = slices(rows, lambda r: where.get(r.question_id, ""), seed)
    return {name: found[name] for name in POPULARITY if name in found}


def answers_json(rows: Sequence[AnswerRow], seed: int = 0) -> dict[str, Any]:
    """What `evaluate --json` prints of a method's answers: rates, intervals, stages, and both slices."""
    summary = summarise_answers(rows, seed)
    body: dict[str, Any] = {**summary.rates, "judged": summary.n}
    body["answer_intervals"] = {name: list(bounds) for name, bounds in summary.intervals.items()}
    if summary.stages:
        body["stages"] = summary.stages
        body["stage_intervals"] = {name: list(bounds) for name, bounds in summary.stage_intervals.items()}
    body["by_kind"] = {k: _short(s) for k, s in slices(rows, lambda r: r.kind, seed).items()}
    body["by_popularity"] = {k: _short(s) for k, s in by_popularity(rows, seed).items()}
    return body


def _short(summary: AnswerSummary) -> dict[str, Any]:
    return {"n": summary.n, **summary.rates}
