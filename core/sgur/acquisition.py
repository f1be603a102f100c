"""Which question to ask next: expected information gain over yes and no, for every observation at once (SGUR-7).

    EIG(s) = H(P) - p_yes H(P | yes, s) - (1 - p_yes) H(P | no, s),  p_yes = sum_d P(d) p(yes | s, d)

The answer model [ours]: p(yes | s, d) = p_implied where d implies s (by one of its observations, or one narrower),
else p_otherwise. "Don't know" is no information, and no part of the sum. Not here: what an answer does to a belief.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.sgur.belief import entropy_bits
from core.sgur.engine import Engine, Look
from core.sgur.expert_graph import Floats
from core.sgur.index import Ints
from core.sgur.steps import SgurConfig

TOO_ALIKE = 0.6  # [ours]: questions of one batch are less alike than this, and none is broader than another


@dataclass(frozen=True, eq=False, slots=True)
class Gains:
    """(n,) each, the most informative first: positions of observations, and the terms of the sum, in bits."""

    observation: Ints
    eig: Floats
    p_yes: Floats
    entropy_yes: Floats
    entropy_no: Floats
    entropy: float


def gains(engine: Engine, look: Look, skip: frozenset[int] = frozenset()) -> Gains:
    """The expected information gain of every observation that may be asked for. skip: positions answered before."""
    p = look.probability
    asked = askable(engine, look, skip)
    yes, entropy_yes, entropy_no = expected_entropies(engine, p, asked, look.config)
    entropy = entropy_bits(p)
    eig = np.maximum(entropy - yes * entropy_yes - (1 - yes) * entropy_no, 0.0)
    order = np.lexsort((asked, -eig))
    return Gains(asked[order], eig[order], yes[order], entropy_yes[order], entropy_no[order], entropy)


def askable(engine: Engine, look: Look, skip: frozenset[int] = frozenset()) -> Ints:
    """The unobserved observations of the kappa leading candidates, without those whose answer follows from others'.

    What is broader than something observed is a sure yes, what is narrower than something denied a sure no.
    """
    index = engine.index
    leaders = [h for h in look.order[: look.config.kappa].tolist() if np.isfinite(look.distance[h])]
    own = [index.observations_of(h) for h in leaders]
    known = np.zeros(len(engine.graph.observations), np.bool_)
    known[list(skip)] = True
    for matrix, held in ((index.broader, look.query.observed), (index.narrower, look.query.excluded)):
        for one in held:
            known[matrix.indices[matrix.indptr[one] : matrix.indptr[one + 1]]] = True
    union = np.unique(np.concatenate(own)) if own else np.zeros(0, np.int64)
    return np.asarray(union[~known[union]], np.int64)


def expected_entropies(engine: Engine, p: Floats, asked: Ints, config: SgurConfig) -> tuple[Floats, Floats, Floats]:
    """(n,) each: p_yes, and the entropy in bits of the belief after yes and after no.

    Over all H hypotheses at once: with x_d = P(d) c_d, c_d being a or b, sum x ln x splits into the implied part and
    the whole, so two products of the implied matrix with P and with P ln P give every term.
    """
    implied = engine.index.implied
    log_p = np.log(p, out=np.zeros_like(p), where=p > 0)
    mass = np.asarray(implied.T @ p, np.float64)[asked]  # sum of P over those that imply it
    plogp = np.asarray(implied.T @ (p * log_p), np.float64)[asked]
    all_plogp = float((p * log_p).sum())
    a, b = config.p_implied, config.p_otherwise
    yes = b + (a - b) * mass
    return yes, _entropy(mass, plogp, all_plogp, a, b), _entropy(mass, plogp, all_plogp, 1 - a, 1 - b)


def _entropy(mass: Floats, plogp: Floats, all_plogp: float, a: float, b: float) -> Floats:
    """Entropy in bits of P c / Z, c = a on the implied part (whose sum is `mass`), b on the rest."""
    z = a * mass + b * (1 - mass)
    x_log_x = a * plogp + a * np.log(a) * mass + b * (all_plogp - plogp) + b * np.log(b) * (1 - mass)
    return np.asarray(np.maximum(np.log(z) - x_log_x / z, 0.0) / np.log(2), np.float64)


def batch(engine: Engine, order: Ints, size: int) -> tuple[list[int], dict[int, int]]:
    """The first `size` questions without near duplicates; and for each one passed over, the question it is like."""
    chosen: list[int] = []
    like: dict[int, int] = {}
    for one in order.tolist():
        if len(chosen) == size:
            break
        twin = next((c for c in chosen if _alike(engine, c, one)), None)
        if twin is None:
            chosen.append(one)
        else:
            like[one] = twin
    return chosen, like


def _alike(engine: Engine, a: int, b: int) -> bool:
    broader = engine.index.broader
    related = any(np.isin(y, broader.indices[broader.indptr[x] : broader.indptr[x + 1]]) for x, y in ((a, b), (b, a)))
    return bool(related or engine.evidence.similarity(a)[b] >= TOO_ALIKE)
