"""The batch runner: every question through every method, one row each, and the means over them.

Methods run one after the other, a question at a time, so that seconds mean something. A question that
fails counts as not answered, and is told. Not here: where questions come from, how means are shown.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from core.errors import CausewayError, ConfigError, QuestionError
from core.evaluation.answers import AnswerRow, answers_json
from core.evaluation.intervals import Interval, bootstrap, paired_difference
from core.evaluation.judge import Judge, MatchJudge, match
from core.evaluation.metrics import gold_ranks, score
from core.evaluation.questions import Question, choose, choose_judged
from core.graph.contracts import Graph
from core.retriever import OnProgress, Retriever, ShouldStop
from core.store import Store
from core.trace import Conclusion, Frozen, Status, Trace

log = logging.getLogger(__name__)

METRICS = ("hit@1", "hit@5", "recall@20", "mrr")
COSTS = ("global_search", "neighbors", "assess", "nodes")
WARM_UP = (
    "The first question of each method warms it up: it is scored, and its time is left out of seconds_per_question. "
    "Methods run in the order given and share indexes and encoders, so that later ones find them warm."
)


class QuestionRow(Frozen):
    """One method on one question. `best_rank`: of the first gold answer; None when none was retrieved."""

    method: str
    question_id: str
    question: str
    kind: str = ""
    hops: int | None = None
    gold: tuple[str, ...]
    best_rank: int | None = None
    top: str = ""
    scores: dict[str, float]  # by METRICS
    costs: dict[str, int]  # by COSTS
    tokens: int | None = None
    seconds: float
    warm_up: bool = False
    status: Status = "finished"
    error: str = ""
    run_id: str = ""


class Summary(Frozen):
    """Means over rows of one method. `seconds` leaves the warm-up out, unless there is nothing else."""

    n: int
    scores: dict[str, float]
    intervals: dict[str, tuple[float, float]]  # 95 % bootstrap, by METRICS
    seconds: float
    costs: dict[str, float]
    tokens: float | None = None
    failed: int = 0


class EvaluationResult(Frozen):
    """All rows, and a summary per method (by the name it was given), over the questions all methods were asked."""

    n: int
    seed: int
    rows: tuple[QuestionRow, ...]
    methods: dict[str, Summary]
    notes: tuple[str, ...] = ()
    stopped: bool = False
    answers: tuple[AnswerRow, ...] = ()  # of the methods that conclude something a judge can look at

    def rows_of(self, method: str) -> tuple[QuestionRow, ...]:
        """One method's rows, in the order of the questions."""
        return tuple(row for row in self.rows if row.method == method)

    def difference(self, metric: str, ours: str, theirs: str) -> Interval:
        """The paired difference ours - theirs in a metric, over the questions both were asked."""
        a, b = self.rows_of(ours), self.rows_of(theirs)
        n = min(len(a), len(b))
        return paired_difference([r.scores[metric] for r in a[:n]], [r.scores[metric] for r in b[:n]], self.seed)

    def slices(self, key: Callable[[QuestionRow], object]) -> dict[str, dict[str, Summary]]:
        """Summaries per value of `key` (say, hops) and method."""
        groups: dict[str, dict[str, list[QuestionRow]]] = {}
        for row in self.rows:
            value = key(row)
            groups.setdefault("" if value is None else str(value), {}).setdefault(row.method, []).append(row)
        return {v: {m: summarise(rows, self.seed) for m, rows in by.items()} for v, by in groups.items()}

    def as_json(self) -> dict[str, Any]:
        """The object that `evaluate --json` prints."""
        return {
            "n": self.n,
            "methods": {name: _summary_json(summary) | self._answers(name) for name, summary in self.methods.items()},
            "notes": list(self.notes),
        }

    def answers_of(self, method: str) -> tuple[AnswerRow, ...]:
        """One method's judged answers, in the order they were given."""
        return tuple(row for row in self.answers if row.method == method)

    def _answers(self, method: str) -> dict[str, Any]:
        rows = self.answers_of(method)
        return answers_json(rows, self.seed) if rows else {}


