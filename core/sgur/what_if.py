"""Another temperature for a finished session, without a model (X-2).

Another beta is answered from the distances that a trace keeps, without the graph. Other settings need the engine:
`Session.what_if`. Not here: an answer's preview (`Session.preview`), and what would change the belief (topple.py).
"""

from __future__ import annotations

import numpy as np

from core.errors import ConfigError, TraceError
from core.sgur.belief import entropy_bits, exponent
from core.sgur.steps import BeliefStep
from core.trace import Ranked, Trace

NOTICE = "What-if: the belief under beta {:.3g}, from the stored distances; the questions are as made."


def rescore(trace: Trace, beta: float) -> Trace:
    """The trace with every belief under another temperature (SGUR-6). Places stay: a temperature changes no order.

    ConfigError for a beta that is not positive; TraceError for a trace without a belief.
    """
    if not beta > 0:
        raise ConfigError(f"beta must be above 0, not {beta:g}", where="beta")
    steps = tuple(
        reweighed(s, beta, bool(trace.config.get("literal"))) if isinstance(s, BeliefStep) else s for s in trace.steps
    )
    last = next((s for s in reversed(steps) if isinstance(s, BeliefStep)), None)
    if last is None:
        raise TraceError("this trace holds no belief, so there is nothing to re-score")
    ranked = tuple(
        Ranked(id=b.hypothesis.id, name=b.hypothesis.name, type=b.hypothesis.type, score=b.probability)
        for b in last.beliefs
    )
    return trace.model_copy(
        update={
            "steps": steps,
            "ranked": ranked,
            "config": {**trace.config, "beta": beta},
            "notices": (*trace.notices, NOTICE.format(beta)),
        }
    )


def reweighed(step: BeliefStep, beta: float, literal: bool = False) -> BeliefStep:
    """One belief under another temperature. What was kept in bands is weighed by its band's mean."""
    x = exponent(step.terms, beta, literal)
    distances = np.array([b.distance for b in step.beliefs] + [d for d, _ in step.rest])
    counts = np.array([1] * len(step.beliefs) + [n for _, n in step.rest], np.float64)
    powers = np.exp(-x * (distances - distances.min()))
    p = powers / (powers * counts).sum()
    shown = len(step.beliefs)
    some = p > 0
    entropy = float(-(counts[some] * p[some] * np.log2(p[some])).sum())
    return step.model_copy(
        update={
            "beta": beta,
            "exponent": x,
            "entropy_bits": max(entropy, 0.0) if len(step.rest) else entropy_bits(p),
            "beliefs": tuple(
                b.model_copy(update={"probability": float(q)}) for b, q in zip(step.beliefs, p[:shown], strict=True)
            ),
            "rest_probability": float((p * counts)[shown:].sum()),
        }
    )
