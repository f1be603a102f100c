"""Partial fused Gromov-Wasserstein between two small graphs (SGUR-5), by Frank-Wolfe over exact transport.

    min over plans g of mass m of  (1 - alpha) <g, M> + alpha sum |C(a, a') - D(b, b')|^2 g_ab g_a'b'

POT's exact transport solves each linear step; its own partial loop is not used, as its relative stopping test runs
to the last iteration where the optimum is near 0, and its limit of iterations can return a plan of no mass at all.
Not here: what the graphs are.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial

import numpy as np

from core.sgur.expert_graph import Floats

MOST_ITERATIONS = 2_000  # the paper's limit; an absolute stop comes first, usually after one to five
TOLERANCE = 1e-6  # an improvement below this ends the search
MASS_TOLERANCE = 1e-6


@dataclass(frozen=True, eq=False, slots=True)
class Plan:
    """A transport plan (n, k), what it costs by <g, M> and by the sum over pairs (both unweighted), and the effort."""

    gamma: Floats
    feature: float
    structure: float
    iterations: int

    @property
    def moved(self) -> float:
        """m."""
        return float(self.gamma.sum())


def structure_terms(C: Floats, D: Floats, plan: Floats) -> Floats:
    """(n, k): for each pair (a, b) the sum over (a', b') of |C(a, a') - D(b, b')|^2 plan(a', b')."""
    rows: Floats = C**2 @ plan.sum(1)
    columns: Floats = D**2 @ plan.sum(0)
    return rows[:, None] + columns[None, :] - 2 * (C @ plan @ D.T)


def partial_fgw(M: Floats, C: Floats, D: Floats, p: Floats, q: Floats, m: float, alpha: float) -> Plan:
    """A plan of mass m (at most what both sides have) that no Frank-Wolfe step improves.

    M (n, k) feature costs; C (n, n) and D (k, k) distances, which may be directed; p (n,), q (k,) masses. The search
    starts from the optimum of the features alone, so it is exact for alpha = 0. It ends in a local optimum.
    """
    m = min(m, float(p.sum()), float(q.sum()))
    if m <= 0:
        return Plan(np.zeros_like(M), 0.0, 0.0, 0)
    plan = partial_transport(M, p, q, m)
    iterations = 0
    if alpha > 0:
        forward, backward = structure_terms(C, D, plan), structure_terms(C.T, D.T, plan)
        while iterations < MOST_ITERATIONS:
            iterations += 1
            gradient = (1 - alpha) * M + alpha * (forward + backward)
            step = partial_transport(gradient, p, q, m) - plan
            slope = float((gradient * step).sum())
            if slope > -TOLERANCE:
                break
            ahead, behind = structure_terms(C, D, step), structure_terms(C.T, D.T, step)
            curve = alpha * float((ahead * step).sum())
            # f(plan + t step) = f(plan) + slope t + curve t^2; where it bends downwards the far end is best.
            t = min(1.0, -slope / (2 * curve)) if curve > 0 else 1.0
            plan, forward, backward = plan + t * step, forward + t * ahead, backward + t * behind
            if -(slope * t + curve * t * t) < TOLERANCE:
                break
    structure = float((structure_terms(C, D, plan) * plan).sum())
    return Plan(plan, float((M * plan).sum()), max(structure, 0.0), iterations)


def partial_transport(cost: Floats, p: Floats, q: Floats, m: float) -> Floats:
    """(n, k) the cheapest plan of mass m. What does not move goes to one more node on each side (Chapel et al., 2020).

    RuntimeError should the plan not have that mass.
    """
    emd = _exact_transport()
    n, k = cost.shape
    sources = np.append(p, max(float(q.sum()) - m, 0.0))
    targets = np.append(q, max(float(p.sum()) - m, 0.0))
    wide = np.zeros((n + 1, k + 1))
    wide[:n, :k] = cost - cost.min()  # the same plan is best, and no move looks better than staying
    wide[n, k] = 2 * wide.max() + 1  # the two extra nodes keep apart
    plan = np.asarray(emd(sources, targets * (sources.sum() / targets.sum()), wide), np.float64)[:n, :k]
    if abs(plan.sum() - m) > MASS_TOLERANCE * max(m, 1.0):
        raise RuntimeError(f"the transport solver moved {plan.sum():.9f} of {m:.9f}")
    return plan


@cache
def _exact_transport() -> Callable[[Floats, Floats, Floats], Floats]:
    # Without this POT imports every array library that it finds, torch among them.
    for library in ("PYTORCH", "TENSORFLOW", "JAX", "CUPY"):
        os.environ.setdefault(f"POT_BACKEND_DISABLE_{library}", "1")
    from ot.lp import emd

    # The duals are not needed, and half of a small problem's time goes into centring them.
    return partial(emd, center_dual=False, check_marginals=False)
