"""The query graph laid on one hypothesis graph after another (SGUR-5): masses, feature costs, and the plan.

    D = (1 - alpha) <g, M> + alpha sum |C - C'|^2 g g + c_mis (1 - m) + size + denied

The first two terms are the paper's; the rest is [ours], as without it every hypothesis that shares anything is at
distance 0. Not here: the solver (`partial_fgw`), and which hypotheses are aligned (`engine`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.sgur.evidence import Evidence
from core.sgur.expert_graph import Floats
from core.sgur.index import ExpertIndex, Ints
from core.sgur.layered import Layered, layered
from core.sgur.partial_fgw import MASS_TOLERANCE, Plan, partial_fgw
from core.sgur.query import Query
from core.sgur.steps import Parts, SgurConfig


@dataclass(frozen=True, eq=False, slots=True)
class QueryGraph:
    """The query as a layered graph of mass 1, and (n, O) the feature similarity of its observations, Lin ** power."""

    graph: Layered
    similar: Floats
    total: float  # Z, the mass before it was scaled to 1


@dataclass(frozen=True, eq=False, slots=True)
class Aligned:
    """One hypothesis aligned: its graph, the feature costs M (hypothesis, query), the plan, and the parts of D."""

    hypothesis: int
    graph: Layered
    costs: Floats
    plan: Plan
    parts: Parts


def query_graph(evidence: Evidence, query: Query, config: SgurConfig) -> QueryGraph:
    """The graph of what was observed."""
    index = evidence.index
    observed = np.array(query.observed, np.int64)
    masses = index.masses(config.specificity)[observed]
    similar = np.array([evidence.similarity(b) for b in query.observed], np.float64).reshape(len(observed), -1)
    similar = (similar >= 1.0).astype(np.float64) if config.literal else similar**config.power
    return QueryGraph(layered(index, observed, masses / masses.sum()), similar, float(masses.sum()))


def align(
    evidence: Evidence, query: QueryGraph, hypothesis: int, config: SgurConfig, size: float = 0.0, denied: float = 0.0
) -> Aligned:
    """Lay the query on one hypothesis. size, denied: the parts of its distance that no plan changes."""
    index = evidence.index
    own = index.observations_of(hypothesis)
    similar = query.similar[:, own].T  # (hypothesis, query)
    graph = layered(index, own, inherited(index, own, query, similar, config))
    costs = feature_costs(graph, query.graph, similar, config.mismatch)
    p, q = graph.mass, query.graph.mass
    if not config.partial:
        p = p / p.sum()
    m = overlap_mass(costs, p, q, config)
    plan = partial_fgw(costs, graph.distance, query.graph.distance, p, q, m, config.alpha)
    unmatched = (
        0.0 if config.literal else config.mismatch * (0.0 if plan.moved > 1.0 - MASS_TOLERANCE else 1.0 - plan.moved)
    )
    return Aligned(
        hypothesis,
        graph,
        costs,
        plan,
        Parts(
            feature=(1 - config.alpha) * plan.feature,
            structure=config.alpha * plan.structure,
            unmatched=unmatched,
            size=size,
            denied=denied,
        ),
    )


def overlap_mass(costs: Floats, p: Floats, q: Floats, config: SgurConfig) -> float:
    """m: taken literally, what both sides have in the same nodes; else all of the query's [ours].

    A node without its like then moves at c_mis, which is what it costs to stay.
    """
    return float(np.minimum(p[:, None], q[None, :])[costs == 0].sum()) if config.literal else float(q.sum())


def inherited(index: ExpertIndex, own: Ints, query: QueryGraph, similar: Floats, config: SgurConfig) -> Floats:
    """(n,) masses of a hypothesis's observations on the query's scale: their own, or what the query lends them.

    Each observation of the query lends its mass, as far as they are similar, to the one that answers it best [ours]:
    a source often reports in broader words than a patient shows, and a patient says one thing in two ways.
    """
    masses = index.masses(config.specificity)
    own_mass = masses[own] / query.total
    if config.literal or not len(own):
        return np.asarray(own_mass, np.float64)
    lent = similar.max(0) * masses[query.graph.observations] / query.total
    return np.asarray(np.maximum(own_mass, np.bincount(similar.argmax(0), lent, len(own))), np.float64)


def feature_costs(graph: Layered, query: Layered, similar: Floats, mismatch: float) -> Floats:
    """M (hypothesis, query): c_mis (1 - similar) within L1, c_mis between layers and different localisations."""
    costs = np.full((graph.size, query.size), mismatch)
    n, k = len(graph.observations), len(query.observations)
    costs[:n, :k] = mismatch * (1 - similar)
    costs[n:, k:] = mismatch * (graph.localisations[:, None] != query.localisations[None, :])
    return costs
