"""What kind of answer a question's form asks for: a count, an extreme, a choice, yes or no, a set, or a lookup.

English only, by closed word classes; no subject's vocabulary. Words inside the names of entities say nothing of the
form, so their spans are left out. Not here: which relations the question speaks of (`core.linking`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from core.kerag.settings import QuestionKind
from core.linking.words import AUXILIARIES, FUNCTION_WORDS, QUESTION_WORDS

Span = tuple[int, int]

_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
_FILLER = "it"  # a word that carries no need stands in for what is masked
_RELATIVE = frozenset("that which who whom whose where".split())

# word -> (whether the greatest is meant, dimensions it may be measured in, likeliest first)
_TIME, _SPAN = ("date", "number"), ("duration", "length", "number")
_EXTREMES: dict[str, tuple[bool, tuple[str, ...]]] = {
    **dict.fromkeys("first earliest earlier oldest older".split(), (False, _TIME)),
    **dict.fromkeys("last latest later newest newer youngest younger".split(), (True, _TIME)),
    **dict.fromkeys("longest longer slowest slower".split(), (True, _SPAN)),
    **dict.fromkeys("shortest shorter quickest quicker fastest faster soonest sooner".split(), (False, _SPAN)),
    **dict.fromkeys(
        "tallest taller deepest deeper widest wider farthest farther".split(), (True, ("length", "number"))
    ),
    **dict.fromkeys("nearest nearer closest closer".split(), (False, ("length", "number"))),
    **dict.fromkeys("heaviest heavier".split(), (True, ("mass", "number"))),
    **dict.fromkeys("lightest lighter".split(), (False, ("mass", "number"))),
    **dict.fromkeys("dearest dearer costliest richest richer".split(), (True, ("money", "number", "amount"))),
    **dict.fromkeys("cheapest cheaper poorest poorer".split(), (False, ("money", "number", "amount"))),
    **dict.fromkeys(
        "largest larger biggest bigger greatest greater highest higher best".split(),
        (True, ("number", "share", "money", "area", "length", "mass", "volume", "data", "amount")),
    ),
    **dict.fromkeys(
        "smallest smaller lowest lower worst".split(),
        (False, ("number", "share", "money", "area", "length", "mass", "volume", "data", "amount")),
    ),
}
_OF_MANY = {"most": True, "more": True, "fewest": False, "fewer": False, "least": False, "less": False}
_GRADED = {
    "recent": ("date", "number"),
    "expensive": ("money", "number", "amount"),
    "long": _SPAN,
    "populous": ("number", "amount"),
}
_AGE = frozenset("oldest older youngest younger".split())  # the greatest age is the least date of birth
_MEANS = frozenset("average median".split())
_IDENTITY = frozenset("who what who's what's is are was were the a an".split())
_COUNTED = frozenset("number count amount".split())
_NOT_AN_EXTREME = re.compile(r"\b(?:at (?:first|last|most|least)|more than|less than|fewer than|no longer|no more)\b")
_NEGATION = re.compile(r"\b(?:not|never|without|except|excluding)\b|n['’]t\b", re.IGNORECASE)
_NO_NOUN = re.compile(r"\bno\s+([^\W\d_]+)", re.IGNORECASE)
_REQUEST = re.compile(
    r"(?:(?:can|could|will|would) (?:you|anyone|someone)(?: please)? (?:name|tell|list|give|show|find|say|identify)|"
    r"do you know)\b",
    re.IGNORECASE,
)
_BOTH = re.compile(r"\bboth\b|\band also\b|\bas well as\b|\bin common\b", re.IGNORECASE)
_TEST = re.compile(
    r"\b(?P<sign>before|after|since|until|over|under|above|below|at least|at most|(?:more|longer|later|greater|higher|"
    r"larger|heavier|taller) than|(?:less|shorter|earlier|smaller|lower|fewer|lighter) than)\s+(?:the year\s+)?"
    r"(?P<value>[$€£]?\d[\w.,:/-]*(?:\s+(?:\d{1,2}\s+)?(?:thousand|million|billion|seconds?|minutes?|min|hours?|days?|"
    r"weeks?|months?|years?|km|m|cm|mm|kg|g|miles?|percent|january|february|march|april|may|june|july|august|september|"
    r"october|november|december)\b|\s+\d{4}\b|\s*%)*)",
    re.IGNORECASE,
)
_SIGNS = {
    "before": "<", "under": "<", "below": "<", "less": "<", "shorter": "<", "earlier": "<", "smaller": "<",
    "lower": "<", "fewer": "<", "lighter": "<", "after": ">", "over": ">", "above": ">", "more": ">", "longer": ">",
    "later": ">", "greater": ">", "higher": ">", "larger": ">", "heavier": ">", "taller": ">", "since": ">=",
    "until": "<=", "at least": ">=", "at most": "<=",
}  # fmt: skip


class Extreme(NamedTuple):
    """What is compared. dimensions: of the values, likeliest first; none: things are counted.

    counted: the words of what is counted; start, end: where the extreme stands in the question.
    """

    greatest: bool
    dimensions: tuple[str, ...]
    counted: str
    start: int
    end: int
    age: bool = False


class Test(NamedTuple):
    """A bound on a value: "after 1990" is the test "> 1990" at question[start:end]."""

    test: str
    start: int
    end: int


@dataclass(frozen=True)
class Form:
    """The form of a question. negations: where they stand; absent: the noun of "no .."; both: where two
    things are joined; mean: the word for one, such as "average"; bare: it is no more than names, or
    asks who or what one of them is.
    """

    kind: QuestionKind
    extreme: Extreme | None = None
    polar: bool = False
    counts: bool = False
    offers: bool = False
    both: tuple[Span, ...] = ()
    than: bool = False
    sums: bool = False
    negations: tuple[int, ...] = ()
    absent: Span | None = None
    tests: tuple[Test, ...] = ()
    mean: str = ""
    bare: bool = False


class _Token(NamedTuple):
    text: str
    start: int
    end: int


def masked(question: str, spans: Sequence[Span]) -> str:
    """The question with the spans replaced by words that carry no need; every other character keeps its place."""
    out = question
    for start, end in spans:
        width = end - start
        out = out[:start] + _FILLER[:width].ljust(width) + out[end:]
    return out


def form_of(question: str, names: Sequence[Span] = ()) -> Form:
    """The form of a question in which `names` are the spans of entity names."""
    text = masked(question, names)
    words = [_Token(m.group().lower(), m.start(), m.end()) for m in _WORD.finditer(text)]
    if not words:
        return Form("lookup")
    tests = _tests(question, names)
    inside = [(t.start, t.end) for t in tests]
    extreme = _extreme(masked(text, inside), words, names, inside)
    polar = words[0].text in AUXILIARIES and not _REQUEST.match(text.strip())
    offers = any(w.text == "or" for w in words) and len(names) > 1
    counts = _counts(words)
    negations = tuple(m.start() for m in _NEGATION.finditer(text))
    absent = None
    if (no := _NO_NOUN.search(text)) and no.group(1).lower() not in ("one", "longer", "more"):
        absent = no.span(1)
    both = tuple(m.span() for m in _BOTH.finditer(text)) if len(names) > 1 else ()
    than = any(w.text == "than" for w in words)
    sums = any(w.text in ("total", "altogether", "combined", "sum") for w in words) and not counts
    kind = _kind(words, names, extreme, polar, offers, counts, bool(both), bool(negations or absent or tests))
    mean = next((w.text for w in words if w.text in _MEANS), "")
    idle = _IDENTITY if len(names) == 1 else frozenset[str]()
    bare = bool(names) and all(_FILLER.startswith(w.text) or w.text in idle for w in words)
    return Form(kind, extreme, polar, counts, offers, both, than, sums, negations, absent, tests, mean, bare)


def kind_of(question: str, names: Sequence[Span] = ()) -> QuestionKind:
    """The kind of a question (see `form_of`)."""
    return form_of(question, names).kind


def _kind(
    words: Sequence[_Token],
    names: Sequence[Span],
    extreme: Extreme | None,
    polar: bool,
    offers: bool,
    counts: bool,
    both: bool,
    conditions: bool,
) -> QuestionKind:
    if extreme is not None and offers:
        return "comparison"
    if polar:
        return "yes/no"
    if counts:
        return "count"
    if extreme is not None:
        return "superlative"
    if both or conditions or len(names) > 1:
        return "set"
    clauses = sum(w.text in _RELATIVE for w in words[1:])
    of = sum(w.text in ("of", "by") for w in words)
    content = [w for w in words if w.text not in FUNCTION_WORDS | AUXILIARIES | QUESTION_WORDS]
    return "multi-hop" if clauses or of > 1 or len(content) > 2 else "lookup"


def _counts(words: Sequence[_Token]) -> bool:
    texts = [w.text for w in words]
    for i, text in enumerate(texts[:-1]):
        if text == "how" and texts[i + 1] == "many":
            return True
        if text in _COUNTED and texts[i + 1] == "of" and not _before_superlative(texts, i):
            return True
    return texts[0] == "count"


def _before_superlative(texts: Sequence[str], i: int) -> bool:
    return i > 0 and (texts[i - 1] in _EXTREMES or texts[i - 1] in _OF_MANY)


def _tests(question: str, names: Sequence[Span]) -> tuple[Test, ...]:
    found = []
    for match in _TEST.finditer(question):
        inside = any(start <= match.start() and match.end() <= end for start, end in names)
        if not inside:
            sign = match["sign"].lower()
            value = match["value"].strip().rstrip(".,?")
            found.append(Test(f"{_SIGNS.get(sign) or _SIGNS[sign.split()[0]]} {value}", match.start(), match.end()))
    return tuple(found)


def _extreme(text: str, words: Sequence[_Token], names: Sequence[Span], tests: Sequence[Span]) -> Extreme | None:
    """The first superlative or comparative of the question."""
    idle = [m.span() for m in _NOT_AN_EXTREME.finditer(text.lower())] + list(tests)
    for i, word in enumerate(words):
        if any(start <= word.start < end for start, end in idle):
            continue
        following = words[i + 1].text if i + 1 < len(words) else ""
        if word.text in _OF_MANY:
            greatest = _OF_MANY[word.text]
            if following in _GRADED:
                return Extreme(greatest, _GRADED[following], "", word.start, words[i + 1].end)
            if following.endswith("ly") or i + 1 >= len(words):
                return Extreme(greatest, (), "", word.start, word.end)
            return Extreme(greatest, (), _noun(words, i + 1), word.start, word.end)
        if word.text in _EXTREMES:
            greatest, dimensions = _EXTREMES[word.text]
            if following in _COUNTED and words[i + 2 : i + 3] and words[i + 2].text == "of":
                return Extreme(greatest, (), _noun(words, i + 3), word.start, words[i + 2].end)
            if word.text in ("first", "last") and following in ("name", "names"):
                continue
            return Extreme(greatest, dimensions, "", word.start, word.end, word.text in _AGE)
    return None


def _noun(words: Sequence[_Token], i: int) -> str:
    """The content words that follow, up to the next function word: what is counted."""
    while i < len(words) and words[i].text in FUNCTION_WORDS:
        i += 1
    return words[i].text if i < len(words) else ""