def evaluate(
    graph: Graph,
    questions: Sequence[Question],
    methods: Sequence[str] | Mapping[str, Retriever],
    configs: Mapping[str, Mapping[str, Any]] | None = None,
    limit: int | None = None,
    seed: int = 0,
    shuffle: int | None = None,
    on_progress: OnProgress | None = None,
    should_stop: ShouldStop | None = None,
    store: Store | None = None,
    judge: Judge | None = None,
) -> EvaluationResult:
    """Ask the first `limit` questions that can be scored of every method.

    methods: names of `core.methods`, or retrievers by the names that the result shall use.
    configs: settings by those names. seed: of the bootstrap; a method's own seed belongs in its config.
    shuffle: a seed to shuffle the questions with before the limit.
    store: where each run is saved, under the label "evaluation". judge: of the answers of methods that conclude
    something; these are also asked the questions whose answer is no node. When `should_stop` turns true, what was
    asked so far is returned. QuestionError if no question can be scored; ConfigError for a wrong setting.
    """
    chosen = choose(questions, limit, shuffle)
    if not chosen:
        raise QuestionError("no question has an answer that is a node of the graph", hint="Is it the right graph?")
    retrievers = dict(methods) if isinstance(methods, Mapping) else _build(methods, graph)
    stop = should_stop or (lambda: False)
    rows: list[QuestionRow] = []
    answers: list[AnswerRow] = []
    judged = [q for q in choose_judged(questions, limit, shuffle) if not q.scored]
    for number, (name, retriever) in enumerate(retrievers.items()):
        retriever.prepare(on_progress)
        for place, question in enumerate(chosen):
            if stop():
                break
            if on_progress is not None:
                done = (number * len(chosen) + place) / (len(retrievers) * len(chosen))
                on_progress(f"{name}: question {place + 1} of {len(chosen)}", done)
            asked = _ask(name, retriever, question, (configs or {}).get(name, {}), stop, store)
            if asked is None:
                continue
            trace, seconds, run_id = asked
            rows.append(_row(name, question, trace, seconds, run_id, place == 0))
            if trace.conclusion is not None or (answers and answers[-1].method == name):
                answers.append(_judged(name, question, trace, run_id, graph, judge or MatchJudge()))
        for question in judged if answers and answers[-1].method == name else ():
            asked = None if stop() else _ask(name, retriever, question, (configs or {}).get(name, {}), stop, store)
            if asked is not None:
                answers.append(_judged(name, question, asked[0], asked[2], graph, judge or MatchJudge()))
    by_method = {name: [row for row in rows if row.method == name] for name in retrievers}
    stopped = len(rows) < len(chosen) * len(retrievers)
    return EvaluationResult(
        n=max(map(len, by_method.values())),
        seed=seed,
        rows=tuple(rows),
        methods={name: summarise(own, seed) for name, own in by_method.items() if own},
        notes=_notes(by_method, chosen, len(questions) - len(choose(questions)), stopped),
        stopped=stopped,
        answers=tuple(answers),
    )


def summarise(rows: Sequence[QuestionRow], seed: int = 0) -> Summary:
    """Means and intervals over rows of one method. ValueError for no rows."""
    warm = [row for row in rows if not row.warm_up] or list(rows)
    bounds = {metric: bootstrap([row.scores[metric] for row in rows], seed) for metric in METRICS}
    tokens = [row.tokens for row in rows if row.tokens is not None]
    return Summary(
        n=len(rows),
        scores={metric: interval.mean for metric, interval in bounds.items()},
        intervals={metric: (interval.low, interval.high) for metric, interval in bounds.items()},
        seconds=_mean(row.seconds for row in warm),
        costs={cost: _mean(row.costs[cost] for row in rows) for cost in COSTS},
        tokens=_mean(tokens) if tokens else None,
        failed=sum(row.status == "failed" for row in rows),
    )


def _build(names: Sequence[str], graph: Graph) -> dict[str, Retriever]:
    from core.methods import build

    return {name: build(name, graph) for name in names}


def _ask(
    name: str,
    retriever: Retriever,
    question: Question,
    config: Mapping[str, Any],
    stop: ShouldStop,
    store: Store | None,
) -> tuple[Trace, float, str] | None:
    """The trace, seconds, and the saved run's id; None for a run stopped midway, which says nothing of the method."""
    began = time.perf_counter()
    trace, error = None, ""
    try:
        trace = retriever.run(question.text, config, None, stop)
    except ConfigError:
        raise  # it would fail alike on every question
    except CausewayError as failure:
        error = str(failure)
    except Exception as failure:  # one question's fault must not cost the others their answers
        log.exception("%s failed on %r", name, question.text)
        error = f"{type(failure).__name__}: a fault in the program"
    seconds = time.perf_counter() - began
    if trace is None:
        trace = Trace(method=name, question=question.text, dataset=retriever.dataset, status="failed", error=error)
    if stop() and trace.status != "finished":
        return None
    return trace, seconds, store.save(trace, label="evaluation") if store is not None else ""


