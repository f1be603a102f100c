"""Predict, then reveal: which candidate will the agent follow? The turns of that game, from a trace alone.

A turn is a hop whose list the agent drew on later. Its candidates are offered without scores, shuffled by a fixed
seed. Not here: what was guessed (the page's session), any drawing.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from core.cara.steps import AppendStep, AssessStep, Candidate, NeighborsStep
from core.figures.hops import assess_of
from core.figures.words import count, listed, named
from core.trace import Step, Trace

MOST = 10  # candidates offered in a turn


@dataclass(frozen=True, slots=True)
class Turn:
    """One hop to guess at. `until` is the index of the step that shows what was followed.

    offered: what the agent followed and the best others by BM25, shuffled. followed: ids of the nodes that it took from
    this list, in that order; `at_once` of them in the next step, the others on its later ways. Each is a right guess:
    which of two equals comes first is no question of insight. by_words: ids of the best by
    BM25, several where they are equal (often all, when no word of the subquery is in any).
    """

    hop: NeighborsStep
    judged: AssessStep | None
    until: int
    offered: tuple[Candidate, ...]
    followed: tuple[str, ...]
    at_once: int
    by_words: tuple[str, ...]

    def is_right(self, node: str) -> bool:
        return node in self.followed

    @property
    def by_words_right(self) -> float:
        """How often picking the best by BM25, one of equals by lot, would be right: in [0, 1]."""
        return sum(node in self.followed for node in self.by_words) / len(self.by_words)


def turns(trace: Trace, agent: int, *, most: int = MOST, seed: int = 0) -> tuple[Turn, ...]:
    """The turns of one agent in the order of its walk; hops without a choice, or that led nowhere, are none."""
    found = []
    steps = trace.steps_of(agent)
    for hop in steps:
        if not isinstance(hop, NeighborsStep) or len(hop.candidates) < 2:
            continue
        judged = assess_of(trace, hop)
        sources = {hop.index, judged.index if judged is not None else hop.index}
        taken = _taken(steps, sources, {c.node.id for c in hop.candidates})
        if not taken:
            continue
        followed = tuple(dict.fromkeys(node for _, nodes in taken for node in nodes))
        by_words = sorted(hop.candidates, key=lambda c: -c.bm25)  # stable: ties keep the graph's order
        first = [c for c in by_words if c.node.id in followed][:most]
        rest = [c for c in by_words if c.node.id not in followed][: max(0, most - len(first))]
        offered = sorted((*first, *rest), key=lambda c: c.node.id)
        random.Random(f"{seed} {agent} {hop.index}").shuffle(offered)
        until, first_nodes = taken[0]
        best = tuple(c.node.id for c in by_words if c.bm25 == by_words[0].bm25)
        found.append(Turn(hop, judged, until, tuple(offered), followed, len(first_nodes), best))
    return tuple(found)


def before(trace: Trace, turn: Turn) -> Trace:
    """The run as far as it may be shown while one guesses: up to the look, and nothing that came of it."""
    return _cut(trace, turn.hop.agent, turn.hop.index)


def after(trace: Trace, turn: Turn) -> Trace:
    """The run up to the step that shows what the agent followed."""
    return _cut(trace, turn.hop.agent, turn.until)


@dataclass(frozen=True, slots=True)
class Tally:
    """How many guesses were right, and how many picking by BM25 alone would have got."""

    of: int = 0
    right: int = 0
    words_right: float = 0.0

    def in_words(self) -> str:
        if not self.of:
            return "No guess yet."
        return f"{self.right} of {self.of} right; picking by BM25 alone would have got {round(self.words_right, 1):g}."


def tally(guesses: Iterable[tuple[bool, float]]) -> Tally:
    """Count guesses, each as (right, how often BM25 is)."""
    all_of_them = list(guesses)
    return Tally(len(all_of_them), sum(g for g, _ in all_of_them), sum(w for _, w in all_of_them))


def verdict(turn: Turn, guess: str) -> str:
    """What came of a guess, in two sentences."""
    names: Mapping[str, str] = {c.node.id: named(c.node.name) for c in turn.hop.candidates}
    scores = {a.id: a.score for a in turn.judged.assessments} if turn.judged is not None else {}

    def told(node: str) -> str:
        return f"{names[node]} (s = {scores[node]:.2f})" if node in scores else names[node]

    went = listed([told(i) for i in turn.followed[: turn.at_once]], 3)
    later = listed([told(i) for i in turn.followed[turn.at_once :]], 3)
    went += f", and later {later}" if later else ""
    yours = "Right." if turn.is_right(guess) else f"Not this time: you chose {told(guess)}."
    if len(turn.by_words) > 1:
        right = sum(node in turn.followed for node in turn.by_words)
        words = f"To BM25 {len(turn.by_words)} of them are equally good; {right} of these would have been right."
    elif turn.by_words_right:
        words = "Picking by BM25 alone would have been right too."
    else:
        words = f"Picking by BM25 alone would have chosen {told(turn.by_words[0])}."
    return f"{yours} The agent followed {went}. {words}"


def question(turn: Turn, number: int, of: int) -> str:
    """What is asked in a turn."""
    return (
        f"Hop {number} of {of}: the agent stands at {named(turn.hop.node.name)} and sees "
        f"{count(len(turn.hop.candidates), 'neighbour')}. Which one will it follow?"
    )


def _taken(steps: Iterable[Step], sources: set[int], known: set[str]) -> list[tuple[int, tuple[str, ...]]]:
    """The steps that drew on one of these lists, as (index, nodes taken from there), in order."""
    found = []
    for step in steps:
        nodes: tuple[str, ...] = ()
        if isinstance(step, NeighborsStep) and step.source in sources:
            nodes = (step.node.id,)
        elif isinstance(step, AppendStep):
            nodes = tuple(a.node.id for a in step.nodes if a.source in sources)
        if nodes := tuple(node for node in nodes if node in known):
            found.append((step.index, nodes))
    return found


def _cut(trace: Trace, agent: int, last: int) -> Trace:
    steps = tuple(s for s in trace.steps_of(agent) if s.index <= last)
    return trace.model_copy(update={"steps": steps, "ranked": (), "answer": None})
