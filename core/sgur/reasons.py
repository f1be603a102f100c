"""Why a hypothesis stands where it does: for each observation of the query, the hypothesis's observation most like it.

Not here: distances, and how a reason is said on a page (`Reason.words`).
"""

from __future__ import annotations

import numpy as np

from core.sgur.closed_form import answer_cost, denial_share, surprise
from core.sgur.engine import Engine, Look
from core.sgur.evidence import ALIKE, UNKNOWN_FREQUENCY
from core.sgur.expert_graph import Floats
from core.sgur.index import Ints
from core.sgur.steps import Likeness, Reason, SgurConfig


def reasons(engine: Engine, look: Look, hypothesis: int) -> tuple[Reason, ...]:
    """One reason for each observation that was seen, then one for each that was denied."""
    index, config = engine.index, look.config
    own, often = index.observations_of(hypothesis), index.frequencies_of(hypothesis)
    masses = index.masses(config.specificity)
    total = masses[list(look.query.observed or look.query.excluded)].sum() or 1.0
    share = config.no_weight * denial_share(look.query, masses)
    seen = [_seen(engine, b, own, often, masses[b] / total, config.power) for b in look.query.observed]
    unasked = [
        _denied(engine, e, own, often, masses[e] * share, _surprise(engine, e, hypothesis, config))
        for e in look.query.unasked
    ]
    weight = answer_cost(look.query, config)
    answered = [_denied(engine, e, own, often, weight, 1.0) for e in look.query.excluded if e in look.query.answered]
    return (*seen, *unasked, *answered)


def _surprise(engine: Engine, observation: int, hypothesis: int, config: SgurConfig) -> float:
    return float(surprise(engine.evidence.expected(observation)[[hypothesis]], config.p_implied)[0])


def _seen(engine: Engine, b: int, own: Ints, often: Floats, weight: float, power: float) -> Reason:
    names = engine.graph.observations
    alike = engine.evidence.similarity(b)[own].astype(np.float64)
    if not len(own) or alike.max() < ALIKE:
        return Reason(observation=names.node(b), weight=weight, cost=weight * float(1 - _best(alike) ** power))
    place = int(np.lexsort((-np.nan_to_num(often, nan=UNKNOWN_FREQUENCY), -alike))[0])
    return Reason(
        observation=names.node(b),
        match=names.node(int(own[place])),
        likeness=_likeness(engine, int(own[place]), b),
        similarity=float(alike[place]),
        frequency=_known(often[place]),
        weight=weight,
        cost=weight * float(1 - alike[place] ** power),
    )


def _denied(engine: Engine, e: int, own: Ints, often: Floats, weight: float, expected: float) -> Reason:
    names, index = engine.graph.observations, engine.index
    below = index.narrower.indices[index.narrower.indptr[e] : index.narrower.indptr[e + 1]]
    held = np.flatnonzero(np.isin(own, below))
    if not len(held):
        return Reason(observation=names.node(e), weight=weight, denied=True)
    place = int(held[np.argmax(np.nan_to_num(often[held], nan=UNKNOWN_FREQUENCY))])
    return Reason(
        observation=names.node(e),
        match=names.node(int(own[place])),
        likeness="same" if own[place] == e else "narrower",
        similarity=1.0,
        frequency=_known(often[place]),
        weight=weight,
        cost=weight * expected,
        denied=True,
    )


def _likeness(engine: Engine, match: int, observation: int) -> Likeness:
    """How the hypothesis's observation stands to the one that was seen."""
    broader = engine.index.broader
    if match == observation:
        return "same"
    if match in broader.indices[broader.indptr[observation] : broader.indptr[observation + 1]]:
        return "broader"
    if observation in broader.indices[broader.indptr[match] : broader.indptr[match + 1]]:
        return "narrower"
    return "similar"


def _best(alike: Floats) -> float:
    return float(alike.max()) if len(alike) else 0.0


def _known(frequency: float) -> float | None:
    return None if np.isnan(frequency) else float(frequency)
