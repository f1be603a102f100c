"""Seconds a question for offline KERAG, and what a neighbourhood of 100,000 triples costs, beside networkx's ego graph.

Questions are asked one at a time, warm. The large neighbourhood is synthetic: a maker whose 500 boxes hold 200 items
each, among as many edges that lead elsewhere; a question asks for all of its items. networkx takes the same two hops
by `ego_graph`, which neither filters relations nor reasons. Not here: how right the answers are (`evaluate`).
"""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from core.benchmarks.asking import ask_all, source_of
from core.evaluation.questions import choose, load_questions
from core.graph.graph import KnowledgeGraph
from core.kerag.retriever import KeragRetriever
from core.kerag.steps import RetrieveStep, SummaryStep
from core.retriever import OnProgress

BOXES = 500
QUESTION = "Which items do the boxes of Aldous Works contain?"
RELATIONS = ("has box", "contains item", "recycled as")


def bench_kerag(
    graph_path: Path | str | None = None,
    questions: Path | str | None = None,
    n: int = 50,
    triples: int = 100_000,
    *,
    sample: str | None = None,
    on_progress: OnProgress | None = None,
) -> dict[str, Any]:
    """The `bench` object of SPEC 6.

    Seconds a question (median, mean, p95) on the graph's questions; `large_seconds` and `large_peak_mb` (10^6 bytes
    that were allocated at most, beyond what stood before) of a whole run on the large neighbourhood. The peer's are
    those of the ego graph alone. `ratio` is the peer's over ours: below 1, the peer needs less.
    """
    report = on_progress or (lambda message, share: None)
    open_graph, question_file = source_of(graph_path, questions, sample)
    report("opening the graph", None)
    loaded = open_graph()
    retriever = KeragRetriever(loaded.graph)
    retriever.prepare(on_progress)
    asked = choose(load_questions(question_file, loaded.graph, strict=False).questions, n + 1)
    ours = {"nodes": len(loaded.graph), **ask_all(retriever, asked, "kerag", report)}
    report("drawing a large neighbourhood", None)
    heads, kinds, tails, names, types = _drawn(triples)
    large = KnowledgeGraph.from_arrays(names, names, types, [""] * len(names), heads, tails, kinds, RELATIONS)
    on_large = KeragRetriever(large)
    on_large.prepare(on_progress)
    on_large.run(QUESTION, {"max_hops": 1})
    report("reasoning over it", None)
    trace, seconds, peak = _measured(lambda: on_large.run(QUESTION, {"budget": triples}))
    retrieved = next(s.total for s in trace.steps if isinstance(s, RetrieveStep))
    answers = next(len(s.answers) for s in trace.steps if isinstance(s, SummaryStep))
    ours |= {
        "large_triples": retrieved,
        "large_answers": answers,
        "large_seconds": seconds,
        "large_peak_mb": peak,
    }
    report("asking networkx", None)
    peer = _ego_graph(heads, tails)
    return {
        "bench": "kerag",
        "graph": loaded.graph.name,
        "ours": ours,
        "peers": {"networkx ego_graph": peer},
        "ratio": {key: peer[key] / ours[key] for key in ("large_seconds", "large_peak_mb")},
    }


def _drawn(triples: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[str], list[str]]:
    """Heads, relations and tails of the edges, and the names and types of the nodes; the maker is node 0."""
    boxes = min(BOXES, max(triples // 2, 1))
    items = max(triples - boxes, 1)
    others = items
    box = np.arange(1, boxes + 1)
    item = np.arange(boxes + 1, boxes + items + 1)
    other = item + items
    heads = np.concatenate([np.zeros(boxes, np.int64), 1 + np.arange(items) % boxes, item])
    tails = np.concatenate([box, item, other])
    kinds = np.repeat(np.arange(3), [boxes, items, others])
    names = ["Aldous Works", *(f"box {i}" for i in range(boxes)), *(f"item {i}" for i in range(items))]
    names += [f"granulate {i}" for i in range(others)]
    types = ["maker"] + ["box"] * boxes + ["item"] * items + ["granulate"] * others
    return heads, kinds, tails, names, types


def _measured(work: Callable[[], Any]) -> tuple[Any, float, float]:
    """What the work returned, its seconds, and in a second go the megabytes it allocated at most."""
    began = time.perf_counter()
    result = work()
    seconds = time.perf_counter() - began
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        result = work()
        peak = tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()
    return result, seconds, peak / 1e6


def _ego_graph(heads: np.ndarray, tails: np.ndarray) -> dict[str, Any]:
    """Two hops around the maker, by networkx, whose graph of all edges is made before."""
    import networkx as nx

    graph = nx.MultiDiGraph()
    graph.add_edges_from(zip(heads.tolist(), tails.tolist(), strict=True))
    ego, seconds, peak = _measured(lambda: nx.ego_graph(graph, 0, radius=2, undirected=True))
    return {"large_triples": ego.number_of_edges(), "large_seconds": seconds, "large_peak_mb": peak}
