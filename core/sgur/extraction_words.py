"""A message in plain English, taken apart: words with their places, stretches that say one thing, and what is denied.

Closed classes of everyday English and small morphology; no subject's vocabulary is here. Not here: which observation
a stretch stands for.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from core.linking.words import IRREGULAR, stem

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_STOP = re.compile(r"[.!?;:\n]+(?=\s|$)|[;\n]+|,|\u2014| - ")
_HARD = re.compile(r"[.!?;:\n]")  # ends a sentence; a comma does not

# Words that join or accompany; they say nothing of what is observed.
JOINING = frozenset("of the a an in on at to for by with from as is are was were be been being and or".split())
_FILLING = frozenset(
    """
    i me my mine myself we us our ours you your he him his she her hers it its they them their this that these those
    there here who which what when while where whether how why if then than so such some any all both each every other
    have has had having do does did done am can could will would shall should may might must get gets got getting keep
    keeps kept go goes went going come comes came seem seems seemed feel feels felt become becomes became
    since ago until during lately recently again always often sometimes usually never ever now already still yet just
    year years month months week weeks day days hour hours morning evening night today yesterday time times spring
    summer autumn winter half few several many much more most very really quite rather too also even only about almost
    up down out off over under again further once not no nor own same s t don didn doesn isn wasn hasn haven hadn
    please thank thanks hello dear doctor patient son daughter child baby boy girl mother father man woman
    but however although though because after before between into through against bit lot little started start starts
    began begins beginning born noted notice noticed visit first last one two three both side whole like
    """.split()
)
# Beyond the irregular forms that every question may hold: those of which a complaint is made.
_FORMS = {
    "swollen": "swell", "bled": "bleed", "bitten": "bite", "torn": "tear", "bent": "bend", "fallen": "fall",
    "fell": "fall", "shook": "shake", "shaken": "shake", "slept": "sleep", "hurts": "hurt", "hearing": "hear",
    "lungs": "lung", "toes": "toe", "eyes": "eye", "ears": "ear", "feet": "foot", "teeth": "tooth", "lost": "loss",
    "losing": "loss", "lose": "loss", "weak": "weak", "weakness": "weak", "stiffness": "stiff", "dizzy": "dizziness",
}  # fmt: skip

_ENDS_DENIAL = frozenset("but however although though except yet still instead nevertheless otherwise only".split())
_SUBJECTS = frozenset("i he she we they it my his her our their its there you your the this that".split())
_DENIALS = frozenset("no without denies denied deny denying neither nor absent lacks negative".split())
_TURNS = frozenset("not no never cannot hardly barely without unable".split())
_HAVING = frozenset(
    "have has had having any a an suffer suffered suffering experience experienced notice noticed complain complained "
    "show shows showed report reported get got been".split()
)
_AFTERWARDS = re.compile(
    r"\b(?:(?:is|are|was|were|has been|have been) (?:absent|denied|ruled out|excluded|not present|not seen|negative)"
    r"|(?:is|are|was|were) not (?:present|seen|found|observed|noted))\b",
    re.I,
)
_OF_OTHERS = re.compile(r"\b(?:family history of|runs? in (?:the|our|my|his|her) family)\b", re.I)


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a message, its place there, and what is left of it without endings."""

    text: str
    start: int
    end: int
    root: str

    @property
    def telling(self) -> bool:
        """Whether it may say what is observed."""
        return not (self.text in _FILLING or self.text in JOINING or self.text in _DENIALS or self.turns)

    @property
    def turns(self) -> bool:
        """Whether it turns what follows into its opposite: "cannot", "not", "hardly"."""
        return self.text in _TURNS or self.text.endswith("n't")


@dataclass(frozen=True, slots=True)
class Stretch:
    """Words between two marks of punctuation. `denied`: for each word whether it stands in the scope of a denial.

    sentence: stretches with the same number belong to one sentence. of_others: it is about the family.
    """

    words: tuple[Word, ...]
    denied: tuple[bool, ...]
    sentence: int
    of_others: bool = False


def stretches(message: str) -> list[Stretch]:
    """The message cut at its punctuation, with the reach of every denial.

    A denial ("no", "without", "denies", "never had", "not have") reaches to the end of the sentence, to a "but" or
    "however", or to a new subject ("no fever, and my head aches"); "is absent" denies what stands before it.
    "cannot see" and "does not walk" deny nothing: they are what is complained of.
    """
    cuts = [(m.start(), bool(_HARD.search(m[0]))) for m in _STOP.finditer(message)] + [(len(message), True)]
    found: list[Stretch] = []
    at, sentence, denying = 0, 0, False
    others = [m.start() for m in _OF_OTHERS.finditer(message)]
    for end, hard in cuts:
        words = words_of(message, at, end)
        if words:
            denied, denying = _denied([w.text for w in words], denying)
            if _AFTERWARDS.search(message, at, end):
                denied = [True] * len(words)
            about = any(at <= place < end for place in others)
            found.append(Stretch(tuple(words), tuple(denied), sentence, about))
        if hard:
            sentence, denying = sentence + 1, False
        at = end
    return found


def words_of(text: str, start: int = 0, end: int | None = None) -> list[Word]:
    """The words of text[start:end], lower-case, with their places in `text`."""
    found = []
    for match in _WORD.finditer(text, start, len(text) if end is None else end):
        word = match[0].lower().replace("’", "'")
        found.append(Word(word, match.start(), match.end(), root(word)))
    return found


@lru_cache(maxsize=200_000)
def root(word: str) -> str:
    """A word without its endings, so that "drooping", "droopy" and "droops" are one."""
    plain = word.removesuffix("'s")
    plain = _FORMS.get(plain) or IRREGULAR.get(plain, plain)
    short = stem(plain)
    return short[:-1] if len(short) > 4 and short[-1] in "ie" else short


def is_denial(words: Sequence[str], place: int) -> bool:
    """Whether a denial begins at that word."""
    word = words[place]
    if word in _DENIALS:
        return not (word == "no" and words[place + 1 : place + 2] in (["longer"], ["matter"], ["doubt"]))
    if word in ("not", "never") or word.endswith("n't"):
        return any(next_ in _HAVING for next_ in words[place + 1 : place + 3])
    return word == "free" and words[place + 1 : place + 2] in (["of"], ["from"])


def _denied(words: Sequence[str], denying: bool) -> tuple[list[bool], bool]:
    """(for each word, whether it is denied; whether the denial goes on behind the comma)."""
    denied = []
    for n, word in enumerate(words):
        if is_denial(words, n):
            denying = True
        elif word in _ENDS_DENIAL or (denying and _new_subject(words, n)):
            denying = False
        denied.append(denying)
    return denied, denying


def _new_subject(words: Sequence[str], place: int) -> bool:
    """Whether someone, or some part of someone, begins to do something here: at the start, or behind "and"."""
    begins = place == 0 or (place > 0 and words[place - 1] in ("and", "while", "because", "then"))
    return begins and words[place] in _SUBJECTS and len(words) > place + 1
