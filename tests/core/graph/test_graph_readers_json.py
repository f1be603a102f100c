"""Node-link JSON, Cytoscape elements and Neo4j exports."""

from __future__ import annotations

import json
from typing import Any

import networkx
import pytest

from core.errors import EmptyGraphError, InputError
from core.graph.readers import LoadedGraph, read_upload


def load(value: Any, name: str = "graph.json") -> LoadedGraph:
    return read_upload({name: (value if isinstance(value, str) else json.dumps(value)).encode()})


def triples(loaded: LoadedGraph) -> set[tuple[str, str, str]]:
    graph = loaded.graph
    columns = (column.tolist() for column in graph.edges())
    return {(graph.ids[h], graph.edge_type_names[c], graph.ids[t]) for h, c, t in zip(*columns, strict=True)}


@pytest.mark.parametrize("key", ["links", "edges"])
def test_what_networkx_writes(key: str) -> None:
    peer = networkx.MultiDiGraph()
    peer.add_node(1, name="Ann", type="person", description="a baker", age=30)
    peer.add_node(("b", 2), label="Bob")
    peer.add_edge(1, ("b", 2), relation="knows")
    peer.add_edge(1, ("b", 2), key="pays")
    peer.add_edge(("b", 2), ("b", 2), label="likes")
    loaded = load(networkx.node_link_data(peer, edges=key))
    ann, bob = loaded.graph.node(0), loaded.graph.node(1)
    assert (ann.id, ann.name, ann.type, ann.text) == ("1", "Ann", "person", "a baker\nage: 30")
    assert (bob.id, bob.name) == ("(b, 2)", "Bob")
    assert triples(loaded) == {
        ("1", "knows", "(b, 2)"),
        ("1", "pays", "(b, 2)"),
        ("(b, 2)", "likes", "(b, 2)"),
    }
    assert loaded.report.self_loops == 1


def test_nodes_without_ids_are_known_by_their_place() -> None:
    value = {"nodes": [{"name": "Ann"}, {"name": "Bob"}], "links": [{"source": 0, "target": 1, "value": 3}]}
    loaded = load(value)
    assert loaded.graph.names == ("Ann", "Bob")
    assert triples(loaded) == {("0", "related to", "1")}
    assert any("place in the list" in notice for notice in loaded.report.notices)


def test_undirected_graphs_are_said_to_be_undirected() -> None:
    peer = networkx.path_graph(3)
    loaded = load(networkx.node_link_data(peer, edges="edges"))
    assert loaded.report.edges == 2
    assert any("undirected" in notice for notice in loaded.report.notices)


def test_items_that_cannot_be_used_are_rejected_by_number() -> None:
    value = {
        "nodes": [{"id": "a"}, "b", {"id": None}, {"id": "c"}, {"id": {"x": 1}}],
        "links": [{"source": "a", "target": "c"}, ["a", "c"], {"source": "a"}, {"source": "c", "target": "a"}],
    }
    value["links"] += [{"source": "a", "target": f"n{i}"} for i in range(9)]
    report = load(value).report
    assert [(r.line, r.reason) for r in report.rejected] == [
        (2, "the node is not a JSON object"),
        (3, "the node has no id"),
        (5, "the node has no id"),
        (2, "the edge is not a JSON object"),
        (3, "the edge has no target"),
    ]


def test_lone_surrogates_are_replaced_and_reported() -> None:
    text = '{"nodes": [{"id": "a", "name": "x\\ud83d"}, {"id": "b"}], "links": [{"source": "a", "target": "b"}]}'
    loaded = load(text)
    assert loaded.graph.names[0] == "x\ufffd"
    assert loaded.report.surrogates_replaced == 1
    loaded.report.model_dump_json()


def test_ids_that_differ_in_surrogates_only_stay_two_nodes() -> None:
    text = '{"nodes": [{"id": "\\ud800"}, {"id": "\\udfff"}], "links": [{"source": "\\ud800", "target": "\\udfff"}]}'
    loaded = load(text)
    assert loaded.graph.ids == ("\ufffd", "\ufffd (2)")
    assert loaded.report.edges == 1


@pytest.mark.parametrize(
    ("text", "message", "where"),
    [
        ('{"nodes": [\n  {"id": 1},,\n]}', "not valid JSON", "graph.json, line 2, column 13"),
        ("[" * 100_000, "cannot be read|not valid", "graph.json"),
        ('{"a": 1}', "no graph of a known shape", "graph.json"),
    ],
)
def test_other_json_is_refused(text: str, message: str, where: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        load(text)
    assert caught.value.where.startswith(where)


def test_no_edges_is_an_empty_graph() -> None:
    with pytest.raises(EmptyGraphError, match="2 nodes and no edge"):
        load({"nodes": [{"id": 1}, {"id": 2}], "links": []})


def test_cytoscape_in_its_three_shapes() -> None:
    node = {"data": {"id": "a", "name": "Ann", "type": "person"}, "position": {"x": 1, "y": 2}}
    edge = {"data": {"id": "e", "source": "a", "target": "b", "interaction": "knows"}}
    for value in ([node, edge], {"elements": [node, edge]}, {"elements": {"nodes": [node], "edges": [edge]}}):
        loaded = load(value)
        assert loaded.report.format == "Cytoscape elements"
        assert loaded.graph.names == ("Ann", "b")
        assert loaded.graph.texts == ("", "")
        assert triples(loaded) == {("a", "knows", "b")}
    assert load({"elements": [node, edge]}, "graph.cyjs").report.edges == 1


def test_neo4j_lines_with_a_broken_one() -> None:
    lines = [
        {"type": "node", "id": "0", "labels": ["Person"], "properties": {"name": "Ann"}},
        {"type": "node", "id": "1", "labels": [], "properties": {}},
        {"type": "relationship", "id": "0", "label": "KNOWS", "start": {"id": "0"}, "end": {"id": "1"}},
    ]
    loaded = load("\n".join([*map(json.dumps, lines), "{broken"]), "export.jsonl")
    assert triples(loaded) == {("0", "KNOWS", "1")}
    assert [(r.line, r.reason) for r in loaded.report.rejected] == [(4, "the line is not valid JSON")]
