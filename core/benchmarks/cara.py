"""Seconds a question for offline CARA with three agents, beside bm25 and dense in the same run.

Every method answers the same questions, one at a time, warm: indexes and encoders are loaded and one
question has been asked. Questions are new, but encoders keep the words they have met, as they do in use.
Not here: how right the answers are over a whole set (`evaluate`); Hit@1 is given so that speed is not
bought with it.
"""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from core.errors import ConfigError
from core.evaluation.metrics import gold_ranks, hit_at
from core.evaluation.questions import Question, choose, read_questions
from core.graph.report import LoadedGraph
from core.retriever import OnProgress, Retriever

METHODS = ("cara", "bm25", "dense")  # ours first


def bench_cara(
    graph_path: Path | str | None = None,
    questions: Path | str | None = None,
    n: int = 50,
    *,
    sample: str | None = None,
    on_progress: OnProgress | None = None,
) -> dict[str, Any]:
    """The `bench` object of SPEC 6: seconds a question (median, mean, p95), and to open the graph.

    The graph is a path with a file of questions, or a sample; without either, the first sample.
    `open_seconds` is with an empty cache, `open_again_seconds` from it; `prepare_seconds` loads indexes
    and encoders. `ratio` is the peer's median over ours: above 1, ours is the faster.
    """
    from core.methods import build

    report = on_progress or (lambda message, share: None)
    open_graph, question_file = _source(graph_path, questions, sample)
    report("opening the graph", None)
    with tempfile.TemporaryDirectory() as folder, _cache_in(folder):
        loaded, cold = _timed(open_graph)
        again = _timed(open_graph)[1]
    asked = choose(read_questions(question_file, loaded.graph), n + 1)
    sides = {}
    for name in METHODS:
        retriever = build(name, loaded.graph)
        prepare = _timed(partial(retriever.prepare, on_progress))[1]
        sides[name] = {**_ask(retriever, asked, name, report), "prepare_seconds": prepare}
    ours = {"nodes": len(loaded.graph), "open_seconds": cold, "open_again_seconds": again, **sides.pop(METHODS[0])}
    return {
        "bench": "cara",
        "graph": loaded.graph.name,
        "ours": ours,
        "peers": sides,
        "ratio": {name: side["median_seconds"] / ours["median_seconds"] for name, side in sides.items()},
    }


def _source(
    graph_path: Path | str | None, questions: Path | str | None, sample: str | None
) -> tuple[Callable[[], LoadedGraph], Path]:
    from core.graph.readers import read_graph
    from core.graph.samples import SAMPLES, load_sample

    if graph_path is None:
        name = sample or next(iter(SAMPLES))
        if name not in SAMPLES:
            raise ConfigError(f"there is no sample {name!r}", hint=f"There are: {', '.join(SAMPLES)}.")
        return (lambda: load_sample(name)), Path(questions or SAMPLES[name].questions)
    if sample is not None or questions is None:
        raise ConfigError("a graph needs its questions", where="--graph", hint="Add --questions FILE, and no sample.")
    return (lambda: read_graph(graph_path)), Path(questions)


def _ask(retriever: Retriever, asked: Sequence[Question], name: str, report: OnProgress) -> dict[str, Any]:
    """The first question warms up, unless it is the only one."""
    times, hits = [], []
    for place, question in enumerate(asked):
        report(f"{name}: question {place + 1} of {len(asked)}", place / len(asked))
        trace, seconds = _timed(partial(retriever.run, question.text))
        ranks = gold_ranks([line.id for line in trace.ranked], [gold.ids for gold in question.answers])
        times.append(seconds)
        hits.append(hit_at(ranks, 1))
    warm = times[1:] or times
    return {
        "questions": len(warm),
        "median_seconds": statistics.median(warm),
        "mean_seconds": statistics.fmean(warm),
        "p95_seconds": float(np.quantile(warm, 0.95)),
        "hit@1": statistics.fmean(hits),
    }


def _timed(work: Callable[[], Any]) -> tuple[Any, float]:
    began = time.perf_counter()
    result = work()
    return result, time.perf_counter() - began


@contextmanager
def _cache_in(folder: str) -> Iterator[None]:
    """Have caches kept in `folder`, which is empty, for a while."""
    before = os.environ.get("CAUSEWAY_HOME")
    os.environ["CAUSEWAY_HOME"] = folder
    try:
        yield
    finally:
        if before is None:
            del os.environ["CAUSEWAY_HOME"]
        else:
            os.environ["CAUSEWAY_HOME"] = before
