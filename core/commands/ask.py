"""`ask`: one question, one method, one run, saved where the app finds it."""

from __future__ import annotations

import json
import threading
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from core.commands.inputs import Engine, GraphPath, SampleName, Variant, open_graph, variants
from core.commands.model import (
    CONTEXT,
    BaseUrl,
    ContextTokens,
    ModelName,
    PricePrompt,
    PriceReply,
    Record,
    Replay,
    model_source,
    price_of,
    priced,
    spent_in_words,
)
from core.commands.reply import Json, Progress, Reply, plain, progress, say, stop_on_interrupt, table
from core.errors import CausewayError, ConfigError

if TYPE_CHECKING:
    from core.retriever import Retriever
    from core.trace import Evidence, Price, Trace

SHOWN = 10


def ask(
    question: Annotated[str, typer.Argument(help="The question, in quotes.")],
    graph: GraphPath = None,
    sample: SampleName = None,
    method: Annotated[str, typer.Option(help="cara, ark, bm25, dense, tog, kar or kerag.")] = "cara",
    agents: Annotated[int | None, typer.Option(help="Agents that walk in parallel (default 3).")] = None,
    max_steps: Annotated[int | None, typer.Option(help="Actions an agent may take (default 150).")] = None,
    lambda_: Annotated[
        float | None, typer.Option("--lambda", help="Weight of consequentiality against essentiality (default 0.5).")
    ] = None,
    alpha: Annotated[
        float | None, typer.Option(help="Weight of the causal score against path consistency (default 0.5).")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Repeats a run exactly (default 0).")] = None,
    no_assess: Annotated[bool, typer.Option("--no-assess", help="Leave the causal module out.")] = False,
    fusion: Annotated[str | None, typer.Option(help="How agents' lists are fused: rrf or count.")] = None,
    engine: Engine = "bm25s",
    model: ModelName = None,
    base_url: BaseUrl = None,
    context: ContextTokens = CONTEXT,
    price_prompt: PricePrompt = None,
    price_reply: PriceReply = None,
    record: Record = None,
    replay: Replay = None,
    save: Annotated[bool, typer.Option(help="Keep the run in the run store, where the app lists it.")] = True,
    as_json: Json = False,
) -> Reply:
    """Answer a question from a graph; print the nodes found and the answer with its evidence."""
    settings = {
        "agents": agents,
        "max_steps": max_steps,
        "lambda_": lambda_,
        "alpha": alpha,
        "seed": seed,
        "assess": False if no_assess else None,
        "fusion": fusion,
    }
    chosen = variants(method, settings)
    if len(chosen) > 1:
        raise ConfigError("ask takes one method", where="--method", hint="`evaluate` takes several.")
    source = model_source(model, base_url, context, record, replay)
    price = price_of(source, price_prompt, price_reply)
    with progress() as shown:
        loaded = open_graph(graph, sample, shown, engine)
        from core.graph.columns import clean
        from core.methods import build

        question = clean(question)[0]  # bytes that are no UTF-8 reach Python as lone surrogates
        retriever = build(chosen[0].method, loaded.graph, source)
        retriever.prepare(shown)
        with stop_on_interrupt() as stop:
            trace = _run(retriever, question, chosen[0], stop, shown, price, save)
    return Reply(
        answer_body(trace), answer_text(trace), as_json, code={"stopped": 130, "failed": 1}.get(trace.status, 0)
    )


def _run(
    retriever: Retriever,
    question: str,
    variant: Variant,
    stop: threading.Event,
    shown: Progress,
    price: Price | None,
    save: bool,
) -> Trace:
    if not save:
        return priced(retriever.run(question, variant.settings, None, stop.is_set), price)
    from core.store import Store, new_run_id
    from core.trace import Step, Trace, Usage

    store, run_id = Store(), new_run_id()
    head = Trace(
        run_id=run_id,
        method=retriever.method,
        question=question,
        config=variant.settings,
        dataset=retriever.dataset,
        usage=Usage(price=price),
        started_at=datetime.now(UTC).isoformat(timespec="milliseconds"),
    )

    def keep(step: Step) -> None:
        store.add_step(run_id, step)
        shown(f"agent {step.agent + 1}: {step.kind.rpartition('.')[2].replace('_', ' ')}", None)

    store.begin(run_id, head)
    try:
        trace = priced(retriever.run(question, variant.settings, keep, stop.is_set), price)
    except BaseException as error:
        told = str(error) if isinstance(error, CausewayError) else type(error).__name__
        store.end(run_id, "interrupted" if isinstance(error, KeyboardInterrupt) else "failed", error=told)
        raise
    store.finish(run_id, trace)
    shown.close()
    page = "kerag" if trace.method == "kerag" else "cara"
    say(f"Saved as run {run_id} in {store.path}. The app shows it: `make app`, then /{page}?run={run_id}")
    store.close()
    return trace.model_copy(update={"run_id": run_id})


def answer_body(trace: Trace) -> dict[str, Any]:
    """The object of `ask --json`."""
    return {
        "ranked": [{"id": r.id, "name": r.name, "type": r.type, "score": r.score} for r in trace.ranked],
        "answer": trace.answer.text if trace.answer is not None else None,
        "citations": list(trace.answer.citations) if trace.answer is not None else [],
        "trace": json.loads(trace.to_json()),
    }


def _said(evidence: Evidence) -> str:
    """The words quoted, or the link where they are no more than the node's name."""
    return evidence.link if evidence.link and evidence.quote == evidence.node.name else evidence.quote


def answer_text(trace: Trace) -> str:
    """What was found, the answer with its evidence, and the cost, for people."""
    rows = [(i, r.name, r.type, r.score) for i, r in enumerate(trace.ranked[:SHOWN], 1)]
    lines = [table(["rank", "name", "type", "score"], rows) if rows else "Nothing was found."]
    if len(trace.ranked) > SHOWN:
        lines.append(f"... and {len(trace.ranked) - SHOWN} more")
    if trace.answer is not None:
        lines += ["", plain(trace.answer.text)]
        evidence = dict.fromkeys(e for claim in trace.answer.claims for e in claim.evidence)
        lines += [f"  [{plain(e.node.name, 60)}] {plain(_said(e), 160)}" for e in evidence]
    calls = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in trace.usage.calls.items())
    if trace.error:
        lines += ["", f"The run failed: {plain(trace.error)}"]
    lines += ["", f"{trace.seconds:.2f} s; {calls}; {trace.usage.nodes_examined} nodes examined"]
    lines.append(f"Decided by: {plain(trace.decided_by)}")
    lines += filter(None, [spent_in_words(trace)])
    lines += [f"Note: {plain(notice)}" for notice in trace.notices]
    return "\n".join(lines)
