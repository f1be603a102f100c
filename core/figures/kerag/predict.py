"""Predict, then reveal: what will the answer be? Choices from the run itself, shuffled by the question.

Not here: what was guessed (the page's session).
"""

from __future__ import annotations

import random

from core.figures.kerag.parts import DONT_KNOW, Parts, in_words
from core.figures.words import cut
from core.kerag.values import parse_value

MOST = 6  # choices


def choices(parts: Parts, question: str) -> tuple[str, ...]:
    """The right answer among others of its kind, "I don't know" always among them; empty before there is an answer."""
    summary, found = parts.summary, parts.retrieved
    if summary is None:
        return ()
    right, rng = right_one(parts), random.Random(question)
    others: list[str] = [DONT_KNOW]
    value = summary.value.strip()
    if value.lower() in ("yes", "no"):
        others += ["yes", "no"]
    elif value.isdigit():
        n = int(value)
        others += [str(m) for m in (n - 2, n - 1, n + 1, n + 3) if m >= 0]
    elif found is not None:
        answers = {node.id for node in summary.answers}
        types = {node.type for node in summary.answers}
        alike = [n.name for n in found.nodes if n.id not in answers and (not types or n.type in types)]
        if value and parse_value(value) is not None:
            alike = [n.name for n in found.nodes if parse_value(n.name) is not None and n.name != value]
        alike = list(dict.fromkeys(cut(name, 80) for name in alike)) or [cut(n.name, 80) for n in found.nodes]
        others += rng.sample(alike, min(MOST - 2, len(alike)))
    offered = list(dict.fromkeys([right, *others]))[:MOST]
    rng.shuffle(offered)
    return tuple(offered)


def right_one(parts: Parts) -> str:
    """The choice that is the run's answer."""
    summary = parts.summary
    if summary is None or not summary.known:
        return DONT_KNOW
    return summary.value.strip() or cut(in_words(summary), 200)
