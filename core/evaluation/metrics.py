"""How well one ranking, or one answer in words, does on one question (CARA-9).

A ranking is a list of node ids, best first; a repeated id counts at its first place only. A gold answer
is a set of node ids, its homonyms: any of them is right, and all of them together are one answer.
Not here: means and intervals over questions (intervals.py), judges that need a model.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence
from typing import NamedTuple

# Scripts written without spaces between words: there, no boundary can be asked for.
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")


class Scores(NamedTuple):
    """The retrieval metrics of one question, each in [0, 1]."""

    hit_1: float
    hit_5: float
    recall_20: float
    mrr: float


def score(ranked: Sequence[str], gold: Sequence[Collection[str]]) -> Scores:
    """All retrieval metrics of a ranking. ValueError without a gold answer: then nothing can be measured."""
    ranks = gold_ranks(ranked, gold)
    return Scores(hit_at(ranks, 1), hit_at(ranks, 5), recall_at(ranks, 20), reciprocal_rank(ranks))


def gold_ranks(ranked: Sequence[str], gold: Sequence[Collection[str]]) -> tuple[int | None, ...]:
    """For each gold answer the best rank of its homonyms, from 1; None when it was not retrieved."""
    if not gold:
        raise ValueError("a question without gold answers cannot be scored")
    rank_of = {id_: rank for rank, id_ in enumerate(dict.fromkeys(ranked), 1)}
    return tuple(min((rank_of[i] for i in answer if i in rank_of), default=None) for answer in gold)


def hit_at(ranks: Sequence[int | None], k: int) -> float:
    """Hit@k: 1 if any gold answer is among the first k, else 0."""
    return float(any(rank is not None and rank <= k for rank in ranks))


def recall_at(ranks: Sequence[int | None], k: int) -> float:
    """Recall@k: the share of the gold answers that are among the first k."""
    return sum(rank is not None and rank <= k for rank in ranks) / len(ranks)


def reciprocal_rank(ranks: Sequence[int | None]) -> float:
    """1 / rank of the first gold answer, 0 if none was retrieved. Its mean over questions is MRR."""
    found = [rank for rank in ranks if rank is not None]
    return 1.0 / min(found) if found else 0.0


def completeness(answer: str, gold_names: Collection[str]) -> float:
    """The share of gold entities whose full name the answer mentions, upper and lower case alike.

    A name must stand as whole words, and what a longer gold name has taken does not count again for a
    shorter one inside it. ValueError without gold names.
    """
    names = sorted({_plain(name) for name in gold_names} - {""}, key=lambda name: (-len(name), name))
    if not names:
        raise ValueError("completeness needs at least one gold name")
    text = _plain(answer)
    mentioned = 0
    for name in names:
        pattern = re.compile(_boundary(name[0], r"(?<!\w)") + re.escape(name) + _boundary(name[-1], r"(?!\w)"))
        text, times = pattern.subn("\0", text)
        mentioned += bool(times)
    return mentioned / len(names)


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def _boundary(edge: str, pattern: str) -> str:
    return pattern if re.match(r"\w", edge) and not _UNSPACED.match(edge) else ""
