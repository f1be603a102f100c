"""The neighbourhood: against a breadth-first walk over a list of edges, within its budget, and from a great hub."""

from __future__ import annotations

import numpy as np
import pytest
from dict_graph import DictGraph
from hypothesis import given
from hypothesis import strategies as st
from kerag_world import books, dict_books, graph_of

from core.graph.contracts import Relation
from core.kerag.neighbourhood import Gathering
from core.kerag.view import hops_of

OUT, IN = "out", "in"


def triples(gathering: Gathering) -> set[tuple[str, str, str]]:
    around = gathering.neighbourhood()
    return {
        (around.nodes[h].id, around.relations[r], around.nodes[t].id)
        for h, r, t in zip(around.head.tolist(), around.relation.tolist(), around.tail.tolist(), strict=True)
    }


def test_one_hop_follows_the_kept_relations_in_their_direction_and_no_other() -> None:
    graph = books()
    gathering = Gathering(graph, [graph.index_of("p2")], 100)
    assert gathering.leading == {
        Relation("written by", IN): 1,
        Relation("translated by", IN): 2,
        Relation("born in", OUT): 1,
    }
    assert gathering.follow({Relation("translated by", IN)}) == 2
    assert triples(gathering) == {("b1", "translated by", "p2"), ("b3", "translated by", "p2")}
    around = gathering.neighbourhood()
    assert [n.id for n in around.nodes] == ["p2", "b1", "b3"]
    assert around.hop.tolist() == [0, 1, 1]
    assert around.topics == (0,)
    assert [graph.names[p] for p in around.positions] == [n.name for n in around.nodes]


def test_what_is_in_view_tells_edges_types_and_examples_of_each_relation() -> None:
    graph = books()
    gathering = Gathering(graph, [graph.index_of("p1"), graph.index_of("p2")], 100)
    seen = {(s.relation, s.direction): s for s in gathering.in_view()}
    written = seen["written by", IN]
    assert (written.edges, written.node_types, set(written.examples)) == (
        3,
        ("book",),
        {"The Salt Road", "Winter Letters", "Salt"},
    )
    assert seen["born in", OUT].examples == ("Oslo", "Bergen")
    assert [s.edges for s in gathering.in_view()] == sorted((s.edges for s in seen.values()), reverse=True)


def test_a_triple_met_from_both_ends_is_kept_once_and_nodes_met_again_lead_on() -> None:
    graph = books()
    gathering = Gathering(graph, [graph.index_of("b1")], 100)
    gathering.follow({Relation("written by", OUT)})
    gathering.follow({Relation("written by", IN)})
    assert gathering.frontier == (graph.index_of("b1"), graph.index_of("b2"))
    around = gathering.neighbourhood()
    assert len(around) == 2
    assert hops_of(around).tolist() == [1, 2]
    gathering.follow({Relation("published in", OUT)})
    assert ("b1", "published in", "y1") in triples(gathering)


def test_triples_taken_away_are_passed_over_and_counted() -> None:
    graph = books()
    gone = ("b1", "written by", "p1")
    gathering = Gathering(graph, [graph.index_of("p1")], 100, without=(gone, ("b9", "written by", "p1")))
    gathering.follow({Relation("written by", IN)})
    assert triples(gathering) == {("b2", "written by", "p1")}
    assert gathering.taken == 1


def test_beyond_the_budget_nodes_of_few_edges_come_first_and_the_rest_is_counted() -> None:
    edges = [("hub", "holds", f"x{i}") for i in range(50)] + [("small", "holds", "x0")]
    nodes = {i: (i, "", "") for i in ("hub", "small", *(f"x{n}" for n in range(50)))}
    nodes["x33"] = ("golden spoon", "", "")
    graph = graph_of(nodes, edges)
    gathering = Gathering(graph, [0, 1], 3, "where is the golden spoon")
    gathering.follow({Relation("holds", OUT)})
    around = gathering.neighbourhood()
    assert len(around) == 3
    assert around.total == 51
    assert ("small", "holds", "x0") in triples(gathering)
    assert ("hub", "holds", "x33") in triples(gathering)  # nearest to the question's words
    (left,) = gathering.left_out
    assert (left.triples, "budget of 3 triples" in left.why) == (48, True)


def test_a_hub_of_sixteen_thousand_edges_is_gathered_whole() -> None:
    count = 16_000
    edges = [(f"x{i}", "made in", "hub") for i in range(count)]
    graph = graph_of({"hub": ("Hub", "", "")} | {f"x{i}": (f"x{i}", "", "") for i in range(count)}, edges)
    gathering = Gathering(graph, [0], 100_000)
    (seen,) = gathering.in_view()
    assert (seen.edges, len(seen.examples)) == (count, 4)
    assert gathering.follow({Relation("made in", IN)}) == count
    around = gathering.neighbourhood()
    assert (len(around.nodes), around.total, int(around.hop.max())) == (count + 1, count, 1)


