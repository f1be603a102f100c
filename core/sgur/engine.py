"""One look at a case: candidates, distances of all hypotheses, and the closest of them aligned node by node.

The engine of one expert graph is shared by every session on it. Not here: belief, questions, and the course of a
session.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.retriever import OnProgress
from core.sgur.alignment import Aligned, align, query_graph
from core.sgur.belief import exponent, probabilities
from core.sgur.closed_form import Closed, closed_form
from core.sgur.evidence import Evidence, Flags
from core.sgur.expert_graph import ExpertGraph, Floats
from core.sgur.index import ExpertIndex, Ints
from core.sgur.layered import Layered
from core.sgur.query import Query
from core.sgur.steps import SgurConfig

MOST_CELLS = 400_000  # of all plans of a round together: with 200 observations fewer hypotheses are aligned


@dataclass(frozen=True, eq=False, slots=True)
class Look:
    """What a query means for every hypothesis. H hypotheses.

    query: folded, only the most specific. candidates (H,): SGUR-4; all of them where the query leaves none.
    distance (H,): D, infinite for no candidate. aligned: the hypotheses compared node by node, by position; graph: the
    query's, that they were compared with.
    """

    query: Query
    config: SgurConfig
    closed: Closed
    candidates: Flags
    distance: Floats
    aligned: dict[int, Aligned]
    graph: Layered | None

    @property
    def exponent(self) -> float:
        """What a distance is multiplied with (SGUR-6)."""
        return exponent(len(self.query.observed), self.config.beta, self.config.literal)

    @property
    def probability(self) -> Floats:
        """(H,) P."""
        return probabilities(self.distance, self.exponent)

    @property
    def order(self) -> Ints:
        """(H,) positions, the closest first; equals by position."""
        return np.argsort(self.distance, kind="stable")


class Engine:
    """The alignment engine over one expert graph. Safe to use from several threads."""

    def __init__(self, graph: ExpertGraph) -> None:
        self.graph = graph
        self.index = ExpertIndex(graph)
        self.evidence = Evidence(self.index)

    def prepare(self, on_progress: OnProgress | None = None) -> None:
        """Derive what the first round needs."""
        report = on_progress or (lambda message, share: None)
        for done, part in enumerate(("broader", "implied", "information", "placed")):
            report("Reading the hierarchy", done / 4)
            getattr(self.index, part)

    def look(self, query: Query, config: SgurConfig) -> Look:
        """Weigh the query against every hypothesis.

        What was not aligned keeps its order by the closed form, beyond all that was: its distance there is a bound
        from below, to which the least is added that puts it in that place.
        """
        query = query.folded(self.index)
        closed = closed_form(self.evidence, query, config)
        candidates = closed.compatible if closed.compatible.any() else np.ones_like(closed.compatible)
        distance = np.where(candidates, closed.distance, np.inf)
        if not query.observed or not config.aligned:
            return Look(query, config, closed, candidates, distance, {}, None)
        graph = query_graph(self.evidence, query, config)
        aligned = {
            int(h): align(self.evidence, graph, int(h), config, float(closed.size[h]), float(closed.denied[h]))
            for h in self._closest(distance, candidates, graph.graph.size, config.aligned)
        }
        if not config.literal:  # there all candidates are equals: the alignments only show why
            chosen = np.fromiter(aligned, np.int64, len(aligned))
            bound = (1 - config.alpha) * config.mismatch * closed.feature + closed.size + closed.denied
            distance = np.where(candidates, bound, np.inf)
            distance[chosen] = [a.parts.total for a in aligned.values()]
            beyond = candidates.copy()
            beyond[chosen] = False
            if beyond.any():
                distance[beyond] += max(float(distance[chosen].max() - distance[beyond].min()), 0.0)
        return Look(query, config, closed, candidates, distance, aligned, graph.graph)

    def _closest(self, distance: Floats, candidates: Flags, nodes: int, most: int) -> Ints:
        """The closest candidates, as many as are wanted and as `MOST_CELLS` allows, but one at least."""
        closest = np.argsort(distance, kind="stable")[: min(most, int(candidates.sum()))]
        cells = np.cumsum(nodes * (self.index.sizes[closest] + 1))
        return closest[: max(int((cells <= MOST_CELLS).sum()), 1)]
