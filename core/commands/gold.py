"""`gold`: reference answers in words for a question set, written by a model from the gold entities (CARA-10)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from core.commands.inputs import GraphPath, SampleName, open_graph, questions_file
from core.commands.model import CONTEXT, BaseUrl, ContextTokens, ModelName, Record, Replay, model_source
from core.commands.reply import Json, Reply, progress, say, stop_on_interrupt
from core.errors import CausewayError, ConfigError, StoreError


def gold(
    graph: GraphPath = None,
    sample: SampleName = None,
    questions: Annotated[Path | None, typer.Option(help="The questions; a sample has its own.", metavar="FILE")] = None,
    out: Annotated[Path | None, typer.Option(help="Write a JSON line per question here.", metavar="FILE")] = None,
    limit: Annotated[int | None, typer.Option(help="Only the first so many questions.", min=1)] = None,
    threshold: Annotated[float, typer.Option(help="Completeness to reach, in [0, 1].", min=0, max=1)] = 1.0,
    model: ModelName = None,
    base_url: BaseUrl = None,
    context: ContextTokens = CONTEXT,
    record: Record = None,
    replay: Replay = None,
    as_json: Json = False,
) -> Reply:
    """Write gold answers: relevant, faithful, covering, natural; asked for again until every gold name is in them."""
    source = model_source(model, base_url, context, record, replay)
    if source is None:
        raise ConfigError("gold answers are written by a model", where="--model", hint="Name one, and --base-url.")
    from core.evaluation.gold import write_gold
    from core.evaluation.questions import choose, load_questions

    rows: list[dict[str, Any]] = []
    with progress() as shown, stop_on_interrupt() as stop:
        loaded = open_graph(graph, sample, shown)
        file = questions_file(questions, sample)
        chosen = choose(load_questions(file, loaded.graph, strict=False).questions, limit)
        asker = source.make_asker()
        for number, question in enumerate(chosen):
            if stop.is_set():
                break
            shown(f"question {number + 1} of {len(chosen)}", number / len(chosen))
            positions = [loaded.graph.index_of(i) for gold in question.answers for i in gold.ids]
            row: dict[str, Any] = {"id": question.id, "question": question.text}
            try:
                row |= write_gold(question, loaded.graph, positions, asker, threshold).model_dump()
            except CausewayError as error:
                row |= {"answer": None, "completeness": None, "error": str(error)}
            rows.append(row)
    if out is not None:
        _write(out, rows)
    written = [row["completeness"] for row in rows if row["completeness"] is not None]
    mean = sum(written) / len(written) if written else None
    body = {"n": len(rows), "failed": len(rows) - len(written), "completeness": mean, "answers": rows}
    lines = [f"{row['question']}\n  {row['answer'] or row.get('error')}" for row in rows]
    lines.append(f"{len(rows)} questions, {len(rows) - len(written)} failed, mean completeness {mean}")
    return Reply(body, "\n".join(lines), as_json, code=130 if len(rows) < len(chosen) else 0)


def _write(path: Path, rows: list[dict[str, Any]]) -> None:
    import json

    try:
        path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    except OSError as error:
        raise StoreError(f"the answers cannot be written: {error.strerror or error}", where=str(path)) from None
    say(f"Wrote {path}")
