"""Where nodes stand: a walk from left to right, and other small graphs by a seeded spring layout.

Positions are computed once, in px at zoom 1, so that nothing moves between steps or reruns. Not here: which
nodes are drawn, or how.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

COLUMN = 176.0  # px between the columns of a block: a cut label and its gap
ROW = 30.0
GAP = 120.0  # px between two hops, besides the column itself
FRAME = (1120.0, 430.0)  # px of the stage that a walk should fill
SEED = 7
Point = tuple[float, float]


class Tree(NamedTuple):
    """A walk as a forest. `children` are in order of importance; a node without an entry was never looked around."""

    roots: Sequence[str]
    children: Mapping[str, Sequence[str]]
    loose: Sequence[str] = ()  # found by search alone: a block of their own, left of the walk


def walk_layout(tree: Tree, frame: Point = FRAME) -> dict[str, Point]:
    """Positions that let a walk read from left to right: a hop is a band, and hop 0 (the anchors) is on the left.

    Each node that was looked around owns a horizontal slab, so links of a tree do not cross: its further
    walked neighbours stand in the middle of the slab, each with a slab of its own, and the others as a block
    above and below. How many columns a block has is chosen so that the whole fits `frame` at the largest zoom.
    """
    best: tuple[float, dict[str, Point]] | None = None
    for columns in range(1, 13):
        places = _walk(tree, columns)
        if not places:
            return {}
        width, height = _extent(places)
        zoom = min(frame[0] / (width + COLUMN), frame[1] / (height + ROW))
        if best is None or zoom > best[0] * 1.02:  # a further column must be worth it
            best = (zoom, places)
    return _stretched(best[1], frame) if best else {}


def _stretched(places: Mapping[str, Point], frame: Point) -> dict[str, Point]:
    """The same places with room in the direction that does not limit the zoom."""
    width, height = _extent(places)
    x, y = frame[0] / (width + COLUMN), frame[1] / (height + ROW)
    wider, higher = min(2.5, max(1.0, x / y)), min(2.0, max(1.0, y / x))
    return {node: (place[0] * wider, place[1] * higher) for node, place in places.items()}


def _walk(tree: Tree, columns: int) -> dict[str, Point]:
    order, hop = _breadth_first(tree)
    slab = _slabs(tree, order, columns)
    left = _bands(tree, order, hop, columns)
    places: dict[str, Point] = {}
    top = 0.0
    for root in tree.roots:
        places[root] = (left[0], top + slab[root] / 2)
        top += slab[root] + ROW
    for node in order:
        if tree.children.get(node):
            places |= _family(tree, node, places[node][1], slab, left[hop[node] + 1], columns)
    return places | _loose(tree.loose, places)


def _family(
    tree: Tree, node: str, middle: float, slab: Mapping[str, float], left: float, columns: int
) -> dict[str, Point]:
    """The children of `node`: those walked on in the middle of its slab, the others above and below them."""
    walked, others = _split(tree, node)
    rows, across = _block(len(others), columns)
    above = rows // 2 if walked else 0
    top = middle - (rows * ROW + sum(slab[child] for child in walked)) / 2
    places: dict[str, Point] = {}
    y = top + above * ROW
    for child in walked:
        places[child] = (left, y + slab[child] / 2)
        y += slab[child]
    below = y
    # The most important of the others stand in the first column, nearest to the middle.
    lines = sorted(range(rows), key=lambda r: abs(r - (above if walked else (rows - 1) / 2) + 0.25))
    for place, child in enumerate(others):
        column, row = place // rows, lines[place % rows]
        line = top + (row + 0.5) * ROW if row < above else below + (row - above + 0.5) * ROW
        places[child] = (left + column * COLUMN + _stagger(row, across), line)
    return places


def _block(nodes: int, columns: int) -> tuple[int, int]:
    """Rows and columns of a block of leaves: never one long row, along which the links would run into each other."""
    if nodes == 0:
        return 0, 1
    across = min(columns, max(1, nodes // 2))
    return math.ceil(nodes / across), across


def _stagger(row: int, across: int) -> float:
    """Every other row stands half a column further right, as bricks do, so that labels find room."""
    return COLUMN / 2 if across > 1 and row % 2 else 0.0


def _split(tree: Tree, node: str) -> tuple[list[str], list[str]]:
    own = tree.children.get(node, ())
    return [c for c in own if tree.children.get(c)], [c for c in own if not tree.children.get(c)]


def _breadth_first(tree: Tree) -> tuple[list[str], dict[str, int]]:
    hop = dict.fromkeys(tree.roots, 0)
    order = list(hop)
    for node in order:
        for child in tree.children.get(node, ()):
            if child not in hop:
                hop[child] = hop[node] + 1
                order.append(child)
    return order, hop


def _slabs(tree: Tree, order: Sequence[str], columns: int) -> dict[str, float]:
    """The height that each node and all that hangs on it needs."""
    slab: dict[str, float] = {}
    for node in reversed(order):
        walked, others = _split(tree, node)
        own = _block(len(others), columns)[0] * ROW + sum(slab[child] for child in walked)
        slab[node] = max(ROW, own + (0.5 * ROW if own > ROW else 0.0))
    return slab


def _bands(tree: Tree, order: Sequence[str], hop: Mapping[str, int], columns: int) -> dict[int, float]:
    """The left edge of each hop's band."""
    widest: dict[int, int] = {}
    for node in order:
        _, others = _split(tree, node)
        level = hop[node] + 1
        widest[level] = max(widest.get(level, 1), _block(len(others), columns)[1])
    left = {0: 0.0}
    for level in range(1, max(hop.values(), default=0) + 2):
        before = widest.get(level - 1, 1) if level > 1 else 1
        left[level] = left[level - 1] + (before - 1) * COLUMN + COLUMN / 2 + GAP
    return left


