"""Think-on-Graph (Sun et al. 2024; CARA-13): beam search over relations, then entities, with no training.

The paper answers from its paths and ranks nothing; which list is made of them here stands in `think_on_graph_walk`.
Not here: the walk, and who scores (`think_on_graph_offline`, `think_on_graph_model`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.graph.contracts import Graph
from core.peers.deciders import Deciders
from core.peers.ranking import PeerAnswerer
from core.peers.recorder import Recorder, run_walk, settings_of
from core.peers.think_on_graph_contracts import Thinker
from core.peers.think_on_graph_offline import offline_thinkers
from core.peers.think_on_graph_steps import TogConfig
from core.peers.think_on_graph_walk import Walk
from core.retriever import OnProgress, OnStep, ShouldStop
from core.trace import DatasetRef, Trace


class ThinkOnGraphRetriever:
    """Think-on-Graph on one graph. `thinkers` decide, offline by default; `answerer`, if given, writes the answer."""

    method = "tog"

    def __init__(
        self, graph: Graph, thinkers: Deciders[Thinker] | None = None, answerer: PeerAnswerer | None = None
    ) -> None:
        self._graph = graph
        self._thinkers: Deciders[Thinker] = thinkers or offline_thinkers()
        self._answerer = answerer

    @property
    def dataset(self) -> DatasetRef:
        """The graph it walks on."""
        return self._graph.dataset

    def prepare(self, on_progress: OnProgress | None = None) -> None:
        """Build the search index and load what the first decision needs."""
        report = on_progress or (lambda message, share: None)
        report("preparing the search index", None)
        self._graph.search("a", 1)
        self._thinkers.prepare(self._graph, report)

    def run(
        self,
        question: str,
        config: Mapping[str, Any] | None = None,
        on_step: OnStep | None = None,
        should_stop: ShouldStop | None = None,
    ) -> Trace:
        """Walk, deeper as long as the paths do not suffice. See `Retriever.run`; settings: `TogConfig`."""
        settings = settings_of(TogConfig, config)

        def walk(recorder: Recorder, thinker: Thinker, asked: str) -> None:
            Walk(recorder, thinker, asked, settings).walk()

        return run_walk(
            self.method, self._graph, self._thinkers, walk, self._answerer, question, settings, on_step, should_stop
        )
