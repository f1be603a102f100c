"""`KnowledgeGraph`: nodes as columns, edges as compressed rows, immutable, behind the four calls of contracts.

Positions follow the order in which nodes are given; ties go by position, so the order of nodes is part
of the content (and of `content_id`), the order of edges is not. The search index is built at the first
search and cached on disk by content id. Not here: file formats, and what the schema means.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.errors import ConfigError
from core.graph.adjacency import Adjacency
from core.graph.columns import clean_column, fingerprint
from core.graph.contracts import Direction, Hit, Neighbor, Neighborhood, Node, Relation, RelationCount, Schema
from core.graph.schema import build_schema
from core.retriever import OnProgress
from core.trace import DatasetRef

if TYPE_CHECKING:
    from core.text.bm25 import BM25Index

Engine = Literal["bm25s", "okapi"]
ENGINES: tuple[Engine, ...] = ("bm25s", "okapi")
DIRECTIONS: tuple[Direction, Direction] = ("out", "in")  # the relation codes 2t and 2t + 1 of edge type t
_SMALL = 192  # edge ends up to which a dict groups neighbours faster than numpy does


@dataclass(frozen=True, eq=False)
class KnowledgeGraph:
    """A graph of n nodes and T edge types. Build it with `from_arrays`; the fields are read-only.

    type_codes: (n,) index into `type_names`. A name is never empty: a nameless node is called by its id.
    """

    name: str
    ids: tuple[str, ...]
    names: tuple[str, ...]
    texts: tuple[str, ...]
    type_names: tuple[str, ...]
    type_codes: NDArray[np.int32]
    edge_type_names: tuple[str, ...]
    adjacency: Adjacency
    content_id: str
    engine: Engine = "bm25s"
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)

    def __post_init__(self) -> None:
        self.type_codes.setflags(write=False)

    @classmethod
    def from_arrays(
        cls,
        ids: Sequence[str],
        names: Sequence[str],
        types: Sequence[str],
        texts: Sequence[str],
        heads: ArrayLike,
        tails: ArrayLike,
        edge_types: ArrayLike,
        edge_type_names: Sequence[str],
        *,
        name: str = "graph",
        engine: Engine = "bm25s",
    ) -> KnowledgeGraph:
        """A graph from n-long node columns and E-long edge columns of positions and edge-type codes.

        Exact duplicate edges are kept once, parallel edges of different types and self-loops are kept.
        Edge types of the same name become one; types without an edge are left out. Lone surrogates
        become U+FFFD. ValueError for columns of unequal length, repeated ids or positions out of range.
        """
        n = len(ids)
        if not len(names) == len(types) == len(texts) == n:
            raise ValueError("ids, names, types and texts differ in length")
        head_array, tail_array, code_array = (
            np.asarray(column, dtype=np.int64).reshape(-1) for column in (heads, tails, edge_types)
        )
        if not len(head_array) == len(tail_array) == len(code_array):
            raise ValueError("heads, tails and edge_types differ in length")
        clean_ids = clean_column(ids)[0]
        if len(set(clean_ids)) != n:
            raise ValueError("two nodes have the same id")
        clean_names = tuple(own or id_ for own, id_ in zip(clean_column(names)[0], clean_ids, strict=True))
        type_index: dict[str, int] = {}
        type_codes = np.fromiter(
            (type_index.setdefault(t, len(type_index)) for t in clean_column(types)[0]), dtype=np.int32, count=n
        )
        code_array, kept_types = _merge_types(code_array, clean_column(edge_type_names)[0])
        return cls.from_parts(
            name=name,
            ids=clean_ids,
            names=clean_names,
            texts=clean_column(texts)[0],
            type_names=tuple(type_index),
            type_codes=type_codes,
            edge_type_names=kept_types,
            adjacency=Adjacency.build(n, len(kept_types), head_array, code_array, tail_array),
            engine=engine,
        )

    @classmethod
    def from_parts(cls, *, content_id: str = "", **parts: Any) -> KnowledgeGraph:
        """A graph from parts that already fit together, as the cache stores them; hashed if no id is given."""
        graph = cls(content_id=content_id, **parts)
        return graph if content_id else replace(graph, content_id=graph.computed_content_id())

    def computed_content_id(self) -> str:
        """sha256 over node columns in order and the sorted edges; the graph's name and engine are left out."""
        digest = hashlib.sha256(b"causeway.graph/1")
        for column in (self.ids, self.names, self.types, self.texts, self.edge_type_names):
            digest.update(np.int64(len(column)).tobytes())
            digest.update(fingerprint(column))
        for array in (self.adjacency.node_runs, self.adjacency.run_starts, self.adjacency.run_codes):
            digest.update(np.ascontiguousarray(array, dtype="<i8").tobytes())
        digest.update(np.ascontiguousarray(self.adjacency.neighbors, dtype="<i4").tobytes())
        return "sha256:" + digest.hexdigest()

    def with_engine(self, engine: str) -> KnowledgeGraph:
        """The same graph searched by another BM25: "bm25s" (Lucene's idf) or "okapi" (small graphs)."""
        if engine not in ENGINES:
            raise ConfigError(f"unknown BM25 engine {engine!r}", hint=f"Choose one of {', '.join(ENGINES)}.")
        return self if engine == self.engine else replace(self, engine=engine)

    def with_name(self, name: str) -> KnowledgeGraph:
        """The same graph under another name."""
        return replace(self, name=name)

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        return f"KnowledgeGraph({self.name!r}, {len(self):,} nodes, {self.edge_count:,} edges)"

    @property
    def edge_count(self) -> int:
        """Distinct edges."""
        return self.adjacency.edges

    @cached_property
    def types(self) -> tuple[str, ...]:
        """The type of each node; "" where the data say none."""
        return tuple(map(self.type_names.__getitem__, self.type_codes.tolist()))

    @cached_property
    def degree(self) -> NDArray[np.int64]:
        """(n,) edge ends at each node, out plus in."""
        degree = self.adjacency.degree()
        degree.setflags(write=False)
        return degree

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {id_: position for position, id_ in enumerate(self.ids)}

    def index_of(self, id_: str) -> int:
        """The position of the node with this id. KeyError when there is none."""
        return self._positions[id_]

    def edges(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """(heads, edge-type codes, tails), each (E,), sorted in that order; made anew at each call."""
        return self.adjacency.edge_columns()

    @cached_property
    def dataset(self) -> DatasetRef:
        """Name, content id and size, as a trace stores them."""
        return DatasetRef(
            content_id=self.content_id, name=self.name, size={"nodes": len(self), "edges": self.edge_count}
        )

    # --- search -----------------------------------------------------------------------------------

    def document(self, position: int) -> str:
        """What is searched for a node, d_V(v): its name, then its text. The type is a filter, not text."""
        name, text = self.names[position], self.texts[position]
        return name if not text or text == name else f"{name}\n{text}"

    def prepare(self, on_progress: OnProgress | None = None) -> None:
        """Build or load the search index now, saying what is going on."""
        self._index(on_progress)

    def _index(self, on_progress: OnProgress | None = None) -> BM25Index:
        index = self.__dict__.get("_built_index")
        if index is None:
            with self._lock:
                index = self.__dict__.get("_built_index")
                if index is None:
                    from core.graph.index import open_index

                    index = open_index(
                        self.content_id,
                        self.engine,
                        len(self),
                        sum(map(len, self.texts)) + sum(map(len, self.names)),
                        lambda: [self.document(i) for i in range(len(self))],
                        on_progress,
                    )
                    self.__dict__["_built_index"] = index
        return index

    def search(self, query: str, k: int = 30) -> tuple[Hit, ...]:
        """GlobalSearch (CARA-1): top-k nodes by BM25 of `query` on `document`, ties by position, no zeros."""
        _check_k(k)
        if not query.strip() or not len(self):
            return ()
        positions, scores = self._index().search(query, min(k, len(self)))
        return tuple(map(Hit, positions.tolist(), scores.tolist()))

    # --- neighbours -------------------------------------------------------------------------------

    def neighbors(
        self,
        node: int,
        query: str,
        node_types: Collection[str] | None = None,
        edge_types: Collection[str] | None = None,
        k: int = 20,
    ) -> Neighborhood:
        """Neighbors (CARA-2): one hop, both directions, filtered, then the k best by BM25; ties by position.

        An empty filter is no filter. With an edge-type filter a candidate carries the relations that
        pass it. A self-loop makes nobody a neighbour. ConfigError for a filter name the graph lacks.
        """
        _check_k(k)
        positions, relations_of = self._around(node, node_types, edge_types)
        total = len(positions)
        if not total:
            return Neighborhood((), 0)
        if query.strip():
            scores = self._index().score_subset(query, positions)
            chosen = top_k(scores, k)
            ranked = zip(chosen.tolist(), scores[chosen].tolist(), strict=True)
        else:
            ranked = zip(range(min(k, total)), [0.0] * min(k, total), strict=True)
        table = self._relations
        return Neighborhood(
            tuple(
                Neighbor(int(positions[i]), score, tuple([table[code] for code in relations_of(i)]))
                for i, score in ranked
            ),
            total,
        )

    def neighbor_positions(
        self,
        node: int,
        node_types: Collection[str] | None = None,
        edge_types: Collection[str] | None = None,
    ) -> NDArray[np.int64]:
        """The distinct neighbours that pass the filters, ascending; no text is looked at."""
        return self._around(node, node_types, edge_types)[0]

    def _around(
        self, node: int, node_types: Collection[str] | None, edge_types: Collection[str] | None
    ) -> tuple[NDArray[np.int64], Any]:
        """Distinct neighbours, ascending, and a function from an index in them to its relation codes."""
        node = self._position(node)
        codes = self._edge_codes(edge_types) if edge_types else None
        allowed = self._node_codes(node_types) if node_types else None
        runs = self.adjacency.runs(node, codes)
        flat = self.adjacency.neighbors
        if sum(stop - start for _, start, stop in runs) <= _SMALL:
            found: dict[int, list[int]] = {}
            for code, start, stop in runs:
                for neighbor in flat[start:stop].tolist():
                    if neighbor in found:
                        found[neighbor].append(code)
                    else:
                        found[neighbor] = [code]
            found.pop(node, None)
            order = sorted(found)
            if allowed is not None:
                types = self.type_codes
                order = [p for p in order if allowed[types[p]]]
            return np.array(order, dtype=np.int64), lambda i: found[order[i]]
        pieces = [flat[start:stop] for _, start, stop in runs]
        ends = np.concatenate(pieces) if len(pieces) > 1 else pieces[0]
        of_run = np.repeat([code for code, _, _ in runs], [len(piece) for piece in pieces])
        keep = ends != node
        if allowed is not None:
            keep &= allowed[self.type_codes[ends]]
        ends, of_run = ends[keep], of_run[keep]
        if len(pieces) > 1:
            # Each run is ascending, so the stable sort only merges; it keeps a neighbour's codes in order.
            by_neighbor = np.argsort(ends, kind="stable")
            ends, of_run = ends[by_neighbor], of_run[by_neighbor]
        firsts = np.flatnonzero(np.diff(ends, prepend=-1))
        bounds = np.append(firsts, len(ends))
        return ends[firsts].astype(np.int64), lambda i: of_run[bounds[i] : bounds[i + 1]].tolist()

    def _position(self, node: int) -> int:
        if not 0 <= node < len(self.ids):
            raise IndexError(f"node {node} of a graph of {len(self.ids)} nodes")
        return int(node)

    @cached_property
    def _relations(self) -> tuple[Relation, ...]:
        return tuple(Relation(edge_type, direction) for edge_type in self.edge_type_names for direction in DIRECTIONS)

    @cached_property
    def _edge_code_of(self) -> dict[str, int]:
        return {edge_type: code for code, edge_type in enumerate(self.edge_type_names)}

    @cached_property
    def _node_code_of(self) -> dict[str, int]:
        return {node_type: code for code, node_type in enumerate(self.type_names)}

    def _edge_codes(self, wanted: Collection[str]) -> set[int]:
        known = self._edge_code_of
        try:
            return {2 * known[t] + side for t in wanted for side in (0, 1)}
        except KeyError as error:
            raise _unknown("edge type", error.args[0], known) from None

    def _node_codes(self, wanted: Collection[str]) -> NDArray[np.bool_]:
        known = self._node_code_of
        allowed = np.zeros(len(self.type_names), dtype=bool)
        try:
            for node_type in wanted:
                allowed[known[node_type]] = True
        except KeyError as error:
            raise _unknown("node type", error.args[0], known) from None
        return allowed

    # --- one node, all types ----------------------------------------------------------------------

    def node(self, position: int) -> Node:
        """Everything known of one node; relations in edge-type order, out before in. IndexError outside."""
        position = self._position(position)
        table = self._relations
        relations = [RelationCount(*table[code], stop - start) for code, start, stop in self.adjacency.runs(position)]
        return Node(
            position,
            self.ids[position],
            self.names[position],
            self.type_names[self.type_codes[position]],
            self.texts[position],
            tuple(relations),
        )

    @cached_property
    def _schema(self) -> Schema:
        return build_schema(self.names, self.type_names, self.type_codes, self.edge_type_names, self.adjacency)

    def schema(self) -> Schema:
        """Types, relations, and which ends of relations are played by the same nodes; computed once."""
        return self._schema


def top_k(scores: NDArray[np.float32], k: int) -> NDArray[np.int64]:
    """Indices of the k highest scores, best first, equal scores in the order given."""
    if k >= len(scores):
        return np.argsort(-scores, kind="stable")
    least = -np.partition(-scores, k - 1)[k - 1]
    candidates = np.flatnonzero(scores >= least)
    return candidates[np.argsort(-scores[candidates], kind="stable")[:k]]


def _merge_types(codes: NDArray[np.int64], names: Sequence[str]) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """Edge types of one name become one code, types without an edge are dropped, the order is kept."""
    if len(codes) and (int(codes.min()) < 0 or int(codes.max()) >= len(names)):
        raise ValueError(f"an edge type index is outside 0..{len(names) - 1}")
    used = np.bincount(codes, minlength=len(names)) > 0 if len(names) else np.zeros(0, dtype=bool)
    kept: dict[str, int] = {}
    renumbered = np.zeros(len(names), dtype=np.int64)
    for old, edge_type in enumerate(names):
        if used[old]:
            renumbered[old] = kept.setdefault(edge_type, len(kept))
    return renumbered[codes] if len(names) else codes, tuple(kept)


def _check_k(k: int) -> None:
    if k < 1:
        raise ConfigError(f"k is {k}", hint="Ask for at least one node.")


def _unknown(what: str, name: str, known: Collection[str]) -> ConfigError:
    shown = ", ".join(sorted(known)[:12]) + (", ..." if len(known) > 12 else "")
    return ConfigError(f"the graph has no {what} {name!r}", hint=f"It has: {shown}." if known else "It has none.")
