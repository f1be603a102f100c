"""The models of `evaluate-sgur`: a large one and a small one; what each cost, and what the small one keeps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from core.errors import ConfigError, ModelError

if TYPE_CHECKING:
    from core.llm.source import ModelSource
    from core.retriever import OnProgress
    from core.sgur.asked import Asked
    from core.sgur.engine import Engine
    from core.sgur.patients import Patient
    from core.sgur.protocol import Places

SMALL = "-small"  # the end of a method's name where the small model decides
Models = Mapping[str, "ModelSource"]  # the end of a name -> the model

SmallModel = Annotated[
    str | None, typer.Option("--small-model", help="A smaller model beside --model: how much of Hit@k does it keep?")
]
SmallBaseUrl = Annotated[
    str | None, typer.Option("--small-base-url", help="Its server; that of --model by default.", metavar="URL")
]


def models(
    protocol: str, large: str | None, base_url: str | None, small: str | None, small_url: str | None, context: int
) -> Models:
    """The models that were named. ConfigError for a small one alone, or a protocol in which no model takes part."""
    from core.commands.model import model_source

    if small and not large:
        raise ConfigError("smaller than what?", where="--small-model", hint="Name the larger one as --model.")
    if large and protocol not in ("paper", "noisy", "text"):
        hint = "Models take part in paper, noisy and text."
        raise ConfigError(f"no model takes part in the protocol {protocol}", where="--model", hint=hint)
    made = {
        "": model_source(large, base_url, context, None, None),
        SMALL: model_source(small, small_url or base_url, context, None, None),
    }
    return {end: source for end, source in made.items() if source is not None}


def with_summaries(
    engine: Engine,
    result: Places | None,
    patients: Sequence[Patient],
    rounds: Sequence[int],
    sources: Models,
    shown: OnProgress,
    stop: Callable[[], bool],
) -> tuple[Places, dict[str, Any]]:
    """A run with the peer that keeps a summary, by each model, and what they cost; only patients that all have done.

    A model that did none is left out, and the others stay. ModelError when nothing is left.
    """
    from core.sgur.protocol import Places
    from core.sgur.summary_peer import LLM_SUMMARY, run_summaries

    runs = [result] if result else []
    cost: dict[str, Asked] = {}
    for end, source in sources.items():
        name = LLM_SUMMARY + end
        run, cost[name] = run_summaries(
            engine, patients, source.make_asker(), rounds, name, source.context_tokens, shown, stop
        )
        runs.append(run)
    runs = [run for run in runs if run.patients] or runs
    least = min(len(run.patients) for run in runs)
    if not least and (why := next((asked.ended for asked in cost.values() if asked.ended), "")):
        raise ModelError(why)
    merged = Places(
        tuple(patients[:least]),
        tuple(rounds),
        {m: rows[:least] for run in runs for m, rows in run.places.items()},
        {m: rows[:least] for run in runs for m, rows in run.seconds.items()},
    )
    return merged, reported(merged, cost)


def reported(result: Places, cost: Mapping[str, Asked]) -> dict[str, Any]:
    """For the JSON: `models`, what each cost by round; `retention`, the share of Hit@k that the small one keeps."""
    from core.evaluation.diagnosis import retention

    pairs = [(name, name + SMALL) for name in cost if {name, name + SMALL} <= {*result.places}]
    kept = {a: retention(result.places[a], result.places[b]) for a, b in pairs}
    return {"models": {name: asked.body() for name, asked in cost.items()}, **({"retention": kept} if kept else {})}


def ended(more: Mapping[str, Any]) -> tuple[str, ...]:
    """A sentence for each model that stopped answering, out of what `reported` gave."""
    return tuple(
        f"{name} was asked no more, and the run ended there: {cost['ended']}"
        for name, cost in more.get("models", {}).items()
        if cost["ended"]
    )
