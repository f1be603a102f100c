"""`sft`: training data for KERAG's summariser from questions with gold answers, and a job that trains on it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from core.commands.inputs import GraphPath, SampleName, open_graph, questions_file
from core.commands.model import CONTEXT, BaseUrl, ContextTokens, ModelName, Record, Replay, model_source
from core.commands.reply import Json, Reply, progress, say, stop_on_interrupt
from core.errors import ConfigError, StoreError

if TYPE_CHECKING:
    from core.llm.fine_tuning import Job
    from core.llm.source import ModelSource


def sft(
    graph: GraphPath = None,
    sample: SampleName = None,
    questions: Annotated[Path | None, typer.Option(help="The questions; a sample has its own.", metavar="FILE")] = None,
    out: Annotated[Path | None, typer.Option(help="Write the rows here (JSON lines).", metavar="FILE")] = None,
    limit: Annotated[int | None, typer.Option(help="Only the first so many questions.", min=1)] = None,
    model_judge: Annotated[bool, typer.Option("--model-judge", help="Let the model judge the answers, too.")] = False,
    launch: Annotated[
        bool, typer.Option("--launch", help="Start a fine-tuning job on the model's server, and follow it.")
    ] = False,
    model: ModelName = None,
    base_url: BaseUrl = None,
    context: ContextTokens = CONTEXT,
    record: Record = None,
    replay: Replay = None,
    as_json: Json = False,
) -> Reply:
    """Answer each question with KERAG, judge the answer, and write chat fine-tuning rows (OpenAI and TRL read them).

    A right answer is kept with its reasoning; for a wrong one the gold answer is the target, under the plain prompt.
    The judge's verdicts go to FILE.judged.jsonl, row by row. Offline the evaluator reasons; with --model the model.
    """
    if out is None:
        raise ConfigError("where shall the rows go?", where="--out", hint="Name a file, such as rows.jsonl.")
    source = model_source(model, base_url, context, record, replay)
    if source is None and (model_judge or launch):
        option = "--launch" if launch else "--model-judge"
        raise ConfigError("no model is named", where=option, hint="Add --model and --base-url.")
    if launch and (source is None or source.endpoint is None):
        raise ConfigError("a recording cannot be trained", where="--launch", hint="Name a server instead of --replay.")
    from core.evaluation.judge import Judge, MatchJudge
    from core.evaluation.judge_model import ModelJudge
    from core.evaluation.questions import choose_judged, load_questions
    from core.evaluation.training import Judged, training_rows
    from core.methods import build

    rows: list[Any] = []
    records: list[Judged] = []
    job: Job | None = None
    with progress() as shown, stop_on_interrupt() as stop:
        loaded = open_graph(graph, sample, shown)
        known = load_questions(questions_file(questions, sample), loaded.graph, strict=False)
        chosen = choose_judged(known.questions, limit)
        retriever = build("kerag", loaded.graph, source)
        retriever.prepare(shown)
        judge: Judge = ModelJudge(source.make_asker()) if model_judge and source is not None else MatchJudge()
        for number, (row, judged) in enumerate(training_rows(retriever, chosen, judge, None, stop.is_set), 1):
            shown(f"question {number} of {len(chosen)}", number / len(chosen))
            records.append(judged)
            if row is not None:
                rows.append(row)
        _write(out, (json.dumps(row, ensure_ascii=False) for row in rows))
        _write(beside(out), (judged.model_dump_json() for judged in records))
        if launch and source is not None and not stop.is_set():
            job = _launch(source, out, stop.is_set)
    return _reply(rows, records, job, len(chosen), as_json)


def beside(out: Path) -> Path:
    """Where the verdicts go: rows.jsonl has rows.judged.jsonl beside it."""
    return out.with_name(f"{out.stem}.judged.jsonl")


def _launch(source: ModelSource, out: Path, stopped: Any) -> Job:
    from core.llm.client import ChatClient
    from core.llm.fine_tuning import follow, launch

    if source.endpoint is None:
        raise ConfigError("a recording cannot be trained", where="--launch")
    client = ChatClient(source.endpoint)
    job = launch(client, out)
    say(f"Job {job.id}: {job.status}")
    return follow(client, job, lambda now: say(f"Job {now.id}: {now.status}"), stopped)


def _reply(rows: list[Any], records: list[Any], job: Job | None, asked: int, as_json: bool) -> Reply:
    verdicts = ("accurate", "missing", "hallucinated")
    counts = {verdict: sum(r.verdict == verdict for r in records) for verdict in verdicts}
    with_reasoning = sum(r.prompt == "reasoning" for r in records)
    body = {
        "n": len(records),
        "rows": len(rows),
        "with_reasoning": with_reasoning,
        "plain": len(rows) - with_reasoning,
        "verdicts": counts,
        "job": job.model_dump() if job is not None else None,
    }
    told = ", ".join(f"{n} {verdict}" for verdict, n in counts.items())
    lines = [
        f"{len(rows)} rows: {with_reasoning} with their reasoning, {len(rows) - with_reasoning} with the gold answer.",
        f"Judged: {told}.",
    ]
    if job is not None:
        lines.append(
            f"Job {job.id}: {job.status}" + (f", model {job.model}" if job.model else "") + f" {job.error}".rstrip()
        )
    failed = job is not None and job.status in ("failed", "cancelled")
    return Reply(body, "\n".join(lines), as_json, code=1 if failed else 130 if len(records) < asked else 0)


def _write(path: Path, lines: Any) -> None:
    try:
        path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    except OSError as error:
        raise StoreError(f"the rows cannot be written: {error.strerror or error}", where=str(path)) from None
    say(f"Wrote {path}")
