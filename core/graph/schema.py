"""The schema of a graph: types, the roles that edge ends give to nodes, their overlap, and inverse twins.

A role is one end of an edge type. Its code, 2t for the head and 2t + 1 for the tail, is the relation code
of `Adjacency`, so a node plays exactly the roles of its runs. Not here: what a role means in words.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from core.errors import InputError
from core.graph.adjacency import Adjacency
from core.graph.contracts import Role, Schema

MAX_EDGE_TYPES = 3000  # the overlap of their ends is a dense matrix, 8 (2T)^2 bytes
EXAMPLES = 200
Side = Literal["head", "tail"]
SIDES: tuple[Side, Side] = ("head", "tail")
INVERSE_SHARE = 0.95


def build_schema(
    names: Sequence[str],
    type_names: Sequence[str],
    type_codes: NDArray[np.int32],
    edge_type_names: Sequence[str],
    adjacency: Adjacency,
) -> Schema:
    """All of `Schema` in a few sparse products; node types are listed most frequent first, then by name."""
    from scipy import sparse

    n, roles = len(names), 2 * len(edge_type_names)
    ones = np.ones(len(adjacency.run_codes), dtype=np.int64)
    # plays[v, r] = 1: a node has one run for each role it plays
    plays = sparse.csr_matrix((ones, adjacency.run_codes.astype(np.int32), adjacency.node_runs), shape=(n, roles))
    if len(edge_type_names) > MAX_EDGE_TYPES:
        raise InputError(
            f"the graph has {len(edge_type_names):,} types of relations; at most {MAX_EDGE_TYPES:,} are handled",
            where="schema",
            hint="Is the right column mapped as the relation?",
        )
    overlap = (plays.T @ plays).toarray().astype(np.int64, copy=False).reshape(roles, roles)
    overlap.setflags(write=False)
    typed = sparse.csr_matrix(
        (np.ones(n, dtype=np.int64), (type_codes, np.arange(n))), shape=(max(len(type_names), 1), n)
    )
    types_of_role = (typed @ plays).tocsc()
    players = plays.tocsc()
    players.sort_indices()
    lengths = np.diff(adjacency.run_starts)
    ends = np.zeros(roles, dtype=np.int64)
    np.add.at(ends, adjacency.run_codes, lengths)
    return Schema(
        node_types=_node_types(type_names, type_codes),
        edge_types={edge_type: int(ends[2 * t]) for t, edge_type in enumerate(edge_type_names)},
        roles=tuple(
            Role(
                edge_type=edge_type,
                side=side,
                size=int(overlap[r, r]),
                node_types=_types_of(types_of_role, r, type_names),
                examples=tuple(
                    names[v] for v in _spread(players.indices[players.indptr[r] : players.indptr[r + 1]], EXAMPLES)
                ),
            )
            for t, edge_type in enumerate(edge_type_names)
            for r, side in zip((2 * t, 2 * t + 1), SIDES, strict=True)
        ),
        overlap=overlap,
        inverse_of=_inverses(edge_type_names, adjacency),
    )


def _node_types(type_names: Sequence[str], type_codes: NDArray[np.int32]) -> dict[str, int]:
    counts = np.bincount(type_codes, minlength=len(type_names)).tolist()
    return dict(sorted(zip(type_names, counts, strict=True), key=lambda item: (-item[1], item[0])))


def _types_of(matrix: Any, role: int, type_names: Sequence[str]) -> tuple[str, ...]:
    first, last = matrix.indptr[role], matrix.indptr[role + 1]
    codes = matrix.indices[first:last].tolist()
    counts = matrix.data[first:last].tolist()
    ordered = sorted(zip(codes, counts, strict=True), key=lambda item: (-item[1], type_names[item[0]]))
    return tuple(type_names[code] for code, count in ordered if count)


def _spread(values: NDArray[np.int32], limit: int) -> list[int]:
    """Up to `limit` of the values, evenly spread, first and last among them."""
    if len(values) <= limit:
        return values.tolist()  # type: ignore[no-any-return]
    return values[np.linspace(0, len(values) - 1, limit).round().astype(np.int64)].tolist()  # type: ignore[no-any-return]


def _inverses(edge_type_names: Sequence[str], adjacency: Adjacency) -> dict[str, str]:
    """Twins: b states a backwards if 95 % of the pairs of each are pairs of the other turned round.

    Of two twins the one with the shorter name is kept (suffixes such as "_inverse" make names longer),
    then the earlier one; the other is the key. Self-loops say nothing and are left out.
    """
    from scipy import sparse

    types, n = len(edge_type_names), adjacency.nodes
    heads, codes, tails = adjacency.edge_columns()
    straight = heads != tails
    heads, codes, tails = heads[straight], codes[straight], tails[straight]
    if types < 2 or not len(heads):
        return {}
    # One integer an edge: its two nodes in order, whether it runs down, its type. Sorted, the edges between
    # two nodes lie together, those that run up first; most pairs of nodes have one direction only and drop out.
    down = heads > tails
    keys = ((np.minimum(heads, tails) * n + np.maximum(heads, tails)) * 2 + down) * types + codes
    keys.sort()
    between = keys // (2 * types)
    starts = np.flatnonzero(np.diff(between, prepend=-1))
    stops = np.append(starts[1:], len(keys))
    both = ((keys[starts] // types) & 1 == 0) & ((keys[stops - 1] // types) & 1 == 1)
    sizes = (stops - starts)[both]
    kept = keys[np.repeat(both, stops - starts)]
    place = np.repeat(np.arange(len(sizes)), sizes)
    runs_down = (kept // types) & 1 == 1
    up, back = (
        sparse.csr_matrix(
            (np.ones(int(side.sum()), dtype=np.int64), ((kept % types)[side], place[side])), shape=(types, len(sizes))
        )
        for side in (~runs_down, runs_down)
    )
    met = up @ back.T
    shared = (met + met.T).tocoo()  # shared[a, b]: pairs of a that b states backwards
    counts = np.bincount(codes, minlength=types)
    twins: dict[int, set[int]] = {}
    for a, b, count in zip(shared.row.tolist(), shared.col.tolist(), shared.data.tolist(), strict=True):
        if a != b and count >= INVERSE_SHARE * max(counts[a], counts[b]):
            twins.setdefault(a, set()).add(b)
    dropped: dict[int, int] = {}
    for keeper in sorted(twins, key=lambda t: (len(edge_type_names[t]), t)):
        if keeper not in dropped:
            for other in twins[keeper]:
                dropped.setdefault(other, keeper)
    return {edge_type_names[t]: edge_type_names[dropped[t]] for t in sorted(dropped)}
