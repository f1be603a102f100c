"""`evaluate`: methods side by side on a file of questions with gold answers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from core.commands.inputs import Engine, GraphPath, SampleName, open_graph, questions_file, variants
from core.commands.model import CONTEXT, BaseUrl, ContextTokens, ModelName, Record, Replay, model_source
from core.commands.reply import Json, Reply, plain, progress, stop_on_interrupt, table
from core.errors import ConfigError, StoreError

if TYPE_CHECKING:
    from core.evaluation.batch import EvaluationResult

_METRICS = ("hit@1", "hit@5", "recall@20", "mrr")


def evaluate(
    graph: GraphPath = None,
    sample: SampleName = None,
    questions: Annotated[
        Path | None, typer.Option(help="Text (question, tab, answers joined by |), JSON lines or CSV.")
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Ask only the first N questions of the file.")] = None,
    shuffle: Annotated[int | None, typer.Option(help="Shuffle the file with this seed before --limit.")] = None,
    method: Annotated[
        str, typer.Option(help="Names with commas; settings in brackets: cara,cara[assess=false],bm25.")
    ] = "cara",
    seed: Annotated[int, typer.Option(min=0, help="Of the methods that draw lots, and of the intervals.")] = 0,
    no_assess: Annotated[bool, typer.Option("--no-assess", help="Leave the causal module out.")] = False,
    engine: Engine = "bm25s",
    model: ModelName = None,
    base_url: BaseUrl = None,
    context: ContextTokens = CONTEXT,
    record: Record = None,
    replay: Replay = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Refuse the file if an answer is no node; else it counts as never found.")
    ] = False,
    model_judge: Annotated[
        bool, typer.Option("--model-judge", help="Let the model judge answers; else names and values are matched.")
    ] = False,
    rows: Annotated[Path | None, typer.Option(help="Write a JSON line per question and method here.")] = None,
    save: Annotated[bool, typer.Option("--save", help="Keep every run in the run store.")] = False,
    as_json: Json = False,
) -> Reply:
    """Ask every question of every method; print Hit@1, Hit@5, Recall@20, MRR, cost and 95 % intervals.

    Questions are the first --limit of the file, in its order, unless --shuffle is given. The first
    question of a method warms it up: it is scored, and its time is not counted.
    """
    chosen = variants(method, {"seed": seed, "assess": False if no_assess else None})
    source = model_source(model, base_url, context, record, replay)
    if model_judge and source is None:
        raise ConfigError("no model is named", where="--model-judge", hint="Add --model and --base-url.")
    from core.evaluation.batch import evaluate as run_batch
    from core.evaluation.judge_model import ModelJudge
    from core.evaluation.questions import load_questions
    from core.methods import build

    with progress() as shown, stop_on_interrupt() as stop:
        loaded = open_graph(graph, sample, shown, engine)
        file = questions_file(questions, sample)
        known = load_questions(file, loaded.graph, strict=strict)
        built = {name: build(name, loaded.graph, source) for name in dict.fromkeys(v.method for v in chosen)}
        store = None
        if save:
            from core.store import Store

            store = Store()
        result = run_batch(
            loaded.graph,
            known.questions,
            {v.label: built[v.method] for v in chosen},
            {v.label: v.settings for v in chosen},
            limit=limit,
            seed=seed,
            shuffle=shuffle,
            on_progress=shown,
            should_stop=stop.is_set,
            store=store,
            judge=ModelJudge(source.make_asker()) if model_judge and source is not None else None,
        )
    if rows is not None:
        _write_rows(rows, result)
    return Reply(result.as_json(), _text(result), as_json, code=130 if result.stopped else 0)


def _write_rows(path: Path, result: EvaluationResult) -> None:
    try:
        path.write_text("".join(row.model_dump_json() + "\n" for row in result.rows), encoding="utf-8")
    except OSError as error:
        raise StoreError(f"the rows cannot be written: {error.strerror or error}", where=str(path)) from None


def _text(result: EvaluationResult) -> str:
    header = ["method", "n", *_METRICS, "s/question", "searches", "neighbors", "assessed", "nodes", "tokens"]
    lines = []
    for name, summary in result.methods.items():
        metrics = [
            f"{summary.scores[m]:.3f} [{summary.intervals[m][0]:.3f}, {summary.intervals[m][1]:.3f}]" for m in _METRICS
        ]
        costs = [round(summary.costs[c], 1) for c in ("global_search", "neighbors", "assess", "nodes")]
        lines.append([name, summary.n, *metrics, summary.seconds, *costs, summary.tokens])
    text = [table(header, lines) if lines else "Nothing was asked."]
    text += ["", *_answers(result)] if result.answers else []
    text += ["", *_differences(result)] if len(result.methods) > 1 and not result.stopped else [""]
    return "\n".join([*text, *(plain(note) for note in result.notes)])


def _answers(result: EvaluationResult) -> list[str]:
    """The answers of the methods that conclude something: rates, by kind of question, and where runs failed."""
    from core.evaluation.answers import RATES, by_popularity, slices, summarise_answers

    header = ["answers of", "n", *RATES]
    lines, failed = [], []
    for name in result.methods:
        rows = result.answers_of(name)
        if not rows:
            continue
        whole = summarise_answers(rows, result.seed)
        rates = [f"{whole.rates[r]:.3f} [{whole.intervals[r][0]:.3f}, {whole.intervals[r][1]:.3f}]" for r in RATES]
        lines.append([name, whole.n, *rates])
        parts = slices(rows, lambda r: r.kind, result.seed) | by_popularity(rows, result.seed)
        lines += [[f"  {part}", own.n, *(f"{own.rates[r]:.3f}" for r in RATES)] for part, own in parts.items()]
        if whole.stages:
            told = ", ".join(f"{k.replace('_', ' ')} {v:.3f}" for k, v in whole.stages.items())
            failed.append(f"{name}, stage by stage: {told}")
    return [table(header, lines), *failed]


def _differences(result: EvaluationResult) -> list[str]:
    first, *others = result.methods
    lines = []
    for other in others:
        parts: list[Any] = []
        for metric in ("hit@1", "mrr"):
            d = result.difference(metric, first, other)
            parts.append(f"{metric} {d.mean:+.3f} [{d.low:+.3f}, {d.high:+.3f}]")
        lines.append(f"{first} - {other}, question by question: {', '.join(parts)}")
    return [*lines, ""]