def _loose(loose: Sequence[str], places: Mapping[str, Point]) -> dict[str, Point]:
    """A narrow block left of the walk, as high as the walk, best first from the top of the column next to it."""
    ends = _span([y for _, y in places.values()]) or (0.0, 0.0)
    across = max(1, math.ceil(len(loose) / max(8, int((ends[1] - ends[0]) / ROW))))
    rows = math.ceil(len(loose) / across)
    right = (min(x for x, _ in places.values()) - COLUMN) if places else 0.0
    return {
        node: (right - (place // rows) * COLUMN / 2, sum(ends) / 2 + (place % rows - (rows - 1) / 2) * ROW)
        for place, node in enumerate(loose)
    }


def _span(values: Sequence[float]) -> tuple[float, float] | None:
    return (min(values), max(values)) if values else None


def _extent(places: Mapping[str, Point]) -> Point:
    xs, ys = zip(*places.values(), strict=True)
    return max(xs) - min(xs), max(ys) - min(ys)


def spring_layout(nodes: int, edges: Sequence[tuple[int, int]], *, spacing: float = 110.0) -> list[Point]:
    """Positions of a small graph without a direction of reading: force-directed, seeded, then spread apart."""
    import networkx as nx

    if nodes == 0:
        return []
    graph = nx.Graph()
    graph.add_nodes_from(range(nodes))
    graph.add_edges_from((a, b) for a, b in edges if a != b)
    found = nx.spring_layout(graph, seed=SEED, iterations=80, k=2.2 / math.sqrt(nodes))
    places = np.array([found[i] for i in range(nodes)], dtype=np.float64)
    places *= spacing * math.sqrt(nodes) / 2
    places[:, 0] *= 1.7  # stages are wider than high
    return [(float(x), float(y)) for x, y in spread(places)]


def spread(places: NDArray[np.float64], width: float = 120.0, height: float = 34.0) -> NDArray[np.float64]:
    """Push nodes apart until no two stand within `width` x `height` px, or 60 rounds are over. places: (n, 2)."""
    out = places.copy()
    index = np.arange(len(out))
    by_index = np.sign(index[:, None] - index[None, :])  # which of two that stand level goes up
    for _ in range(60):
        gap = out[:, None, :] - out[None, :, :]  # (n, n, 2)
        over_x, over_y = width - np.abs(gap[..., 0]), height - np.abs(gap[..., 1])
        close = (over_x > 0) & (over_y > 0)
        np.fill_diagonal(close, False)
        if not close.any():
            break
        up = np.where(gap[..., 1] == 0, by_index, np.sign(gap[..., 1]))
        out[:, 1] += (close * up * over_y).sum(axis=1) * 0.25
        out[:, 0] += (close * np.sign(gap[..., 0]) * over_x).sum(axis=1) * 0.03
    return out


def radial_layout(groups: Sequence[Sequence[int]], nodes: int) -> list[Point]:
    """Node 0 in the middle, the others on rings around it, each group a sector. Positions by node."""
    places: list[Point] = [(0.0, 0.0)] * nodes
    ordered = [node for group in groups for node in group]
    n = len(ordered)
    rings = 1 if n <= 16 else 2 if n <= 48 else 3 if n <= 110 else math.ceil(math.sqrt(n / 10))
    for place, node in enumerate(ordered):
        angle = 2 * math.pi * (place + 0.5) / max(n, 1) - math.pi / 2
        radius = 170.0 + 95.0 * (place % rings) + max(0, n // rings - 16) * 6.0
        places[node] = (1.9 * radius * math.cos(angle), radius * math.sin(angle))
    return places
