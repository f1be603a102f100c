"""Why a number is what it is: the equation with this item's numbers put in, and the words it came from.

Equations are those of `core.cara.scores` and `core.cara.fusion` (CARA-4, CARA-7), written out. Highlights are
segments of plain text; whoever draws them escapes them. Not here: the numbers' making.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from core.cara.fusion import RRF_CONSTANT, Fused
from core.cara.steps import Assessment, AssessStep, Candidate, NeighborsStep, ReadQuestion
from core.figures.words import agent_name, named, relation_words
from core.trace import Trace

# Templates, so that a replay file fills in the same words in the browser. Names are those of `numbers`.
CAUSAL = "cau = λ·c + (1 − λ)·e = {lambda} × {c} + {rest_lambda} × {e} = {cau}"
SCORE = "s = α·cau + (1 − α)·p = {alpha} × {cau} + {rest_alpha} × {p} = {s}"
MEANINGS = {
    "Consequentiality": "does adding it change the evidence?",
    "Essentiality": "would leaving it out lose something the walk cannot replace?",
    "Causal relevance": "the two above, weighed by λ",
    "Path consistency": "is the step to it a coherent next link?",
    "Score": "causal relevance and path consistency, weighed by α",
    "Text match": "BM25 of the subquery and its text: why Neighbors returned it",
}


class Equation(NamedTuple):
    """One line of an explanation: what it is called, the equation with its numbers, and the result."""

    label: str
    text: str
    value: float


class Segment(NamedTuple):
    """A stretch of text and what it is marked as: a span's role, "match", or "" for nothing."""

    text: str
    mark: str = ""


def numbers(a: Assessment, lambda_: float, alpha: float) -> dict[str, str]:
    """The numbers of an assessment as the templates name them, two decimals each."""
    values = {
        "lambda": lambda_,
        "rest_lambda": 1.0 - lambda_,
        "alpha": alpha,
        "rest_alpha": 1.0 - alpha,
        "c": a.consequentiality,
        "e": a.essentiality,
        "p": a.path_consistency,
        "cau": a.causal,
        "s": a.score,
    }
    return {name: f"{value:.2f}" for name, value in values.items()}


def assessment_of(assess: AssessStep | None, node_id: str) -> Assessment | None:
    """What the causal module said of the node in that step."""
    return next((a for a in assess.assessments if a.id == node_id), None) if assess is not None else None


def candidate_of(neighbors: NeighborsStep | None, node_id: str) -> Candidate | None:
    """The node as that hop's candidate."""
    return next((c for c in neighbors.candidates if c.node.id == node_id), None) if neighbors is not None else None


def why_score(assess: AssessStep | None, neighbors: NeighborsStep | None, node_id: str) -> list[Equation]:
    """The score of one candidate, line by line (CARA-4). Empty when neither step knows the node."""
    lines: list[Equation] = []
    candidate, a = candidate_of(neighbors, node_id), assessment_of(assess, node_id)
    if candidate is not None:
        lines.append(Equation("Text match", f"BM25 = {candidate.bm25:.2f}", candidate.bm25))
    if a is None or assess is None:
        return lines
    return [*lines, *why_assessed(a, assess.lambda_, assess.alpha)]


def why_assessed(a: Assessment, lambda_: float, alpha: float) -> list[Equation]:
    """The score of an assessment with these weights, line by line (CARA-4)."""
    put = numbers(a, lambda_, alpha)
    return [
        Equation("Consequentiality", f"c = {put['c']}", a.consequentiality),
        Equation("Essentiality", f"e = {put['e']}", a.essentiality),
        Equation("Causal relevance", CAUSAL.format(**put), a.causal),
        Equation("Path consistency", f"p = {put['p']}", a.path_consistency),
        Equation("Score", SCORE.format(**put), a.score),
    ]


def why_terms(a: Assessment) -> list[Equation]:
    """The named parts that the offline assessor computed c, e and p from; empty for a model."""
    return [Equation(name, f"{name} = {value:.2f}", value) for name, value in a.terms.items()]


