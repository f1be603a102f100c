"""How fast a query is compared and re-ranked, beside sentence-transformers' `semantic_search` over the same vectors.

Vectors and keywords are drawn by lot: what is measured does not depend on what texts say, and no encoder runs.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.causal_attention.index import CausalIndex, Reading
from core.causal_attention.keyword_table import KeywordTable
from core.causal_attention.rerank import RERANKERS, Settings, Window, positions
from core.causal_attention.rescore import rescore
from core.causal_attention.retriever import CausalAttentionRetriever
from core.corpus.document import Document
from core.retriever import OnProgress
from core.text.keywords import Idf, Keyword
from core.text.pooling import unit_rows
from core.trace import DatasetRef, Trace

DIMENSIONS = 384
VOCABULARY = 20_000
KEYWORDS = 30
QUERY_KEYWORDS = 10
WINDOW = 20
QUERIES, PEER_QUERIES, TRACES = 200, 30, 10


def bench_rerank(n: int = 100_000, seed: int = 0, on_progress: OnProgress | None = None) -> dict[str, Any]:
    """The `bench` object of SPEC 6: milliseconds of each stage a query, and megabytes of what is kept in memory."""
    report = on_progress or (lambda message, share: None)
    report("Drawing documents", None)
    index = _drawn_index(n, seed)
    readings = _drawn_readings(QUERIES, index, seed + 1)
    index.nearest_rows(readings[0].vector, WINDOW)  # what is made once is made
    report("Comparing", None)
    search = _times(readings, lambda r: index.nearest_rows(r.vector, WINDOW))
    few = index.first(WINDOW)
    few.nearest_rows(readings[0].vector, WINDOW)
    settings = Settings(tau=0.1)
    report("Re-ranking", None)
    warm = _times(readings, lambda r: _rerank(few, r, settings))
    traces = [CausalAttentionRetriever(few).run(f"w{i} w{i + 1}", {"answer": False}) for i in range(TRACES)]
    moved = _times(traces, lambda trace: rescore(trace, tau=0.3))
    written = _times(traces, Trace.to_json)
    report("Asking sentence-transformers", None)
    peer = _semantic_search(index.vectors, [r.vector for r in readings[:PEER_QUERIES]])
    ours = statistics.median(search)
    table = index.table
    kept = (index.vectors, table.vectors, table.unknown, table.indptr, table.ids, table.weights)
    return {
        "bench": "rerank",
        "documents": n,
        "seed": seed,
        "ours": {
            "similarity_median_ms": ours,
            "similarity_p95_ms": float(np.quantile(search, 0.95)),
            "rerank_20_median_ms": statistics.median(warm),
            "rerank_20_p95_ms": float(np.quantile(warm, 0.95)),
            "slider_median_ms": statistics.median(moved),
            "trace_json_median_ms": statistics.median(written),
            "megabytes": sum(array.nbytes for array in kept) / 1e6,
            "queries": len(readings),
        },
        "peers": {"sentence-transformers semantic_search": peer},
        "ratio": {"similarity": peer["similarity_median_ms"] / max(ours, 1e-9)},
    }


def _rerank(index: CausalIndex, reading: Reading, settings: Settings) -> None:
    """All that a warm re-rank does: the evidence of 20 candidates, their split and score, and the order."""
    pool = index.pool(reading, WINDOW, settings.keywords, named=False)
    window = Window(pool.ids, pool.similarity, pool.facts, settings)
    positions(RERANKERS["semantic"], window)
    positions(RERANKERS["hybrid"], window)


def _semantic_search(vectors: NDArray[np.float32], queries: Sequence[NDArray[np.float32]]) -> dict[str, float]:
    import torch
    from sentence_transformers.util import semantic_search

    corpus = torch.from_numpy(vectors)
    semantic_search(torch.from_numpy(queries[0][None]), corpus, top_k=WINDOW)
    times = _times(queries, lambda q: semantic_search(torch.from_numpy(q[None]), corpus, top_k=WINDOW))
    return {
        "similarity_median_ms": statistics.median(times),
        "similarity_p95_ms": float(np.quantile(times, 0.95)),
        "megabytes": vectors.nbytes / 1e6,
        "queries": len(queries),
    }


def _drawn_index(n: int, seed: int) -> CausalIndex:
    rng = np.random.default_rng(seed)
    size = max(VOCABULARY, KEYWORDS)
    names = tuple(sorted(f"w{i}" for i in range(size)))
    chance = 1.0 / np.arange(1, size + 1)
    ids = rng.choice(size, n * KEYWORDS, p=chance / chance.sum()).astype(np.int64)
    weights = np.sort(rng.random((n, KEYWORDS)) + 0.1, axis=1)[:, ::-1].reshape(-1).copy()
    table = KeywordTable(
        names,
        _unit(rng, size),
        np.zeros(size, np.bool_),
        np.arange(n + 1, dtype=np.int64) * KEYWORDS,
        ids,
        weights,
        Idf(n, {}),
    )
    documents = tuple(Document(id=f"d{i}", title="", text=f"document {i}") for i in range(n))
    dataset = DatasetRef(content_id=f"drawn/{n}/{seed}", name="drawn", kind="corpus", size={"documents": n})
    return CausalIndex(documents, dataset, _Drawn(), "tf-idf", _unit(rng, n), table, 0.3)


class _Drawn:
    """Stands where an index has its encoder; it gives a vector by lot for a text."""

    name, title, dimensions, version = "drawn", "vectors by lot", DIMENSIONS, "drawn/1"

    def encode(self, texts: Sequence[str], on_progress: OnProgress | None = None) -> NDArray[np.float32]:
        rows = [_unit(np.random.default_rng(list(text.encode())), 1) for text in texts]
        return np.concatenate(rows) if rows else np.zeros((0, DIMENSIONS), np.float32)

    def unknown_share(self, texts: Sequence[str]) -> float:
        return 0.0


def _drawn_readings(count: int, index: CausalIndex, seed: int) -> list[Reading]:
    rng = np.random.default_rng(seed)
    vectors = _unit(rng, count)
    readings = []
    for vector in vectors:
        chosen = rng.choice(len(index.table.terms), QUERY_KEYWORDS, replace=False)
        keywords = tuple(Keyword(index.table.terms[i], 1.0) for i in chosen)
        readings.append(Reading("drawn", vector, keywords, index.table.vectors[chosen]))
    return readings


def _unit(rng: np.random.Generator, n: int) -> NDArray[np.float32]:
    vectors = rng.standard_normal((n, DIMENSIONS), dtype=np.float32)
    return unit_rows(vectors)


def _times(items: Sequence[Any], work: Callable[[Any], object]) -> list[float]:
    """Milliseconds of each."""
    times = []
    for item in items:
        began = time.perf_counter()
        work(item)
        times.append((time.perf_counter() - began) * 1000)
    return times
