"""Kept graphs and indexes: equal to built ones, found by content, and never trusted when damaged."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core.disk_cache import DiskCache
from core.graph import cache as cache_module
from core.graph import index as index_module
from core.graph.graph import KnowledgeGraph
from core.graph.readers import ColumnMap, read_upload, tables
from core.text.bm25 import BM25Index

FILES = {
    "nodes.csv": "id,name,type,text\na,Änn,person,a baker\nb,,person,\nc,Ann,city,größer 😀\n".encode(),
    "edges.csv": b"source,target,type\na,b,knows\nb,c,lives in\nc,c,is\nbroken\na,b,knows\n",
}


@pytest.fixture(autouse=True)
def everything_is_worth_keeping(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache_module, "_GRAPH_WORTH", 0)
    monkeypatch.setattr(index_module, "_WORTH", 0)


def forbid_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object) -> None:
        raise AssertionError("the file was parsed again")

    monkeypatch.setattr(tables, "open_table", refuse)


def parts(graph: KnowledgeGraph) -> list[object]:
    adjacency = graph.adjacency
    arrays = (graph.type_codes, adjacency.neighbors, adjacency.run_starts, adjacency.run_codes, adjacency.node_runs)
    return [
        *(graph.ids, graph.names, graph.types, graph.texts, graph.edge_type_names, graph.content_id),
        *([str(array.dtype), array.tolist()] for array in arrays),
        adjacency.self_loops,
    ]


def test_a_kept_graph_equals_the_built_one_and_is_not_parsed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    built = read_upload(FILES, name="first")
    forbid_reading(monkeypatch)
    kept = read_upload(FILES, name="second")
    assert parts(kept.graph) == parts(built.graph)
    assert kept.graph.computed_content_id() == built.graph.content_id
    assert kept.report == built.report
    assert kept.report.rejected_total == 1
    assert kept.graph.name == "second"
    assert [hit.position for hit in kept.graph.search("baker")] == [0]
    with pytest.raises(ValueError, match="read-only"):
        kept.graph.adjacency.neighbors[0] = 1


@pytest.mark.parametrize(
    ("files", "columns"),
    [
        ({**FILES, "edges.csv": FILES["edges.csv"].replace(b"knows", b"likes")}, None),  # of the same length
        ({"nodes.csv": FILES["nodes.csv"], "edges2.csv": FILES["edges.csv"]}, None),
        (FILES, {"nodes.csv": ColumnMap(id="id", name="text")}),
        (FILES, ColumnMap(source="target", target="source")),
    ],
    ids=["other bytes", "other name", "a map", "another map"],
)
def test_other_content_or_columns_are_read_anew(
    monkeypatch: pytest.MonkeyPatch, files: dict[str, bytes], columns: object
) -> None:
    read_upload(FILES)
    forbid_reading(monkeypatch)
    with pytest.raises(AssertionError, match="parsed again"):
        read_upload(files, columns=columns)


@pytest.mark.parametrize("victim", ["graph.npz", "about.json", "report.json"])
def test_a_damaged_entry_is_built_anew(victim: str) -> None:
    built = read_upload(FILES)
    (entry,) = [e for e in DiskCache().entries() if e.kind == "graph"]
    path = entry.path / victim
    path.write_bytes(bytes(path.stat().st_size))  # of the right size, so that only its content tells
    again = read_upload(FILES)
    assert parts(again.graph) == parts(built.graph)
    assert again.report == built.report


def test_an_index_is_found_by_content_and_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = read_upload(FILES).graph
    first = graph.search("ann")
    okapi = graph.with_engine("okapi").search("ann")
    assert len([e for e in DiskCache().entries() if e.kind == "bm25"]) == 2

    def refuse(*args: object) -> BM25Index:
        raise AssertionError("built again")

    monkeypatch.setattr(BM25Index, "build", refuse)
    again = read_upload(FILES).graph
    assert again.search("ann") == first
    assert again.with_engine("okapi").search("ann") == okapi


def test_a_damaged_index_is_built_anew() -> None:
    graph = read_upload(FILES).graph
    first = graph.search("ann")
    (entry,) = [e for e in DiskCache().entries() if e.kind == "bm25"]
    for path in entry.path.glob("*.npy"):
        path.write_bytes(bytes(path.stat().st_size))
    assert read_upload(FILES).graph.search("ann") == first


def test_a_disk_that_cannot_be_written_costs_nothing_but_time(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    blocked = tmp_path / "a file, not a folder"
    blocked.write_text("")
    monkeypatch.setenv("CAUSEWAY_HOME", str(blocked))
    graph = read_upload(FILES).graph
    assert [hit.position for hit in graph.search("baker")] == [0]


def test_nothing_kept_needs_pickle() -> None:
    read_upload(FILES).graph.search("ann")
    for entry in DiskCache().entries():
        for path in [*entry.path.glob("*.npz"), *entry.path.glob("*.npy")]:
            np.load(path, allow_pickle=False)
    assert {e.kind for e in DiskCache().entries()} == {"graph", "bm25"}