def why_fused(fused: Fused, constant: float = RRF_CONSTANT) -> Equation:
    """The fused score of one node, agent by agent (CARA-7)."""
    parts = [f"1/({constant:g} + {rank})" for _, rank in sorted(fused.ranks.items())]
    agents = ", ".join(f"{agent_name(agent)} rank {rank}" for agent, rank in sorted(fused.ranks.items()))
    total = sum(1.0 / (constant + rank) for rank in fused.ranks.values())
    return Equation(f"RRF over {agents}", f"RRF = {' + '.join(parts)} = {total:.4f}", total)


def link_sentences(neighbors: NeighborsStep, candidate: Candidate) -> list[str]:
    """How the candidate hangs on the node, each link in the direction the data state it."""
    here, there = named(neighbors.node.name), named(candidate.node.name)
    return [
        f"{here} → {relation_words(link.type)} → {there}"
        if link.direction == "out"
        else f"{there} → {relation_words(link.type)} → {here}"
        for link in candidate.links
    ]


def path_sentence(neighbors: NeighborsStep) -> str:
    """The walk from the anchor to the node stood on."""
    parts = [named(neighbors.anchor.name)]
    for hop in neighbors.path:
        words = relation_words(hop.link.type)
        parts.append(f"→ {words} →" if hop.link.direction == "out" else f"← {words} ←")
        parts.append(named(hop.node.name))
    return " ".join(parts)


def reading_of(trace: Trace, agent: int) -> ReadQuestion | None:
    """How the agent read the question."""
    return next((s for s in trace.steps_of(agent) if isinstance(s, ReadQuestion)), None)


def question_segments(question: str, reading: ReadQuestion | None, explains: Iterable[str] = ()) -> list[Segment]:
    """The question, its spans marked by role; those that a candidate explains are marked "explained"."""
    met = {e.casefold() for e in explains}
    segments: list[Segment] = []
    at = 0
    for span in sorted(reading.spans if reading is not None else (), key=lambda s: (s.start, -s.end)):
        if not at <= span.start < span.end <= len(question) or question[span.start : span.end] != span.text:
            continue  # a span inside another one, or of another text
        if span.start > at:
            segments.append(Segment(question[at : span.start]))
        mark = "explained" if span.text.casefold() in met else span.role
        segments.append(Segment(question[span.start : span.end], mark))
        at = span.end
    return [*segments, Segment(question[at:])] if at < len(question) else segments


def key_phrases(neighbors: NeighborsStep, a: Assessment | None, reading: ReadQuestion | None = None) -> list[str]:
    """The words to look for in a candidate's text: what it explains, the question's needs, the subquery's words."""
    phrases = [*(a.explains if a is not None else ())]
    phrases += [s.text for s in reading.spans if s.role != "cue"] if reading is not None else []
    phrases += [w for w in re.findall(r"\w+", neighbors.subquery) if len(w) > 3]
    phrases += [neighbors.node.name]
    return list(dict.fromkeys(p for p in phrases if p.strip()))


def highlight(text: str, phrases: Sequence[str]) -> list[Segment]:
    """`text` in segments, whole words equal to one of `phrases` marked "match"; the longest match wins."""
    wanted = sorted({p for p in phrases if p.strip()}, key=lambda p: (-len(p), p))[:200]
    if not wanted or not text:
        return [Segment(text)] if text else []
    pattern = re.compile(r"(?<!\w)(?:" + "|".join(map(re.escape, wanted)) + r")(?!\w)", re.IGNORECASE)
    segments: list[Segment] = []
    at = 0
    for match in pattern.finditer(text):
        if match.start() > at:
            segments.append(Segment(text[at : match.start()]))
        segments.append(Segment(match.group(), "match"))
        at = match.end()
    return [*segments, Segment(text[at:])] if at < len(text) else segments
