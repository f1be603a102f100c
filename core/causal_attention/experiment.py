"""Every query of a judged collection, ranked in every mode and scored: for evaluate-ir, the gate and stuffing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from core.causal_attention.index import CausalIndex, Reading
from core.causal_attention.ir_metrics import METRICS, IrScores, ir_scores
from core.causal_attention.neural import CrossEncoder, NeuralScorer, max_sim
from core.causal_attention.rerank import (
    OFFLINE_MODES,
    RERANKERS,
    Given,
    Reranker,
    Settings,
    Statistics,
    Window,
    positions,
    statistics,
)
from core.causal_attention.scores import Floats
from core.causal_attention.steps import CarConfig, Mode
from core.errors import ConfigError, InputError, StoppedError
from core.retriever import OnProgress, ShouldStop

MODES: tuple[Mode, ...] = (*OFFLINE_MODES, "maxsim", "cross-encoder")


@dataclass(frozen=True)
class Experiment:
    """The metrics of each query in each mode, in the order of `queries`; and each query's three statistics."""

    queries: tuple[str, ...]
    scores: dict[Mode, tuple[IrScores, ...]]
    statistics: tuple[Statistics, ...]

    def values(self, mode: Mode, metric: str = "ndcg@10") -> Floats:
        """(n,) of one metric in one mode."""
        return np.array([getattr(score, METRICS[metric]) for score in self.scores[mode]], np.float64)

    def means(self) -> dict[Mode, dict[str, float]]:
        """The mean of each metric in each mode."""
        return {mode: {name: float(self.values(mode, name).mean()) for name in METRICS} for mode in self.scores}


def run_experiment(
    index: CausalIndex,
    queries: Mapping[str, str],
    qrels: Mapping[str, Mapping[str, int]],
    modes: Sequence[Mode] = OFFLINE_MODES,
    config: CarConfig | None = None,
    *,
    cross_encoder: Path | None = None,
    readings: Mapping[str, Reading] | None = None,
    on_progress: OnProgress | None = None,
    should_stop: ShouldStop | None = None,
) -> Experiment:
    """Rank every judged query, in order of its id, in every mode. InputError when no query is judged.

    A query counts when some document is judged relevant to it. `readings` of queries are used when given, else made.
    StoppedError when `should_stop()` turns true.
    """
    config = config or CarConfig()
    report, stop = on_progress or (lambda message, share: None), should_stop or (lambda: False)
    judged = judged_queries(queries, qrels)
    neural = [_scorer(mode, cross_encoder) for mode in modes if mode in ("maxsim", "cross-encoder")]
    if readings is None:
        readings = read_queries(index, {q: queries[q] for q in judged}, config.query_keywords, report)
    settings = settings_of(index, config)
    scores: dict[Mode, list[IrScores]] = {mode: [] for mode in modes}
    measured = []
    for n, query in enumerate(judged):
        if stop():
            raise StoppedError("the evaluation was stopped", hint="Nothing was scored.")
        report("Ranking", n / len(judged))
        window = query_window(index, readings[query], settings, config)
        given = {
            scorer.name: Given(
                scorer.name, dict(zip(window.ids, _neural(scorer, index, readings[query], window), strict=True))
            )
            for scorer in neural
        }
        for mode in modes:
            reranker: Reranker = given[mode] if mode in ("maxsim", "cross-encoder") else RERANKERS[mode]
            ranked = [window.ids[i] for i in positions(reranker, window)]
            scores[mode].append(ir_scores(ranked, qrels[query]))
        measured.append(statistics(window))
    return Experiment(tuple(judged), {mode: tuple(own) for mode, own in scores.items()}, tuple(measured))


def judged_queries(queries: Mapping[str, str], qrels: Mapping[str, Mapping[str, int]]) -> list[str]:
    """Ids of the queries that some document is relevant to, sorted. InputError when there is none."""
    judged = sorted(q for q in qrels if q in queries and any(grade > 0 for grade in qrels[q].values()))
    if not judged:
        raise InputError("no query has a relevant document", hint="Judgements stand in qrels/*.tsv.")
    return judged


def read_queries(
    index: CausalIndex, queries: Mapping[str, str], k: int, on_progress: OnProgress | None = None
) -> dict[str, Reading]:
    """Every query as it is compared, encoded in one go."""
    from core.text.keywords import terms

    index.encoder.encode(list(queries.values()), on_progress)
    index.encoder.encode(sorted({term for text in queries.values() for term in terms(text)}), on_progress)
    return {id_: index.read(text, k) for id_, text in queries.items()}


def settings_of(index: CausalIndex, config: CarConfig) -> Settings:
    """The settings of a ranking, with the encoder's own tau where none is given."""
    tau = index.tau_auto if config.tau is None else config.tau
    return Settings(tau, config.keywords, config.weight, config.shared_weight)


def query_window(index: CausalIndex, reading: Reading, settings: Settings, config: CarConfig) -> Window:
    """S1 of a query, without words."""
    pool = index.pool(reading, config.window, config.keywords, named=False)
    size = pool.size(config.window, config.theta)
    return Window(pool.ids[:size], pool.similarity[:size], pool.facts.take(size), settings)


def _scorer(mode: Mode, cross_encoder: Path | None) -> NeuralScorer:
    if mode == "maxsim":
        return max_sim()
    if cross_encoder is None:
        raise ConfigError("cross-encoder needs a folder", where="--cross-encoder", hint="maxsim needs none.")
    return CrossEncoder(cross_encoder)


def _neural(scorer: NeuralScorer, index: CausalIndex, reading: Reading, window: Window) -> list[float]:
    return scorer.score(reading.text, [index.documents[index.row_of(id_)].content for id_ in window.ids])
