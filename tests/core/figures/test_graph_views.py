"""The schema and a neighbourhood as graph pages, on a graph that has nothing but the four calls."""

import numpy as np
import pytest
from dict_graph import DictGraph

from core.figures.neighbourhood import neighbourhood_view
from core.figures.schema_view import schema_graph
from core.graph.contracts import Role, Schema

FILMS = {f"f{i}": (f"Film {i}", "film", f"Film {i}, a film") for i in range(30)}
PEOPLE = {"p": ("Ann", "person", "Ann"), "q": ("Ben", "person", "Ben")}
LAND = {"l": ("Land", "country", "Land")}
EDGES = [(f, "directed_by", "p") for f in FILMS] + [
    ("f0", "written_by", "p"),
    ("f0", "written_by", "q"),
    ("p", "born_in", "l"),
]


@pytest.fixture
def graph():
    return DictGraph({**FILMS, **PEOPLE, **LAND}, EDGES)


def at(graph, *ids):
    return [graph.ids.index(i) for i in ids]


def test_a_hub_shows_its_rare_relations_too(graph):
    view = neighbourhood_view(graph, at(graph, "p"), max_nodes=8)
    assert len(view.nodes) == 8
    assert view.nodes[0].name == "Ann"
    assert view.nodes[0].role == "current"
    types = {t for e in view.edges for t in (*e.forward, *e.backward)}
    assert types == {"directed_by", "written_by", "born_in"}
    assert view.shown_words == "8 of 32 nodes shown"
    assert view.nodes[0].note.startswith("32 links")


def test_small_neighbourhoods_are_whole_and_links_keep_their_direction(graph):
    view = neighbourhood_view(graph, at(graph, "f0"), max_nodes=40, selected="q")
    assert {n.name for n in view.nodes} == {"Film 0", "Ann", "Ben"}
    assert view.hidden == 0
    assert view.selected == "q"
    lines = {(view.nodes[e.source].name, view.nodes[e.target].name): set(e.forward) for e in view.edges}
    assert lines == {("Film 0", "Ann"): {"directed_by", "written_by"}, ("Film 0", "Ben"): {"written_by"}}


def test_a_neighbourhood_grows_by_centres(graph):
    view = neighbourhood_view(graph, at(graph, "q", "f0", "q"), max_nodes=40)
    assert [n.name for n in view.nodes if n.role == "current"] == ["Ben", "Film 0"]
    assert {n.name for n in view.nodes} == {"Ben", "Film 0", "Ann"}
    assert len({(n.x, n.y) for n in view.nodes}) == 3
    assert view.title == "Around Ben and Film 0"


def test_the_legend_counts_types_but_not_those_of_the_chosen_alone(graph):
    view = neighbourhood_view(graph, at(graph, "l"), max_nodes=40)
    assert [e.label for e in view.legend] == ["chosen", "person"]
    groups = {e.group for e in view.legend}
    assert {n.group for n in view.nodes} <= groups


def test_many_types_share_the_last_entry():
    nodes = {"hub": ("Hub", "hub", "")} | {f"n{i}": (f"N{i}", f"type {i}", "") for i in range(12)}
    graph = DictGraph(nodes, [("hub", "r", f"n{i}") for i in range(12)])
    view = neighbourhood_view(graph, [0], max_nodes=40)
    assert len(view.legend) == 1 + 8 + 1
    assert view.legend[-1].label == "other types"
    assert len({(e.role, e.shape) for e in view.legend[1:9]}) == 8


def test_no_centre_is_an_empty_view_and_a_wrong_one_an_error(graph):
    assert neighbourhood_view(graph, []).nodes == ()
    with pytest.raises(IndexError):
        neighbourhood_view(graph, [999])


def schema(types, edges, roles, overlap, inverse=None):
    made = tuple(Role(t, side, size, node_types, examples) for t, side, size, node_types, examples in roles)
    return Schema(types, edges, made, np.array(overlap), inverse or {})


def test_types_are_nodes_and_relations_links():
    s = schema(
        {"film": 5, "person": 9},
        {"directed_by": 5, "knows": 4, "directed": 5},
        [
            ("directed_by", "head", 5, ("film",), ("Film 1",)),
            ("directed_by", "tail", 3, ("person",), ("Ann",)),
            ("knows", "head", 4, ("person",), ()),
            ("knows", "tail", 4, ("person",), ()),
            ("directed", "head", 3, ("person",), ()),
            ("directed", "tail", 5, ("film",), ()),
        ],
        np.zeros((6, 6), dtype=np.int64),
        {"directed": "directed_by"},
    )
    view = schema_graph(s)
    assert [n.name for n in view.nodes] == ["person (9)", "film (5)"]
    (edge,) = view.edges
    assert (view.nodes[edge.source].id, view.nodes[edge.target].id, edge.forward) == (
        "film",
        "person",
        ("directed_by",),
    )
    assert "among themselves: knows" in view.nodes[0].note
    assert view.nodes[0].size > view.nodes[1].size
    assert view.title == "2 types, 3 relations"


def test_of_two_mutual_inverses_one_is_drawn():
    roles = [
        (t, side, 3, ("x",) if (t == "a") == (side == "head") else ("y",), ())
        for t in ("a", "b")
        for side in ("head", "tail")
    ]
    s = schema({"x": 3, "y": 3}, {"a": 3, "b": 3}, roles, np.zeros((4, 4), dtype=np.int64), {"a": "b", "b": "a"})
    assert [(e.forward, e.backward) for e in schema_graph(s).edges] == [(("a",), ())]


def test_without_types_roles_that_overlap_by_half_make_a_class():
    # directed_by: films -> directors; written_by: the same films -> writers, of whom half direct.
    overlap = np.array([[10, 0, 10, 0], [0, 4, 0, 3], [10, 0, 10, 0], [0, 3, 0, 6]])
    roles = [
        ("directed_by", "head", 10, ("",), ("Film 1",)),
        ("directed_by", "tail", 4, ("",), ("Ann",)),
        ("written_by", "head", 10, ("",), ()),
        ("written_by", "tail", 6, ("",), ()),
    ]
    view = schema_graph(schema({"": 20}, {"directed_by": 12, "written_by": 15}, roles, overlap))
    assert {n.name for n in view.nodes} == {"has directed by (10)", "written by and directed by (6)"}
    (edge,) = view.edges
    assert edge.forward == ("directed_by", "written_by")
    assert view.title == "2 classes, 2 relations"


def test_a_schema_without_edges_is_its_types():
    view = schema_graph(schema({"a": 2}, {}, [], np.zeros((0, 0), dtype=np.int64)))
    assert [n.name for n in view.nodes] == ["a (2)"]
    assert view.edges == ()
