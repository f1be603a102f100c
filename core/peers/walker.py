"""A peer that decides as it goes: what its retriever is, whatever it walks. Think-on-Graph and KAR are two.

Not here: the walk itself, and who decides (`deciders`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Generic, TypeVar

from pydantic import BaseModel

from core.graph.contracts import Graph
from core.peers.deciders import Deciders
from core.peers.ranking import PeerAnswerer
from core.peers.recorder import Recorder, run_walk
from core.retriever import OnProgress, OnStep, ShouldStop
from core.settings import checked_settings
from core.trace import DatasetRef, Trace

Decider = TypeVar("Decider")
Config = TypeVar("Config", bound=BaseModel)


class Walker(ABC, Generic[Decider, Config]):
    """A retriever on one graph. `deciders` decide; `answerer`, if given, writes the answer."""

    method: str
    config_model: type[Config]

    def __init__(self, graph: Graph, deciders: Deciders[Decider], answerer: PeerAnswerer | None = None) -> None:
        self._graph = graph
        self._deciders = deciders
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
        self._deciders.prepare(self._graph, report)

    def run(
        self,
        question: str,
        config: Mapping[str, Any] | None = None,
        on_step: OnStep | None = None,
        should_stop: ShouldStop | None = None,
    ) -> Trace:
        """Walk, and answer. See `Retriever.run`; settings: `config_model`."""
        settings = checked_settings(self.config_model, config)

        def walk(recorder: Recorder, decider: Decider, asked: str) -> None:
            self.walk(recorder, decider, asked, settings)

        return run_walk(
            self.method, self._graph, self._deciders, walk, self._answerer, question, settings, on_step, should_stop
        )

    @abstractmethod
    def walk(self, recorder: Recorder, decider: Decider, question: str, config: Config) -> None:
        """Record the steps, and set the recorder's `ranked`."""
