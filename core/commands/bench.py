"""`bench`: measurements of speed and memory, each with a peer in the same run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from core.commands.inputs import GraphPath, SampleName
from core.commands.reply import Json, Reply, progress, table

app = typer.Typer(help="Measure speed and memory beside a peer.", no_args_is_help=True)


@app.command()
def graph(
    nodes: Annotated[int, typer.Option(min=10)] = 130_000,
    edges: Annotated[int, typer.Option(min=10)] = 4_000_000,
    as_json: Json = False,
) -> Reply:
    """Read a large graph and look up a hub, beside networkx."""
    from core.benchmarks.graph import bench_graph

    return _reply(bench_graph(nodes, edges), as_json)


@app.command()
def bm25(texts: Annotated[int, typer.Option(min=10)] = 130_000, as_json: Json = False) -> Reply:
    """Search many short texts, beside rank-bm25."""
    from core.benchmarks.bm25 import bench_bm25

    return _reply(bench_bm25(texts), as_json)


@app.command()
def cara(
    graph: GraphPath = None,
    sample: SampleName = None,
    questions: Annotated[Path | None, typer.Option(help="A file of questions; a sample's own by default.")] = None,
    n: Annotated[
        int, typer.Option("-n", "--questions-asked", min=1, help="Questions asked, after one that warms up.")
    ] = 50,
    as_json: Json = False,
) -> Reply:
    """Ask questions of three offline agents, and of bm25 and dense; open the graph cold and from the cache."""
    from core.benchmarks.cara import bench_cara

    with progress() as shown:
        return _reply(bench_cara(graph, questions, n, sample=sample, on_progress=shown), as_json)


@app.command()
def kerag(
    graph: GraphPath = None,
    sample: SampleName = None,
    questions: Annotated[Path | None, typer.Option(help="A file of questions; a sample's own by default.")] = None,
    n: Annotated[
        int, typer.Option("-n", "--questions-asked", min=1, help="Questions asked, after one that warms up.")
    ] = 50,
    triples: Annotated[int, typer.Option(min=10, help="Of the large neighbourhood.")] = 100_000,
    as_json: Json = False,
) -> Reply:
    """Ask questions of offline KERAG; reason over a large neighbourhood, beside networkx's ego graph."""
    from core.benchmarks.kerag import bench_kerag

    with progress() as shown:
        return _reply(bench_kerag(graph, questions, n, triples, sample=sample, on_progress=shown), as_json)


@app.command()
def rerank(documents: Annotated[int, typer.Option(min=20)] = 100_000, as_json: Json = False) -> Reply:
    """Compare a query with many documents and re-rank 20, beside sentence-transformers' semantic_search."""
    from core.benchmarks.rerank import bench_rerank

    with progress() as shown:
        return _reply(bench_rerank(documents, on_progress=shown), as_json)


@app.command()
def sgur(
    source: Annotated[str, typer.Option(help="hpo, a sample with diagnoses, or a file.")] = "hpo",
    patients: Annotated[int, typer.Option(min=1, help="Patients, of three rounds each, after one that warms up.")] = 30,
    as_json: Json = False,
) -> Reply:
    """Run rounds of a diagnosis over a whole knowledge base, and alignments beside POT's own call."""
    from core.benchmarks.sgur import bench_sgur

    with progress() as shown:
        return _reply(bench_sgur(source, patients, on_progress=shown), as_json)


@app.command()
def start(
    repeats: Annotated[int, typer.Option(min=1, help="Starts of each app.")] = 3,
    as_json: Json = False,
) -> Reply:
    """Start the app until Home stands in a browser, beside an app of one line; list what was imported."""
    from core.benchmarks.start import bench_start

    with progress() as shown:
        return _reply(bench_start(repeats, on_progress=shown), as_json)


def _reply(body: dict[str, Any], as_json: bool) -> Reply:
    names = list(dict.fromkeys(name for side in (body["ours"], *body["peers"].values()) for name in side))
    header = ["", "ours", *body["peers"]]
    rows = [(name, *(_said(side.get(name)) for side in (body["ours"], *body["peers"].values()))) for name in names]
    ratios = ", ".join(f"{name} {value:,.3g}" for name, value in body["ratio"].items() if value is not None)
    return Reply(body, f"{table(header, rows)}\n\nratio: {ratios}", as_json)


def _said(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    if isinstance(value, float):
        return f"{value:,.4g}"
    return "" if value is None else str(value)
