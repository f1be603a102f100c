"""A document's place at every tau, from stored values: whether a place hangs on the setting. No encoder is asked."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.causal_attention.evidence import facts_of
from core.causal_attention.rerank import RERANKERS, positions
from core.causal_attention.rescore import one, window_of
from core.causal_attention.steps import EvidenceStep, Retrieved
from core.figures.causal_attention.ranking import Ranking
from core.trace import Trace

TAUS = tuple(round(float(t), 2) for t in np.arange(0.1, 1.001, 0.05))


@dataclass(frozen=True, slots=True)
class TauCurve:
    """Places (from 1, of `size`) at `taus`; `here` is the place at `tau`, the one in force."""

    taus: tuple[float, ...]
    places: tuple[int, ...]
    size: int
    tau: float
    here: int

    @property
    def words(self) -> str:
        """How much the place hangs on tau, in a sentence."""
        best, worst = min(*self.places, self.here), max(*self.places, self.here)
        if best == worst:
            return f"At every τ from {self.taus[0]:.2f} to {self.taus[-1]:.2f} its place is {best}."
        return (
            f"Over τ from {self.taus[0]:.2f} to {self.taus[-1]:.2f} its place runs from {best} to {worst}; "
            f"at τ = {self.tau:.2f} it is {self.here}."
        )


def place_by_tau(trace: Trace, ranking: Ranking, id_: str) -> TauCurve | None:
    """The places of one candidate. None where tau does not matter to the ranking, or the candidate is beyond S1."""
    line = ranking.line(id_)
    if line is None or not line.inside or not ranking.splits or ranking.decider == "exact":
        return None
    candidates = one(trace.steps, Retrieved).candidates[: ranking.size]
    facts = facts_of(one(trace.steps, EvidenceStep).documents).take(ranking.size)
    row = [c.document.id for c in candidates].index(id_)
    places = []
    for tau in TAUS:
        window = window_of(candidates, facts, ranking.config, tau)
        places.append(positions(RERANKERS[ranking.decider], window).index(row) + 1)
    return TauCurve(TAUS, tuple(places), ranking.size, ranking.tau, line.places[ranking.decider])