def _judged(name: str, question: Question, trace: Trace, run_id: str, graph: Graph, judge: Judge) -> AnswerRow:
    """The verdict on what a run concluded; a run that failed concluded that it does not know."""
    from core.kerag.stages import positions_named, stages

    given = trace.conclusion or Conclusion(known=False)
    try:
        judgment = judge.judge(question, given, trace.answer.text if trace.answer else "")
    except CausewayError as failure:  # a model that judges may fail; the match never does
        judgment = match(question, given)
        judgment = judgment.model_copy(update={"reason": f"{judgment.reason}; the judge failed: {failure}"})
    named = positions_named(graph, question.mention.split(";")[0].strip())
    degrees = [sum(r.edges for r in graph.node(position).relations) for position in named]
    gold = [answer.ids for answer in question.answers]
    return AnswerRow(
        method=name,
        question_id=question.id,
        question=question.text,
        kind=question.kind or (f"{question.hops} hop{'s' if question.hops > 1 else ''}" if question.hops else ""),
        hops=question.hops,
        answer=given.value or ", ".join(node.name for node in given.nodes[:20]),
        verdict=judgment.verdict,
        incomplete=judgment.incomplete,
        f1=judgment.f1,
        reason=judgment.reason,
        judged_by=judgment.by,
        popularity=max(degrees, default=None),
        stages=stages(trace, graph, question.mention, gold, accurate=judgment.verdict == "accurate"),
        run_id=run_id,
    )


def _row(name: str, question: Question, trace: Trace, seconds: float, run_id: str, warm_up: bool) -> QuestionRow:
    ranked = [line.id for line in trace.ranked]
    gold = [answer.ids for answer in question.answers]
    found = [rank for rank in gold_ranks(ranked, gold) if rank is not None]
    usage = trace.usage
    counted = usage.prompt_tokens is not None or usage.completion_tokens is not None
    return QuestionRow(
        method=name,
        question_id=question.id,
        question=question.text,
        kind=question.kind,
        hops=question.hops,
        gold=tuple(answer.name for answer in question.answers),
        best_rank=min(found, default=None),
        top=trace.ranked[0].name if trace.ranked else "",
        scores=dict(zip(METRICS, score(ranked, gold), strict=True)),
        costs={c: usage.nodes_examined if c == "nodes" else usage.calls.get(c, 0) for c in COSTS},
        tokens=(usage.prompt_tokens or 0) + (usage.completion_tokens or 0) if counted else None,
        seconds=seconds,
        warm_up=warm_up,
        status=trace.status,
        error=trace.error,
        run_id=run_id,
    )


def _notes(
    by_method: Mapping[str, Sequence[QuestionRow]], asked: Sequence[Question], left_out: int, stopped: bool
) -> tuple[str, ...]:
    notes = [WARM_UP]
    if left_out:
        notes.append(f"{left_out} questions of the file have no node as their answer and count in no ranking.")
    unknown = sum(not gold.ids for question in asked for gold in question.answers)
    if unknown:
        notes.append(f"{unknown} gold answers of the questions asked are no nodes; they count as never found.")
    for name, rows in by_method.items():
        failed = [row for row in rows if row.status == "failed"]
        if failed:
            notes.append(
                f"{name} failed on {len(failed)} questions, which count as not answered; first: {failed[0].error}"
            )
    if stopped:
        notes.append("Stopped: the methods were not all asked the same questions.")
    return tuple(notes)


def _summary_json(summary: Summary) -> dict[str, Any]:
    return {
        **summary.scores,
        "seconds_per_question": summary.seconds,
        **summary.costs,
        "tokens": summary.tokens,
        "n": summary.n,
        "intervals": {metric: list(bounds) for metric, bounds in summary.intervals.items()},
    }


def _mean(values: Iterable[float]) -> float:
    numbers = list(values)
    return sum(numbers) / len(numbers)
