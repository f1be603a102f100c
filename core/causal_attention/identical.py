"""Documents that say the same word for word, in a sentence: a ranking holds each text once, and names its copies.

Not here: how they are found (core.corpus.assembly).
"""

from __future__ import annotations

from collections.abc import Sequence

from core.causal_attention.answer import node_of
from core.causal_attention.index import CausalIndex

NAMED = 3  # copies that are named; all are counted
NAME = 60  # characters of a name


def identical_notice(index: CausalIndex, candidates: Sequence[str]) -> str:
    """What a reader of a ranking must know of copies; "" without any.

    candidates: ids of the ranking's documents; their copies are named before others.
    """
    total = index.duplicates_total
    if not total:
        return ""
    here = set(candidates)
    first = sorted(index.duplicates, key=lambda copy: (copy.same_as not in here, copy.id))[:NAMED]
    pairs = [f"{_cut(copy.id)} is the same as {_cut(_name(index, copy.same_as))}" for copy in first]
    rest = f", and {total - len(first):,} more" if total > len(first) else ""
    what = "1 document repeats" if total == 1 else f"{total:,} documents repeat"
    return f"{what} another word for word; each text is ranked once: {'; '.join(pairs)}{rest}."


def _name(index: CausalIndex, id_: str) -> str:
    return node_of(index.documents[index.row_of(id_)]).name


def _cut(name: str) -> str:
    line = " ".join(name.split())
    return f"“{line if len(line) <= NAME else line[: NAME - 1].rstrip() + '…'}”"
