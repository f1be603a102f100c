"""Which words of a question name which nodes, and what to search for to find those nodes.

A method may search a graph but holds no list of its names: it sends `subqueries`, and `find_mentions`
says which of the names that came back stand in the question. Not here: the search itself.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from core.linking.words import AUXILIARIES, CUES, FUNCTION_WORDS, QUESTION_WORDS, singular, stem

_WORD = re.compile(r"[^\W_]+")
_RUN_WORD = re.compile(r"\S+")
_QUOTED = re.compile(r"[\"“«]([^\"”»]{2,120})[\"”»]")
_POSSESSIVE = re.compile(r"['’]s?$")
_CONNECTORS = frozenset(
    "a an and at by de del der di du el en et for from in is la las le les los of on or the to und van von vs with y &"
    " -".split()
)
_GENERAL = FUNCTION_WORDS | AUXILIARIES | QUESTION_WORDS | CUES
SUBQUERIES = 8
PARTIAL_SHARE = 0.6  # of a name's content words that a question must say to mean it


class Mention(NamedTuple):
    """`question[start:end]` names `nodes` (positions; homonyms together, in the order they came).

    tier: 0 the name as written, with a capital or a digit in it; 1 in another case, or several words;
    2 a single everyday-looking word; 3 a name of which some words are missing. Lower is surer.
    """

    start: int
    end: int
    text: str
    nodes: tuple[int, ...]
    tier: int


class Subquery(NamedTuple):
    """A text to search for. sure: quoted or capitalised, so likely the name of something."""

    text: str
    sure: bool


class _Piece(NamedTuple):
    text: str
    start: int
    end: int


def _pieces(text: str) -> list[_Piece]:
    return [_Piece(m.group(), m.start(), m.end()) for m in _WORD.finditer(text)]


def _folded(word: str) -> str:
    """Case and accents taken away."""
    word = word.casefold()
    if word.isascii():
        return word
    return "".join(c for c in unicodedata.normalize("NFKD", word) if not unicodedata.combining(c))


@lru_cache(maxsize=50_000)
def _name_forms(name: str) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """A name's words as written, folded, and folded in the singular; underscores separate words."""
    words = tuple(_WORD.findall(name))
    folded = tuple(map(_folded, words))
    return words, folded, tuple(map(singular, folded))


def find_mentions(question: str, names: Iterable[tuple[int, str]]) -> tuple[Mention, ...]:
    """The names that stand in the question, surest and longest first, none overlapping a surer one.

    names: (position, name) of nodes that searches returned. Punctuation, underscores and a possessive
    do not matter. A name is tried as written first, then in any case and without accents, then in the
    singular. A name made of function words alone counts only where it is written with capitals.
    """
    pieces = _pieces(question)
    spoken = [p.text for p in pieces]
    folded = [_folded(w) for w in spoken]
    in_singular = [singular(w) for w in folded]
    places: dict[tuple[int, int], dict[int, list[int]]] = {}
    for position, name in names:
        written, name_folded, name_singular = _name_forms(name)
        if not written or name_singular[0] not in in_singular:
            continue
        for level, (ours, theirs) in enumerate(
            ((spoken, written), (folded, name_folded), (in_singular, name_singular))
        ):
            spots = _occurrences(ours, theirs)
            if spots:
                for i in spots:
                    found = places.setdefault((i, i + len(theirs)), {}).setdefault(level, [])
                    if position not in found:
                        found.append(position)
                break
    ranked = []
    for (i, j), by_level in places.items():
        level = min(by_level)
        text = question[pieces[i].start : pieces[j - 1].end]
        capital = any(c.isupper() or c.isdigit() for c in text)
        general = all(w in _GENERAL for w in folded[i:j])
        if general and (not capital or (i == 0 and j == 1)):
            continue
        if level == 0 and capital:
            tier = 0
        elif j - i > 1:
            tier = 1
        else:
            tier = 2
        weight = sum(len(w) for w in spoken[i:j]) - (2 if general else 0)
        ranked.append((tier, -weight, i, j, text, tuple(by_level[level])))
    ranked.sort()
    chosen: list[Mention] = []
    taken: set[int] = set()
    for tier, _, i, j, text, nodes in ranked:
        if taken.isdisjoint(range(i, j)):
            taken.update(range(i, j))
            chosen.append(Mention(pieces[i].start, pieces[j - 1].end, text, nodes, tier))
    return tuple(chosen)


