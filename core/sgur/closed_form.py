"""The distance of every hypothesis from the query, all at once: the alignment's features in closed form [ours].

With M = 1 - Lin ** power and all of the query's mass free to move, the best plan sends each observation to the most
similar one of the hypothesis:

    S = sum_b w_b max_a Lin(a, b) ** power,  Z = sum_b w_b
    D = 1 - S / Z + size_weight (1 - S / max(sum_a w_a, Z)) + denied
    denied = no_weight Z sum_e w_e x_e / (Z + sum_e w_e)^2 + answer_weight / n sum_s [d implies s]

w: masses (idf); n: observations seen; e: denied unasked, x_e how much the hypothesis expects e; s: answered with "no".
An answer weighs alike however many observations there are, as the exponent of the belief is n / beta: a / beta nats.
Not here: structure (`alignment`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.sgur.evidence import Evidence, Flags, Small
from core.sgur.expert_graph import Floats
from core.sgur.index import ExpertIndex
from core.sgur.query import Query
from core.sgur.steps import SgurConfig


@dataclass(frozen=True, eq=False, slots=True)
class Closed:
    """(H,) each: the parts of the distance, and which hypotheses remain candidates (SGUR-4).

    Without any observation all are candidates, at distance 0.
    """

    feature: Floats
    size: Floats
    denied: Floats
    same: Flags
    sharing: Flags
    compatible: Flags

    @property
    def distance(self) -> Floats:
        """(H,) D."""
        return self.feature + self.size + self.denied


def closed_form(evidence: Evidence, query: Query, config: SgurConfig) -> Closed:
    """Distances and candidates of all hypotheses."""
    index = evidence.index
    masses, many = index.masses(config.specificity), len(index.graph.hypotheses)
    nothing, everyone = np.zeros(many), np.ones(many, np.bool_)
    denied = config.no_weight * denial(evidence, query, masses, config.p_implied)
    denied = denied + answer_cost(query, config) * refuted(index, query)
    if not query.observed:
        return Closed(nothing, nothing, denied, everyone, everyone, everyone)
    similar = np.zeros(many)
    flags = np.zeros((3, many), np.bool_)
    for b in query.observed:
        seen = evidence.seen(b)
        similar += masses[b] * np.asarray(seen.best, np.float64) ** config.power
        flags |= (seen.same, seen.sharing, seen.compatible)
    same, sharing, compatible = flags
    if config.literal:
        # The plan that moves what is shared onto itself, and nothing else, costs 0 whatever else there is.
        return Closed(nothing, nothing, nothing, same, same, same & compatible)
    total = masses[list(query.observed)].sum()
    size = config.size_weight * (1 - similar / np.maximum(total_mass(index, config.specificity), total))
    return Closed(1 - similar / total, size, denied, same, sharing, compatible)


def total_mass(index: ExpertIndex, specificity: float) -> Floats:
    """(H,) the masses of each hypothesis's observations, summed."""
    return np.asarray(index.graph.reported.astype(bool) @ index.masses(specificity), np.float64)


def denial(evidence: Evidence, query: Query, masses: Floats, certain: float) -> Floats:
    """(H,) sum_e w_e x_e over what was denied unasked, on the scale of `denial_share`."""
    summed = np.zeros(len(evidence.index.graph.hypotheses))
    for e in query.unasked:
        summed += masses[e] * surprise(evidence.expected(e), certain)
    return denial_share(query, masses) * summed


def denial_share(query: Query, masses: Floats) -> float:
    """What a unit of denied mass weighs: its share of all that was told, times the share of what was seen.

    So ten denials beside two observations do not drown them: on published cases much that is denied is typical of the
    disease, for which it was looked for.
    """
    seen, denied = float(masses[list(query.observed)].sum()), float(masses[list(query.unasked)].sum())
    if denied <= 0:
        return 0.0
    return seen / (seen + denied) ** 2 if seen > 0 else 1 / denied


def surprise(frequency: Floats | Small, certain: float) -> Floats:
    """x in [0, 1]: how much the absence of what is seen with this frequency speaks against a hypothesis.

    In logarithms, ln(1 - c f) / ln(1 - c) with c the most certain (`p_implied`): what half of the cases show may well
    be absent, what all of them show may not.
    """
    return np.asarray(np.log1p(-certain * np.asarray(frequency, np.float64)) / np.log1p(-certain), np.float64)


def refuted(index: ExpertIndex, query: Query) -> Floats:
    """(H,) how many of the observations that were answered with "no" each hypothesis implies."""
    if not query.answered:
        return np.zeros(len(index.graph.hypotheses))
    answered = np.zeros(len(index.graph.observations))
    answered[list(query.answered)] = 1.0
    return np.asarray(index.implied @ answered, np.float64)


def answer_cost(query: Query, config: SgurConfig) -> float:
    """What one "no" adds to the distance of a hypothesis that implies what was asked for."""
    return config.answer_weight / max(len(query.observed), 1)
