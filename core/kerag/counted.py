"""A graph whose calls are counted, and that answers no more once the run was stopped. Not here: any other change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from core.errors import StoppedError
from core.graph.contracts import Graph, Hit, Neighborhood, Node, Schema
from core.retriever import ShouldStop
from core.trace import DatasetRef


class CountedGraph:
    """The four calls of `graph`. calls: by their names in the cost table; examined: positions of nodes looked at."""

    def __init__(self, graph: Graph, should_stop: ShouldStop) -> None:
        self._graph = graph
        self._should_stop = should_stop
        self.calls: Counter[str] = Counter()
        self.examined: set[int] = set()

    @property
    def dataset(self) -> DatasetRef:
        """The graph's."""
        return self._graph.dataset

    def check(self) -> None:
        """StoppedError when the run was stopped."""
        if self._should_stop():
            raise StoppedError("the run was stopped")

    def count(self, call: str) -> None:
        """Count a call that is none of the graph's. StoppedError when the run was stopped."""
        self.check()
        self.calls[call] += 1

    def search(self, query: str, k: int = 30) -> tuple[Hit, ...]:
        """GlobalSearch."""
        self.count("global_search")
        return self._graph.search(query, k)

    def neighbors(
        self,
        node: int,
        query: str,
        node_types: Collection[str] | None = None,
        edge_types: Collection[str] | None = None,
        k: int = 20,
    ) -> Neighborhood:
        """Neighbors."""
        self.count("neighbors")
        return self._graph.neighbors(node, query, node_types, edge_types, k)

    def node(self, position: int) -> Node:
        """One node."""
        self.check()
        self.examined.add(position)
        return self._graph.node(position)

    def schema(self) -> Schema:
        """The schema, which is known before a run."""
        return self._graph.schema()
