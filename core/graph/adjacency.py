"""The edges of a graph as compressed rows: for each node its runs of neighbours, one run a relation and direction.

A relation code is 2t for "out along edge type t" and 2t + 1 for "in along t": the index of the role
(contracts.Schema) that the node plays there. The rows of both directions are one array, sorted by
(node, relation code, neighbour), so that an edge-type filter is a choice of slices.
Not here: names, texts, search.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Index = NDArray[np.integer[Any]]


@dataclass(frozen=True, eq=False)
class Adjacency:
    """n nodes, E distinct edges, R runs. Arrays are read-only.

    neighbors: (2E,) int32, row of each node end to end, a run's neighbours ascending and distinct.
    run_starts: (R + 1,) where each run begins in `neighbors`. run_codes: (R,) its relation code.
    node_runs: (n + 1,) where the runs of each node begin.
    """

    neighbors: NDArray[np.int32]
    run_starts: Index
    run_codes: Index
    node_runs: Index
    self_loops: int

    def __post_init__(self) -> None:
        for array in (self.neighbors, self.run_starts, self.run_codes, self.node_runs):
            array.setflags(write=False)

    @classmethod
    def build(cls, nodes: int, types: int, heads: Ints, edge_types: Ints, tails: Ints) -> Adjacency:
        """Sort E given edges into runs; an edge given twice (same head, type and tail) is kept once.

        ValueError when an index is out of range, or nodes^2 * types is past 63 bits.
        """
        codes = 2 * types
        _check(heads, nodes, "head")
        _check(tails, nodes, "tail")
        _check(edge_types, types, "edge type")
        if nodes * nodes * codes >= 2**63:
            raise ValueError("too many nodes and edge types for one graph in memory")
        # One integer an edge end, (node * codes + code) * nodes + neighbour: sorting integers is
        # several times faster than a three-column sort.
        keys = np.empty(2 * len(heads), dtype=np.int64)
        out, back = keys[: len(heads)], keys[len(heads) :]
        np.multiply(heads, codes, out=out)
        out += 2 * edge_types
        out *= nodes
        out += tails
        np.multiply(tails, codes, out=back)
        back += 2 * edge_types + 1
        back *= nodes
        back += heads
        keys.sort()
        if len(keys):
            fresh = np.empty(len(keys), dtype=bool)
            fresh[0] = True
            np.not_equal(keys[1:], keys[:-1], out=fresh[1:])
            if not fresh.all():
                keys = keys[fresh]
            del fresh
        rows = keys // max(nodes, 1)  # division by a scalar and a product back are faster than np.divmod
        keys -= rows * nodes
        neighbors = keys.astype(np.int32)
        del keys
        begins = np.flatnonzero(np.diff(rows, prepend=-1))
        run_rows = rows[begins]
        del rows
        run_nodes, run_codes = np.divmod(run_rows, max(codes, 1))
        small = len(neighbors) < 2**31
        index_type: type[np.signedinteger[Any]] = np.int32 if small else np.int64
        code_type: type[np.integer[Any]] = np.uint16 if codes <= 2**16 else np.int32
        run_starts = np.append(begins, len(neighbors)).astype(index_type)
        node_runs = np.zeros(nodes + 1, dtype=np.int64)
        np.cumsum(np.bincount(run_nodes, minlength=nodes), out=node_runs[1:])
        loops = 0
        if len(neighbors):
            owner = np.repeat(run_nodes, np.diff(run_starts))
            loops = int(np.count_nonzero(owner == neighbors)) // 2
        return cls(
            neighbors,
            run_starts,
            run_codes.astype(code_type),
            node_runs.astype(index_type),
            loops,
        )

    @property
    def nodes(self) -> int:
        return len(self.node_runs) - 1

    @property
    def edges(self) -> int:
        """Distinct edges, self-loops among them."""
        return len(self.neighbors) // 2

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        return self.neighbors.nbytes + self.run_starts.nbytes + self.run_codes.nbytes + self.node_runs.nbytes

    def degree(self) -> Ints:
        """(n,) edge ends at each node: out plus in; a self-loop counts twice."""
        return np.diff(self.run_starts[self.node_runs]).astype(np.int64)

    def runs(self, node: int, codes: Collection[int] | None = None) -> list[tuple[int, int, int]]:
        """The runs of a node as (code, start, stop) in code order; `codes` keeps only those."""
        first, last = int(self.node_runs[node]), int(self.node_runs[node + 1])
        found = self.run_codes[first:last].tolist()
        starts = self.run_starts[first : last + 1].tolist()
        triples = zip(found, starts, starts[1:], strict=False)
        return list(triples) if codes is None else [run for run in triples if run[0] in codes]

    def edge_columns(self) -> tuple[Ints, Ints, Ints]:
        """(heads, edge types, tails), each (E,), sorted by them in that order."""
        lengths = np.diff(self.run_starts)
        owners = np.repeat(np.arange(self.nodes), np.diff(self.node_runs))
        outward = (self.run_codes & 1) == 0
        keep = np.repeat(outward, lengths)
        heads = np.repeat(owners[outward], lengths[outward])
        types = np.repeat(self.run_codes[outward].astype(np.int64) >> 1, lengths[outward])
        return heads, types, self.neighbors[keep].astype(np.int64)


def _check(values: Ints, limit: int, what: str) -> None:
    if len(values) and (int(values.min()) < 0 or int(values.max()) >= limit):
        raise ValueError(f"a {what} index is outside 0..{limit - 1}")
