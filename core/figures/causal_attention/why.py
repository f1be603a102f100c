"""Why a document has its score: CAR-3 to CAR-5 written out with its numbers, and word by word.

The equations are those of `core.causal_attention.scores`. Not here: the words around them (ranking.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from core.causal_attention.evidence import facts_of
from core.causal_attention.rescore import one
from core.causal_attention.scores import min_max
from core.causal_attention.steps import EvidenceStep
from core.figures.causal_attention.ranking import Line, Ranking, signed
from core.figures.explain import Equation
from core.trace import Trace

TERMS = 3  # of the sum that are written out; the rest is one number


@dataclass(frozen=True, slots=True)
class Word:
    """A keyword of a document. side: "A" shared with the query, "B" the document's own.

    weight: lambda_t, share: of the document's keyword weight. nearest, nearest_cosine: the query keyword that is
    nearest to it. query_cosine: E(q) . E(t). part: what it adds to s_c, 0 in A; the parts of B sum to s_c.
    """

    term: str
    side: str
    weight: float
    share: float
    exact: bool
    nearest: str
    nearest_cosine: float
    query_cosine: float
    part: float

    @property
    def reason(self) -> str:
        """Why it is on its side, in a few words: the query keyword nearest to it, and their cosine."""
        if self.exact:
            return "the query's own word"
        return f"{signed(self.nearest_cosine)} to {self.nearest}" if self.nearest else "the query has no keyword"


@dataclass(frozen=True, slots=True)
class Why:
    """The words of one document, heaviest first, and its equations, the score last."""

    words: tuple[Word, ...]
    equations: tuple[Equation, ...]


def why_rank(trace: Trace, ranking: Ranking, id_: str) -> Why:
    """The explanation of one candidate. Beyond S1 there is its similarity alone; empty for an unknown id."""
    line = ranking.line(id_)
    if line is None:
        return Why((), ())
    similarity = Equation("Similarity", f"s_sim = cos(E(q), E(d)) = {signed(line.similarity)}", line.similarity)
    if not line.inside:
        return Why((), (similarity,))
    words, norm = _words(trace, ranking, line)
    lines = [similarity]
    score = line.scores[ranking.mode]
    if not ranking.splits:
        if ranking.decider != "baseline" and score is not None:
            lines.append(Equation("Score", f"score of the reranker = {signed(score)}", score))
        return Why(words, tuple(lines))
    if words:
        lines.append(_absorbed(words))
    lines.append(_causal(words, norm, line, ranking))
    if ranking.decider == "hybrid":
        lines += _hybrid(line, ranking)
    return Why(words, tuple(lines))


def _words(trace: Trace, ranking: Ranking, line: Line) -> tuple[tuple[Word, ...], float]:
    """The k best keywords of a document, and the length of the weighted sum of those in B."""
    own = next((d for d in one(trace.steps, EvidenceStep).documents if d.id == line.id), None)
    if own is None:
        return (), 0.0
    k = min(ranking.config.keywords, len(own.terms))
    shared = set(line.shared)
    weights = np.array([0.0 if term in shared else w for term, w in zip(own.terms[:k], own.weights[:k], strict=True)])
    gram = facts_of([own]).gram[0][:k, :k]
    square = float(weights @ gram @ weights) if k else 0.0
    norm = sqrt(square) if square > 0 else 0.0
    total = sum(own.weights[:k])
    return tuple(
        Word(
            term=own.terms[i],
            side="A" if own.terms[i] in shared else "B",
            weight=own.weights[i],
            share=own.weights[i] / total if total else 0.0,
            exact=own.exact[i],
            nearest=own.nearest[i],
            nearest_cosine=own.nearest_cosine[i],
            query_cosine=own.query_cosine[i],
            part=float(weights[i]) * own.query_cosine[i] / norm if norm else 0.0,
        )
        for i in range(k)
    ), norm


def _absorbed(words: tuple[Word, ...]) -> Equation:
    inside, total = sum(w.weight for w in words if w.side == "A"), sum(w.weight for w in words)
    share = inside / total if total else 0.0
    return Equation("Absorbed in A", f"a = Σ_A λ / (Σ_A λ + Σ_B λ) = {inside:.2f} / {total:.2f} = {share:.2f}", share)


def _causal(words: tuple[Word, ...], norm: float, line: Line, ranking: Ranking) -> Equation:
    """s_c with the terms of its sum that weigh most (CAR-4)."""
    if line.empty == "all absorbed" and ranking.decider != "fallback":
        return Equation("Causal attention", "s_c = none: B is empty, so it sorts last", 0.0)
    if line.empty:
        value = line.similarity
        return Equation("Causal attention", f"s_c = none: B says nothing, so s_sim stands in = {signed(value)}", value)
    rest = sorted((w for w in words if w.side == "B"), key=lambda w: -abs(w.weight * w.query_cosine))
    parts = [f"{w.weight:.2f} × {_apart(w.query_cosine)}" for w in rest[:TERMS]]
    others = sum(w.weight * w.query_cosine for w in rest[TERMS:])
    if len(rest) > TERMS:
        parts.append(f"{_apart(others)} from {len(rest) - TERMS} more")
    value = line.causal or 0.0
    general = "Σ_B λ E(q)·E(t) / |Σ_B λ E(t)|"
    return Equation(
        "Causal attention", f"s_c = {general} = ({' + '.join(parts)}) / {norm:.2f} = {signed(value)}", value
    )


def _hybrid(line: Line, ranking: Ranking) -> list[Equation]:
    """The two scores brought to 0 to 1 over S1, and their weighted sum (CAR-5)."""
    inside = [other for other in ranking.lines if other.inside]
    place = [other.id for other in inside].index(line.id)
    similarity = np.array([other.similarity for other in inside])
    causal = np.array([np.nan if other.causal is None else other.causal for other in inside])
    weight, extra = ranking.config.weight, ranking.config.shared_weight
    lines = []
    scaled = []
    for name, label, values in (("s_sim", "Similarity, 0 to 1", similarity), ("s_c", "Causal, 0 to 1", causal)):
        own = float(min_max(values)[place])
        known = values[~np.isnan(values)]
        low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 0.0)
        mine = low if np.isnan(values[place]) else float(values[place])
        sum_ = f"({signed(mine)} − {_apart(low)}) / ({signed(high)} − {_apart(low)})"
        lines.append(Equation(label, f"m({name}) = ({name} − min) / (max − min) = {sum_} = {own:.2f}", own))
        scaled.append(own)
    score = line.scores["hybrid"] or 0.0
    general, numbers = (
        "w·m(s_sim) + (1 − w)·m(s_c)",
        f"{weight:.2f} × {scaled[0]:.2f} + {1 - weight:.2f} × {scaled[1]:.2f}",
    )
    if extra:
        size = float(min_max(np.array([float(len(other.shared)) for other in inside]))[place])
        general, numbers = f"{general} + a·m(|A|)", f"{numbers} + {_apart(extra)} × {size:.2f}"
    return [*lines, Equation("Score", f"s = {general} = {numbers} = {signed(score)}", score)]


def _apart(value: float) -> str:
    """A number that stands behind a sign: in brackets where it has one of its own."""
    text = signed(value)
    return f"({text})" if text.startswith("−") else text
