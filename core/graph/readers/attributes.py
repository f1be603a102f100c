"""Free attributes of a node or an edge (JSON objects, GraphML data) to a name, a type, a text or a relation.

Which key is what is told by its name, as for columns of tables; keys that merely end in such a word
("sbgnlabel") come second. Not here: any file format.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from core.graph.readers.columns import plain

_NAME = ("name", "label", "title", "displayname", "nodelabel", "caption", "fullname")
_TYPE = ("type", "nodetype", "entitytype", "kind", "class", "category", "labels", "group", "ntype")
_TEXT = ("text", "description", "desc", "abstract", "summary", "comment", "definition", "content", "details", "body")
_RELATION = (
    *("relation", "type", "predicate", "edgetype", "relationship", "relationtype", "rel", "label", "edgelabel"),
    *("interaction", "kind", "class", "name", "title"),
)


class Described(NamedTuple):
    """What a node's attributes say."""

    name: str
    type: str
    text: str


def describe_node(attributes: Mapping[str, Any], skip: Collection[str] = ()) -> Described:
    """Name, type and text; attributes that are none of them join the text as "key: value"."""
    keys = _node_keys(tuple(key for key in attributes if key not in skip))
    lines = [as_text(attributes[key]) for key in keys.texts]
    lines += [f"{key}: {value}" for key in keys.rest if (value := as_text(attributes[key]))]
    return Described(
        as_text(attributes[keys.name]) if keys.name is not None else "",
        as_text(attributes[keys.type]) if keys.type is not None else "",
        "\n".join(line for line in lines if line),
    )


def describe_edge(attributes: Mapping[str, Any], skip: Collection[str] = ()) -> str:
    """The relation, "" where the attributes name none."""
    key = _relation_key(tuple(key for key in attributes if key not in skip))
    return as_text(attributes[key]) if key is not None else ""


def as_text(value: Any) -> str:
    """A scalar or a list of scalars as text, "" for nothing and for what is nested deeper."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return str(value)
    if isinstance(value, list):
        return ", ".join(part for part in map(as_text, value) if part)
    return ""


class _NodeKeys(NamedTuple):
    name: str | None
    type: str | None
    texts: tuple[str, ...]
    rest: tuple[str, ...]


@lru_cache(maxsize=1024)
def _node_keys(keys: tuple[str, ...]) -> _NodeKeys:
    name = _first(keys, _NAME)
    type_ = _first([key for key in keys if key != name], _TYPE)
    texts = tuple(key for word in _TEXT for key in keys if plain(key) == word and key not in (name, type_))
    rest = tuple(key for key in keys if key not in (name, type_) and key not in texts)
    return _NodeKeys(name, type_, texts, rest)


@lru_cache(maxsize=1024)
def _relation_key(keys: tuple[str, ...]) -> str | None:
    return _first(keys, _RELATION)


def _first(keys: Collection[str], words: Collection[str]) -> str | None:
    """The key that is the earliest of the words, else one that ends in the earliest."""
    spelled = {plain(key): key for key in reversed(tuple(keys))}
    for word in words:
        if word in spelled:
            return spelled[word]
    for word in words:
        for spelling, key in spelled.items():
            if len(word) > 3 and spelling.endswith(word):
                return key
    return None
