"""Reader of HTML, by Beautiful Soup over lxml: the words that are shown. Scripts and styles are dropped, never run."""

from __future__ import annotations

import codecs
import re
import warnings

from core.corpus.assembly import Assembly
from core.corpus.cleaning import clean_text
from core.corpus.columns import DocumentColumnChoice
from core.corpus.readers.reader import Reader, add_one, decode_document
from core.errors import InputError
from core.graph.readers.text import Decoded
from core.retriever import OnProgress

FORMAT = "HTML"
DROPPED = ("script", "style", "noscript", "template", "svg", "annotation", "iframe", "object", "head")
_BLOCKS = (
    *("address", "article", "aside", "blockquote", "br", "caption", "dd", "details", "div", "dl", "dt", "figcaption"),
    *("figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "main", "nav", "ol", "p"),
    *("pre", "section", "summary", "table", "tr", "ul", "option", "title"),
)
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
    from bs4.element import Comment, Tag

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it wonders aloud whether short markup is a file name, and the like
        soup = BeautifulSoup(markup, "lxml")
    named = soup.title or soup.find("h1")
    title = named.get_text(" ", strip=True) if isinstance(named, Tag) else ""
    for tag in soup.find_all(DROPPED):
        tag.decompose()
    for comment in soup.find_all(string=lambda string: isinstance(string, Comment)):
        comment.extract()
    for tag in soup.find_all(_BLOCKS):
        tag.insert_before("\n")
        tag.insert_after("\n")
    for tag in soup.find_all(("td", "th")):
        tag.insert_after(" ")
    lines = (" ".join(line.split()) for line in soup.get_text().split("\n"))
    return title, "\n".join(line for line in lines if line)


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
