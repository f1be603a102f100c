"""One ranking of a trace, document by document: places before and after, and the reason of a shift in words.

Beside the trace's own numbers stands one that is ours: what a document's keywords would score if none were
absorbed. The difference is what taking the query's words away does. Not here: drawing, equations (why.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from core.causal_attention.evidence import facts_of
from core.causal_attention.rescore import one
from core.causal_attention.scores import Facts, centroid_scores, order
from core.causal_attention.steps import (
    CarConfig,
    DocumentEvidence,
    EmptyB,
    EvidenceStep,
    GateStep,
    Mode,
    Placed,
    RankingStep,
    ReadQuery,
    Retrieved,
    Split,
    SplitStep,
)
from core.errors import TraceError
from core.figures.words import count, listed, quoted
from core.trace import Trace

TITLES: dict[Mode, str] = {
    "baseline": "Similarity",
    "exact": "String match",
    "semantic": "Causal attention",
    "fallback": "With fallback",
    "hybrid": "Hybrid",
    "maxsim": "MaxSim",
    "cross-encoder": "Cross-encoder",
    "gated": "Gated",
}
MEANINGS: dict[Mode, str] = {
    "baseline": "The cosine of query and document.",
    "exact": "Only words equal to the query's are taken out; what is left is scored.",
    "semantic": "Words equal or near to the query's (cosine of τ or more) are taken out; what is left is scored.",
    "fallback": "As causal attention, but a document with nothing left keeps its similarity.",
    "hybrid": "Similarity and causal attention, weighed, each brought to 0 to 1 over the candidates.",
    "maxsim": "A neural reranker without training: MaxSim over MiniLM's token vectors, a stand-in for a cross-encoder.",
    "cross-encoder": "A trained neural reranker, which reads query and document together.",
    "gated": "The hybrid where the regime gate says that it helps on this corpus, else similarity.",
}
EMPTY: dict[EmptyB, str] = {
    "no keywords": "it has no keyword, only common words or signs: it keeps its similarity",
    "all absorbed": "every one of its keywords is the query's or near to it: nothing of its own is left to score",
    "unknown language": "the encoder does not know its words, so they say nothing: it keeps its similarity",
}
_EMPTY_SHORT: dict[EmptyB, str] = {
    "no keywords": "no keyword: keeps its similarity",
    "all absorbed": "all absorbed: nothing left to score",
    "unknown language": "words unknown to the encoder",
}
_NEURAL = ("maxsim", "cross-encoder")


@dataclass(frozen=True, slots=True)
class Line:
    """A candidate in one ranking. Places count from 1.

    places, scores: by ranking; inside: it is of S1, else it keeps its place. shared, rest: A and B. causal: s_c, None
    where nothing was left. absorbed: share of the keyword weight in A. whole: the centroid score of all its
    keywords, A with B [ours]. whole_place, causal_place: its places in S1 by these two.
    """

    id: str
    name: str
    similarity: float
    places: Mapping[Mode, int]
    scores: Mapping[Mode, float | None]
    inside: bool = False
    shared: tuple[str, ...] = ()
    rest: tuple[str, ...] = ()
    causal: float | None = None
    absorbed: float = 0.0
    empty: EmptyB = ""
    whole: float | None = None
    whole_place: int = 0
    causal_place: int = 0

    def shift(self, mode: Mode) -> int:
        """Places gained from similarity to that ranking; negative: lost."""
        return self.places["baseline"] - self.places[mode]


@dataclass(frozen=True, slots=True)
class Ranking:
    """The candidates by similarity, and the ranking that is looked at.

    modes: the rankings that the trace holds. size: |S1|. gate: what the gate said, where it was asked.
    decider: the ranking whose order `mode` shows: another one only for "gated".
    """

    question: str
    mode: Mode
    decider: Mode
    modes: tuple[Mode, ...]
    lines: tuple[Line, ...]
    size: int
    tau: float
    config: CarConfig
    query: tuple[str, ...]
    gate: GateStep | None = None

    def line(self, id_: str) -> Line | None:
        """The candidate of that id."""
        return next((line for line in self.lines if line.id == id_), None)

    @property
    def ordered(self) -> tuple[Line, ...]:
        """The candidates in order of the ranking."""
        return tuple(sorted(self.lines, key=lambda line: line.places[self.mode]))

    @property
    def inside(self) -> tuple[Line, ...]:
        """The candidates that were re-ranked, in order of the ranking."""
        return tuple(line for line in self.ordered if line.inside)

    @property
    def splits(self) -> bool:
        """Whether the order depends on A and B."""
        return self.decider not in (*_NEURAL, "baseline")


def ranking_of(trace: Trace, mode: Mode | None = None) -> Ranking | None:
    """What a trace says of its candidates under `mode` (its own when None, or when it has no such ranking).

    None for a trace that ended before it ranked.
    """
    try:
        read, retrieved = one(trace.steps, ReadQuery), one(trace.steps, Retrieved)
        evidence = one(trace.steps, EvidenceStep)
    except TraceError:
        return None
    made: dict[Mode, dict[str, Placed]] = {
        s.mode: {p.id: p for p in s.places} for s in trace.steps if isinstance(s, RankingStep)
    }
    if "baseline" not in made:
        return None
    config = CarConfig.model_validate(trace.config)
    wanted = mode or config.mode
    shown: Mode = wanted if wanted in made else config.mode if config.mode in made else "baseline"
    gate = next((s for s in trace.steps if isinstance(s, GateStep)), None)
    decider: Mode = shown
    if shown == "gated":
        decider = gate.mode if gate is not None and gate.enable else "baseline"
    split = split_of(trace, "exact" if decider == "exact" else "semantic")
    ids = [c.document.id for c in retrieved.candidates if c.document.id in split]
    whole, whole_places = _whole(evidence.documents, [c.score for c in retrieved.candidates], ids, config.keywords)
    by_causal: Mode = decider if decider in ("exact", "fallback") else "semantic"
    lines = []
    for candidate in retrieved.candidates:
        id_ = candidate.document.id
        own = split.get(id_)
        lines.append(
            Line(
                id=id_,
                name=candidate.document.name,
                similarity=candidate.score,
                places={m: placed[id_].rank for m, placed in made.items()},
                scores={m: placed[id_].score for m, placed in made.items()},
                inside=own is not None,
                shared=own.shared if own else (),
                rest=own.rest if own else (),
                causal=own.score if own else None,
                absorbed=own.absorbed if own else 0.0,
                empty=own.empty if own else "",
                whole=whole.get(id_),
                whole_place=whole_places.get(id_, 0),
                causal_place=made[by_causal][id_].rank if own and by_causal in made else 0,
            )
        )
    return Ranking(
        question=trace.question,
        mode=shown,
        decider=decider,
        modes=tuple(m for m in TITLES if m in made),
        lines=tuple(lines),
        size=len(ids),
        tau=read.tau,
        config=config,
        query=tuple(k.term for k in read.keywords),
        gate=gate,
    )


def split_of(trace: Trace, how: Literal["exact", "semantic"]) -> dict[str, Split]:
    """The divided documents of S1 by id."""
    step = next((s for s in trace.steps if isinstance(s, SplitStep) and s.how == how), None)
    return {d.id: d for d in step.documents} if step is not None else {}


def _whole(
    documents: Sequence[DocumentEvidence], similarity: Sequence[float], ids: Sequence[str], keywords: int
) -> tuple[dict[str, float], dict[str, int]]:
    """The centroid score of all keywords of each document of S1, and its place by it."""
    facts: Facts = facts_of(documents).take(len(ids))
    nothing = facts._replace(exact=np.zeros_like(facts.exact), nearest=np.full_like(facts.nearest, -1.0))
    scores = centroid_scores(nothing, keywords, None).score
    ranked = order(scores, np.array(similarity[: len(ids)], np.float64), ids)
    values = {id_: float(score) for id_, score in zip(ids, scores, strict=True) if score == score}
    return values, {ids[i]: place for place, i in enumerate(ranked, 1)}


def signed(value: float) -> str:
    """Two decimals, with a true minus sign, and no minus before nothing."""
    text = f"{abs(value):.2f}"
    return f"−{text}" if value < 0 and text != "0.00" else text


def moved(shift: int) -> str:
    """`rises 3 places`, `falls 1 place`, `stays`."""
    return f"{'rises' if shift > 0 else 'falls'} {count(abs(shift), 'place')}" if shift else "stays"


def note(line: Line, ranking: Ranking) -> str:
    """The reason of a shift in a few words, for a label."""
    if not line.inside:
        return "beyond the window"
    if ranking.decider in _NEURAL:
        score = line.scores[ranking.decider]
        return "not scored" if score is None else f"scored {signed(score)} by the reranker"
    if not ranking.splits:
        return f"similarity {signed(line.similarity)}"
    if line.empty:
        return _EMPTY_SHORT[line.empty]
    after = signed(line.causal or 0.0)
    if not line.shared or line.whole is None:
        return f"0% absorbed, {after}"
    return f"{line.absorbed:.0%} absorbed, {signed(line.whole)} → {after}"


def sentence(line: Line, ranking: Ranking) -> str:
    """Why a document stands where it stands, in two or three sentences."""
    here, there = line.places["baseline"], line.places[ranking.mode]
    shift = line.shift(ranking.mode)
    way = f"from {here} to {there}" if shift else f"at {there}"
    said = [f"{moved(shift).capitalize()}, {way}."]
    if not line.inside:
        said.append(f"It is beyond the {ranking.size} candidates that are ranked again, and keeps its place.")
        return " ".join(said)
    if ranking.decider in _NEURAL:
        score = line.scores[ranking.decider]
        said.append("The reranker reads query and document together; it knows no A and B.")
        said.append(f"It scored {signed(score)}." if score is not None else "It did not score this one.")
        return " ".join(said)
    if not ranking.splits:
        if ranking.mode == "gated":
            said.append("The gate is off for this corpus: similarity decides.")
        said.append(f"Its cosine with the query is {signed(line.similarity)}.")
        return " ".join(said)
    said += _because(line, ranking)
    if ranking.decider == "hybrid":
        weight = ranking.config.weight
        said.append(f"The hybrid gives similarity {weight:.0%} of the say and this {1 - weight:.0%}.")
    return " ".join(said)


def _because(line: Line, ranking: Ranking) -> list[str]:
    if line.empty:
        why = EMPTY[line.empty]
        if line.empty == "all absorbed" and ranking.decider == "fallback":
            why = "every one of its keywords is the query's or near to it; the fallback gives it its similarity"
        return [f"{why[0].upper()}{why[1:]}."]
    after = f"{signed(line.causal or 0.0)}, place {line.causal_place} of {ranking.size}"
    if not line.shared or line.whole is None:
        return [f"None of its keywords is the query's or near to it; they score {after}."]
    words = listed([quoted(term, 24) for term in line.shared], 3)
    near = "the query's own" if ranking.decider == "exact" else "the query's own or near to it"
    return [
        f"{line.absorbed:.0%} of its keyword weight is {near} ({words}).",
        f"With these words its keywords would score {signed(line.whole)}, place {line.whole_place} of {ranking.size}; "
        f"what is left without them scores {after}.",
    ]


def headline(ranking: Ranking, judged: Mapping[str, int] | None = None) -> list[str]:
    """What a stakeholder should take from the picture, a sentence each. judged: grades of documents, where known."""
    inside = ranking.inside
    if not inside:
        return ["No document is alike enough to be ranked: lower θ."]
    said = [_best(ranking, judged)] if judged and any(judged.get(line.id, 0) > 0 for line in inside) else []
    changed = [line for line in inside if line.shift(ranking.mode)]
    if not changed:
        said.append(f"No document changes its place: {_still(ranking)}.")
        return said
    rose = next((line for line in changed if line.shift(ranking.mode) > 0), None)  # the best placed of them
    fell = fallen(ranking)
    said += [f"{quoted(line.name)} {_short_way(line, ranking)}." for line in (rose, fell) if line is not None]
    return said


def fallen(ranking: Ranking) -> Line | None:
    """The document whose fall says most: many places, from high up; None when none fell."""
    fell = [line for line in ranking.inside if line.shift(ranking.mode) < 0]
    return min(fell, key=lambda line: line.shift(ranking.mode) / line.places["baseline"], default=None)


def _still(ranking: Ranking) -> str:
    if ranking.mode == "gated" and ranking.decider == "baseline":
        known = ranking.gate is not None and ranking.gate.known
        return "the regime gate is off for this corpus" if known else "the regime gate has no verdict for this corpus"
    if ranking.mode == "baseline":
        return "this is the ranking by similarity itself"
    if all(line.empty for line in ranking.inside):
        return "no candidate has a keyword of its own left to score"
    return "both rankings agree"


def _short_way(line: Line, ranking: Ranking) -> str:
    way = f"{moved(line.shift(ranking.mode))}, from {line.places['baseline']} to {line.places[ranking.mode]}"
    if not ranking.splits:
        return way
    if line.empty:
        return f"{way}: {EMPTY[line.empty]}"
    if line.shared and line.absorbed >= 0.005:
        only = "only " if line.shift(ranking.mode) > 0 and line.absorbed < 0.25 else ""
        return f"{way}: {only}{line.absorbed:.0%} of its keyword weight is the query's own words or near to them"
    return f"{way}: none of its keywords is the query's own"


def _best(ranking: Ranking, judged: Mapping[str, int]) -> str:
    """Where the best-judged document stands in both rankings."""
    best = max(judged.get(line.id, 0) for line in ranking.inside)
    line = min(
        (line for line in ranking.inside if judged.get(line.id, 0) == best), key=lambda line: line.places[ranking.mode]
    )
    here, there = line.places["baseline"], line.places[ranking.mode]
    if here == there:
        return f"The document that was judged to answer best, {quoted(line.name)}, stays at {there}."
    return f"The document that was judged to answer best, {quoted(line.name)}, goes from {here} to {there}."
