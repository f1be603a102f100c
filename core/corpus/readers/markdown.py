"""Reader of Markdown: the words without the marks. A heading or the front matter names the document."""

from __future__ import annotations

import re

from core.corpus.assembly import Assembly
from core.corpus.cleaning import clean_text
from core.corpus.columns import DocumentColumnChoice
from core.corpus.readers.reader import Reader, add_one, decode_document
from core.errors import InputError
from core.retriever import OnProgress

FORMAT = "Markdown"
_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_FRONT_TITLE = re.compile(r"^title:[ \t]*(['\"]?)(.+?)\1[ \t]*$", re.MULTILINE | re.IGNORECASE)
_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(.+?)[ \t]*#*[ \t]*$", re.MULTILINE)
_UNDERLINED = re.compile(r"^(?! {0,3}[-=>*+|])(\S.*)\n(?:=+|-{2,})[ \t]*$", re.MULTILINE)
_MARKS = (
    (re.compile(r"<!--(?:(?!-->).)*+(?:-->|\Z)", re.DOTALL), ""),
    (re.compile(r"^ {0,3}(?:```|~~~).*$", re.MULTILINE), ""),
    (re.compile(r"!?\[([^\[\]\n]*)\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:[ \t]+[\"'][^\n]*?[\"'])?\)"), r"\1"),
    (re.compile(r"!?\[([^\[\]\n]+)\]\[[^\[\]\n]*\]"), r"\1"),
    (re.compile(r"^ {0,3}\[[^\[\]\n]+\]:[ \t]*\S+.*$", re.MULTILINE), ""),
    (_HEADING, r"\1"),
    (_UNDERLINED, r"\1"),
    (re.compile(r"^ {0,3}(?:[-*_][ \t]*){3,}$", re.MULTILINE), ""),
    (re.compile(r"^(?:[ \t]{0,3}>[ \t]?)+", re.MULTILINE), ""),
    (re.compile(r"^[ \t|:-]++$", re.MULTILINE), ""),
    (re.compile(r"(\*\*|__)(?=\S)([^\n]{1,500}?)(?<=\S)\1"), r"\2"),
    (re.compile(r"(?<![\w*])\*(?=[^\s*])([^*\n]+?)(?<=\S)\*(?![\w*])"), r"\1"),
    (re.compile(r"(?<![\w_])_(?=[^\s_])([^_\n]+?)(?<=\S)_(?![\w_])"), r"\1"),
    (re.compile(r"(?<!`)(`{1,3}+)([^`\n]+)\1"), r"\2"),
    (
        re.compile(
            r"</?(?:a|b|br|code|div|em|h[1-6]|i|img|kbd|li|ol|p|pre|span|strong|sub|sup|u|ul)\b[^<>]*>", re.IGNORECASE
        ),
        "",
    ),
)


def claims(name: str, _: bytes) -> bool:
    """By the name."""
    return name.lower().endswith((".md", ".markdown", ".mdown", ".mkd"))


def read(assembly: Assembly, file: str, data: bytes, _: DocumentColumnChoice, on_progress: OnProgress | None) -> None:
    """Read a Markdown file. InputError when it is binary or empty."""
    if on_progress:
        on_progress(f"Reading {file}", None)
    decoded = decode_document(data, file)
    title, text = markdown_text(decoded.text)
    cleaned = clean_text(text)
    if not cleaned.text:
        raise InputError("the file is empty", where=file)
    add_one(assembly, file, FORMAT, title, cleaned, decoded)


def markdown_text(source: str) -> tuple[str, str]:
    """The title, "" when there is none, and the text without marks."""
    text = re.sub(r"[ \t]{4,}", "    ", source.replace("\r\n", "\n").replace("\r", "\n"))
    title = ""
    front = _FRONT_MATTER.match(text)
    if front:
        named = _FRONT_TITLE.search(front[1])
        title, text = (named[2] if named else ""), text[front.end() :]
    if not title:
        heading = min(filter(None, (_HEADING.search(text), _UNDERLINED.search(text))), key=_start, default=None)
        title = heading[1] if heading else ""
        title = _without_marks(title)
    return title.strip(), _without_marks(text)


def _without_marks(text: str) -> str:
    for pattern, replacement in _MARKS:
        text = pattern.sub(replacement, text)
    return text


def _start(match: re.Match[str]) -> int:
    return match.start()


READER = Reader("markdown", "Markdown (.md)", claims, read)
