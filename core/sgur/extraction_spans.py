"""Which runs of words of a message can stand for a label, or be compared with one by meaning, and which are left over.

Not here: labels' weights, vectors, and who wins where several would take the same words (`core.sgur.extraction`).
"""

from __future__ import annotations

from collections.abc import Container, Sequence

from core.sgur.extraction_words import Stretch, Word
from core.sgur.steps import Unmatched
from core.sgur.vocabulary import Label

SPREAD = 3  # words that may stand between those of a label
NOT_NEAR = "nothing known is near enough"
LONGEST = 9  # words of a stretch that are compared by meaning at once


def window(label: Label, words: Sequence[Word], roots: Sequence[str]) -> tuple[int, int] | None:
    """The shortest run of words that holds the label's roots, as far as they are there, and no more than `SPREAD`
    words beside them.
    """
    wanted = set(label.roots) & set(roots)
    best: tuple[int, int] | None = None
    last_at: dict[str, int] = {}
    for n, one in enumerate(roots):
        if one in wanted:
            last_at[one] = n
            if len(last_at) == len(wanted):
                first = min(last_at.values())
                if best is None or n - first < best[1] - best[0]:
                    best = first, n
    if best is None or best[1] - best[0] >= len(wanted) + SPREAD:
        return None
    inside = words[best[0] : best[1] + 1]
    joined = any(w.text in ("and", "or") for w in inside)  # two things, not one
    return best if any(w.telling for w in inside) and not joined else None


def turned(part: Stretch, window: tuple[int, int]) -> bool:
    """Whether the words stand for their opposite: "does not gain weight" is not "gain weight", nor denies it."""
    first, last = window
    if part.denied[first]:
        return False
    before = part.words[max(first - 2, 0) : first]
    return any(w.turns for w in before) and not any(w.turns for w in part.words[first : last + 1])


def said(message: str, words: Sequence[Word]) -> str:
    """The words as they stand; "does not walk" and "hardly walks" as what encoders understand best, "cannot walk"."""
    if words[0].turns and len(words) > 1:
        return f"cannot {message[words[1].start : words[-1].end]}"
    return message[words[0].start : words[-1].end]


def windows(words: Sequence[Word], taken: set[int]) -> list[tuple[int, int]]:
    """Runs of untaken words that begin and end with a telling one (or are all that is left of the stretch)."""
    found = []
    for first, word in enumerate(words):
        if first in taken or not (word.telling or word.turns) or (first and words[first - 1].turns):
            continue
        for last in range(first, min(first + LONGEST, len(words))):
            if last in taken or words[last].text == "and":
                break
            if words[last].telling:
                found.append((first, last))
    return found


def left_over(
    message: str, parts: Sequence[Stretch], taken: Container[tuple[int, int]], why: str = NOT_NEAR
) -> list[Unmatched]:
    """Runs of words that say something and belong to no match. taken: (stretch, word) of those that do."""
    left = []
    for n, part in enumerate(parts):
        run: list[Word] = []
        for i, word in enumerate([*part.words, None]):
            if word is not None and (n, i) not in taken:
                run.append(word)
                continue
            telling = [w for w in run if w.telling]
            if telling:
                start, end = telling[0].start, telling[-1].end
                left.append(Unmatched(text=message[start:end], start=start, end=end, why=why))
            run = []
    return left
