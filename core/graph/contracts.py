"""What a method may know of a knowledge graph: four calls and the values they return.

`KnowledgeGraph` (in memory) has them, and so can a remote graph. Positions are integers that address
a node within one graph object; ids are the data set's own strings and are what a trace stores.
Not here: storage, file formats, text search itself.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from core.trace import DatasetRef

Direction = Literal["out", "in"]  # "out": the current node is the head (source) of the edge


class Relation(NamedTuple):
    """An edge type seen from one of its ends."""

    type: str
    direction: Direction


class RelationCount(NamedTuple):
    """How many edges of a type, in a direction, a node has."""

    type: str
    direction: Direction
    edges: int


class Node(NamedTuple):
    """A node as a reader sees it. `relations` say where one can go from here, without going."""

    position: int
    id: str
    name: str
    type: str
    text: str
    relations: tuple[RelationCount, ...]


class Hit(NamedTuple):
    """A node found by GlobalSearch, with its BM25 score."""

    position: int
    score: float


class Neighbor(NamedTuple):
    """A one-hop neighbour: one candidate, with every relation (and direction) that reaches it."""

    position: int
    score: float  # BM25 of the subquery, with the whole graph's document frequencies
    relations: tuple[Relation, ...]


class Neighborhood(NamedTuple):
    """What Neighbors returned: the top k, and how many passed the filters before the cut."""

    neighbors: tuple[Neighbor, ...]
    total: int


class Role(NamedTuple):
    """One end of an edge type. `side` "head" is the source end. `size`: distinct nodes that play it."""

    edge_type: str
    side: Literal["head", "tail"]
    size: int
    node_types: tuple[str, ...]  # types of the nodes that play it, most frequent first
    examples: tuple[str, ...]  # up to 200 names of nodes that play it, spread over them


class Schema(NamedTuple):
    """The graph at a glance.

    roles: for edge type code t, roles[2t] is its head end and roles[2t + 1] its tail end.
    overlap: (2T, 2T) int64; overlap[i, j] = number of nodes that play both role i and role j.
    inverse_of: an edge type that states another one backwards (95 % of the pairs) -> that other type.
    """

    node_types: dict[str, int]  # type -> nodes
    edge_types: dict[str, int]  # type -> edges, in code order
    roles: tuple[Role, ...]
    overlap: NDArray[np.int64]
    inverse_of: dict[str, str]


@runtime_checkable
class Graph(Protocol):
    """The whole interface between a method and a graph."""

    @property
    def dataset(self) -> DatasetRef:
        """Name, content id and size, as a trace stores them."""
        ...

    def search(self, query: str, k: int = 30) -> tuple[Hit, ...]:
        """GlobalSearch (CARA-1): the k nodes of highest BM25 score, best first.

        Ties go by position; nodes that score zero are left out.
        """
        ...

    def neighbors(
        self,
        node: int,
        query: str,
        node_types: Collection[str] | None = None,
        edge_types: Collection[str] | None = None,
        k: int = 20,
    ) -> Neighborhood:
        """Neighbors (CARA-2): one hop, both directions, filtered, then the k best by BM25; ties by position.

        The node itself (a self-loop) is not its own neighbour. An unknown filter name is a ConfigError.
        """
        ...

    def node(self, position: int) -> Node:
        """Everything known of one node. IndexError outside the graph."""
        ...

    def schema(self) -> Schema:
        """Types, relations, and which ends of relations are played by the same nodes; computed once."""
        ...
