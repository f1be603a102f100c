"""Reader of HTML, by Beautiful Soup over lxml: the words that are shown. Scripts and styles are dropped, never run."""

from __future__ import annotations

import codecs
import re
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING

from core.corpus.assembly import Assembly
from core.corpus.cleaning import clean_text
from core.corpus.columns import DocumentColumnChoice
from core.corpus.readers.reader import Reader, add_one, decode_document
from core.errors import InputError
from core.graph.readers.text import Decoded
from core.retriever import OnProgress

if TYPE_CHECKING:
    from bs4.element import PageElement, Tag

FORMAT = "HTML"
DROPPED = frozenset(("script", "style", "noscript", "template", "svg", "annotation", "iframe", "object", "head"))
_BLOCKS = frozenset(
    (
        *(
            "address",
            "article",
            "aside",
            "blockquote",
            "br",
            "caption",
            "dd",
            "details",
            "div",
            "dl",
            "dt",
            "figcaption",
        ),
        *(
            "figure",
            "footer",
            "form",
            "h1",
            "h2",
            "h3",
            "h4",
            "h5",
            "h6",
            "header",
            "hr",
            "li",
            "main",
            "nav",
            "ol",
            "p",
        ),
        *("pre", "section", "summary", "table", "tr", "ul", "option", "title"),
    )
)
_CELLS, _LINKS = ("td", "th"), ("a", "button")
_DECLARED = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_.:-]{1,40})", re.I)


def claims(name: str, head: bytes) -> bool:
    """By the name, or by how it begins."""
    if name.lower().endswith((".html", ".htm", ".xhtml")):
        return True
    return head[:1_024].removeprefix(codecs.BOM_UTF8).lstrip().lower().startswith((b"<!doctype html", b"<html"))


def read(assembly: Assembly, file: str, data: bytes, _: DocumentColumnChoice, on_progress: OnProgress | None) -> None:
    """Read a page. InputError when it is binary, or shows no text."""
    if on_progress:
        on_progress(f"Reading {file}", None)
    decoded = _decode(data, file)
    title, text = html_text(decoded.text)
    cleaned = clean_text(text)
    if not cleaned.text:
        raise InputError("the page shows no text", where=file, hint="Scripts, which may fill it in, are not run.")
    add_one(assembly, file, FORMAT, title, cleaned, decoded)


def html_text(markup: str) -> tuple[str, str]:
    """The title, and the text that is shown, each block beginning on a line of its own."""
    from bs4 import BeautifulSoup
    from bs4.element import Tag

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it wonders aloud whether short markup is a file name, and the like
        soup = BeautifulSoup(markup, "lxml")
    named = soup.title or soup.find("h1")
    title = " ".join(named.get_text(" ").split()) if isinstance(named, Tag) else ""
    lines = (" ".join(line.split()) for line in "".join(_shown(soup)).split("\n"))
    return title, "\n".join(line for line in lines if line)


def _shown(root: Tag) -> Iterator[str]:
    """The strings that are shown, with line ends about blocks and a space after cells and links side by side.

    Walked with a list and not by recursion: a hostile page nests ten thousand deep.
    """
    from bs4.element import NavigableString, PreformattedString, Tag

    waiting: list[PageElement | str] = [root]
    while waiting:
        item = waiting.pop()
        if not isinstance(item, Tag):
            if isinstance(item, NavigableString):
                if not isinstance(item, PreformattedString):  # a comment, a declaration
                    yield str(item).replace("\n", " ")
            elif isinstance(item, str):
                yield item
            continue
        if item.name in DROPPED:
            continue
        edge = "\n" if item.name in _BLOCKS else ""
        if edge:
            yield edge
        apart = item.name in _CELLS or (item.name in _LINKS and isinstance(item.next_sibling, Tag))
        waiting.append(edge or (" " if apart else ""))
        waiting.extend(reversed(item.contents))


def _decode(data: bytes, file: str) -> Decoded:
    """As any text; but what is not UTF-8 is read in the encoding that the page declares, if it can be."""
    decoded_as_text = _is_plain(data)
    declared = _DECLARED.search(data[:8_192])
    if not decoded_as_text and declared:
        try:
            name = codecs.lookup(declared[1].decode("ascii")).name
            return Decoded(data.decode(name), name)
        except (LookupError, UnicodeError):
            pass
    return decode_document(data, file)


def _is_plain(data: bytes) -> bool:
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return True
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


READER = Reader("html", "HTML (.html, .htm)", claims, read)
