"""Reader of N-Triples (RDF 1.1): strict line by line, lines that break the grammar are rejected.

What becomes of a triple:
- rdf:type gives the subject its node type, the last part of the class's IRI (further types join the text);
- a literal under a naming property (rdfs:label, skos:prefLabel, foaf:name, schema:name, dc:title, ..) gives the name:
  English first, then without language, then any; the others join the text as "also called";
- a literal under a describing property (rdfs:comment, skos:definition, ..) and any string longer than 100
  characters is text;
- any other literal is a node of its own, typed by its datatype, so that one can walk to a date or a number;
- what is left is an edge. Its type is the last part of the property's IRI; two properties that end alike
  are told apart by the whole IRI.

Ids are IRIs, "_:label", or a literal in quotes with its datatype or language. Nodes are in order of ids.
Not here: Turtle, N-Quads, RDF/XML.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple
from urllib.parse import unquote

from core.graph.readers.assembly import Assembly
from core.graph.readers.columns import ColumnChoice
from core.graph.readers.reader import Reader, report_progress
from core.graph.readers.source import Source, suffix
from core.graph.readers.text import decode
from core.graph.report import FileReport, LoadedGraph
from core.retriever import OnProgress

_IRI = r"<((?:[^\x00-\x20<>\"{}|^`\\]|\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8})*)>"
_BLANK = r"_:((?:\w|:)(?:[\w:.\-·]*[\w:\-·])?)"
_STRING = r'"((?:[^"\\\r\n]|\\[tbnrf"\'\\]|\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8})*)"'
_LITERAL = rf"{_STRING}(?:\^\^{_IRI}|@([A-Za-z]+(?:-[A-Za-z0-9]+)*))?"
TRIPLE = re.compile(rf"[ \t]*(?:{_IRI}|{_BLANK})[ \t]*{_IRI}[ \t]*(?:{_IRI}|{_BLANK}|{_LITERAL})[ \t]*\.[ \t]*(?:#.*)?")
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))")
_CHARACTERS = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f"}
_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
_NAMING = {"label", "preflabel", "name", "title"}
_NAMING_SPACES = ("rdf-schema#", "skos/core#", "foaf/0.1/", "schema.org/", "dc/elements/1.1/", "dc/terms/")
_DESCRIBING = {"comment", "definition", "description", "abstract", "note", "scopenote", "example"}
_LONG = 100


class _Literal(NamedTuple):
    text: str
    datatype: str  # the last part of its IRI; "string" where there is none
    language: str
    id: str


def claims(source: Source) -> tuple[str, ...]:
    """Files that end in .nt, and a lone file of any other name whose first statement is a triple."""
    named = tuple(name for name in source.names if suffix(name) in (".nt", ".ntriples"))
    if named or len(source.names) != 1 or suffix(source.names[0]) in (".ttl", ".n3", ".trig", ".nq"):
        return named
    lines = re.split(rb"[\r\n]+", source.head(source.names[0]))
    statements = [line for line in lines if line.strip() and not line.lstrip().startswith(b"#")]
    first = statements[0].decode("utf-8", "replace") if statements else ""
    return source.names if TRIPLE.fullmatch(first) else ()


def read(source: Source, choice: ColumnChoice, on_progress: OnProgress | None) -> LoadedGraph:
    """Read all N-Triples files of the source as one graph."""
    assembly = Assembly("N-Triples", source.name)
    described = _Descriptions()
    edges: list[tuple[str, int, str, str, str]] = []
    for file in source.names:
        decoded = decode(source.read(file), file)
        report_progress(on_progress, f"Reading {file}")
        count = 0
        for number, line in enumerate(re.split(r"\r\n|\n|\r", decoded.text), 1):
            if not line.strip(" \t") or line.lstrip(" \t").startswith("#"):
                continue
            count += 1
            match = TRIPLE.fullmatch(line)
            if match is None:
                assembly.reject(file, number, "the line is not a triple of RDF 1.1", line)
                continue
            subject = _node_id(match[1], match[2])
            predicate = _unescape(match[3])
            described.see(subject)
            if match[6] is not None:
                value = _literal(match)
                if described.takes(subject, predicate, value):
                    continue
                described.see(value.id, value.text, value.datatype)
                edges.append((file, number, subject, predicate, value.id))
            elif predicate == _TYPE and match[4] is not None:
                described.types.setdefault(subject, []).append(last_part(_unescape(match[4])))
            else:
                target = _node_id(match[4], match[5])
                described.see(target)
                edges.append((file, number, subject, predicate, target))
        assembly.add_file(FileReport(name=file, rows=count, encoding=decoded.encoding), decoded.surrogates)
    for id_, (name, type_, text) in described.nodes():
        assembly.add_node(source.names[0], 0, id_, name, type_, text)
    relation = relation_names({predicate for _, _, _, predicate, _ in edges})
    for file, number, head, predicate, tail in edges:
        assembly.add_edge(file, number, head, relation[predicate], tail)
    return assembly.finish()


class _Descriptions:
    """What literals and types say of each node, in order of first appearance."""

    def __init__(self) -> None:
        self.types: dict[str, list[str]] = {}
        self._seen: dict[str, tuple[str, str]] = {}
        self._names: dict[str, list[tuple[int, str]]] = {}
        self._texts: dict[str, list[str]] = {}

    def see(self, id_: str, name: str = "", type_: str = "") -> None:
        self._seen.setdefault(id_, (name, type_))

    def takes(self, id_: str, predicate: str, value: _Literal) -> bool:
        """Whether the literal describes the node, rather than being a node."""
        word = last_part(predicate)
        if word.lower() in _NAMING and any(space in predicate for space in _NAMING_SPACES):
            rank = 0 if value.language.startswith("en") else 1 if not value.language else 2
            self._names.setdefault(id_, []).append((rank, value.text.strip()))
        elif word.lower() in _DESCRIBING:
            self._texts.setdefault(id_, []).append(value.text.strip())
        elif value.datatype == "string" and len(value.text) > _LONG:
            self._texts.setdefault(id_, []).append(f"{word}: {value.text.strip()}")
        else:
            return False
        return True

    def nodes(self) -> Iterable[tuple[str, tuple[str, str, str]]]:
        for id_ in sorted(self._seen):
            name, type_ = self._seen[id_]
            names = [text for _, text in sorted(self._names.get(id_, [])) if text]
            types = sorted(set(self.types.get(id_, [])))
            lines = sorted(set(self._texts.get(id_, [])))
            others = [text for text in dict.fromkeys(names) if text != names[0]]
            lines += [f"also called: {', '.join(others)}"] if others else []
            lines += [f"type: {', '.join(types[1:])}"] if types[1:] else []
            name = names[0] if names else name or last_part(id_)
            yield id_, (name, types[0] if types else type_, "\n".join(lines))


def last_part(iri: str) -> str:
    """What people read of an IRI: after the last # or / (or :), decoded, underscores as spaces."""
    if iri.startswith("_:"):
        return iri
    trimmed = iri.rstrip("/#")
    part = re.split(r"[/#]", trimmed)[-1]
    if ":" in part and "://" not in part:
        part = part.rsplit(":", 1)[-1] or part
    return unquote(part).replace("_", " ").strip() or iri


