"""`runs`: the run store from the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, get_args

import typer

from core.commands.reply import Json, Reply, plain, table
from core.errors import ConfigError, StoreError

if TYPE_CHECKING:
    from core.store import Store
    from core.trace import Status

app = typer.Typer(help="List, show, export and delete the runs that were kept.", no_args_is_help=True)
RunId = Annotated[str, typer.Argument(help="The run's id, as `runs list` shows it.", metavar="RUN")]


@app.command("list")
def list_runs(
    limit: Annotated[int, typer.Option(min=1, max=100_000, help="At most so many, the newest first.")] = 20,
    method: Annotated[str | None, typer.Option(help="Only runs of this method.")] = None,
    status: Annotated[
        str | None, typer.Option(help="Only running, finished, stopped, failed or interrupted ones.")
    ] = None,
    text: Annotated[str | None, typer.Option(help="Only runs whose question or data set contains this.")] = None,
    as_json: Json = False,
) -> Reply:
    """List runs, the newest first."""
    store = _store()
    lines = store.list(limit, method, _status(status), text)
    rows = [
        (r.run_id, r.started_at[:19], r.method, r.status, r.steps, plain(r.question, 50), plain(r.top, 30))
        for r in lines
    ]
    header = ["run", "started (UTC)", "method", "status", "steps", "question", "first"]
    return Reply(
        {"runs": [r.model_dump(mode="json") for r in lines]},
        table(header, rows) if rows else f"No run in {store.path}.",
        as_json,
    )


@app.command()
def show(run: RunId, as_json: Json = False) -> Reply:
    """Show a run: what was asked, each step, what was found."""
    from core.commands.ask import answer_body, answer_text

    trace = _store().load(run)
    steps = [
        (s.agent + 1, s.index, s.kind.rpartition(".")[2].replace("_", " "), f"{s.at:.3f}", plain(_subject(s), 60))
        for s in trace.steps
    ]
    text = [
        f"{plain(trace.question)}",
        f"{trace.method} on {plain(trace.dataset.name)}: {trace.status} {plain(trace.error)}",
    ]
    text += ["", table(["agent", "step", "action", "at (s)", "subject"], steps), ""] if steps else [""]
    return Reply(answer_body(trace), "\n".join([*text, answer_text(trace)]), as_json)


@app.command()
def export(
    run: RunId,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="A file; else standard output.")] = None,
    as_json: Json = False,
) -> Reply:
    """Write a run's trace as JSON, the same file that the app's Download gives."""
    text = _store().export(run)
    if output is None:
        return Reply(json.loads(text), text, as_json)
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise StoreError(f"the trace cannot be written: {error.strerror or error}", where=str(output)) from None
    return Reply({"run": run, "file": str(output)}, f"Run {run} is in {output}.", as_json)


@app.command()
def delete(
    runs: Annotated[list[str], typer.Argument(help="The ids of the runs to delete.", metavar="RUN...")],
    as_json: Json = False,
) -> Reply:
    """Delete runs with their steps and notes. There is no way back."""
    store = _store()
    for run in runs:
        store.delete(run)
    return Reply({"deleted": runs}, f"Deleted: {', '.join(runs)}.", as_json)


def _store() -> Store:
    import core.methods  # noqa: F401  (a trace can be read once the step types of all methods are known)
    from core.store import Store

    return Store()


def _status(text: str | None) -> Status | None:
    from core.trace import Status

    for known in get_args(Status):
        if text == known:
            return known  # type: ignore[no-any-return]
    if text is not None:
        raise ConfigError(f"no run is {text!r}", where="--status", hint=f"A run is {', '.join(get_args(Status))}.")
    return None


def _subject(step: object) -> str:
    node = getattr(step, "node", None)
    return str(getattr(node, "name", "") or getattr(step, "subquery", ""))
