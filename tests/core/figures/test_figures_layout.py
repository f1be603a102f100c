import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.figures.layout import Tree, radial_layout, spread, spring_layout, walk_layout


@st.composite
def trees(draw):
    """Random forests: node i hangs on an earlier node or is a root; some loose nodes."""
    n = draw(st.integers(1, 60))
    parents = [draw(st.one_of(st.none(), st.integers(0, i - 1))) if i else None for i in range(n)]
    children: dict[str, list[str]] = {}
    for i, parent in enumerate(parents):
        if parent is not None:
            children.setdefault(str(parent), []).append(str(i))
    loose = [f"loose {i}" for i in range(draw(st.integers(0, 12)))]
    return Tree([str(i) for i, p in enumerate(parents) if p is None], children, loose)


def depth(tree, node):
    above = next((p for p, own in tree.children.items() if node in own), None)
    return 0 if above is None else 1 + depth(tree, above)


@settings(max_examples=60, deadline=None)
@given(trees())
def test_a_walk_reads_from_left_to_right_and_no_two_nodes_meet(tree):
    places = walk_layout(tree)
    nodes = [*tree.roots, *(c for own in tree.children.values() for c in own), *tree.loose]
    assert set(places) == set(nodes)
    for parent, own in tree.children.items():
        assert all(places[child][0] > places[parent][0] + 20 for child in own)
    walked = [n for n in tree.children if n in places]
    for a, b in itertools.combinations(walked, 2):  # nodes that were walked on stand in the column of their hop
        if depth(tree, a) == depth(tree, b):
            assert places[a][0] == pytest.approx(places[b][0])
    for a, b in itertools.combinations(places.values(), 2):
        assert math.dist(a, b) > 18
    for node in tree.loose:
        assert all(places[node][0] < places[other][0] for other in places if not other.startswith("loose"))


def crosses(a, b, c, d):
    def side(p, q, r):
        return np.sign(round((q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]), 6))

    return side(a, b, c) * side(a, b, d) < 0 and side(c, d, a) * side(c, d, b) < 0


def test_links_walked_along_do_not_cross():
    children = {
        "a": ["b", "c", "d", "x1", "x2", "x3"],
        "b": ["e", "f", "x4", "x5"],
        "c": ["g"],
        "d": ["h", "x6"],
        "e": ["i"],
    }
    tree = Tree(["a"], children)
    places = walk_layout(tree)
    walked = [(p, c) for p, own in children.items() for c in own if c in children]
    for (a, b), (c, d) in itertools.combinations(walked, 2):
        assert not crosses(places[a], places[b], places[c], places[d])


def test_the_same_walk_has_the_same_places():
    tree = Tree(["a"], {"a": [f"n{i}" for i in range(50)]}, ["l"])
    assert walk_layout(tree) == walk_layout(tree)
    assert walk_layout(Tree([], {}, [])) == {}


def test_a_wide_hop_becomes_a_block_and_not_a_pole():
    places = walk_layout(Tree(["a"], {"a": [f"n{i}" for i in range(120)]}))
    xs, ys = zip(*places.values(), strict=True)
    assert (max(ys) - min(ys)) < 1.2 * (max(xs) - min(xs))
    assert math.dist(places["a"], places["n0"]) < math.dist(places["a"], places["n119"])


def test_spring_layout_is_seeded_and_spread():
    edges = [(0, i) for i in range(1, 40)] + [(i, i + 1) for i in range(1, 39)]
    first, second = spring_layout(40, edges), spring_layout(40, edges)
    assert first == second
    close = [(a, b) for a, b in itertools.combinations(first, 2) if abs(a[0] - b[0]) < 60 and abs(a[1] - b[1]) < 17]
    assert len(close) <= 2
    assert spring_layout(0, []) == []
    assert len(spring_layout(1, [(0, 0)])) == 1


def test_spread_parts_nodes_that_stand_on_one_spot():
    places = spread(np.zeros((5, 2)))
    gaps = [abs(a[1] - b[1]) for a, b in itertools.combinations(places, 2)]
    assert min(gaps) > 17


def test_a_neighbourhood_stands_around_its_centre_in_sectors():
    places = radial_layout([[1, 2, 3], [4, 5, 6]], 7)
    assert places[0] == (0.0, 0.0)
    assert min(math.dist(places[0], p) for p in places[1:]) > 100
    right = {i for i in range(1, 7) if places[i][0] > 0}
    assert right == {1, 2, 3}
