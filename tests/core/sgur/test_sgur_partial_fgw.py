from __future__ import annotations

import itertools

import numpy as np
import pytest
from made_expert import drawn, small
from scipy.optimize import linprog

from core.sgur.alignment import align, query_graph
from core.sgur.engine import Engine
from core.sgur.expert_graph import Floats
from core.sgur.layered import LOCAL_SHARE, layered
from core.sgur.partial_fgw import partial_fgw, partial_transport, structure_terms
from core.sgur.query import Query
from core.sgur.steps import SgurConfig


def by_pairs(C: Floats, D: Floats, g: Floats) -> float:
    """The sum over all four indices, as it stands in the paper."""
    n, k = g.shape
    return sum(
        (C[a, c] - D[b, d]) ** 2 * g[a, b] * g[c, d]
        for a, b, c, d in itertools.product(range(n), range(k), range(n), range(k))
    )


def made(seed: int, n: int = 3, k: int = 2) -> tuple[Floats, ...]:
    draw = np.random.default_rng(seed)
    p, q = draw.random(n) + 0.1, draw.random(k) + 0.1
    return draw.random((n, k)), draw.random((n, n)), draw.random((k, k)), p / p.sum(), q / q.sum()


@pytest.mark.parametrize("seed", range(5))
def test_structure_terms_are_the_sum_over_pairs(seed: int) -> None:
    _, C, D, p, q = made(seed, 4, 3)
    g = np.outer(p, q)
    assert float((structure_terms(C, D, g) * g).sum()) == pytest.approx(by_pairs(C, D, g))


@pytest.mark.parametrize("m", [0.0, 0.3, 0.8, 1.0])
def test_transport_is_a_linear_programme(m: float) -> None:
    M, _, _, p, q = made(7, 4, 3)
    plan = partial_transport(M, p, q, m) if m else np.zeros_like(M)
    rows = np.kron(np.eye(4), np.ones(3))
    columns = np.kron(np.ones(4), np.eye(3))
    best = linprog(
        M.ravel(),
        A_ub=np.vstack([rows, columns]),
        b_ub=np.append(p, q),
        A_eq=np.ones((1, 12)),
        b_eq=[m],
        bounds=(0, None),
    )
    assert plan.sum() == pytest.approx(m)
    assert (plan.sum(1) <= p + 1e-9).all()
    assert (plan.sum(0) <= q + 1e-9).all()
    assert float((M * plan).sum()) == pytest.approx(best.fun, abs=1e-9)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("alpha", [0.0, 0.3, 0.5])
def test_no_plan_of_a_fine_grid_is_better_on_tiny_graphs(seed: int, alpha: float) -> None:
    # Distances as the layered graphs have them; the features tell which node belongs to which.
    _, C, D, p, q = made(seed, 2, 2)
    np.fill_diagonal(C, 0)
    np.fill_diagonal(D, 0)
    M, m = np.array([[0.0, 1.0], [1.0, 0.0]]), 0.9

    def cost(g: Floats) -> float:
        return (1 - alpha) * float((M * g).sum()) + alpha * by_pairs(C, D, g)

    plan = partial_fgw(M, C, D, p, q, m, alpha)
    assert plan.moved == pytest.approx(m)
    assert cost(plan.gamma) == pytest.approx((1 - alpha) * plan.feature + alpha * plan.structure)
    step = np.linspace(0, m, 37)
    found = np.inf
    for a, b, c in itertools.product(step, step, step):
        g = np.array([[a, b], [c, m - a - b - c]])
        if g.min() >= -1e-12 and (g.sum(1) <= p + 1e-9).all() and (g.sum(0) <= q + 1e-9).all():
            found = min(found, cost(g))
    assert cost(plan.gamma) <= found + 1e-6


@pytest.mark.parametrize("seed", range(5))
def test_the_plan_is_one_that_no_step_improves(seed: int) -> None:
    M, C, D, p, q = made(seed, 6, 4)
    plan = partial_fgw(M, C, D, p, q, 0.8, 0.7).gamma
    gradient = 0.3 * M + 0.7 * (structure_terms(C, D, plan) + structure_terms(C.T, D.T, plan))
    step = partial_transport(gradient, p, q, 0.8) - plan
    curve = 0.7 * float((structure_terms(C, D, step) * step).sum())
    slope = float((gradient * step).sum())
    gains = [-(slope * t + curve * t * t) for t in np.linspace(0, 1, 101)]
    assert max(gains) < 1e-5


def test_the_same_graph_lies_on_itself_at_no_cost() -> None:
    _, C, _, p, _ = made(3, 4, 4)
    plan = partial_fgw(1 - np.eye(4), C, C, p, p, 1.0, 0.5)
    assert plan.feature == pytest.approx(0, abs=1e-9)
    assert plan.structure == pytest.approx(0, abs=1e-9)
    assert plan.iterations <= 1


def test_a_layered_graph_splits_its_mass_and_links_by_out_degree() -> None:
    graph = small()
    at = graph.observations.positions
    made_graph = layered(
        Engine(graph).index, np.array([at["S:rash"], at["S:fever"], at["S:cough"]]), np.array([0.5, 0.3, 0.2])
    )
    names = [graph.localisations.names[i] for i in made_graph.localisations]
    assert names == ["middle", "skin", "upper"]
    # Rash has two places, fever none, cough one.
    local = LOCAL_SHARE
    assert made_graph.mass == pytest.approx(
        [0.5 * (1 - local), 0.3, 0.2 * (1 - local), 0.2 * local, 0.25 * local, 0.25 * local]
    )
    assert made_graph.mass.sum() == pytest.approx(1)
    assert made_graph.distance[0].tolist() == [0, 1, 1, 1, 0.25, 0.25]
    assert made_graph.distance[2].tolist() == [1, 1, 0, 0.5, 1, 1]
    assert made_graph.distance[4].tolist() == [1, 1, 1, 1, 0, 1]  # directed: nothing leads back


@pytest.mark.parametrize("seed", range(3))
def test_without_structure_an_alignment_costs_what_its_plan_moves(seed: int) -> None:
    graph = drawn(seed=seed)
    engine, config = Engine(graph), SgurConfig(alpha=0.0)
    query = query_graph(engine.evidence, Query((1, 5, 9)), config)
    for h in range(10):
        aligned = align(engine.evidence, query, h, config)
        assert aligned.parts.structure == 0
        assert aligned.parts.feature == pytest.approx(float((aligned.costs * aligned.plan.gamma).sum()))
        assert aligned.plan.moved + aligned.parts.unmatched == pytest.approx(1)


def test_a_hypothesis_with_just_what_was_observed_is_at_distance_zero() -> None:
    graph = small()
    engine, at = Engine(graph), graph.observations.positions
    query = query_graph(engine.evidence, Query((at["S:headache"], at["S:cough"])), SgurConfig())
    aligned = align(engine.evidence, query, graph.hypotheses.positions["D:cold"], SgurConfig())
    assert aligned.parts.total == pytest.approx(0, abs=1e-6)
