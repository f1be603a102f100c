"""How node types look on a graph page: colour and shape together tell eight apart. Not here: which types there are."""

from __future__ import annotations

from collections.abc import Iterable

from core.figures.graph_view import LegendEntry
from core.figures.palette import Role
from core.figures.words import cut

# The most frequent type first; the ninth and later share the small dot.
STYLES: tuple[tuple[Role, str], ...] = (
    ("visited", "dot"),
    ("document", "square"),
    ("attribute", "triangle"),
    ("answer", "diamond"),
    ("visited", "hexagon"),
    ("document", "triangleDown"),
    ("attribute", "square"),
    ("answer", "hexagon"),
)
OTHER = "other types"
NO_TYPE = "no type"


def type_legend(types: Iterable[str]) -> tuple[tuple[LegendEntry, ...], dict[str, str]]:
    """A legend entry for each type, most frequent first, the ninth and later under one entry; and type -> group."""
    tally: dict[str, int] = {}
    for node_type in types:
        tally[node_type] = tally.get(node_type, 0) + 1
    ordered = sorted(tally, key=lambda t: (-tally[t], t))
    entries: list[LegendEntry] = []
    group_of: dict[str, str] = {}
    for node_type, (role, shape) in zip(ordered, STYLES, strict=False):
        group_of[node_type] = f"type {len(entries)}"
        entries.append(LegendEntry(group_of[node_type], cut(node_type) or NO_TYPE, role, shape))
    if len(ordered) > len(STYLES):
        entries.append(LegendEntry(OTHER, OTHER, "idle"))
        group_of |= dict.fromkeys(ordered[len(STYLES) :], OTHER)
    return tuple(entries), group_of
