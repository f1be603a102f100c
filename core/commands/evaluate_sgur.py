"""`evaluate-sgur`: protocols of sequential diagnosis, methods side by side (SGUR-9 to SGUR-11)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

import typer

from core.commands.diagnose import Source
from core.commands.model import CONTEXT, BaseUrl, ContextTokens, ModelName
from core.commands.reply import Json, Reply, progress, stop_on_interrupt, table
from core.commands.sgur_models import Models, SmallBaseUrl, SmallModel, ended, models, reported, with_summaries
from core.errors import ConfigError, QuestionError

if TYPE_CHECKING:
    from core.retriever import OnProgress
    from core.sgur.engine import Engine
    from core.sgur.patients import Patient, Regime
    from core.sgur.protocol import Places
    from core.sgur.steps import SgurConfig

Protocol = Literal["paper", "noisy", "cases", "acquisition", "text"]
DEFAULT = (
    "sgur,closed-form,semantic-only,structure-only,uniform,full-fgw,shared-terms,ic-overlap,resnik,naive-bayes,pagerank"
)
TUNED = "sgur-tuned"
DENIED = "sgur-denied"
PLAIN, ROUTED, GIVEN = TEXT = ("sgur", "sgur-routed", "sgur-ids")
MODEL = "sgur-model"  # with text: a model reads; it takes part whenever one is named


def evaluate_sgur(
    protocol: Annotated[str, typer.Option(help="paper, noisy, cases, acquisition or text (spoken).")] = "paper",
    regime: Annotated[str, typer.Option(help="simple (4 terms a round) or complex (2).")] = "complex",
    cases: Annotated[Path | None, typer.Option(help="A file of cases or phenopackets, for --protocol cases.")] = None,
    methods: Annotated[
        str,
        typer.Option(
            help="Names with commas. Also: literal, ensemble; with a model llm-summary; "
            "with cases: sgur-tuned (cross-validated over diseases), "
            "sgur-denied (told what was denied, too); with acquisition: eig, random, rarest; "
            "with text: sgur, sgur-routed (the routing layer L0 first), sgur-ids (given the terms: the ceiling)."
        ),
    ] = "",
    n: Annotated[int, typer.Option("-n", "--n", min=1, help="Patients that are drawn; of a file, at most.")] = 600,
    seed: Annotated[int, typer.Option(min=0, help="Of all draws.")] = 0,
    source: Source = "hpo",
    ours: Annotated[str, typer.Option(help="The method that differences are taken from; the first by default.")] = "",
    batch: Annotated[int, typer.Option(min=1, help="With acquisition: questions asked at a time.")] = 1,
    encoder: Annotated[
        str, typer.Option(help="With text, what reads meanings after words: minilm, use, or words for none.")
    ] = "words",
    model: ModelName = None,
    base_url: BaseUrl = None,
    small_model: SmallModel = None,
    small_base_url: SmallBaseUrl = None,
    context: ContextTokens = CONTEXT,
    as_json: Json = False,
) -> Reply:
    """Diagnose patients whose diagnosis is known; print Hit@k by round, MRR, MTTC and paired differences."""
    if protocol not in get_args(Protocol):
        raise ConfigError(
            f"unknown protocol {protocol!r}", where="--protocol", hint="paper, noisy, cases, acquisition, text."
        )
    if regime not in ("simple", "complex"):
        raise ConfigError(f"unknown regime {regime!r}", where="--regime", hint="simple or complex.")
    if (cases is not None) != (protocol == "cases"):
        raise QuestionError("a file of cases goes with the protocol cases", where="--cases", hint="Give both.")
    from core.sgur.engine import Engine
    from core.sgur.sources.catalogue import load

    sources = models(protocol, model, base_url, small_model, small_base_url, context)
    names = [name.strip() for name in methods.split(",") if name.strip()]
    with progress() as shown, stop_on_interrupt() as stop:
        engine = Engine(load(source, shown))
        engine.prepare(shown)
        notices: tuple[str, ...] = engine.graph.notices
        more: dict[str, Any] = {}
        if protocol == "acquisition":
            result = _acquisition(engine, names, n, seed, batch, shown, stop.is_set)
        elif protocol == "text":
            result, more, said = _told(engine, regime, names, n, seed, encoder, sources, shown, stop.is_set)  # type: ignore[arg-type]
            notices += said
        elif cases is not None:
            from core.sgur.case_files import read_cases

            read = read_cases(cases, engine.graph)
            notices += read.notices
            result, more = _cases(engine, read.patients[:n], names, seed, shown, stop.is_set)
        else:
            result, more = _drawn(engine, protocol, regime, names, n, seed, sources, shown, stop.is_set)  # type: ignore[arg-type]
    return _reply(result, protocol, regime, seed, ours, notices, more, as_json)


def _drawn(
    engine: Engine,
    protocol: str,
    regime: Regime,
    names: list[str],
    n: int,
    seed: int,
    sources: Models,
    shown: OnProgress,
    stop: Callable[[], bool],
) -> tuple[Places, dict[str, Any]]:
    from core.sgur.ablations import checked_names, method
    from core.sgur.patients import BATCH, EXACT, NOISY, ROUNDS, draw_patients
    from core.sgur.protocol import run_protocol
    from core.sgur.summary_peer import LLM_SUMMARY

    if LLM_SUMMARY in names and not sources:
        raise ConfigError(f"{LLM_SUMMARY} needs a model", where="--methods", hint="Give --model and --base-url.")
    plain = [name for name in names if name != LLM_SUMMARY] if names else DEFAULT.split(",")
    chosen = checked_names(plain) if plain else ()
    patients = draw_patients(engine.graph, n, regime, NOISY if protocol == "noisy" else EXACT, seed)
    rounds = [BATCH[regime] * (i + 1) for i in range(ROUNDS)]
    result = None
    if chosen:
        made = {m: method(m) for m in chosen}
        result = run_protocol(engine, patients, made, rounds, on_progress=shown, should_stop=stop)
    if result is None or (sources and (not names or LLM_SUMMARY in names)):
        return with_summaries(engine, result, patients, rounds, sources, shown, stop)
    return result, {}


def _acquisition(
    engine: Engine, names: list[str], n: int, seed: int, batch: int, shown: OnProgress, stop: Callable[[], bool]
) -> Places:
    from core.sgur.acquisition_run import STRATEGIES, run_acquisition
    from core.sgur.patients import draw_patients
    from core.sgur.steps import SgurConfig

    patients = draw_patients(engine.graph, n, "complex", seed=seed)
    config = SgurConfig(batch=batch)
    return run_acquisition(
        engine, patients, config, strategies=names or STRATEGIES, seed=seed, on_progress=shown, should_stop=stop
    )


def _told(
    engine: Engine,
    regime: Regime,
    names: list[str],
    n: int,
    seed: int,
    encoder: str,
    sources: Models,
    shown: OnProgress,
    stop: Callable[[], bool],
) -> tuple[Places, dict[str, Any], tuple[str, ...]]:
    """The places, what was read, and what read it. ConfigError: routing was asked for, and there is no encoder."""
    import copy

    from core.sgur.asked import CountedReader
    from core.sgur.extraction import Reads
    from core.sgur.extraction_model import ModelExtractor
    from core.sgur.patients import BATCH, ROUNDS, draw_patients
    from core.sgur.readers import WORDS_ONLY, open_extractor
    from core.sgur.text_run import run_texts

    unknown = [name for name in names if name not in TEXT]
    if unknown:
        raise ConfigError(f"unknown method {unknown[0]!r} of patients who speak", hint=f"Known: {', '.join(TEXT)}.")
    blind = encoder == WORDS_ONLY
    if blind and ROUTED in names:
        hint = "Give --encoder minilm or use."
        raise ConfigError("the routing layer needs an encoder", where="--methods", hint=hint)
    chosen = tuple(dict.fromkeys(names)) or tuple(name for name in TEXT if not (blind and name == ROUTED))
    routed = open_extractor(engine.graph, encoder, ROUTED in chosen, shown)
    plain = copy.copy(routed)  # the same vectors, read once
    plain.routing = None
    readers: dict[str, Reads | None] = {PLAIN: plain, ROUTED: routed, GIVEN: None}
    patients = draw_patients(engine.graph, n, regime, seed=seed)
    rounds = [BATCH[regime] * (i + 1) for i in range(ROUNDS)]
    asking = {
        MODEL + end: CountedReader(ModelExtractor(routed, source.make_asker(), source.context_tokens), len(rounds))
        for end, source in sources.items()
    }
    result, read = run_texts(engine, patients, {**{m: readers[m] for m in chosen}, **asking}, rounds, seed, shown, stop)
    notices = [f"Read by {plain.decided_by}. Patients speak in names and other names that the graph has."]
    if routed.routing is not None:
        notices.append(f"Routing: {routed.routing.how}.")
    elif blind and not names:
        notices.append("Without an encoder nothing can be routed, so sgur-routed was left out.")
    more = {"extraction": {name: found.scores for name, found in read.items()}}
    if asking:
        notices += [f"{name} is read by {reader.decided_by}." for name, reader in asking.items()]
        more |= reported(result, {name: reader.asked for name, reader in asking.items()})
    return result, more, tuple(notices)


def _cases(
    engine: Engine,
    patients: tuple[Patient, ...],
    names: list[str],
    seed: int,
    shown: OnProgress,
    stop: Callable[[], bool],
) -> tuple[Places, dict[str, Any]]:
    import numpy as np

    from core.sgur.ablations import Method, checked_names, method
    from core.sgur.patients import in_drawn_order
    from core.sgur.protocol import CASE_ROUNDS, Places, run_protocol
    from core.sgur.tuning import GRID, cross_validated, folds

    asked = names or [*DEFAULT.split(","), "ensemble", TUNED, DENIED]
    plain = checked_names([m for m in asked if m not in (TUNED, DENIED)] or ["sgur"])
    rounds = CASE_ROUNDS
    result = run_protocol(
        engine,
        in_drawn_order(patients, seed),
        {m: method(m) for m in plain},
        rounds,
        on_progress=shown,
        should_stop=stop,
    )
    places, seconds = dict(result.places), dict(result.seconds)
    known, more = result.patients, {}
    if DENIED in asked:
        told = run_protocol(engine, known, {DENIED: method("sgur")}, rounds, True, shown, stop)
        places |= told.places
        seconds |= told.seconds
    if TUNED in asked:
        grid: dict[str, Method] = {str(i): method("sgur", _config(s)) for i, s in enumerate(GRID)}
        tried = run_protocol(engine, known, grid, rounds, on_progress=shown, should_stop=stop)
        fold = folds([p.diagnosis for p in tried.patients], seed)
        picked, chosen = cross_validated([tried.places[i] for i in grid], fold)
        places[TUNED] = picked
        seconds[TUNED] = np.stack([tried.seconds[str(chosen[f])][i] for i, f in enumerate(fold.tolist())])
        more["tuned"] = [GRID[i] for i in chosen]
    least = min(len(rows) for rows in places.values())  # a stopped run keeps what all methods have done
    return Places(
        known[:least],
        rounds,
        {m: rows[:least] for m, rows in places.items()},
        {m: rows[:least] for m, rows in seconds.items()},
    ), more


def _config(settings: dict[str, Any]) -> SgurConfig:
    from core.sgur.steps import SgurConfig

    return SgurConfig.model_validate(settings)


def _reply(
    result: Places,
    protocol: str,
    regime: str,
    seed: int,
    ours: str,
    notices: tuple[str, ...],
    more: dict[str, Any],
    as_json: bool,
) -> Reply:
    from core.evaluation.diagnosis import difference, summary

    if not result.patients:
        raise QuestionError("it was stopped before a patient was done, so there is nothing to report")
    first = ours or next(iter(result.places))
    if first not in result.places:
        raise ConfigError(f"{first!r} was not run", where="--ours", hint=f"Run: {', '.join(result.places)}.")
    rounds = [r if r or protocol == "acquisition" else "all" for r in result.rounds]
    methods = {name: summary(rows, result.seconds[name]) for name, rows in result.places.items()}
    differences = {
        name: difference(result.places[first], rows) for name, rows in result.places.items() if name != first
    }
    body = {
        "n": len(result.patients),
        "protocol": protocol,
        "regime": regime if protocol in ("paper", "noisy", "text") else None,
        "seed": seed,
        "rounds": rounds,
        "methods": methods,
        "ours": first,
        "differences": differences,
        "notices": [*notices, *ended(more)],
        **more,
    }
    what = "questions" if protocol == "acquisition" else "terms"
    hit = "hit@1" if protocol == "acquisition" else "hit@3"
    header = ["method", *(f"{hit} {r} {what}" for r in rounds), "hit@10", "mrr", "mttc", "ms"]
    rows = [
        [name, *m[hit], m["hit@10"][-1], m["mrr"], m["mttc"], m["median_seconds_per_round"] * 1000]
        for name, m in methods.items()
    ]
    lines = [table(header, rows), "", f"{first} minus the others, {hit}, with 95 % intervals:"]
    lines += [
        f"  {name}: " + ", ".join(f"{mean:+.3f} [{low:+.3f}, {high:+.3f}]" for mean, low, high in d[hit])
        for name, d in differences.items()
    ]
    if "extraction" in more:
        found = [[name, *scores.values()] for name, scores in more["extraction"].items()]
        lines += ["", table(["terms read by", "precision", "recall", "f1"], found)]
    lines += ["", f"{len(result.patients)} patients, seed {seed}", *(f"Note: {n}" for n in (*notices, *ended(more)))]
    return Reply(body, "\n".join(lines), as_json)
