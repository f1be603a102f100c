"""What the benchmarks of questions have in common: where graph and questions come from, and how they are asked."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from core.errors import ConfigError, QuestionError
from core.evaluation.metrics import gold_ranks, hit_at
from core.evaluation.questions import Question
from core.graph.report import LoadedGraph
from core.retriever import OnProgress, Retriever


def source_of(
    graph_path: Path | str | None, questions: Path | str | None, sample: str | None
) -> tuple[Callable[[], LoadedGraph], Path]:
    """How to open the graph, and its file of questions: a path with its file, or a sample (the first by default)."""
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


def ask_all(retriever: Retriever, asked: Sequence[Question], name: str, report: OnProgress) -> dict[str, Any]:
    """Seconds a question and Hit@1. The first question warms up, unless it is the only one.

    QuestionError where there is none.
    """
    if not asked:
        raise QuestionError("no question of the file has an answer in the graph", hint="Choose the graph's own file.")
    times, hits = [], []
    for place, question in enumerate(asked):
        report(f"{name}: question {place + 1} of {len(asked)}", place / len(asked))
        trace, seconds = timed(partial(retriever.run, question.text))
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


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """What the work returned, and the seconds it took."""
    began = time.perf_counter()
    result = work()
    return result, time.perf_counter() - began
