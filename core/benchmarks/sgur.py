"""How long a round takes over a whole knowledge base, and one alignment beside POT's stock call in the same run."""

from __future__ import annotations

import statistics
import time
from typing import Any

import numpy as np

from core.retriever import OnProgress
from core.sgur.alignment import align, query_graph
from core.sgur.engine import Engine
from core.sgur.partial_fgw import partial_fgw, structure_terms
from core.sgur.patients import NOISY, draw_patients
from core.sgur.protocol import query_of
from core.sgur.session import Session
from core.sgur.sources.catalogue import load
from core.sgur.steps import SgurConfig

ALIGNED = 8  # hypotheses of a patient that POT's call is given, too
POT_PATIENTS = 5


def bench_sgur(
    source: str = "hpo", patients: int = 30, seed: int = 0, on_progress: OnProgress | None = None
) -> dict[str, Any]:
    """The `bench` object of SPEC 6: seconds of opening and of a round, milliseconds and costs of an alignment."""
    report = on_progress or (lambda message, share: None)
    load(source, report)  # parsed and kept
    began = time.perf_counter()
    graph = load(source, report)
    opened = time.perf_counter() - began
    began = time.perf_counter()
    engine = Engine(graph)
    engine.prepare(report)
    prepared = time.perf_counter() - began
    many = min(patients + 1, int((engine.index.sizes >= 3).sum()))
    drawn = draw_patients(graph, many, "complex", NOISY, seed)
    rounds = []
    for number, patient in enumerate(drawn):
        report("Rounds", number / len(drawn))
        session = Session(engine)
        for start in range(0, len(patient.observed), 2):
            began = time.perf_counter()
            session = session.tell_ids(patient.observed[start : start + 2])
            if number:  # the first patient warms up
                rounds.append(time.perf_counter() - began)
    config = SgurConfig()
    own, stock, own_cost, stock_cost = [], [], [], []
    for number, patient in enumerate(drawn[:POT_PATIENTS]):
        report("Asking POT", number / POT_PATIENTS)
        query = query_of(engine, patient, 6).folded(engine.index)
        graph_of_query = query_graph(engine.evidence, query, config)
        for h in list(engine.look(query, config).aligned)[:ALIGNED]:
            aligned = align(engine.evidence, graph_of_query, h, config)
            problem = (aligned.costs, aligned.graph.distance, graph_of_query.graph.distance)
            masses = (aligned.graph.mass, graph_of_query.graph.mass)
            began = time.perf_counter()
            partial_fgw(*problem, *masses, aligned.plan.moved, config.alpha)
            own.append(time.perf_counter() - began)
            own_cost.append(aligned.parts.feature + aligned.parts.structure)
            began = time.perf_counter()
            stock_cost.append(
                _stock(aligned.costs, aligned.graph, graph_of_query.graph, aligned.plan.moved, config.alpha)
            )
            stock.append(time.perf_counter() - began)
    ours = {
        "opened_s": opened,
        "prepared_s": prepared,
        "round_median_s": statistics.median(rounds),
        "round_p95_s": float(np.quantile(rounds, 0.95)),
        "alignment_median_ms": 1000 * statistics.median(own),
        "mean_cost": statistics.fmean(own_cost),
        "hypotheses": len(graph.hypotheses),
        "megabytes": _megabytes(engine),
        "rounds": len(rounds),
    }
    peer = {"alignment_median_ms": 1000 * statistics.median(stock), "mean_cost": statistics.fmean(stock_cost)}
    return {
        "bench": "sgur",
        "source": source,
        "seed": seed,
        "ours": ours,
        "peers": {"POT partial_fused_gromov_wasserstein": peer},
        "ratio": {"alignment": peer["alignment_median_ms"] / max(ours["alignment_median_ms"], 1e-9)},
    }


def _stock(costs: Any, graph: Any, query: Any, moved: float, alpha: float) -> float:
    """The cost that POT's own call finds for the same problem."""
    from ot.gromov import partial_fused_gromov_wasserstein

    m = min(moved, float(graph.mass.sum()), float(query.mass.sum())) - 1e-9  # it refuses the very bound
    plan = partial_fused_gromov_wasserstein(
        costs, graph.distance, query.distance, graph.mass, query.mass, m=m, alpha=alpha, symmetric=False
    )
    structure = (structure_terms(graph.distance, query.distance, plan) * plan).sum()
    return float((1 - alpha) * (costs * plan).sum() + alpha * structure)


def _megabytes(engine: Engine) -> float:
    """Of the arrays that are held: the graph's links and what was derived from them."""
    graph, index = engine.graph, engine.index
    matrices = (graph.reported, graph.absent, graph.parents, graph.located, graph.treated)
    derived = (index.broader, index.narrower, index.implied, index.placed, index.never)
    return float(sum(a.nbytes for m in (*matrices, *derived) for a in (m.data, m.indices, m.indptr)) / 1e6)
