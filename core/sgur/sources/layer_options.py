"""A map of layers as a person writes it: the name of a JSON file, or `observation=Symptom,hypothesis=Fault,...`.

Several relations of one kind have a + between them. Not here: whether a graph has these types (from_graph.py).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from core.errors import ConfigError, InputError
from core.sgur.sources.from_graph import LayerMap

OPTION = "--layers"
LARGEST = 1024**2  # bytes of a file
MANY = ("reported", "absent", "located", "treated", "broader")
FORM = (
    "Write observation=TYPE,hypothesis=TYPE,reported=RELATION, with a + between relations, or give a JSON file. "
    f"Known: {', '.join(LayerMap.model_fields)}."
)


def layers_of(text: str) -> LayerMap:
    """The map that is written, or that stands in the file of this name. ConfigError or InputError say what is wrong."""
    path = Path(text)
    if "=" not in text or path.is_file():
        return _from_file(path)
    given: dict[str, Any] = {}
    for part in filter(None, map(str.strip, text.split(","))):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or not value:
            raise ConfigError(f"{part!r} maps nothing", where=OPTION, hint=FORM)
        if name in given:
            raise ConfigError(f"{name} is mapped twice", where=OPTION, hint="Put a + between several relations.")
        given[name] = [one.strip() for one in value.split("+") if one.strip()] if name in MANY else value
    return _checked(given, OPTION)


def _from_file(path: Path) -> LayerMap:
    try:
        if path.stat().st_size > LARGEST:
            raise InputError("it is too large to be a map of layers", where=path.name, hint=FORM)
        said = json.loads(path.read_text(encoding="utf-8-sig", errors="replace"))
    except OSError as error:
        what = f"the map of layers cannot be read: {error.strerror or error}"
        raise InputError(what, where=f"{OPTION} {path}", hint=FORM) from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"the map of layers is not JSON: {error}", where=path.name, hint=FORM) from None
    if not isinstance(said, dict):
        raise InputError("the map of layers should be an object", where=path.name, hint=FORM)
    return _checked(said, path.name)


def _checked(given: Mapping[str, Any], where: str) -> LayerMap:
    try:
        return LayerMap.model_validate(dict(given))
    except ValidationError as error:
        first = error.errors()[0]
        name = str(first["loc"][0])
        if first["type"] == "extra_forbidden":
            raise ConfigError(f"there is no layer or link {name!r}", where=where, hint=FORM) from None
        raise ConfigError(f"{name} is not valid: {first['msg']}", where=where, hint=FORM) from None
