"""How a text becomes the words that BM25 counts. Not a linguistic analysis: no stems, no stop words.

A word is a run of letters, digits and their combining marks, case-folded, in Unicode's composed form
(NFC). Everything else separates: spaces, punctuation, underscores, hyphens, apostrophes, emoji. Digits
are words ("2001"). Each Chinese character is a word of its own; Japanese kana, Hangul and Thai stay runs.

Nothing is left out, since a name may be a stop word ("It", "Her", "The Who"), and nothing is stemmed,
since a name must be found by exactly its words ("Cars" is not "Car"). Accents are kept.
"""

from __future__ import annotations

import re
import unicodedata

_HAN = "\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_HAN_CHARACTER = re.compile(f"[{_HAN}]")
_WORD = re.compile(f"[{_HAN}]|[^\\W_{_HAN}]+")
_ASCII_WORD = re.compile("[a-z0-9]+")
_VARIATION_SELECTOR = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]")


def tokenise(text: str) -> list[str]:
    """The words of `text`, in order, repeats included. A lone surrogate separates words like any symbol."""
    if text.isascii():
        return _ASCII_WORD.findall(text.lower())
    # The dotted capital I of Turkish would fold to an i with a mark, which no one types.
    text = unicodedata.normalize("NFC", text.replace("\u0130", "i").casefold())
    text = _VARIATION_SELECTOR.sub("", text)
    marks = {c for c in set(text) if not c.isascii() and unicodedata.category(c) in ("Mn", "Mc")}
    if not marks:
        return _WORD.findall(text)
    # `re` counts a mark as no letter, which would cut the words of Hindi or Tamil apart.
    kept = "".join(c if c.isalnum() or c in marks else " " for c in text)
    return [word for run in kept.split() if not marks.issuperset(run) for word in _split_han(run, marks)]


def _split_han(run: str, marks: set[str]) -> list[str]:
    """A run of letters and marks, cut before and after each Chinese character."""
    words: list[str] = []
    joins = False  # whether a letter may join the last word
    for c in run:
        han = _HAN_CHARACTER.match(c) is not None
        if words and (c in marks or (joins and not han)):
            words[-1] += c
        else:
            words.append(c)
            joins = not han
    return words
