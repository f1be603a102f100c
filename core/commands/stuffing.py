"""`stuffing`: what m keyword-stuffed documents a query do to each ranking of a judged collection."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from core.commands.corpora import BeirPath, EncoderName, Tau, Weight, Window, open_index, settings
from core.commands.reply import Json, Reply, progress, stop_on_interrupt, table
from core.errors import ConfigError

_DEFAULT = "off-topic"
MOST = 50


def stuffing(
    corpus: BeirPath,
    generator: Annotated[str, typer.Option(help="repeated, off-topic, synonyms, or all.")] = _DEFAULT,
    levels: Annotated[str, typer.Option("--m", help="Stuffed documents a query, with commas.")] = "0,1,3,5,10",
    queries: Annotated[int | None, typer.Option(min=1, help="Only the first N judged queries.")] = None,
    encoder: EncoderName = None,
    tau: Tau = None,
    window: Window = None,
    weight: Weight = None,
    seed: Annotated[int, typer.Option(help="Of the documents made, and of the gate's probes.")] = 0,
    as_json: Json = False,
) -> Reply:
    """Inject m stuffed documents a query, in memory, and print nDCG@10 of each ranking by m."""
    config = settings(tau=tau, window=window, weight=weight)
    numbers = _levels(levels)
    from core.causal_attention.experiment import judged_queries
    from core.causal_attention.stuffing import GENERATORS, simulate
    from core.corpus.beir import read_beir

    chosen = [g for g in GENERATORS if generator in (g, "all")]
    if not chosen:
        known = f"Known: {', '.join(GENERATORS)}, all."
        raise ConfigError(f"unknown generator {generator!r}", where="--generator", hint=known)
    with progress() as shown, stop_on_interrupt() as stop:
        judged = read_beir(corpus, on_progress=shown)
        index = open_index(judged.corpus, encoder, "tf-idf", shown)
        asked = {q: judged.queries[q] for q in judged_queries(judged.queries, judged.qrels)[:queries]}
        done = [
            simulate(index, asked, judged.qrels, g, numbers, config, seed, on_progress=shown, should_stop=stop.is_set)
            for g in chosen
        ]
    first = done[0]
    body: dict[str, Any] = {
        "m": list(first.m),
        "modes": {mode: list(values) for mode, values in first.modes.items()},
        "generator": first.generator,
        "n": first.queries,
        "gate": list(first.enabled),
        "seed": seed,
    }
    if len(done) > 1:
        body["generators"] = {
            s.generator: {"modes": {mode: list(v) for mode, v in s.modes.items()}, "gate": list(s.enabled)}
            for s in done
        }
    texts = []
    for simulation in done:
        rows: list[list[object]] = [[mode, *values] for mode, values in simulation.modes.items()]
        rows.append(["the gate is", *("on" if on else "off" for on in simulation.enabled)])
        texts.append(f"{simulation.generator}\n" + table(["nDCG@10, m =", *map(str, simulation.m)], rows))
    return Reply(body, "\n\n".join([*texts, f"{first.queries} queries"]), as_json)


def _levels(text: str) -> list[int]:
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not parts or not all(part.isdecimal() and int(part) <= MOST for part in parts):
        hint = f"Write numbers from 0 to {MOST}, with commas between."
        raise ConfigError(f"{text!r} are no numbers of documents", where="--m", hint=hint)
    return sorted(set(map(int, parts)))
