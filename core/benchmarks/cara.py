"""Seconds a question for offline CARA with three agents, beside bm25 and dense in the same run.

Every method answers the same questions, one at a time, warm: indexes and encoders are loaded and one
question has been asked. Questions are new, but encoders keep the words they have met, as they do in use.
Not here: how right the answers are over a whole set (`evaluate`); Hit@1 is given so that speed is not
bought with it.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from core.benchmarks.asking import ask_all, source_of, timed
from core.evaluation.questions import choose, load_questions
from core.retriever import OnProgress

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
    open_graph, question_file = source_of(graph_path, questions, sample)
    report("opening the graph", None)
    with tempfile.TemporaryDirectory() as folder, _cache_in(folder):
        loaded, cold = timed(open_graph)
        again = timed(open_graph)[1]
    asked = choose(load_questions(question_file, loaded.graph, strict=False).questions, n + 1)
    sides = {}
    for name in METHODS:
        retriever = build(name, loaded.graph)
        prepare = timed(partial(retriever.prepare, on_progress))[1]
        sides[name] = {**ask_all(retriever, asked, name, report), "prepare_seconds": prepare}
    ours = {"nodes": len(loaded.graph), "open_seconds": cold, "open_again_seconds": again, **sides.pop(METHODS[0])}
    return {
        "bench": "cara",
        "graph": loaded.graph.name,
        "ours": ours,
        "peers": sides,
        "ratio": {name: side["median_seconds"] / ours["median_seconds"] for name, side in sides.items()},
    }


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
