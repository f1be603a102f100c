"""How fast GlobalSearch is on many short texts, beside rank-bm25 on the same texts and questions."""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from core.text.bm25 import BM25Index
from core.text.tokens import tokenise

WORDS = 40_000
TEXT_WORDS = (3, 15)  # a name and a short text
QUERY_WORDS = (3, 9)
K = 30
QUERIES, PEER_QUERIES = 200, 15  # rank-bm25 takes a large part of a second a query


def bench_bm25(n: int = 130_000, seed: int = 0) -> dict[str, Any]:
    """The `bench` object of SPEC 6: milliseconds a query, seconds to build, megabytes of the index.

    The words are drawn by Zipf's law, the queries as the texts are. All queries differ, so none is
    answered from memory.
    """
    texts = _sentences(n, TEXT_WORDS, seed)
    queries = list(dict.fromkeys(_sentences(QUERIES, QUERY_WORDS, seed + 1)))
    index, build_seconds = _timed(lambda: BM25Index.build(texts))
    ours = _times(queries, lambda query: index.search(query, K))
    subset = np.random.default_rng(seed).choice(n, min(n, 200), replace=False)
    cold = _times([f"{query} " for query in queries], lambda query: index.score_subset(query, subset))
    result = {
        "bench": "bm25",
        "texts": n,
        "seed": seed,
        "ours": {
            "median_ms": statistics.median(ours),
            "p95_ms": float(np.quantile(ours, 0.95)),
            "build_seconds": build_seconds,
            "megabytes": index.nbytes / 1e6,
            "subset_of_200_median_ms": statistics.median(cold),
            "queries": len(queries),
        },
    }
    peer = _rank_bm25(texts, queries[:PEER_QUERIES])
    ours_median = max(statistics.median(ours), 1e-9)
    return {
        **result,
        "peers": {"rank-bm25": peer},
        "ratio": {
            "query": peer["median_ms"] / ours_median,
            "build": peer["build_seconds"] / build_seconds,
            "megabytes": peer["megabytes"] / max(index.nbytes / 1e6, 1e-9),
        },
    }


def _rank_bm25(texts: Sequence[str], queries: Sequence[str]) -> dict[str, float]:
    from rank_bm25 import BM25Okapi

    peer, build_seconds = _timed(lambda: BM25Okapi([tokenise(text) for text in texts]))

    def search(query: str) -> None:
        scores = peer.get_scores(tokenise(query))
        np.argsort(-scores, kind="stable")[:K]

    times = _times(queries, search)
    bytes_held = sum(map(sys.getsizeof, peer.doc_freqs)) + sys.getsizeof(peer.doc_freqs) + sys.getsizeof(peer.idf)
    return {
        "median_ms": statistics.median(times),
        "build_seconds": build_seconds,
        "megabytes": bytes_held / 1e6,
        "queries": len(queries),
    }


def _sentences(n: int, lengths: tuple[int, int], seed: int) -> list[str]:
    """`n` texts of made-up words; word i is drawn with a chance in proportion to 1 / (i + 1)."""
    rng = np.random.default_rng(seed)
    chance = 1.0 / np.arange(1, WORDS + 1)
    counts = rng.integers(lengths[0], lengths[1] + 1, n)
    drawn = rng.choice(WORDS, size=int(counts.sum()), p=chance / chance.sum()).tolist()
    ends = np.cumsum(counts)
    spans = zip((ends - counts).tolist(), ends.tolist(), strict=True)
    return [" ".join(f"w{i}" for i in drawn[start:end]) for start, end in spans]


def _timed(work: Callable[[], Any]) -> tuple[Any, float]:
    began = time.perf_counter()
    result = work()
    return result, time.perf_counter() - began


def _times(queries: Sequence[str], ask: Callable[[str], object]) -> list[float]:
    """Milliseconds of each query."""
    times = []
    for query in queries:
        began = time.perf_counter()
        ask(query)
        times.append((time.perf_counter() - began) * 1000)
    return times
