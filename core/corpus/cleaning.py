"""Texts without what no reader of them means: contents' dot leaders, addresses, and the debris of parsing (CAR-10).

Every rule takes out less rather than more, and counts what it took; the counts stand in the report.

control characters   invisible ones, soft hyphens and zero-width marks among them, go; odd spaces become spaces
repeated lines       (pages only) first or last lines that come back on most pages, page numbers apart, go
page numbers         (pages only) a first or last line that is nothing but a page number goes
dot leaders          "Methods ........ 7": the dots and the page number go, the heading stays
addresses            http, https, ftp and www addresses go; of a Markdown or HTML link the words stay
joined words         a word cut at the end of a line ("hyphen-/ated") is joined, unless the text elsewhere
                     writes it with its hyphen

Not here: what belongs to one format, such as tags.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

REPEATED_PAGES = 3  # a line must come back on at least so many pages, and on more than half of them
EDGE_LINES = 2  # at the head and at the foot of a page
_LONGEST_HEADER = 120

_INVISIBLE = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u200b\u2060\ufeff\ufffe\uffff]")
_ODD_SPACE = re.compile("[\u00a0\u2000-\u200a\u202f\u205f\u3000]")
_LINE_END = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_DOT = "[.·•‧．]"
_NUMBER = r"(?:\d{1,5}|[ivxlcdm]{1,8})"
# Each begins at the start of a run and never gives a part of it back, so that a megabyte of dots takes no time.
_LEADER = re.compile(
    rf" ?(?:(?<!{_DOT})(?<!{_DOT} )(?:(?:{_DOT} ?){{4,}}+{_NUMBER}|(?:{_DOT} ?){{8,}}+)"
    rf"|(?<!…)(?<!… )…(?: ?…)++ ?{_NUMBER}?|(?<!_)_{{4,}}+ ?{_NUMBER}) ?$",
    re.MULTILINE,
)
_CJK = "\u3000-\u30ff\u3400-\u9fff\uff00-\uffef"
_ADDRESS = re.compile(rf"(?<![A-Za-z0-9])(?:(?:https?|ftp)://|www\.)[^\s<>\"'()\[\]{{}}|\\^`{_CJK}]+", re.IGNORECASE)
_MARKS = ("  ", " \n", "\n\n\n", "-\n", "\u2010\n", "..", ". .", "·", "•", "‧", "．", "…", "____", "://", "www.")
_SENTENCE_END = ".,;:!?"
_CUT_WORD = re.compile(r"\b([^\W\d_]+)[-\u2010]\n[ \t]*([^\W\d_]+)")
_HYPHENATED = re.compile(r"\b[^\W\d_]+-[^\W\d_]+")
_PAGE_NUMBER = re.compile(
    r"(?:[-–—]\s*)?(?:(?:page|p\.|seite|第)\s*)?\d{1,5}(?:\s*(?:/|of|von)\s*\d{1,5})?(?:\s*[页頁])?(?:\s*[-–—])?",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"\d+")


class Cleaned(NamedTuple):
    """A clean text, and how often each rule found something."""

    text: str
    counts: Counter[str]


def clean_text(text: str) -> Cleaned:
    """The text without dot leaders, addresses, invisible characters and words cut at line ends."""
    return Cleaned(text.strip(), Counter()) if _is_clean(text) else _cleaned(text)


def _is_clean(text: str) -> bool:
    """Whether no rule can find anything, which is told ten times as fast as the rules are applied."""
    if not text.replace("\n", "").isprintable():
        return False
    lower = text.lower()
    return not any(mark in lower for mark in _MARKS)


def _cleaned(text: str) -> Cleaned:
    counts: Counter[str] = Counter()
    text = _LINE_END.sub("\n", text)
    text, counts["control characters"] = _INVISIBLE.subn("", text)
    text = re.sub(r"[ \t]+", " ", _ODD_SPACE.sub(" ", text))
    text, counts["addresses"] = _ADDRESS.subn(_keep_sentence_end, text)
    text, counts["dot leaders"] = _LEADER.subn("", text)
    text, counts["joined words"] = _join_words(text)
    text = re.sub(r" +(?=\n|$)", "", re.sub(" {2,}", " ", text))
    return Cleaned(re.sub(r"\n{3,}", "\n\n", text).strip(), +counts)


def clean_pages(pages: Sequence[str]) -> Cleaned:
    """The pages of a document as one clean text, without the headers, footers and numbers that pages repeat."""
    lines = [[line.strip() for line in _LINE_END.sub("\n", page).strip().split("\n")] for page in pages]
    seen: Counter[str] = Counter()
    for page in lines:
        seen.update({_pattern(page[i]) for i in _edges(page)})
    enough = max(REPEATED_PAGES, len(pages) // 2 + 1)
    counts: Counter[str] = Counter()
    kept: list[str] = []
    for page in lines:
        going: set[int] = set()
        for i in _edges(page):
            if page[i] and len(page[i]) <= _LONGEST_HEADER and seen[_pattern(page[i])] >= enough:
                going.add(i)
                counts["repeated lines"] += 1
            elif i in (0, len(page) - 1) and _PAGE_NUMBER.fullmatch(page[i]):
                going.add(i)
                counts["page numbers"] += 1
        kept.append("\n".join(line for i, line in enumerate(page) if i not in going))
    text, found = clean_text("\n".join(page for page in kept if page.strip()))
    return Cleaned(text, counts + found)


def _edges(page: Sequence[str]) -> list[int]:
    """Positions of the first and last lines; a page of few lines has none but those at its very ends."""
    if len(page) <= 2 * EDGE_LINES:
        return sorted({0, len(page) - 1})
    return [*range(EDGE_LINES), *range(len(page) - EDGE_LINES, len(page))]


def _pattern(line: str) -> str:
    return _DIGITS.sub("#", " ".join(line.split()))


def _keep_sentence_end(match: re.Match[str]) -> str:
    address = match.group()
    return address[len(address.rstrip(_SENTENCE_END)) :]


def _join_words(text: str) -> tuple[str, int]:
    """Words cut at a line's end, joined; of those that the text writes with a hyphen only the line end goes."""
    count = 0
    hyphenated = set(_HYPHENATED.findall(text))

    def join(match: re.Match[str]) -> str:
        nonlocal count
        first, second = match.groups()
        if second[0].isupper() or not second[0].islower():  # "Anglo-\nSaxon", and scripts without small letters
            return match.group()
        count += 1
        whole = f"{first}-{second}"
        return whole if whole in hyphenated else first + second

    return _CUT_WORD.sub(join, text), count
