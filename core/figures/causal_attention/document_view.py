"""One document opened: its places, its words by side, and its text with those words marked.

A mark is a shape as well as a colour: A is underlined with dots, B with a line. The HTML comes from the same templates,
on the page and in the file that opens by itself. Not here: the numbers (why.py), the chart (slope.py).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from core.causal_attention.steps import Mode
from core.corpus.document import Document
from core.figures.causal_attention.ranking import MEANINGS, TITLES, Ranking, note, sentence, signed
from core.figures.causal_attention.tau_curve import TauCurve, place_by_tau
from core.figures.causal_attention.why import Word, why_rank
from core.figures.explain import Equation
from core.figures.graph_page import environment
from core.text.keywords import TERM_LIMIT
from core.text.segment import HAN_RUN, segment
from core.text.tokens import tokenise
from core.trace import Trace

TEXT = 6_000  # characters of a document that are shown


class Piece(NamedTuple):
    """A stretch of text; `side` is "A" or "B" where it is a keyword, and `term` that keyword."""

    text: str
    side: str = ""
    term: str = ""


class Place(NamedTuple):
    """A document's place in a ranking, and its score there in words."""

    title: str
    place: int
    score: str


@dataclass(frozen=True, slots=True)
class DocumentView:
    """What is told of one document. `pieces` is empty where its text is not at hand; `left_out` characters are cut.

    tau: None where words are compared letter by letter alone.

    grade: how it was judged for this query, None where nobody judged.
    """

    id: str
    title: str
    shift: int
    reason: str
    note: str
    before: Place
    after: Place
    others: tuple[Place, ...]
    absorbed: float
    words: tuple[Word, ...]
    equations: tuple[Equation, ...]
    pieces: tuple[Piece, ...]
    left_out: int
    curve: TauCurve | None
    grade: int | None
    source: str
    tau: float | None
    splits: bool
    meaning: str

    @property
    def heaviest(self) -> float:
        """The largest weight of its words."""
        return max((word.weight for word in self.words), default=1.0)

    @property
    def largest(self) -> float:
        """The largest absolute part of s_c."""
        return max((abs(word.part) for word in self.words), default=0.0) or 1.0


def document_view(
    trace: Trace,
    ranking: Ranking,
    id_: str,
    document: Document | None = None,
    judged: Mapping[str, int] | None = None,
) -> DocumentView | None:
    """The view of one candidate; None for an unknown id. document: its text, where the corpus is loaded."""
    line = ranking.line(id_)
    if line is None:
        return None
    why = why_rank(trace, ranking, id_)
    text = document.content if document is not None else ""
    sides = dict.fromkeys(line.shared, "A") | dict.fromkeys(line.rest, "B")

    def place(mode: Mode) -> Place:
        score = line.similarity if mode == "baseline" else line.scores[mode]
        told = signed(score) if score is not None else "none" if line.inside else "not ranked again"
        return Place(TITLES[mode], line.places[mode], told)

    return DocumentView(
        id=id_,
        title=line.name,
        shift=line.shift(ranking.mode),
        reason=sentence(line, ranking),
        note=note(line, ranking),
        before=place("baseline"),
        after=place(ranking.mode),
        others=tuple(place(mode) for mode in ranking.modes if mode not in ("baseline", ranking.mode)),
        absorbed=line.absorbed,
        words=why.words,
        equations=why.equations,
        pieces=tuple(pieces(text[:TEXT], sides)),
        left_out=max(0, len(text) - TEXT),
        curve=place_by_tau(trace, ranking, id_),
        grade=judged.get(id_, 0) if judged else None,
        source=document.source if document is not None else "",
        tau=None if ranking.decider == "exact" else ranking.tau,
        splits=ranking.splits,
        meaning=MEANINGS[ranking.mode],
    )


def pieces(text: str, sides: Mapping[str, str]) -> list[Piece]:
    """`text` in pieces, its keywords marked by side; joined they are the text. sides: keyword -> "A" or "B"."""
    found: list[Piece] = []
    plain = ""
    for word, term in _words(text):
        side = sides.get(term, "")
        if not side:
            plain += word
            continue
        if plain:
            found.append(Piece(plain))
            plain = ""
        found.append(Piece(word, side, term))
    return [*found, Piece(plain)] if plain else found


def _words(text: str) -> Iterator[tuple[str, str]]:
    """The text cut as keyword extractors cut it: each stretch, and the term it is ("" between words)."""
    at = 0
    for run in HAN_RUN.finditer(text):
        yield from _spaced(text[at : run.start()])
        yield from ((word, word[:TERM_LIMIT]) for word in segment(run[0]))
        at = run.end()
    yield from _spaced(text[at:])


def _spaced(text: str) -> Iterator[tuple[str, str]]:
    """Runs of letters, digits and marks, and what is between them."""
    start = 0
    inside = False
    for i, c in enumerate(text):
        own = c.isalnum() or (not c.isascii() and unicodedata.category(c) in ("Mn", "Mc"))
        if own != inside:
            if i > start:
                yield _term(text[start:i], inside)
            start, inside = i, own
    if start < len(text):
        yield _term(text[start:], inside)


def _term(word: str, is_word: bool) -> tuple[str, str]:
    found = tokenise(word) if is_word else []
    return word, found[0][:TERM_LIMIT] if len(found) == 1 else ""


def document_html(view: DocumentView) -> str:
    """The document itself as HTML, every text of the data escaped. Its style sheet is assets/rerank.css."""
    return environment().get_template("rerank_document.html").render(view=view, part=_part)


def why_html(view: DocumentView) -> str:
    """Why it stands where it stands, as HTML: the equations, and its place at every tau."""
    return environment().get_template("rerank_why.html").render(view=view, curve=_curve(view.curve))


def _part(value: float) -> str:
    """What a word adds to a score: three decimals, as many words add little, and its sign."""
    text = f"{abs(value):.3f}"
    return text if text == "0.000" else f"{'−' if value < 0 else '+'}{text}"


def _curve(curve: TauCurve | None) -> dict[str, object] | None:
    """The curve as steps of a drawing 100 wide and high, the first place on top."""
    if curve is None:
        return None
    first, last = curve.taus[0], curve.taus[-1]
    step = 100 / len(curve.taus)
    points = [
        (round(i * step, 2), round(100 * (place - 1) / max(curve.size - 1, 1), 2))
        for i, place in enumerate(curve.places)
    ]
    across = (min(max(curve.tau, first), last) - first) / (last - first)
    return {
        "points": points,
        "step": round(step, 2),
        "here": round((100 - step) * across + step / 2, 2),
        "words": curve.words,
        "first": first,
        "last": last,
        "size": curve.size,
    }