def partial_mentions(question: str, names: Iterable[tuple[int, str]]) -> tuple[Mention, ...]:
    """Names of which most content words stand near each other in the question: for a question that names no node fully.

    At least two words and three fifths of the name's; they lie within a stretch twice as long as the name.
    More words first, then the larger share, then the order given. All have tier 3.
    """
    pieces = _pieces(question)
    spoken = [stem(singular(_folded(p.text))) for p in pieces]
    ranked = []
    for order, (position, name) in enumerate(dict.fromkeys(names)):
        own = {stem(w) for w in _name_forms(name)[2] if w not in _GENERAL}
        at = [i for i, word in enumerate(spoken) if word in own]
        said = {spoken[i] for i in at}
        if len(said) < 2 or len(said) < PARTIAL_SHARE * len(own):
            continue
        first, last = at[0], at[-1]
        if last - first < 2 * max(len(_name_forms(name)[0]), 2):
            ranked.append((-len(said), -len(said) / len(own), order, first, last, position))
    ranked.sort()
    chosen: list[Mention] = []
    taken: set[int] = set()
    for *_, first, last, position in ranked:
        if taken.isdisjoint(range(first, last + 1)):
            taken.update(range(first, last + 1))
            start, end = pieces[first].start, pieces[last].end
            chosen.append(Mention(start, end, question[start:end], (position,), 3))
    return tuple(chosen)


def _occurrences(words: Sequence[str], name: Sequence[str]) -> list[int]:
    length = len(name)
    first = name[0]
    target = list(name)
    return [i for i in range(len(words) - length + 1) if words[i] == first and list(words[i : i + length]) == target]


def subqueries(question: str) -> tuple[Subquery, ...]:
    """What to search for to find the nodes that a question names, most promising first (at most 8).

    Quoted text, then runs of capitalised words joined by lower-case connectors, then the whole question,
    then runs of content words and their single words, longer ones first.
    """
    quoted = [m.group(1).strip() for m in _QUOTED.finditer(question)]
    runs = sorted(_capital_runs(question), key=lambda r: -len(r))
    content = _content_runs(question)
    singles = sorted({w for run in content for w in run.split()}, key=lambda w: (-len(w), w))
    found: dict[str, bool] = {}
    for text in (*quoted, *runs):
        found.setdefault(text, True)
    for text in (question.strip(), *sorted((r for r in content if " " in r), key=lambda r: -len(r)), *singles):
        found.setdefault(text, False)
    return tuple(Subquery(text, sure) for text, sure in found.items() if text)[:SUBQUERIES]


def _bare(word: str) -> str:
    return _POSSESSIVE.sub("", word.strip('?,.;:!()[]"“”«»'))


def _capital_runs(question: str) -> list[str]:
    words = [m.group() for m in _RUN_WORD.finditer(question)]
    capital = [any(c.isupper() or c.isdigit() for c in w) for w in words]
    if words and capital[0] and _bare(words[0]).lower() in _GENERAL and not (len(words) > 1 and capital[1]):
        capital[0] = False
    runs: list[str] = []
    i = 0
    while i < len(words):
        if not capital[i]:
            i += 1
            continue
        last = j = i
        while j < len(words) and (capital[j] or words[j].lower() in _CONNECTORS):
            if capital[j]:
                last = j
            j += 1
        run = [*words[i:last], _bare(words[last])]
        runs.append(" ".join(w for w in run if w))
        i = last + 1
    return runs


def _content_runs(question: str) -> list[str]:
    runs: list[list[str]] = [[]]
    for match in _RUN_WORD.finditer(question):
        word = _bare(match.group())
        if not word or word.lower() in _GENERAL:
            runs.append([])
        else:
            runs[-1].append(word)
    return [" ".join(run) for run in runs if run]
