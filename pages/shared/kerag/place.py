"""Where one is in a KERAG run, as its address says: the line, the triple, the node, and the triples taken away."""

from __future__ import annotations

from dataclasses import dataclass

from core.figures.kerag.parts import Parts, depths, far_end
from pages.shared import state

ADDRESS = ("data", "q", "run", "step", "triple", "node", "without", "other", "guess")
LONGEST = 200  # triples that an address can take away


@dataclass(frozen=True, slots=True)
class Place:
    """line: the number of a line of the reasoning. triple: the place of a cited one, or None. without: taken away."""

    line: int
    triple: int | None
    node: str
    without: frozenset[int]


def current(parts: Parts) -> Place:
    """The place; the first line that rests on a triple where the address names none."""
    lines = parts.summary.lines if parts.summary else ()
    named = state.number("step")
    opening = next((one.number for one in lines if one.triples), lines[0].number if lines else 1)
    kept = range(len(parts.retrieved.triples)) if parts.retrieved else range(0)
    words = state.param("without").split(".")[:LONGEST]
    gone = frozenset(int(w) for w in words if w.isascii() and w.isdigit() and len(w) < 10) & set(kept)
    triple = state.number("triple")
    return Place(
        line=named if named is not None and any(one.number == named for one in lines) else opening,
        triple=triple if triple in kept else None,
        node=state.param("node"),
        without=gone,
    )


def show_line(number: int) -> None:
    """A callback: light a line's triples."""
    _put({"step": number, "triple": None, "node": None})


def show_node(node: str) -> None:
    """A callback: select a node of the graph; none when empty."""
    _put({"triple": None, "node": node})


def cite(parts: Parts, line: int, triple: int) -> None:
    """A callback: follow a citation of a line to its triple, in the list and on the graph."""
    end = far_end(parts.retrieved, triple, depths(parts)) if parts.retrieved else None
    _put({"step": line, "triple": triple, "node": end.id if end else None})


def take(triples: frozenset[int]) -> None:
    """A callback: these triples are taken away, and no others."""
    _put({"without": ".".join(map(str, sorted(triples)))})


def _put(values: dict[str, object]) -> None:
    state.put(values)
    state.save_address("kerag", ADDRESS)
