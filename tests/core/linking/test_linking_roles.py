"""Roles, classes, and which hop can follow which, against hand-made schemas and a slower grouping."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.graph.contracts import Relation
from core.graph.graph import KnowledgeGraph
from core.linking.roles import Roles, _classes, _numeric_share


def graph(edges, types=None):
    names = sorted({x for s, _, t in edges for x in (s, t)})
    relations = list(dict.fromkeys(r for _, r, _ in edges))
    at = {n: i for i, n in enumerate(names)}
    return KnowledgeGraph.from_arrays(
        names,
        names,
        [(types or {}).get(n, "") for n in names],
        [""] * len(names),
        [at[s] for s, _, _ in edges],
        [at[t] for _, _, t in edges],
        [relations.index(r) for _, r, _ in edges],
        relations,
    )


EDGES = [
    ("lamp1", "made by", "ada"),
    ("lamp1", "has colour", "red"),
    ("lamp2", "made by", "bo"),
    ("lamp2", "has colour", "blue"),
    ("ada", "lives in", "oslo"),
    ("bo", "lives in", "bergen"),
]


@pytest.fixture(scope="module")
def roles():
    return Roles(graph(EDGES).schema())


def test_codes_both_ways(roles):
    assert roles.hops == 6
    for code in range(roles.hops):
        assert roles.code(roles.relation(code)) == code
    assert roles.relation(1) == Relation("made by", "in")
    with pytest.raises(KeyError):
        roles.code(Relation("sold by", "out"))


def test_classes_join_ends_played_by_the_same_nodes(roles):
    made, colour, lives = 0, 2, 4
    assert roles.class_of[made] == roles.class_of[colour]  # lamps
    assert roles.class_of[made + 1] == roles.class_of[lives]  # people
    assert len(set(roles.class_of.tolist())) == 4
    assert roles.arrival[made] == roles.class_of[lives]


def test_what_follows_what(roles):
    made, colour, lives = 0, 2, 4
    assert roles.follows[made, lives]
    assert roles.follows[made + 1, colour]
    assert not roles.follows[colour, lives]


def test_going_back(roles):
    assert roles.goes_back(0, 1)
    assert not roles.goes_back(0, 3)


def test_twins_in_words_are_dropped_and_others_kept():
    edges = [("a", "parent", "b"), ("c", "parent", "d"), ("b", "child", "a"), ("d", "child", "c")]
    roles = Roles(graph(edges).schema())
    assert roles.kept.all()
    parent, child = roles.code(Relation("parent", "out")), roles.code(Relation("child", "out"))
    assert roles.goes_back(parent, child)
    edges = [("a", "parent", "b"), ("c", "parent", "d"), ("b", "parent_inverse", "a"), ("d", "parent_inverse", "c")]
    roles = Roles(graph(edges).schema())
    twin = roles.code(Relation("parent_inverse", "out"))
    assert not roles.kept[twin]
    assert roles.kept[roles.code(Relation("parent", "in"))]


@pytest.mark.parametrize(
    ("names", "share"),
    [(("1999", "2004-05-01", "88 minutes", "12%", "3 May 1999", "May 3, 1999"), 1.0), (("Ada", "B2"), 0.0), ((), 0.0)],
)
def test_numeric_share(names, share):
    assert _numeric_share(names) == share


@given(st.lists(st.lists(st.integers(0, 8), min_size=1, max_size=6, unique=True), min_size=1, max_size=6))
def test_classes_against_a_slower_grouping(players):
    sets = [set(p) for p in players]
    overlap = np.array([[len(a & b) for b in sets] for a in sets])
    sizes = np.array([len(s) for s in sets])
    groups = [{i} for i in range(len(sets))]
    for i, j in itertools.combinations(range(len(sets)), 2):
        if 2 * len(sets[i] & sets[j]) >= min(len(sets[i]), len(sets[j])):
            one, other = (next(g for g in groups if x in g) for x in (i, j))
            if one is not other:
                groups.remove(other)
                one |= other
    classes = _classes(overlap, sizes).tolist()
    assert {frozenset(g) for g in groups} == {
        frozenset(i for i, c in enumerate(classes) if c == k) for k in set(classes)
    }
    assert all(classes[c] == c for c in classes)


def test_no_relations():
    empty = KnowledgeGraph.from_arrays(["a"], ["a"], [""], [""], [], [], [], [])
    roles = Roles(empty.schema())
    assert roles.hops == 0
    assert roles.follows.shape == (0, 0)
