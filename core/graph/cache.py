"""What is kept on disk so that a graph opens fast the second time: the built graph, as plain arrays and JSON.

It is kept by a hash of the files it was read from and of how they were read; no pickle. Not here: where the
cache folder is and how large it may grow (`core.disk_cache`), or the search index (`core.graph.index`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

import numpy as np

from core.disk_cache import DiskCache
from core.errors import StoreError
from core.graph.adjacency import Adjacency
from core.graph.columns import PackedColumn, pack

if TYPE_CHECKING:
    from core.graph.report import LoadedGraph

GRAPHS = "graph"
_GRAPH_WORTH = 500_000  # bytes of files; fewer are read anew
_COLUMNS = ("ids", "names", "texts", "type_names", "edge_type_names")
_ARRAYS = ("neighbors", "run_starts", "run_codes", "node_runs")


def open_graph(contents: Mapping[str, bytes], recipe: str) -> LoadedGraph | None:
    """The graph that was built from these files in this way, or None. `recipe`: reader, version, columns."""
    if not _worth_keeping(contents):
        return None
    cache, key = DiskCache(), _key(contents, recipe)
    folder = cache.get_folder(GRAPHS, key)
    if folder is None:
        return None
    try:
        return _load(folder)
    except (OSError, ValueError, KeyError, BadZipFile):
        cache.remove(GRAPHS, key)
        return None


def keep_graph(contents: Mapping[str, bytes], recipe: str, loaded: LoadedGraph) -> None:
    """Keep a built graph and its report for `open_graph`."""
    if _worth_keeping(contents):
        with suppress(StoreError):
            DiskCache().put_folder(GRAPHS, _key(contents, recipe), lambda folder: _save(loaded, folder))


def _worth_keeping(contents: Mapping[str, bytes]) -> bool:
    return sum(map(len, contents.values())) >= _GRAPH_WORTH


def _key(contents: Mapping[str, bytes], recipe: str) -> str:
    digest = hashlib.sha256(recipe.encode("utf-8", "surrogatepass"))
    for name in sorted(contents):
        digest.update(json.dumps([name, len(contents[name])]).encode())
        digest.update(contents[name])
    return digest.hexdigest()


def _save(loaded: LoadedGraph, folder: Path) -> None:
    graph = loaded.graph
    arrays: dict[str, Any] = {"type_codes": graph.type_codes}
    for column in _COLUMNS:
        arrays[f"{column}.data"], arrays[f"{column}.offsets"] = pack(getattr(graph, column))
    for name in _ARRAYS:
        arrays[name] = getattr(graph.adjacency, name)
    np.savez(folder / "graph.npz", **arrays)
    about = {"name": graph.name, "content_id": graph.content_id, "self_loops": graph.adjacency.self_loops}
    (folder / "about.json").write_text(json.dumps(about), encoding="utf-8")
    (folder / "report.json").write_text(loaded.report.model_dump_json(), encoding="utf-8")


def _load(folder: Path) -> LoadedGraph:
    """Read what `_save` wrote. OSError, ValueError, KeyError or BadZipFile when it is damaged."""
    from core.graph.graph import KnowledgeGraph
    from core.graph.report import LoadedGraph, ReadReport

    about = json.loads((folder / "about.json").read_text(encoding="utf-8"))
    report = ReadReport.model_validate_json((folder / "report.json").read_bytes())
    with np.load(folder / "graph.npz", allow_pickle=False) as arrays:
        columns = {c: PackedColumn(arrays[f"{c}.data"], arrays[f"{c}.offsets"]).unpack() for c in _COLUMNS}
        adjacency = Adjacency(**{name: arrays[name] for name in _ARRAYS}, self_loops=int(about["self_loops"]))
        type_codes = arrays["type_codes"]
    if not len(columns["ids"]) == len(columns["names"]) == len(columns["texts"]) == len(type_codes) == adjacency.nodes:
        raise ValueError(f"the parts of the graph in {folder} do not fit together")
    graph = KnowledgeGraph.from_parts(
        name=str(about["name"]),
        content_id=str(about["content_id"]),
        type_codes=type_codes,
        adjacency=adjacency,
        **columns,
    )
    return LoadedGraph(graph, report)
