"""`diagnose`: what a complaint, or a list of observations, points to, and what to ask next."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from core.commands.reply import Json, Reply, plain, progress, say, table
from core.errors import ConfigError, QuestionError

if TYPE_CHECKING:
    from core.retriever import OnProgress
    from core.sgur.expert_graph import ExpertGraph
    from core.sgur.session import Session
    from core.sgur.steps import Reading

SHOWN = 10
FIRST = "hpo"  # the source, where none is named

_SOURCES = "hpo, a sample with diagnoses, PrimeKG's kg.csv, or a graph's file or folder."
Source = Annotated[str, typer.Option(help=_SOURCES, metavar="NAME|PATH")]
MaybeSource = Annotated[
    str | None, typer.Option("--source", help=f"{_SOURCES} hpo, where there is no --graph either.", metavar="NAME|PATH")
]
Graph = Annotated[Path | None, typer.Option("--graph", help="A graph of yours: its file or folder.", metavar="PATH")]
Layers = Annotated[
    str | None,
    typer.Option(
        help="What its types and relations stand for: a JSON file, or observation=TYPE,hypothesis=TYPE,"
        "reported=RELATION+RELATION and so on. Guessed from their names without it.",
        metavar="FILE|MAP",
    ),
]


def diagnose(
    text: Annotated[str | None, typer.Option(help="The complaint, in plain words.")] = None,
    observations: Annotated[str | None, typer.Option(help="Ids of what was observed, with commas.")] = None,
    excluded: Annotated[str | None, typer.Option(help="Ids of what was denied, with commas.")] = None,
    source: MaybeSource = None,
    graph: Graph = None,
    layers: Layers = None,
    encoder: Annotated[str, typer.Option(help="What reads meanings: minilm, use, or words for words alone.")] = "words",
    routed: Annotated[
        bool, typer.Option("--routed", help="Let the routing layer L0 choose a shortlist first.")
    ] = False,
    alpha: Annotated[float | None, typer.Option(help="Share of structure in the alignment (default 0.5).")] = None,
    beta: Annotated[float | None, typer.Option(help="Temperature of the belief (default 0.15).")] = None,
    batch: Annotated[int | None, typer.Option(help="Questions to ask (default 2).")] = None,
    literal: Annotated[bool, typer.Option("--literal", help="The paper's formulas as they stand.")] = False,
    save: Annotated[bool, typer.Option(help="Keep the session in the run store, where the app lists it.")] = True,
    as_json: Json = False,
) -> Reply:
    """Weigh every diagnosis against what was observed; print the belief and the questions worth asking."""
    if not text and not observations and not excluded:
        hint = "Give --text, or --observations with ids."
        raise QuestionError("nothing was told, so there is nothing to diagnose", where="--text", hint=hint)
    if both := set(_ids(observations)) & set(_ids(excluded)):
        hint = "Give each id once, as observed or as denied."
        what = "an observation is said to be there and not to be there"
        raise QuestionError(what, where=", ".join(sorted(both)), hint=hint)
    from core.graph.columns import clean
    from core.sgur.engine import Engine
    from core.sgur.session import Session, checked, reading_of_ids

    given: dict[str, Any] = {"alpha": alpha, "beta": beta, "batch": batch, "literal": literal or None}
    config = checked({name: value for name, value in given.items() if value is not None})
    with progress() as shown:
        engine = Engine(_opened(source, graph, layers, shown))
        engine.prepare(shown)
        session, readings = Session(engine, config), []
        if text:
            from core.sgur.readers import open_extractor

            extractor = open_extractor(engine.graph, encoder, routed, shown)
            readings.append((extractor.read(clean(text)[0]), extractor.decided_by))
        if observations or excluded:
            readings.append((reading_of_ids(engine, _ids(observations), _ids(excluded)), "ids"))
        for reading, reader in readings:
            session = session.tell(reading, reader)
    if not session.query.observed and not session.query.excluded:
        given_ids = [*_ids(observations), *_ids(excluded)]
        told = "; ".join(plain(u.text, 60) for reading, _ in readings for u in reading.unmatched)
        raise QuestionError(
            f"nothing of this is an observation of {engine.graph.dataset.name}",
            where=told,
            hint=_where_else(given_ids, engine.graph)
            or "Say it in other words, with --encoder minilm, or give ids with --observations.",
        )
    trace = session.trace()
    if save:
        from core.store import Store

        store = Store()
        run_id = store.save(trace)
        say(f"Saved as run {run_id} in {store.path}. The app shows it: `make app`, then /sgur?run={run_id}")
        store.close()
        trace = trace.model_copy(update={"run_id": run_id})
    body = {**_body(session, [r for r, _ in readings]), "trace": json.loads(trace.to_json())}
    return Reply(body, _text(session, body), as_json)


def _opened(source: str | None, graph: Path | None, layers: str | None, on_progress: OnProgress) -> ExpertGraph:
    """The expert graph that is asked for. ConfigError when the options do not go together."""
    from core.sgur.sources.catalogue import SOURCES, load
    from core.sgur.sources.layer_options import layers_of

    if source is not None and graph is not None:
        what = "name a source or a graph, not both"
        raise ConfigError(what, where="--source, --graph", hint="A graph of yours goes with --graph.")
    asked = source or FIRST if graph is None else graph
    if layers is None:
        return load(asked, on_progress)
    if graph is None and asked in SOURCES:
        what = f"the layers of {asked} are known, so they cannot be mapped anew"
        raise ConfigError(what, where="--layers", hint="Name a graph of yours with --graph PATH.")
    return load(asked, on_progress, layers_of(layers))


def _where_else(ids: list[str], graph: ExpertGraph) -> str:
    from core.sgur.sources.elsewhere import source_of

    other = source_of(ids, graph)
    return f"These are ids of {other.title}: use --source {other.name}." if other is not None else ""


def _ids(text: str | None) -> list[str]:
    return [part.strip() for part in (text or "").split(",") if part.strip()]


def _body(session: Session, readings: list[Reading]) -> dict[str, Any]:
    belief, questions = session.belief, session.questions
    beliefs = belief.beliefs if belief else ()
    names = session.engine.graph.observations
    return {
        "observations": [{"id": names.ids[o], "name": names.names[o]} for o in session.query.observed],
        "excluded": [{"id": names.ids[o], "name": names.names[o]} for o in session.query.excluded],
        "unmatched": [u.text for reading in readings for u in reading.unmatched],
        "beliefs": [
            {"id": b.hypothesis.id, "name": b.hypothesis.name, "probability": b.probability, "distance": b.distance}
            for b in beliefs
        ],
        "entropy_bits": belief.entropy_bits if belief else 0.0,
        "rest_probability": belief.rest_probability if belief else 0.0,
        "questions": [
            {"id": q.observation.id, "name": q.observation.name, "eig_bits": q.eig_bits, "asked": q.asked}
            for q in (questions.questions if questions else ())
        ],
        "stop": session.stop.rule if session.stop else "",
    }


def _text(session: Session, body: dict[str, Any]) -> str:
    lines = [f"Observed: {_names(body['observations'])}", f"Denied: {_names(body['excluded'])}"]
    if body["unmatched"]:
        lines.append(f"Not understood: {'; '.join(plain(u, 60) for u in body['unmatched'])}")
    from core.sgur.wording import percent

    rest = session.belief.rest_probability if session.belief else 0.0
    belief = session.belief.beliefs[:SHOWN] if session.belief else ()
    found = [(f"{b.place:g}", b.hypothesis.name, percent(b.probability), b.distance) for b in belief]
    lines += ["", table(["place", "diagnosis", "probability", "distance"], found)]
    lines += ["", f"{body['entropy_bits']:.2f} bits of uncertainty; {percent(rest)} lies in the rest"]
    worth = [(q["name"], q["eig_bits"], "yes" if q["asked"] else "") for q in body["questions"][:SHOWN]]
    lines += ["", table(["worth asking", "bits", "next"], worth)] if worth else []
    lines += ["", *(f"Note: {plain(notice)}" for notice in (*session.engine.graph.notices, *session.notices))]
    return "\n".join(lines)


def _names(nodes: list[dict[str, str]]) -> str:
    return "; ".join(plain(node["name"], 60) for node in nodes) or "nothing"
