"""Reads an ontology in OBO format 1.2: terms with names, definitions, synonyms, broader terms, and ids given up.

Only the lines that an expert graph needs are read; the rest is passed over. Not here: what the terms are used for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from core.errors import InputError

_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"\s*(\w*)\s*([^\s\[]*)')
_ESCAPED = re.compile(r"\\(.)")
_SCOPES = ("EXACT", "NARROW", "RELATED", "BROAD")
_NOT_WORDS = frozenset({"obsolete_synonym", "HP:0034334"})  # discarded ones, and codes for modes of inheritance


@dataclass(slots=True)
class Term:
    """One term. `synonyms`: closest in meaning first. `parents`: ids of the directly broader terms."""

    id: str
    name: str = ""
    definition: str = ""
    synonyms: list[str] = field(default_factory=list)
    parents: list[str] = field(default_factory=list)
    former_ids: list[str] = field(default_factory=list)
    replaced_by: str = ""
    obsolete: bool = False


@dataclass(frozen=True, slots=True)
class Ontology:
    """The terms in the order of the file, the release, and ids given up -> the term that stands for each now."""

    release: str
    terms: dict[str, Term]
    replaced: dict[str, str]

    def children(self, parent: str) -> list[str]:
        """Ids of the directly narrower terms, in the order of the file."""
        return [term.id for term in self.terms.values() if parent in term.parents]

    def ancestors(self, term: str) -> set[str]:
        """The term itself and all that are broader."""
        found: set[str] = set()
        waiting = [term]
        while waiting:
            one = waiting.pop()
            if one not in found and one in self.terms:
                found.add(one)
                waiting += self.terms[one].parents
        return found


def read_obo(path: Path) -> Ontology:
    """The ontology in a file. InputError when it cannot be read, or holds no term."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise InputError(f"the ontology cannot be read: {error.strerror}", where=path.name) from None
    header, *blocks = text.split("\n[Term]\n")
    release = next((line[14:].strip() for line in header.splitlines() if line.startswith("data-version: ")), "")
    terms = {term.id: term for term in map(_term, blocks) if term.id}
    if not terms:
        raise InputError("no term was found in it", where=path.name, hint="It should be an ontology in OBO format.")
    return Ontology(release, {id_: t for id_, t in terms.items() if not t.obsolete}, _replaced(terms))


def _term(block: str) -> Term:
    term = Term("")
    scoped: list[tuple[int, str]] = []
    for tag, value in _lines(block):
        match tag:
            case "id":
                term.id = value
            case "name":
                term.name = value
            case "def":
                term.definition = _quoted(value)[0]
            case "synonym":
                words, scope, kind = _quoted(value)
                if words and kind not in _NOT_WORDS:
                    scoped.append((_SCOPES.index(scope) if scope in _SCOPES else len(_SCOPES), words))
            case "is_a":
                term.parents.append(value.split(" ! ")[0].split(" {")[0].strip())
            case "alt_id":
                term.former_ids.append(value)
            case "replaced_by":
                term.replaced_by = value
            case "is_obsolete":
                term.obsolete = value == "true"
    seen = {term.name.casefold()}
    for _, words in sorted(scoped, key=lambda pair: pair[0]):
        if words.casefold() not in seen:
            seen.add(words.casefold())
            term.synonyms.append(words)
    return term


def _lines(block: str) -> Iterator[tuple[str, str]]:
    for line in block.split("\n"):
        if line.startswith("["):  # a stanza of another kind, such as [Typedef]
            return
        tag, colon, value = line.partition(": ")
        if colon:
            yield tag, value.strip()


def _quoted(value: str) -> tuple[str, str, str]:
    """(the words between quotes, scope, type) of `"words" SCOPE type [sources]`."""
    match = _QUOTED.match(value)
    return (_ESCAPED.sub(r"\1", match[1]).strip(), match[2], match[3]) if match else ("", "", "")


def _replaced(terms: dict[str, Term]) -> dict[str, str]:
    direct = {former: term.id for term in terms.values() if not term.obsolete for former in term.former_ids}
    direct |= {term.id: term.replaced_by for term in terms.values() if term.obsolete and term.replaced_by}
    settled = {}
    for former in direct:
        now, steps = direct[former], 0
        while now in direct and steps < len(direct):
            now, steps = direct[now], steps + 1
        if now in terms and not terms[now].obsolete:
            settled[former] = now
    return {former: now for former, now in settled.items() if former not in terms or terms[former].obsolete}