def relation_names(predicates: set[str]) -> dict[str, str]:
    """Predicate IRI -> its last part, or the whole IRI where several end alike."""
    ends: dict[str, list[str]] = {}
    for predicate in predicates:
        ends.setdefault(last_part(predicate), []).append(predicate)
    return {p: end if len(alike) == 1 else f"{end} ({p})" for end, alike in ends.items() for p in alike}


def _node_id(iri: str | None, blank: str | None) -> str:
    return _unescape(iri) if iri is not None else f"_:{blank}"


def _literal(match: re.Match[str]) -> _Literal:
    text, language = _unescape(match[6]), (match[8] or "").lower()
    datatype = last_part(_unescape(match[7])) if match[7] else "string"
    end = f"^^<{match[7]}>" if match[7] else f"@{language}" if language else ""
    return _Literal(text, datatype, language, f'"{text}"{end}')


def _unescape(text: str) -> str:
    return _ESCAPE.sub(_character, text) if "\\" in text else text


def _character(match: re.Match[str]) -> str:
    if match[3] is not None:
        return _CHARACTERS.get(match[3], match[3])
    number = int(match[1] or match[2], 16)
    return chr(number) if number <= 0x10FFFF else "\ufffd"


READER = Reader("N-Triples", "N-Triples (.nt)", claims, read, several=True)
