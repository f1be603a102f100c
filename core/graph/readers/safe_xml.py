"""XML to events, safely: no entity may be declared and nothing outside the file is fetched. Not here: formats."""

from __future__ import annotations

from typing import Protocol
from xml.parsers import expat

from core.errors import InputError
from core.graph.readers.reader import report_progress
from core.graph.readers.text import decode
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
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
    texts: list[list[str]] = []
    encoding = ["utf-8"]

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

    def declaration(version: str, declared: str | None, standalone: int) -> None:
        encoding[0] = (declared or "utf-8").lower()

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = characters
    parser.EntityDeclHandler = entity
    parser.XmlDeclHandler = declaration
    try:
        for begin in range(0, max(len(data), 1), _PIECE):
            report_progress(on_progress, f"Reading {file}", begin / max(len(data), 1))
            parser.Parse(data[begin : begin + _PIECE], begin + _PIECE >= len(data))
    except expat.ExpatError as error:
        if error.code == expat.errors.codes[expat.errors.XML_ERROR_UNKNOWN_ENCODING]:
            hint = "Save the file as UTF-8."
        else:
            hint = "The file may be cut off or damaged."
        raise InputError(
            f"not well-formed XML: {expat.ErrorString(error.code)}",
            where=f"{file}, line {error.lineno}, column {error.offset + 1}",
            hint=hint,
        ) from None
    return encoding[0]


def root_element(head: bytes, file: str) -> str:
    """The name of the outermost element, from the first bytes of a file; "" when it is not XML."""
    found: list[str] = []
    parser = expat.ParserCreate(namespace_separator=" ")

    def start(name: str, attributes: dict[str, str]) -> None:
        if not found:
            found.append(_local(name))

    parser.StartElementHandler = start
    if not head.lstrip(b"\xef\xbb\xbf\xff\xfe\0 \t\r\n").startswith(b"<"):
        return ""
    try:
        parser.Parse(head, False)
    except expat.ExpatError:
        if not found:
            found = _root_by_eye(head, file)
    return found[0] if found else ""


def _root_by_eye(head: bytes, file: str) -> list[str]:
    """For a head that does not parse: the first tag that is no declaration and no comment."""
    import re

    try:
        text = decode(head, file).text
    except InputError:
        return []
    match = re.search(r"<(?:[\w.-]+:)?([A-Za-z][\w.-]*)", re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL))
    return [match[1]] if match else []


def _local(name: str) -> str:
    return name.rsplit(" ", 1)[-1]
