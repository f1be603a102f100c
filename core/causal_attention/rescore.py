"""Rankings from what a trace keeps (X-2): the same code ranks a fresh run, so both agree to the last digit.

No encoder and no model is called. What other settings cannot change (the query's keywords, the pool, a neural
reranker's scores) stays as it was made.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

import numpy as np

from core.causal_attention.evidence import facts_of
from core.causal_attention.rerank import (
    LABELS,
    OFFLINE_MODES,
    RERANKERS,
    Baseline,
    Given,
    Reranker,
    Settings,
    Window,
    places,
)
from core.causal_attention.scores import Centroids, Facts, Floats, causal
from core.causal_attention.steps import (
    AnswerStep,
    CarConfig,
    EvidenceStep,
    GateStep,
    Mode,
    NeuralStep,
    Placed,
    RankingStep,
    ReadQuery,
    Retrieved,
    Similar,
    Split,
    SplitStep,
)
from core.errors import ConfigError, TraceError
from core.settings import checked_settings
from core.trace import NodeRef, Ranked, Step, Trace

NOTICE = "What-if: ranked again from the stored values of this run; no encoder and no model was asked."
S = TypeVar("S", bound=Step)


def rescore(trace: Trace, **changes: Any) -> Trace:
    """The trace with other settings: tau, keywords, window, theta, weight, shared_weight or mode.

    Exactly what a fresh run with them gives. ConfigError for a setting that is out of range, or beyond what was
    kept (window <= pool, keywords <= kept); TraceError for a trace without the steps it needs.
    """
    free = {"tau", "keywords", "window", "theta", "weight", "shared_weight", "mode"}
    fixed = sorted(set(changes) - free)
    if fixed:
        raise ConfigError(f"{fixed[0]} needs a new run", where=fixed[0], hint=f"Free: {', '.join(sorted(free))}.")
    config = checked({**trace.config, **changes})
    read, retrieved = one(trace.steps, ReadQuery), one(trace.steps, Retrieved)
    evidence = one(trace.steps, EvidenceStep)
    tau = read.tau_auto if config.tau is None else config.tau
    candidates = retrieved.candidates
    made = rankings(
        candidates,
        facts_of(evidence.documents),
        [document.terms for document in evidence.documents],
        config,
        tau,
        [s for s in trace.steps if isinstance(s, NeuralStep)],
        next((s for s in trace.steps if isinstance(s, GateStep)), None),
    )
    ranked = ranked_of(made, candidates, config.mode)
    same = [r.id for r in ranked] == [r.id for r in trace.ranked]
    steps: list[Step] = []
    for step in trace.steps:
        if isinstance(step, ReadQuery):
            steps.append(step.model_copy(update={"tau": tau}))
        elif isinstance(step, Retrieved):
            steps.append(step.model_copy(update={"window": config.window, "theta": config.theta}))
        elif not isinstance(step, (SplitStep, RankingStep)) and (same or not isinstance(step, AnswerStep)):
            steps.append(step)
    place = next((i for i, s in enumerate(steps) if isinstance(s, AnswerStep)), len(steps))
    steps[place:place] = [s.model_copy(update={"decided_by": read.decided_by}) for s in made]
    steps = [s.model_copy(update={"index": i}) for i, s in enumerate(steps, 1)]
    notices = trace.notices if NOTICE in trace.notices else (*trace.notices, NOTICE)
    update: dict[str, Any] = {
        "config": config.model_dump(),
        "steps": tuple(steps),
        "ranked": ranked,
        "notices": notices,
    }
    if not same:
        update["answer"] = None  # it was written from other documents
    return trace.model_copy(update=update)


def checked(config: dict[str, Any]) -> CarConfig:
    """The settings as a whole. ConfigError names the one that is wrong."""
    settings = checked_settings(CarConfig, config)
    for name, limit in (("window", "pool"), ("keywords", "kept")):
        if getattr(settings, name) > getattr(settings, limit):
            what = f"{name} ({getattr(settings, name)}) is beyond what is kept ({limit}: {getattr(settings, limit)})"
            raise ConfigError(what, where=name, hint=f"Choose a smaller {name}, or run again with a larger {limit}.")
    return settings


def rankings(
    candidates: Sequence[Similar],
    facts: Facts,
    terms: Sequence[Sequence[str]],
    config: CarConfig,
    tau: float,
    neural: Iterable[NeuralStep] = (),
    gate: GateStep | None = None,
) -> list[SplitStep | RankingStep]:
    """Both splits of S1, and every ranking of the pool that can be made, as steps that are not yet numbered."""
    size = sum(c.score >= config.theta for c in candidates[: config.window])
    window = window_of(candidates[:size], facts.take(size), config, tau)
    beyond = [c.document.id for c in candidates[size:]]
    steps: list[SplitStep | RankingStep] = [
        _split_step(window, window.exact, terms, "exact", config.keywords),
        _split_step(window, window.semantic, terms, "semantic", config.keywords),
    ]
    rerankers: list[Reranker] = [RERANKERS[mode] for mode in OFFLINE_MODES]
    rerankers += [Given(step.name, step.scores) for step in neural]
    for reranker in rerankers:
        steps.append(_ranking(reranker.mode, LABELS[reranker.mode], places(reranker, window, beyond)))
    if gate is not None:
        inner: Reranker = RERANKERS[gate.mode] if gate.enable else Baseline()
        steps.append(_ranking("gated", f"gate: {LABELS[inner.mode]}", places(inner, window, beyond)))
    return steps


def window_of(candidates: Sequence[Similar], facts: Facts, config: CarConfig, tau: float) -> Window:
    """S1 ready to be ranked."""
    similarity = np_floats([c.score for c in candidates])
    settings = Settings(tau, config.keywords, config.weight, config.shared_weight)
    return Window([c.document.id for c in candidates], similarity, facts, settings)


def np_floats(values: Sequence[float]) -> Floats:
    """(n,) of float64."""
    return np.array(values, np.float64)


def ranked_of(steps: Iterable[Step], candidates: Sequence[Similar], mode: Mode) -> tuple[Ranked, ...]:
    """The result of a trace: one of its rankings. A score is s_sim beyond S1, and -1 where B was absorbed.

    ConfigError when there is no such ranking. `ranks` hold the place by similarity under 0.
    """
    found = next((s for s in steps if isinstance(s, RankingStep) and s.mode == mode), None)
    if found is None:
        raise ConfigError(f"there is no ranking {mode!r} in this run", where="mode", hint="Run again with it.")
    by_id = {c.document.id: c for c in candidates}
    size = sum(1 for s in steps if isinstance(s, SplitStep) for _ in s.documents) // 2
    return tuple(_ranked(place, by_id[place.id], place.rank <= size) for place in found.places)


def _ranked(place: Placed, candidate: Similar, inside: bool) -> Ranked:
    score = place.score if place.score is not None else (-1.0 if inside else candidate.score)
    node: NodeRef = candidate.document
    return Ranked(id=node.id, name=node.name, type=node.type, score=score, ranks={0: candidate.rank})


def _split_step(
    window: Window, centroids: Centroids, terms: Sequence[Sequence[str]], how: Any, keywords: int
) -> SplitStep:
    scores = causal(centroids, window.similarity)
    documents = []
    for i, id_ in enumerate(window.ids):
        shared, rest = (
            tuple(term for term, inside in zip(terms[i], side[i], strict=False) if inside)
            for side in (centroids.shared, centroids.rest)
        )
        score = float(scores[i])
        documents.append(
            Split(
                id=id_,
                shared=shared,
                rest=rest,
                score=None if score != score else round(score, 6),
                absorbed=round(float(centroids.absorbed[i]), 6),
                empty=centroids.empty[i],
            )
        )
    tau = window.settings.tau if how == "semantic" else 1.0
    return SplitStep(how=how, tau=tau, keywords=keywords, documents=tuple(documents))


def _ranking(mode: Mode, label: str, placed: tuple[Placed, ...]) -> RankingStep:
    return RankingStep(mode=mode, label=label, places=placed)


def one(steps: Iterable[Step], kind: type[S]) -> S:
    """The one step of that type. TraceError when there is none."""
    for step in steps:
        if isinstance(step, kind):
            return step
    tag = kind.model_fields["kind"].default
    raise TraceError(f"the trace has no step {tag}", hint="Only a finished causal-attention run can be ranked again.")
