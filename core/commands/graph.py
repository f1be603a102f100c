"""`graph info`: what a graph file or folder holds, and what reading it found."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from core.commands.inputs import SampleName, open_graph
from core.commands.reply import Json, Reply, plain, progress, table

if TYPE_CHECKING:
    from core.graph.report import LoadedGraph

app = typer.Typer(help="Look at graphs.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Look at graphs."""


@app.command()
def info(
    path: Annotated[Path | None, typer.Argument(help="A graph file, or the folder of its files.")] = None,
    sample: SampleName = None,
    as_json: Json = False,
) -> Reply:
    """Say what a graph holds: counts, types, relations, and what reading it found."""
    with progress() as shown:
        loaded = open_graph(path, sample, shown)
    body = _body(loaded)
    return Reply(body, _text(body), as_json)


def _body(loaded: LoadedGraph) -> dict[str, Any]:
    graph, schema = loaded.graph, loaded.graph.schema()
    relations = []
    for code, (edge_type, edges) in enumerate(schema.edge_types.items()):
        head, tail = schema.roles[2 * code], schema.roles[2 * code + 1]
        relations.append(
            {
                "type": edge_type,
                "edges": edges,
                "from": list(head.node_types),
                "to": list(tail.node_types),
                "heads": head.size,
                "tails": tail.size,
                "inverse_of": schema.inverse_of.get(edge_type),
            }
        )
    return {
        "name": graph.name,
        "content_id": graph.content_id,
        "nodes": len(graph),
        "edges": graph.edge_count,
        "node_types": schema.node_types,
        "relations": relations,
        "report": loaded.report.model_dump(mode="json"),
    }


def _text(body: dict[str, Any]) -> str:
    report = body["report"]
    lines = [
        f"{plain(body['name'])}: {body['nodes']:,} nodes, {body['edges']:,} edges ({report['format']})",
        "",
        table(["node type", "nodes"], [(name or "(none)", count) for name, count in body["node_types"].items()]),
        "",
        table(
            ["relation", "edges", "from", "to"],
            [
                (
                    r["type"],
                    r["edges"],
                    ", ".join(n or "(none)" for n in r["from"]),
                    ", ".join(n or "(none)" for n in r["to"]),
                )
                for r in body["relations"]
            ],
        ),
    ]
    found = [
        f"{count:,} {words}"
        for name, words in _FOUND.items()
        if (count := report[name] if isinstance(report[name], int) else 0)
    ]
    rejected = sum(report["rejected_by_reason"].values())
    if rejected:
        found.append(f"{rejected:,} lines rejected")
    if found:
        lines += ["", "Reading found: " + ", ".join(found) + "."]
    for line in report["rejected"][:10]:
        lines.append(f"  {line['file']}, line {line['line']}: {line['reason']}: {plain(line['excerpt'], 60)}")
    lines += [f"Note: {plain(notice)}" for notice in report["notices"]]
    return "\n".join(lines)


_FOUND = {
    "duplicate_nodes": "nodes said twice",
    "duplicate_edges": "edges said twice",
    "parallel_pairs": "pairs joined by several relations",
    "self_loops": "self-loops",
    "isolated_nodes": "nodes without an edge",
    "nodes_from_edges": "nodes named by edges only",
    "nameless_nodes": "nodes without a name",
    "homonyms": "names shared by several nodes",
    "surrogates_replaced": "lone surrogates replaced",
}
