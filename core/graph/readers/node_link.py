"""Reader of node-link JSON: {"nodes": [{"id": ..}], "links" or "edges": [{"source": .., "target": ..}]}.

networkx writes both keys (its newer default is "edges"), d3 writes "links" and may leave out ids: then a
source or target is the place of a node in the list, from 0. A multigraph's "key" of text is a relation.
"""

from __future__ import annotations

from typing import Any

from core.graph.readers.assembly import Assembly
from core.graph.readers.attributes import describe_edge, describe_node
from core.graph.readers.columns import ColumnChoice
from core.graph.readers.json_text import as_id, excerpt, json_files, load_json
from core.graph.readers.reader import Reader, report_progress
from core.graph.readers.source import Source
from core.graph.report import FileReport, LoadedGraph
from core.retriever import OnProgress

_EDGE_KEYS = ("edges", "links")


def claims(source: Source) -> tuple[str, ...]:
    """JSON files of this shape."""
    return json_files(source, holds)


def holds(value: Any) -> bool:
    """Whether a JSON value has the shape of node-link data."""
    return isinstance(value, dict) and isinstance(value.get("nodes"), list) and _edges(value) is not None


def read(source: Source, choice: ColumnChoice, on_progress: OnProgress | None) -> LoadedGraph:
    """Read one JSON file."""
    file = source.names[0]
    report_progress(on_progress, f"Reading {file}")
    value, decoded = load_json(source, file)
    assembly = Assembly("node-link JSON", source.name)
    nodes, edges = value["nodes"], _edges(value) or []
    ids: list[str] = []
    by_place = not any(isinstance(node, dict) and "id" in node for node in nodes)
    for number, node in enumerate(nodes, 1):
        fits = isinstance(node, dict)
        id_ = str(number - 1) if by_place else as_id(node.get("id")) if fits else ""
        ids.append(id_)
        if not fits:
            assembly.reject(file, number, "the node is not a JSON object", excerpt(node))
            continue
        assembly.add_node(file, number, id_, *describe_node(node, skip=("id",)))
    for number, edge in enumerate(edges, 1):
        if not isinstance(edge, dict):
            assembly.reject(file, number, "the edge is not a JSON object", excerpt(edge))
            continue
        key = edge.get("key")
        relation = describe_edge(edge, skip=("source", "target", "key")) or (key if isinstance(key, str) else "")
        assembly.add_edge(file, number, as_id(edge.get("source")), relation, as_id(edge.get("target")))
    if value.get("directed") is False:
        assembly.notice("The graph is undirected; each edge is kept in the direction in which it is written.")
    if by_place and nodes:
        assembly.notice("The nodes have no ids; they are known by their place in the list, from 0.")
    assembly.add_file(
        FileReport(name=file, rows=len(nodes) + len(edges), encoding=decoded.encoding), decoded.surrogates
    )
    return assembly.finish()


def _edges(value: dict[str, Any]) -> list[Any] | None:
    found = [value[key] for key in _EDGE_KEYS if isinstance(value.get(key), list)]
    return max(found, key=len) if found else None


READER = Reader("node-link JSON", "node-link JSON (.json)", claims, read)
