"""Reader of Neo4j's APOC JSON exports: one object a line, or {"nodes": .., "rels": ..} as lists or by id.

Objects are {"type": "node", "id", "labels", "properties"} and {"type": "relationship", "label", "start",
"end"}. The first label is the node's type. Properties of relationships are not read.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from core.graph.readers.assembly import Assembly
from core.graph.readers.attributes import describe_node
from core.graph.readers.columns import ColumnChoice
from core.graph.readers.json_text import as_id, excerpt, json_files, load_json
from core.graph.readers.reader import Reader, report_progress
from core.graph.readers.source import Source, suffix
from core.graph.readers.text import decode, split_lines
from core.graph.report import FileReport, LoadedGraph
from core.retriever import OnProgress

FORMAT = "Neo4j APOC JSON"


def claims(source: Source) -> tuple[str, ...]:
    """Files of JSON lines whose first line is a node or a relationship, else JSON of the other shape."""
    names = [name for name in source.names if suffix(name) in (".json", ".jsonl", ".ndjson")]
    lines = tuple(name for name in names if _first_is_item(source.head(name)))
    return lines or json_files(source, holds)


def holds(value: Any) -> bool:
    """Whether a JSON value is such an export in one piece."""
    return isinstance(value, dict) and "nodes" in value and "rels" in value and any(map(_is_item, _items(value)))


def read(source: Source, choice: ColumnChoice, on_progress: OnProgress | None) -> LoadedGraph:
    """Read one export."""
    file = source.names[0]
    report_progress(on_progress, f"Reading {file}")
    assembly = Assembly(FORMAT, source.name)
    count = 0
    if _first_is_item(source.head(file)):
        decoded = decode(source.read(file), file)
        for number, line in enumerate(split_lines(decoded.text), 1):
            if not line.strip():
                continue
            count += 1
            try:
                item = json.loads(line)
            except (ValueError, RecursionError):
                assembly.reject(file, number, "the line is not valid JSON", line)
                continue
            _add(assembly, file, number, item)
    else:
        value, decoded = load_json(source, file)
        for count, item in enumerate(_items(value), 1):
            _add(assembly, file, count, item)
    assembly.add_file(FileReport(name=file, rows=count, encoding=decoded.encoding), decoded.surrogates)
    return assembly.finish()


def _add(assembly: Assembly, file: str, number: int, item: Any) -> None:
    if not _is_item(item):
        assembly.reject(file, number, "this is neither a node nor a relationship", excerpt(item))
    elif item["type"] == "node":
        properties = item.get("properties")
        described = describe_node(properties if isinstance(properties, dict) else {})
        labels = item.get("labels")
        label = str(labels[0]) if isinstance(labels, list) and labels else described.type
        assembly.add_node(file, number, as_id(item.get("id")), described.name, label, described.text)
    else:
        if item.get("properties"):
            assembly.ignore(f"{file}: properties of relationships")
        ends = [as_id(end.get("id")) if isinstance(end := item.get(part), dict) else "" for part in ("start", "end")]
        label = item.get("label")
        assembly.add_edge(file, number, ends[0], label if isinstance(label, str) else "", ends[1])


def _items(value: dict[str, Any]) -> Iterator[Any]:
    for part in (value["nodes"], value["rels"]):
        yield from part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()


def _is_item(item: Any) -> bool:
    return isinstance(item, dict) and item.get("type") in ("node", "relationship")


def _first_is_item(head: bytes) -> bool:
    line = head.lstrip(b"\xef\xbb\xbf \t\r\n").split(b"\n", 1)[0]
    try:
        return _is_item(json.loads(line))
    except (ValueError, RecursionError):
        return False


READER = Reader(FORMAT, "Neo4j APOC exports (.json)", claims, read)
