"""The guided tour: a sequence of deep links with a caption each, read from sample_data/tour.json.

A stop is an ordinary address, so what it shows can be linked to and changed like any other view. Not here: drawing.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from core.errors import InputError

FILE = Path(__file__).resolve().parents[2] / "sample_data" / "tour.json"
PAGES = ("home", "data", "cara", "causal_attention", "kerag", "sgur")


@dataclass(frozen=True, slots=True)
class Stop:
    """One view. `page` is a page's path in the address, `query` what stands behind it (without the tour's own)."""

    page: str
    query: MappingProxyType[str, str]
    title: str
    caption: str


@cache
def read_tour(path: Path = FILE) -> tuple[Stop, ...]:
    """The stops in order. InputError when the file is not as it should be."""
    try:
        said = json.loads(path.read_text(encoding="utf-8"))
        stops = tuple(_stop(one) for one in said["stops"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"the tour is not described as it should be: {error!r}", where=path.name) from None
    if not stops:
        raise InputError("the tour has no stops", where=path.name)
    return stops


def _stop(said: dict[str, Any]) -> Stop:
    if said["page"] not in PAGES:
        raise ValueError(f"there is no page {said['page']!r}")
    query = MappingProxyType({str(name): str(value) for name, value in said["query"].items()})
    return Stop(said["page"], query, str(said["title"]), str(said["caption"]))
