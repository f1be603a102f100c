"""A question taken apart: its words and their parts, the order in which needs follow from the mention,
what kind of answer is asked for, and by which noun.

English only, by closed word classes; no subject's vocabulary. Not here: what the graph can explain.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, NamedTuple

from core.linking.mentions import Mention
from core.linking.words import (
    AUXILIARIES,
    CUES,
    FUNCTION_WORDS,
    KIND_OF_QUESTION_WORD,
    MEASURES,
    QUESTION_WORDS,
    STRONG_CUES,
    kind_of_noun,
)

Part = Literal["need", "function", "auxiliary", "question", "cue", "possessive", "mention"]

_WORD = re.compile(r"['’]s?(?![^\W_])|[^\W_]+(?:[-'’](?!s(?![^\W_]))[^\W_]+)*")
_BEFORE_HEAD = frozenset("the a an of all some any kind kinds sort sorts".split())
_INSIDE_HEAD = frozenset("as the a an".split())
_COPULAS = frozenset("is are was were".split())
NEEDS_READ = 40  # content words of a question that are read; a pasted page is no question
HEAD_WORDS = 3  # content words that a noun group may hold


class Word(NamedTuple):
    """A word in lower case, its place in the question, and its part there."""

    text: str
    start: int
    end: int
    part: Part


@dataclass(frozen=True)
class Question:
    """A question as read around one mention.

    needs: indices into `words` of the content words, which something must explain. distance: for each need, how far
    it is from the mention along the chain of the question (possessives and compounds on its right, then its left,
    then what follows); all 0 without a mention. heads: needs (indices into `needs`) that may name the answer,
    likeliest first; predicate_heads: those after "... is the". kind: person, place, date, number or "".
    counts: how many; polar: to be answered by yes or no; offers: names alternatives ("or").
    cue_target: the need that a cue points at ("the same colour"), index into `needs`. apposition: the need just
    before the mention, which may name its class, else None.
    """

    text: str
    words: tuple[Word, ...]
    needs: tuple[int, ...]
    distance: tuple[float, ...]
    heads: tuple[int, ...]
    predicate_heads: tuple[int, ...]
    kind: str
    counts: bool
    polar: bool
    offers: bool
    cue: bool
    strong_cue: bool
    cue_target: int | None
    apposition: int | None

    @property
    def need_texts(self) -> tuple[str, ...]:
        return tuple(self.words[i].text for i in self.needs)


def read_question(text: str, mention: Mention | None = None) -> Question:
    """Take a question apart around the mention, or without one."""
    words = _split(text, mention)
    parts = [w.part for w in words]
    needs = tuple(i for i, part in enumerate(parts) if part == "need")
    place = parts.index("mention") if "mention" in parts else None
    cues = [w.text for w in words if w.part == "cue" or w.text.startswith("co-")]
    grammar = _Grammar(words, needs, place)
    heads, predicate = grammar.heads()
    at = {word: n for n, word in enumerate(needs)}
    return Question(
        text=text,
        words=words,
        needs=needs,
        distance=grammar.distances(),
        heads=tuple(at[i] for i in heads),
        predicate_heads=tuple(at[i] for i in predicate),
        kind=grammar.kind(),
        counts=grammar.counts(),
        polar=bool(parts) and parts[0] == "auxiliary",
        offers=any(w.text == "or" for w in words),
        cue=bool(cues),
        cue_target=at.get(grammar.cue_target()),
        strong_cue=any(c in STRONG_CUES or c.startswith("co-") for c in cues),
        apposition=at.get(place - 1) if place else None,
    )


def _split(text: str, mention: Mention | None) -> tuple[Word, ...]:
    words = []
    start, end = (mention.start, mention.end) if mention else (len(text), len(text))
    for match in _WORD.finditer(text[:start]):
        words.append(_word(match.group().lower(), match.start(), match.end()))
    if mention:
        words.append(Word(mention.text, start, end, "mention"))
        for match in _WORD.finditer(text, end):
            words.append(_word(match.group().lower(), match.start(), match.end()))
    beyond = [i for i, w in enumerate(words) if w.part == "need"][NEEDS_READ:]
    for i in beyond:
        words[i] = words[i]._replace(part="function")
    return tuple(words)


def _word(text: str, start: int, end: int) -> Word:
    part: Part = "need"
    if text[0] in "'’":
        part = "possessive"
    elif text in QUESTION_WORDS or text == "whose":
        part = "question"
    elif text in AUXILIARIES:
        part = "auxiliary"
    elif text in CUES:
        part = "cue"
    elif text in FUNCTION_WORDS:
        part = "function"
    return Word(text, start, end, part)


class _Grammar:
    """The few rules of English that give order, kind and head."""

    def __init__(self, words: tuple[Word, ...], needs: tuple[int, ...], place: int | None) -> None:
        self.words = words
        self.parts = [w.part for w in words]
        self.texts = [w.text for w in words]
        self.needs = needs
        self.place = place
        self.asked = self._question_word()

    def _question_word(self) -> int | None:
        """The question's own: the one it begins with, else the last; one in between begins a relative clause."""
        found = [i for i, w in enumerate(self.words) if w.part == "question" and w.text != "whose"]
        if not found:
            return None
        leading = found[0] == 0 or all(part == "function" for part in self.parts[: found[0]])
        return found[0] if leading else found[-1]

    def _in_relative_clause(self) -> bool:
        """Whether the mention is the subject of a relative clause: ".. on which <mention> is based"."""
        if self.place is None:
            return False
        i = self.place - 1
        while i > 0 and self.texts[i] in ("the", "a", "an"):
            i -= 1
        return i > 0 and i != self.asked and self.texts[i] in ("which", "that", "who", "whom", "where")

    def _attached(self) -> int:
        """How many words right of the mention belong to it: possessives, compounds ("its makers"), its own clause."""
        if self.place is None:
            return 0
        if self._in_relative_clause():
            return len(self.words) - self.place - 1
        i = self.place + 1
        while i < len(self.words) and self.parts[i] in ("need", "possessive"):
            i += 1
        return i - self.place - 1

    def distances(self) -> tuple[float, ...]:
        if self.place is None:
            return (0.0,) * len(self.needs)
        attached, before = self._attached(), self.place
        out = []
        for i in self.needs:
            if i < self.place:
                out.append(attached + before - i)
            elif i - self.place <= attached:
                out.append(i - self.place)
            else:
                out.append(before + i - self.place)
        if self.needs and self._last_word_is_asked_for():
            out[-1] = len(self.words) + 1
        return tuple(map(float, out))

    def _last_word_is_asked_for(self) -> bool:
        """In "when did .. <mention> .. open" the last verb is the question's own, far from the mention."""
        if self.asked is None or self.place is None:
            return False
        inverted = {"do", "does", "did"}.intersection(self.texts[self.asked + 1 : self.asked + 4])
        if self.texts[self.asked] not in ("when", "where", "how") and not inverted:
            return False
        return self.place < self.needs[-1] == len(self.words) - 1

    def cue_target(self) -> int:
        """The need that the first cue, a strong one if any, points at: the next one, or the one before; -1: none."""
        cues = [i for i, w in enumerate(self.words) if w.part == "cue" or w.text.startswith("co-")]
        if not cues:
            return -1
        cue = next((i for i in cues if self.texts[i] in STRONG_CUES or self.texts[i].startswith("co-")), cues[0])
        after = next((i for i in self.needs if i >= cue), -1)
        before = next((i for i in reversed(self.needs) if i < cue), -1)
        if self.texts[cue] == "together" or after < 0:
            return before if before >= 0 else after
        return after

    def counts(self) -> bool:
        """How many, how much."""
        i = self.asked
        return i is not None and self.texts[i] == "how" and self.texts[i + 1 : i + 2] in (["many"], ["much"])

    def _measures(self) -> bool:
        """How long, how old, how many: a quantity is asked for."""
        i = self.asked
        return i is not None and self.texts[i] == "how" and not MEASURES.isdisjoint(self.texts[i + 1 : i + 2])

    def kind(self) -> str:
        if self._measures():
            return "number"
        if self.asked is None:
            return ""
        return KIND_OF_QUESTION_WORD.get(self.texts[self.asked], "")

    def heads(self) -> tuple[list[int], list[int]]:
        """Words that may name the answer; and those after a copula where the first ones only name its kind."""
        if self.asked is None:
            return self._heads_of_a_statement(), []
        word, i = self.texts[self.asked], self.asked + 1
        if self.counts():
            return self._noun_group(i + 1), []
        if word not in ("what", "which", "who", "whom"):
            return [], []
        if i < len(self.words) and self.parts[i] == "auxiliary":
            return (self._noun_group(i + 1) if self.texts[i] in _COPULAS else []), []
        if word not in ("what", "which"):
            return [], []
        group = self._noun_group(i)
        if group and kind_of_noun(self.texts[group[0]]) and self.texts[group[0] + 1 : group[0] + 2]:
            after = group[0] + 1
            if self.texts[after] in _COPULAS:
                return group, self._noun_group(after + 1)[:1]
        return group, []

    def _heads_of_a_statement(self) -> list[int]:
        """Without a question word: the first need before the mention, else the last need of all."""
        if not self.needs:
            return []
        if self.place is not None and self.needs[-1] > self.place + self._attached():
            # "the maker of .. also sold lamps": what comes last, and is no part of the name's own phrase, is asked for
            between = self.parts[self.place + 1 : self.needs[-1]]
            if "cue" in between or "auxiliary" in between:
                return [self.needs[-1], self.needs[0]]
        if self.place is None or self.needs[0] < self.place:
            return [self.needs[0]]
        return [self.needs[-1]]

    def _noun_group(self, i: int) -> list[int]:
        """Up to three needs from word i on; through a mention's possessive, the last need it owns."""
        n = len(self.words)
        while i < n and self.texts[i] in _BEFORE_HEAD:
            i += 1
        if i < n and self.parts[i] == "mention":
            if i + 1 < n and self.parts[i + 1] == "possessive":
                owned = [k for k in range(i + 1, i + 1 + self._attached()) if self.parts[k] == "need"]
                return owned[-1:]
            return []
        group: list[int] = []
        while i < n and len(group) < HEAD_WORDS:
            if self.parts[i] == "need":
                group.append(i)
            elif not group or self.texts[i] not in _INSIDE_HEAD:
                break
            i += 1
        return group