def test_without_topics_there_is_nothing_in_view() -> None:
    gathering = Gathering(books(), [], 10)
    assert gathering.in_view() == ()
    assert gathering.follow({Relation("written by", OUT)}) == 0
    around = gathering.neighbourhood()
    assert (len(around), around.nodes, around.topics) == (0, (), ())


def walked(
    edges: list[tuple[str, str, str]], start: str, hops: list[set[tuple[str, str]]]
) -> tuple[set[tuple[str, str, str]], dict[str, int]]:
    """The dumb way: look through all edges at each hop."""
    found, hop_of, frontier = set(), {start: 0}, {start}
    for number, kept in enumerate(hops, 1):
        reached = set()
        for head, relation, tail in edges:
            if head == tail:
                continue
            for here, there, direction in ((head, tail, OUT), (tail, head, IN)):
                if here in frontier and (relation, direction) in kept:
                    found.add((head, relation, tail))
                    reached.add(there)
        for node in reached:
            hop_of.setdefault(node, number)
        frontier = reached
    return found, hop_of


small_edges = st.lists(
    st.tuples(st.sampled_from("abcdef"), st.sampled_from(["r", "s", "t"]), st.sampled_from("abcdef")),
    min_size=1,
    max_size=25,
    unique=True,
)
kept_sets = st.lists(
    st.sets(st.tuples(st.sampled_from(["r", "s", "t"]), st.sampled_from([OUT, IN])), max_size=4), min_size=1, max_size=4
)


@given(edges=small_edges, hops=kept_sets, in_memory=st.booleans())
def test_it_equals_a_walk_over_all_edges(
    edges: list[tuple[str, str, str]], hops: list[set[tuple[str, str]]], in_memory: bool
) -> None:
    nodes = {i: (i, "", "") for i in "abcdef"}
    graph = graph_of(nodes, edges) if in_memory else DictGraph(nodes, edges)
    gathering = Gathering(graph, [0], 1000)
    for kept in hops:
        gathering.follow({Relation(r, d) for r, d in kept})  # type: ignore[arg-type]
    found, hop_of = walked(edges, "a", hops)
    assert triples(gathering) == found
    around = gathering.neighbourhood()
    assert {n.id: int(h) for n, h in zip(around.nodes, around.hop, strict=True)} == hop_of
    assert len(around) == len(found)


@given(edges=small_edges, hops=kept_sets, budget=st.integers(1, 8), gone=st.sets(st.integers(0, 24), max_size=2))
def test_what_is_beyond_the_budget_is_never_told_too_high_and_never_hidden(
    edges: list[tuple[str, str, str]], hops: list[set[tuple[str, str]]], budget: int, gone: set[int]
) -> None:
    graph = graph_of({i: (i, "", "") for i in "abcdef"}, edges)
    without = [edge for number, edge in enumerate(edges) if number in gone]
    gathering = Gathering(graph, [0, 1], budget, without=without)
    in_scope: set[tuple[str, str, str]] = set()
    for kept in hops:
        here = {"abcdef"[position] for position in gathering.frontier}
        in_scope |= {
            (head, relation, tail)
            for head, relation, tail in set(edges) - set(without)
            if head != tail
            and ((head in here and (relation, OUT) in kept) or (tail in here and (relation, IN) in kept))
        }
        gathering.follow({Relation(r, d) for r, d in kept})  # type: ignore[arg-type]
    around = gathering.neighbourhood()
    beyond = len(in_scope - triples(gathering))
    told = around.total - len(around)
    assert told <= beyond
    assert (told > 0) == (beyond > 0)
    assert sum(left.triples for left in gathering.left_out) == told


@pytest.mark.parametrize("budget", [1, 2, 5])
def test_the_budget_holds_on_a_graph_with_only_the_four_calls(budget: int) -> None:
    graph = dict_books()
    gathering = Gathering(graph, [graph.ids.index("p1")], budget)
    every = {Relation(r, d) for r in ("written by", "born in", "published in") for d in (OUT, IN)}  # type: ignore[arg-type]
    for _ in range(3):
        gathering.follow(every)
    around = gathering.neighbourhood()
    assert len(around) == budget
    assert around.total > budget
    assert np.isin(around.head, np.arange(len(around.nodes))).all()


def test_a_known_triple_that_is_met_again_is_not_counted_as_beyond_the_budget() -> None:
    graph = graph_of({n: (n, "thing", n) for n in "abc"}, [("a", "near", "b"), ("b", "near", "c")])
    gathering = Gathering(graph, [graph.index_of("a")], 2)
    both = {Relation("near", OUT), Relation("near", IN)}
    gathering.follow(both)  # a-b
    gathering.follow(both)  # b-c, and a-b again
    gathering.follow(both)  # both again: the budget is full, and nothing is beyond it
    around = gathering.neighbourhood()
    assert (len(around), around.total) == (2, 2)
    assert not gathering.left_out
