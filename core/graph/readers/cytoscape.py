"""Reader of Cytoscape elements: a list of {"data": {..}}, or {"elements": {"nodes": [..], "edges": [..]}}.

An element whose data has a source and a target is an edge. Positions, styles and classes are of the
drawing and are not read.
"""

from __future__ import annotations

from typing import Any

from core.errors import InputError
from core.graph.readers.assembly import Assembly
from core.graph.readers.attributes import describe_edge, describe_node
from core.graph.readers.columns import ColumnChoice
from core.graph.readers.json_text import as_id, excerpt, json_files, load_json
from core.graph.readers.reader import Reader, report_progress
from core.graph.readers.source import Source, suffix
from core.graph.report import FileReport, LoadedGraph
from core.retriever import OnProgress

_OF_NODE = ("id", "position", "parent", "ports", "SUID", "selected")
_OF_EDGE = ("id", "source", "target", "SUID", "selected", "shared_name", "shared_interaction")


def claims(source: Source) -> tuple[str, ...]:
    """JSON files of this shape, and files with Cytoscape's own ending."""
    return json_files(source, holds) + tuple(name for name in source.names if suffix(name) == ".cyjs")


def holds(value: Any) -> bool:
    """Whether a JSON value is a list of Cytoscape elements."""
    elements = _elements(value)
    return bool(elements) and isinstance(elements[0], dict) and isinstance(elements[0].get("data"), dict)


def read(source: Source, choice: ColumnChoice, on_progress: OnProgress | None) -> LoadedGraph:
    """Read one file of elements."""
    file = source.names[0]
    report_progress(on_progress, f"Reading {file}")
    value, decoded = load_json(source, file)
    if not holds(value):
        raise InputError("this JSON holds no Cytoscape elements", where=file)
    assembly = Assembly("Cytoscape elements", source.name)
    elements = _elements(value)
    for number, element in enumerate(elements, 1):
        data = element.get("data") if isinstance(element, dict) else None
        if not isinstance(data, dict):
            assembly.reject(file, number, "the element has no data", excerpt(element))
        elif "source" in data or "target" in data:
            relation = describe_edge(data, skip=_OF_EDGE)
            assembly.add_edge(file, number, as_id(data.get("source")), relation, as_id(data.get("target")))
        else:
            assembly.add_node(file, number, as_id(data.get("id")), *describe_node(_shown(data), skip=_OF_NODE))
    assembly.add_file(FileReport(name=file, rows=len(elements), encoding=decoded.encoding), decoded.surrogates)
    return assembly.finish()


def _shown(data: dict[str, Any]) -> dict[str, Any]:
    """Attributes without nested ones and empty lists, which are of the drawing."""
    return {key: value for key, value in data.items() if not isinstance(value, dict) and value not in ([], None)}


def _elements(value: Any) -> list[Any]:
    if isinstance(value, dict):
        value = value.get("elements")
    if isinstance(value, dict):
        parts = [value.get("nodes"), value.get("edges")]
        return [element for part in parts if isinstance(part, list) for element in part]
    return value if isinstance(value, list) else []


READER = Reader("Cytoscape elements", "Cytoscape elements (.cyjs, .json)", claims, read)
