"""BM25 as a retriever (CARA-13): the question is the one subquery, and the nodes are ranked by their words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.graph.contracts import Graph
from core.peers.ranking import PeerAnswerer, Search, run_search
from core.retriever import OnProgress, OnStep, ShouldStop
from core.shared_work import SharedWork
from core.trace import DatasetRef, Trace

DECIDED_BY = "BM25 ranking, no decision"


class Bm25Retriever:
    """Ranks all nodes of `graph` by BM25 of the question. `answerer` writes the answer; without one there is none."""

    method = "bm25"

    def __init__(self, graph: Graph, answerer: PeerAnswerer | None = None) -> None:
        self._graph = graph
        self._answerer = answerer
        self._index = SharedWork(self._build)

    @property
    def dataset(self) -> DatasetRef:
        """The graph it ranks the nodes of."""
        return self._graph.dataset

    def prepare(self, on_progress: OnProgress | None = None) -> None:
        """Have the graph build its search index."""
        self._index.get(on_progress=on_progress)

    def run(
        self,
        question: str,
        config: Mapping[str, Any] | None = None,
        on_step: OnStep | None = None,
        should_stop: ShouldStop | None = None,
    ) -> Trace:
        """One GlobalSearch with the question as it stands. See `Retriever.run`; settings: `PeerConfig`."""
        return run_search(
            self.method, self._graph, self._search, DECIDED_BY, self._answerer, question, config, on_step, should_stop
        )

    def _build(self, report: OnProgress) -> None:
        report("Preparing the search index", None)
        self._graph.search("a", 1)  # any word will do: the index is built at the first search

    def _search(self, question: str, k: int, should_stop: ShouldStop) -> Search:
        self._index.get(should_stop)
        hits = self._graph.search(question, k)
        reason = "The question's own words are searched in the name and text of every node."
        notices = () if hits else ("No node shares a word with the question.",)
        return Search(hits, "global_search", reason, DECIDED_BY, notices=notices)
