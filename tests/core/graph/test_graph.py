"""KnowledgeGraph against a dumb implementation, and its promises one by one."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_graph import PlainGraph

from core.errors import ConfigError
from core.graph import graph as graph_module
from core.graph.contracts import Graph, Hit, Relation, RelationCount
from core.graph.graph import KnowledgeGraph, top_k

WORDS = ["red", "blue", "green", "old", "new"]


@st.composite
def plain_graphs(draw: st.DrawFn) -> PlainGraph:
    n = draw(st.integers(1, 7))
    node = st.integers(0, n - 1)
    names = draw(st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=3), min_size=n, max_size=n))
    types = draw(st.lists(st.sampled_from(["", "a", "b"]), min_size=n, max_size=n))
    edges = draw(st.lists(st.tuples(node, st.sampled_from(["r", "s", "t"]), node), max_size=25))
    return PlainGraph([" ".join(words) for words in names], types, edges)


def small_graph() -> KnowledgeGraph:
    return KnowledgeGraph.from_arrays(
        ids=["n0", "n1", "n2", "n3"],
        names=["Ann", "Bob", "", "Ann"],
        types=["person", "person", "place", "person"],
        texts=["a baker", "", "a small town", "a smith"],
        heads=[0, 0, 1, 0, 2, 0],
        tails=[1, 1, 0, 2, 2, 1],
        edge_types=[0, 1, 0, 2, 2, 0],  # the last repeats the first
        edge_type_names=["knows", "pays", "near", "never used"],
        name="small",
    )


@pytest.mark.parametrize("small", [0, 192], ids=["numpy path", "dict path"])
@given(plain=plain_graphs(), data=st.data())
def test_neighbors_equal_a_dict_of_lists(small: int, plain: PlainGraph, data: st.DataObject) -> None:
    graph = plain.build()
    node = data.draw(st.integers(0, len(plain.names) - 1))
    query = " ".join(data.draw(st.lists(st.sampled_from([*WORDS, "unheard"]), max_size=3)))
    known_types = sorted(set(plain.types))
    node_types = data.draw(st.none() | st.lists(st.sampled_from(known_types), unique=True))
    edge_types = data.draw(st.none() | st.lists(st.sampled_from(plain.kinds()), unique=True)) if plain.edges else None
    k = data.draw(st.integers(1, 6))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(graph_module, "_SMALL", small)
        found = graph.neighbors(node, query, node_types, edge_types, k)
        positions = graph.neighbor_positions(node, node_types, edge_types)
    expected, total = plain.neighbors(node, query, node_types, edge_types, k)
    assert found.neighbors == expected
    assert found.total == total == len(positions)
    assert positions.tolist() == sorted(set(positions.tolist()) - {node})


@given(plain_graphs())
def test_nodes_and_edges_equal_the_plain_ones(plain: PlainGraph) -> None:
    graph = plain.build()
    assert graph.edge_count == len(plain.distinct())
    heads, codes, tails = graph.edges()
    listed = [
        (h, graph.edge_type_names[c], t) for h, c, t in zip(heads.tolist(), codes.tolist(), tails.tolist(), strict=True)
    ]
    assert listed == plain.distinct()
    for position in range(len(graph)):
        node = graph.node(position)
        assert list(node.relations) == [RelationCount(*found) for found in plain.relations(position)]
        assert graph.degree[position] == sum(count for _, _, count in node.relations)
        assert (node.position, node.id, node.type) == (position, f"id{position}", plain.types[position])


@given(plain=plain_graphs(), data=st.data())
def test_the_order_of_edges_is_no_content(plain: PlainGraph, data: st.DataObject) -> None:
    shuffled = data.draw(st.permutations(plain.edges))
    assert plain.build().content_id == plain.build(shuffled).content_id


def test_content_id_changes_with_every_part_of_the_content_and_with_nothing_else() -> None:
    parts = {
        "ids": ["a", "b"],
        "names": ["A", "B"],
        "types": ["x", "y"],
        "texts": ["", "t"],
        "heads": [0],
        "tails": [1],
        "edge_types": [0],
        "edge_type_names": ["r"],
    }
    base = KnowledgeGraph.from_arrays(**parts)
    changes = {
        "ids": ["a", "c"],
        "names": ["A", "C"],
        "types": ["x", "x"],
        "texts": ["t", ""],  # the same text at another node
        "heads": [1],
        "tails": [0],
        "edge_type_names": ["s"],
    }
    ids = {KnowledgeGraph.from_arrays(**{**parts, part: value}).content_id for part, value in changes.items()}
    assert len(ids | {base.content_id}) == len(changes) + 1
    assert base.content_id.startswith("sha256:")
    same = KnowledgeGraph.from_arrays(**parts, name="another", engine="okapi")
    assert same.content_id == base.content_id == base.with_name("third").content_id
    # columns that join to the same text are told apart
    joined = KnowledgeGraph.from_arrays(**{**parts, "names": ["AB", "B"], "texts": ["", ""]})
    split = KnowledgeGraph.from_arrays(**{**parts, "names": ["A", "BB"], "texts": ["", ""]})
    assert joined.content_id != split.content_id


def test_a_graph_has_the_whole_contract_and_says_what_it_is() -> None:
    graph = small_graph()
    assert isinstance(graph, Graph)
    assert graph.dataset.model_dump() == {
        "content_id": graph.content_id,
        "name": "small",
        "kind": "graph",
        "size": {"nodes": 4, "edges": 5},
    }
    assert graph.edge_type_names == ("knows", "pays", "near")  # an edge type without an edge is none
    assert graph.names == ("Ann", "Bob", "n2", "Ann")  # the nameless one is called by its id
    assert (graph.types, graph.index_of("n3")) == (("person", "person", "place", "person"), 3)
    with pytest.raises(KeyError):
        graph.index_of("n9")


def test_one_candidate_carries_all_its_relations_with_direction() -> None:
    found = small_graph().neighbors(0, "bob")
    assert [(n.position, n.relations) for n in found.neighbors] == [
        (1, (Relation("knows", "out"), Relation("knows", "in"), Relation("pays", "out"))),
        (2, (Relation("near", "out"),)),
    ]
    filtered = small_graph().neighbors(0, "", edge_types=["pays"])
    assert [(n.position, n.relations) for n in filtered.neighbors] == [(1, (Relation("pays", "out"),))]


def test_a_self_loop_is_counted_at_its_node_and_is_no_neighbour() -> None:
    graph = small_graph()
    assert graph.adjacency.self_loops == 1
    assert graph.node(2).relations == (RelationCount("near", "out", 1), RelationCount("near", "in", 2))
    assert [n.position for n in graph.neighbors(2, "").neighbors] == [0]


def test_total_counts_what_passed_before_the_cut_and_ties_go_by_position() -> None:
    spokes = 300
    graph = KnowledgeGraph.from_arrays(
        [str(i) for i in range(spokes + 1)],
        ["hub", *(f"twin {'extra' if i % 7 == 0 else ''}" for i in range(spokes))],
        [""] * (spokes + 1),
        [""] * (spokes + 1),
        [0] * spokes,
        list(range(1, spokes + 1)),
        [0] * spokes,
        ["r"],
    )
    found = graph.neighbors(0, "extra", k=5)
    assert (found.total, [n.position for n in found.neighbors]) == (300, [1, 8, 15, 22, 29])
    assert [n.position for n in graph.neighbors(0, "nothing has this", k=3).neighbors] == [1, 2, 3]
    assert [n.position for n in graph.neighbors(0, "", k=3).neighbors] == [1, 2, 3]


def test_a_hub_lists_the_relations_of_each_neighbour_in_order() -> None:
    n, kinds = 400, ["r", "s", "t"]
    edges = [(0, kind, i) for kind in kinds for i in range(1, n)] + [(i, "s", 0) for i in range(1, n)]
    graph = PlainGraph([f"node {i}" for i in range(n)], [""] * n, edges).build()
    expected = (Relation("r", "out"), Relation("s", "out"), Relation("s", "in"), Relation("t", "out"))
    found = graph.neighbors(0, "", k=n)
    assert {neighbor.relations for neighbor in found.neighbors} == {expected}
    assert [neighbor.position for neighbor in found.neighbors] == list(range(1, n))


def test_search_looks_at_name_and_text_leaves_zeros_out_and_breaks_ties_by_position() -> None:
    graph = small_graph()
    assert [hit.position for hit in graph.search("ann")] == [0, 3]
    assert [hit.position for hit in graph.search("small town")] == [2]
    assert graph.search("person") == ()  # a type is a filter, not text
    assert graph.search("  ") == graph.search("unheard of") == ()
    first = graph.search("ann", k=1)
    assert len(first) == 1
    assert isinstance(first[0], Hit)
    assert first[0].score == pytest.approx(graph.search("ann")[1].score)  # documents of the same length
    assert graph.document(0) == "Ann\na baker"
    assert graph.document(1) == "Bob"


def test_the_okapi_engine_is_a_choice_of_the_same_graph() -> None:
    graph = small_graph()
    okapi = graph.with_engine("okapi")
    assert okapi.content_id == graph.content_id
    assert [hit.position for hit in okapi.search("baker")] == [0]
    assert okapi.search("baker") != graph.search("baker")
    assert okapi.with_engine("okapi") is okapi
    with pytest.raises(ConfigError, match="unknown BM25 engine"):
        graph.with_engine("lucene")


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda g: g.neighbors(0, "", edge_types=["knows", "nows"]), "nows"),
        (lambda g: g.neighbors(0, "", node_types=["persn"]), "persn"),
        (lambda g: g.neighbors(0, "", k=0), "k is 0"),
        (lambda g: g.search("ann", k=-1), "k is -1"),
    ],
)
def test_what_the_graph_does_not_have_is_a_config_error(call: object, named: str) -> None:
    with pytest.raises(ConfigError, match=named):
        call(small_graph())


@pytest.mark.parametrize("position", [-1, 4])
def test_positions_outside_the_graph_are_index_errors(position: int) -> None:
    graph = small_graph()
    with pytest.raises(IndexError):
        graph.node(position)
    with pytest.raises(IndexError):
        graph.neighbors(position, "")


def test_a_graph_cannot_be_changed() -> None:
    graph = small_graph()
    with pytest.raises(AttributeError):
        graph.names = ()
    for array in (graph.type_codes, graph.degree, graph.adjacency.neighbors, graph.schema().overlap):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


def test_edge_types_of_one_name_are_one_type() -> None:
    graph = KnowledgeGraph.from_arrays(
        ["a", "b"], ["a", "b"], ["", ""], ["", ""], [0, 0, 1], [1, 1, 0], [0, 1, 2], ["r", "r", "s"]
    )
    assert (graph.edge_type_names, graph.edge_count) == (("r", "s"), 2)


def test_lone_surrogates_do_not_get_in() -> None:
    graph = KnowledgeGraph.from_arrays(
        ["a", "b"], ["x\ud800", "y"], ["", "t\udfff"], ["", ""], [0], [1], [0], ["r\ud8ff"]
    )
    assert graph.names[0] == "x\ufffd"
    assert graph.type_names[1] == "t\ufffd"
    assert graph.edge_type_names == ("r\ufffd",)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"ids": ["a", "a"]}, "same id"),
        ({"names": ["a"]}, "differ in length"),
        ({"heads": [0, 1]}, "differ in length"),
        ({"heads": [2]}, "head index"),
        ({"tails": [-1]}, "tail index"),
        ({"edge_types": [1]}, "edge type index"),
    ],
)
def test_columns_that_do_not_fit_are_programming_mistakes(change: dict[str, object], message: str) -> None:
    parts = {
        "ids": ["a", "b"],
        "names": ["a", "b"],
        "types": ["", ""],
        "texts": ["", ""],
        "heads": [0],
        "tails": [1],
        "edge_types": [0],
        "edge_type_names": ["r"],
    }
    with pytest.raises(ValueError, match=message):
        KnowledgeGraph.from_arrays(**{**parts, **change})


def test_a_graph_without_edges_or_nodes_answers_all_calls() -> None:
    lonely = KnowledgeGraph.from_arrays(["a"], ["Ann"], [""], [""], [], [], [], [])
    assert lonely.neighbors(0, "ann").total == 0
    assert lonely.node(0).relations == ()
    assert lonely.schema().edge_types == {}
    nothing = KnowledgeGraph.from_arrays([], [], [], [], [], [], [], [])
    assert nothing.search("ann") == ()
    assert (len(nothing), nothing.edge_count, nothing.schema().node_types) == (0, 0, {})


def test_agents_in_parallel_build_one_index(monkeypatch: pytest.MonkeyPatch) -> None:
    from core.text.bm25 import BM25Index

    built = []
    build = BM25Index.build
    monkeypatch.setattr(BM25Index, "build", lambda *args: built.append(1) or build(*args))
    graph = small_graph()
    threads = [threading.Thread(target=graph.search, args=("ann",)) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert built == [1]


@given(st.lists(st.integers(0, 4), min_size=1), st.integers(1, 30))
def test_top_k_is_a_stable_sort_cut_short(values: list[int], k: int) -> None:
    scores = np.array(values, dtype=np.float32)
    assert top_k(scores, k).tolist() == sorted(range(len(values)), key=lambda i: (-values[i], i))[:k]
