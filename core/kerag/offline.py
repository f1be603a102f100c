"""`OfflineKeragMinds`: planner and summariser that need no model and no network.

Both read the question through one encoder on the graph's schema; where torch is missing, another stands in and
`notices` says so. No encoder is imported before one is needed.
"""

from __future__ import annotations

from core.graph.contracts import Graph
from core.kerag.planner import OfflinePlanner
from core.kerag.reading import Reading
from core.kerag.settings import KeragConfig
from core.kerag.summariser import OfflineSummariser
from core.linking import lenses
from core.linking.lenses import Lenses
from core.retriever import OnProgress, ShouldStop

NOTICE = (
    "Offline, no language model plans or reasons: relations are compared with the question's words, and a small "
    "evaluator follows, filters, counts and compares triples."
)


class OfflineKeragMinds:
    """Makes the offline deciders. Safe to use from any thread."""

    decided_by = "offline planner and evaluator"

    def __init__(self, lenses_: Lenses | None = None) -> None:
        self._lenses = lenses_ or lenses.shared

    @property
    def notices(self) -> tuple[str, ...]:
        """That no model was asked; which encoders could not be loaded, and what stands in."""
        return (NOTICE, *self._lenses.notices)

    def for_run(self) -> OfflineKeragMinds:
        """Itself: nothing is kept of a run."""
        return self

    def tokens(self) -> tuple[int | None, int | None]:
        """None: no model is asked."""
        return None, None

    def prepare(self, graph: Graph, on_progress: OnProgress) -> None:
        """Load the encoder and read the graph's relations with it."""
        on_progress("reading the graph's relations", None)
        self._lenses.lens(graph)

    def planner(self, graph: Graph, question: str, config: KeragConfig, should_stop: ShouldStop) -> OfflinePlanner:
        """See `planner`."""
        return OfflinePlanner(Reading(graph, self._lenses.lens(graph), question), config)

    def summariser(
        self, graph: Graph, question: str, config: KeragConfig, should_stop: ShouldStop
    ) -> OfflineSummariser:
        """See `summariser`."""
        return OfflineSummariser(graph, self._lenses.lens(graph))
