"""The two equations that turn the causal module's judgments into one score. Nothing else.

Source: CARA, equations 3 and 4 (here CARA-4).
"""

from __future__ import annotations

from collections.abc import Iterable

from core.cara.steps import Assessment


def causal_relevance(consequentiality: float, essentiality: float, lambda_: float) -> float:
    """cau = lambda * c + (1 - lambda) * e, in [0, 1] (CARA, equation 3)."""
    return lambda_ * consequentiality + (1.0 - lambda_) * essentiality


def candidate_score(causal: float, path_consistency: float, alpha: float) -> float:
    """s = alpha * cau + (1 - alpha) * p, in [0, 1] (CARA, equation 4)."""
    return alpha * causal + (1.0 - alpha) * path_consistency


def scored(assessments: Iterable[Assessment], lambda_: float, alpha: float) -> tuple[Assessment, ...]:
    """The assessments with `causal` and `score` for these weights, best first; ties keep the order they came in."""
    rows = []
    for a in assessments:
        causal = causal_relevance(a.consequentiality, a.essentiality, lambda_)
        score = candidate_score(causal, a.path_consistency, alpha)
        # model_construct: the parts are validated already, and this runs for every candidate of every hop.
        rows.append(
            Assessment.model_construct(
                id=a.id,
                consequentiality=a.consequentiality,
                essentiality=a.essentiality,
                path_consistency=a.path_consistency,
                causal=causal,
                score=score,
                rationale=a.rationale,
                terms=a.terms,
                explains=a.explains,
            )
        )
    rows.sort(key=lambda a: -round(a.score, 9))  # sums of the same parts in another order differ in the last bits
    return tuple(rows)
