"""Probing a corpus for the regime gate (CAR-7): labelled queries are ranked in each mode, and the gate decides.

Not here: the decision itself and where it is kept (gate.py), where labels come from (qrels, labels.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from core.causal_attention.experiment import Experiment, run_experiment
from core.causal_attention.gate import GATED_MODES, Verdict, decide
from core.causal_attention.index import CausalIndex
from core.causal_attention.steps import CarConfig, Mode
from core.retriever import OnProgress, ShouldStop


class Probing(NamedTuple):
    """The gate's verdict and the experiment it rests on."""

    verdict: Verdict
    experiment: Experiment


def probe(
    index: CausalIndex,
    queries: Mapping[str, str],
    qrels: Mapping[str, Mapping[str, int]],
    config: CarConfig | None = None,
    *,
    seed: int = 0,
    labelled_by: str = "qrels",
    on_progress: OnProgress | None = None,
    should_stop: ShouldStop | None = None,
) -> Probing:
    """The verdict by nDCG@10 over every judged query. InputError when there is none; StoppedError."""
    modes: tuple[Mode, ...] = ("baseline", *GATED_MODES)
    result = run_experiment(index, queries, qrels, modes, config, on_progress=on_progress, should_stop=should_stop)
    n = len(result.statistics)
    verdict = decide(
        index.dataset.content_id,
        result.values("baseline"),
        {mode: result.values(mode) for mode in GATED_MODES},
        seed=seed,
        statistics={
            name: sum(getattr(s, name) for s in result.statistics) / n for name in ("overlap", "absorbed", "gap")
        },
        labelled_by=labelled_by,
    )
    return Probing(verdict, result)
