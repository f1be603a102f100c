"""XML to events, safely: no entity may be declared and nothing outside the file is fetched. Not here: formats."""

from __future__ import annotations

import codecs
import re
from typing import Protocol
from xml.parsers import expat

from core.errors import InputError
from core.graph.readers.reader import report_progress
from core.retriever import OnProgress

_PIECE = 1 << 20


class Handler(Protocol):
    """What a format does with elements. Names are without namespace."""

    def start(self, name: str, attributes: dict[str, str], line: int) -> None:
        """An element begins."""
        ...

    def end(self, name: str, text: str) -> None:
        """An element ends; `text` is what stood directly in it."""
        ...


def parse_xml(data: bytes, file: str, handler: Handler, on_progress: OnProgress | None = None) -> str:
    """Run through a document and return its encoding. InputError with the line of what is not well-formed.

    Declared entities are refused altogether: they serve no graph format, and a few lines of them can
    stand for gigabytes of text.
    """
    data, encoding = _in_known_encoding(data, file)
    parser = expat.ParserCreate(None if encoding == "utf-16" else "utf-8", namespace_separator=" ")
    parser.buffer_text = True
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
    texts: list[list[str]] = []

    def start(name: str, attributes: dict[str, str]) -> None:
        texts.append([])
        plain = {_local(key): value for key, value in attributes.items()}
        handler.start(_local(name), plain, parser.CurrentLineNumber)

    def end(name: str) -> None:
        handler.end(_local(name), "".join(texts.pop()))

    def characters(text: str) -> None:
        if texts:
            texts[-1].append(text)

    def entity(name: str, *_: object) -> None:
        raise InputError(
            f"the file declares the entity {name!r}, which is not safe to expand",
            where=f"{file}, line {parser.CurrentLineNumber}",
            hint="Save the graph without a DOCTYPE that declares entities.",
        )

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = characters
    parser.EntityDeclHandler = entity
    try:
        for begin in range(0, max(len(data), 1), _PIECE):
            report_progress(on_progress, f"Reading {file}", begin / max(len(data), 1))
            parser.Parse(data[begin : begin + _PIECE], begin + _PIECE >= len(data))
    except expat.ExpatError as error:
        raise InputError(
            f"not well-formed XML: {expat.ErrorString(error.code)}",
            where=f"{file}, line {error.lineno}, column {error.offset + 1}",
            hint="The file may be cut off or damaged.",
        ) from None
    return encoding


def root_element(head: bytes) -> str:
    """The name of the outermost element, from the first bytes of a file; "" when it is not XML."""
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        head = head.decode("utf-16", "replace").encode("utf-8")
    head = head.removeprefix(codecs.BOM_UTF8).lstrip()
    if not head.startswith(b"<"):
        return ""
    # The first tag that is no declaration and no comment. Names of elements are ASCII in every format read here.
    bare = re.sub(rb"<!--.*?-->|<!DOCTYPE[^\[>]*(\[.*?\]\s*)?>", b"", head, flags=re.DOTALL)
    match = re.search(rb"<(?:[\w.-]+:)?([A-Za-z][\w.-]*)", bare)
    return match[1].decode("ascii") if match else ""


def _in_known_encoding(data: bytes, file: str) -> tuple[bytes, str]:
    """The document in UTF-8, or as it is where it has the mark of UTF-16, and the encoding it came in."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data, "utf-16"
    match = re.match(rb"\s*<\?xml[^>]*?encoding\s*=\s*[\"']([A-Za-z][\w.-]*)[\"']", data)
    declared = match[1].decode("ascii").lower() if match else ""
    if declared in ("", "utf-8"):
        return data, "utf-8"
    try:
        return data.decode(declared).encode("utf-8"), declared
    except (LookupError, UnicodeError):
        raise InputError(
            f"the declared encoding {declared!r} cannot be read", where=file, hint="Save the file as UTF-8."
        ) from None


def _local(name: str) -> str:
    return name.rsplit(" ", 1)[-1]
