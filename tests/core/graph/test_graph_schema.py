"""The schema against sets, and the rules for examples and inverse twins."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st
from plain_graph import Edge, PlainGraph

from core.graph.contracts import Schema
from core.graph.graph import KnowledgeGraph


@st.composite
def plain_graphs(draw: st.DrawFn) -> PlainGraph:
    n = draw(st.integers(1, 6))
    node = st.integers(0, n - 1)
    types = draw(st.lists(st.sampled_from(["", "a", "b"]), min_size=n, max_size=n))
    edges = draw(st.lists(st.tuples(node, st.sampled_from(["r", "s", "t"]), node), max_size=20))
    turned = [(t, draw(st.sampled_from(["inv", "r"])), h) for h, _, t in edges if draw(st.booleans())]
    return PlainGraph([f"name {i}" for i in range(n)], types, edges + turned)


@given(plain_graphs())
def test_roles_overlap_and_types_equal_those_of_sets(plain: PlainGraph) -> None:
    schema = plain.build().schema()
    roles = plain.roles()
    assert [(role.edge_type, role.side) for role in schema.roles] == list(roles)
    players = list(roles.values())
    assert schema.overlap.tolist() == [[len(a & b) for b in players] for a in players]
    for role, nodes in zip(schema.roles, players, strict=True):
        counts = Counter(plain.types[v] for v in nodes)
        assert role.size == len(nodes)
        assert list(role.node_types) == sorted(counts, key=lambda t: (-counts[t], t))
        assert list(role.examples) == [plain.names[v] for v in sorted(nodes)]
    assert schema.node_types == dict(Counter(plain.types))
    assert schema.edge_types == dict(Counter(kind for _, kind, _ in plain.distinct()))


@given(plain_graphs())
def test_inverse_twins_equal_those_of_sets(plain: PlainGraph) -> None:
    twins = plain.inverses()
    inverse_of = plain.build().schema().inverse_of
    assert all(frozenset(pair) in twins for pair in inverse_of.items())
    assert not set(inverse_of) & set(inverse_of.values())  # of two twins one stays
    assert all(set(twin) & set(inverse_of) for twin in twins)


def schema_of(edges: list[Edge], n: int) -> Schema:
    return PlainGraph([str(i) for i in range(n)], [""] * n, edges).build().schema()


def test_the_twin_with_the_longer_name_is_the_one_that_states_backwards() -> None:
    ahead = [(i, "made by", i + 1) for i in range(40)]
    back = [(i + 1, "made by_inverse", i) for i in range(40)]
    assert schema_of(ahead + back, 41).inverse_of == {"made by_inverse": "made by"}
    assert schema_of(ahead + back[:38], 41).inverse_of == {"made by_inverse": "made by"}  # 95 % of 40
    assert schema_of(ahead + back[:37], 41).inverse_of == {}


def test_a_symmetric_relation_is_not_its_own_twin_and_loops_say_nothing() -> None:
    married = [(0, "married to", 1), (1, "married to", 0)]
    assert schema_of(married, 2).inverse_of == {}
    assert schema_of([(0, "likes", 0), (0, "hates", 0)], 1).inverse_of == {}


def test_examples_are_spread_over_all_who_play_the_role() -> None:
    n = 1001
    graph = KnowledgeGraph.from_arrays(
        [str(i) for i in range(n)],
        [f"name {i}" for i in range(n)],
        [""] * n,
        [""] * n,
        list(range(1, n)),
        [0] * (n - 1),
        [0] * (n - 1),
        ["r"],
    )
    head, tail = graph.schema().roles
    numbers = [int(name.split()[1]) for name in head.examples]
    gaps = {b - a for a, b in zip(numbers, numbers[1:], strict=False)}
    assert (len(numbers), numbers[0], numbers[-1]) == (200, 1, 1000)
    assert gaps <= {5, 6}
    assert (tail.examples, tail.size) == (("name 0",), 1)
    assert graph.schema() is graph.schema()
