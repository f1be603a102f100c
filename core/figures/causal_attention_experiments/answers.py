"""Two rankings by the answers they lead to: their documents, and sentence by sentence what only one of them says.

The answers are given; not here: how they are made (core/causal_attention/answer.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from core.corpus.document import Document
from core.figures.words import count, listed, quoted
from core.trace import Answer

SAME = "Both rankings choose the same documents in the same order, so the answers are the same."


class Source(NamedTuple):
    """A document an answer is made from. alone: the other ranking does not choose it. grade: None if nobody judged."""

    name: str
    alone: bool
    grade: int | None


class Said(NamedTuple):
    """A sentence of an answer, the names of the documents behind it, and whether only this answer has it."""

    text: str
    sources: tuple[str, ...]
    alone: bool


class Side(NamedTuple):
    """One ranking: its title, its documents, best first, and its answer."""

    title: str
    documents: tuple[Source, ...]
    sentences: tuple[Said, ...]
    decided_by: str


class Given(NamedTuple):
    """What a side is made of."""

    title: str
    documents: Sequence[Document]
    answer: Answer


def sides(one: Given, other: Given, grades: Mapping[str, int] | None = None) -> tuple[Side, Side]:
    """Both sides, each marked with what the other lacks. grades: document id -> grade, None where nobody judged."""
    return _side(one, other, grades), _side(other, one, grades)


def _side(own: Given, other: Given, grades: Mapping[str, int] | None) -> Side:
    theirs = {document.id for document in other.documents}
    said = {_plain(claim.text) for claim in other.answer.claims}
    documents = tuple(
        Source(d.title or d.id, d.id not in theirs, grades.get(d.id, 0) if grades is not None else None)
        for d in own.documents
    )
    sentences = tuple(
        Said(c.text, tuple(dict.fromkeys(e.node.name for e in c.evidence)), _plain(c.text) not in said)
        for c in own.answer.claims
    ) or (Said(own.answer.text, (), _plain(own.answer.text) != _plain(other.answer.text)),)
    return Side(own.title, documents, sentences, own.answer.decided_by)


def difference_in_words(one: Given, other: Given, grades: Mapping[str, int] | None = None) -> str:
    """In what the answers differ, and which of them rests on the document that was judged best."""
    a, b = sides(one, other, grades)
    if [d.id for d in one.documents] == [d.id for d in other.documents]:
        return SAME
    exchanged = [source.name for source in b.documents if source.alone]
    parts = []
    if exchanged:
        names = listed([quoted(name, 60) for name in exchanged], 3)
        parts.append(f"{b.title} answers from {names}, which {a.title.lower()} does not choose.")
    else:
        parts.append("Both rankings choose the same documents, in another order.")
    alone = sum(s.alone for s in b.sentences)
    if not alone and not any(s.alone for s in a.sentences):
        parts.append("The answers are the same.")
    else:
        parts.append(_alone_in_words(alone, len(b.sentences)))
    if grades and (most := max(grades.values())) > 0:
        best = {id_ for id_, grade in grades.items() if grade == most}
        has = [bool(best & {d.id for d in given.documents[:1]}) for given in (one, other)]
        if has[0] != has[1]:
            title = (a if has[0] else b).title
            parts.append(f"Only {title.lower()} has the document judged best in first place.")
    return " ".join(parts)


def _alone_in_words(alone: int, of: int) -> str:
    """How many of an answer's sentences the other one does not have."""
    if not alone:
        return "All that it says is in the other answer, which says more."
    if alone == of:
        return (
            "Its one sentence is not in the other answer." if of == 1 else "The other answer has none of its sentences."
        )
    return f"{alone} of its {count(of, 'sentence')} {'is' if alone == 1 else 'are'} not in the other answer."


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
