"""The causal graph of retrieval (CAR-6) and what it says of independence, for any conditioning set.

A: the keywords shared by query and document; B: the document's other keywords; q: the query; d: a retrieved
document; y: the ideal answer. d-separation is networkx's. Not here: how the graph is drawn.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable
from typing import Any, NamedTuple

from core.errors import ConfigError

NODES = {
    "A": "keywords that the query and the document share",
    "B": "the document's other keywords",
    "q": "the query",
    "d": "a retrieved document",
    "y": "the ideal answer, which nobody sees",
}
EDGES = (("A", "q"), ("A", "d"), ("B", "d"), ("B", "y"), ("q", "y"))
LATENT = ("A", "B", "y")


class Statement(NamedTuple):
    """One thing the method says of its graph, and what it means."""

    x: str
    y: str
    given: tuple[str, ...]
    separated: bool
    meaning: str

    @property
    def formula(self) -> str:
        """The statement as it is written."""
        sign = "⊥" if self.separated else "⊥̸"
        given = f" | {', '.join(self.given)}" if self.given else ""
        return f"{self.x} {sign} {self.y}{given}"


STATEMENTS = (
    Statement("q", "B", (), True, "Before anything is retrieved, the query says nothing about B."),
    Statement("q", "B", ("d",), False, "Retrieving d opens the collider A -> d <- B: now q and B are associated."),
    Statement("q", "d", ("A",), True, "The shared keywords screen the document off from the query."),
    Statement("d", "y", ("A", "B"), True, "Both keyword sets together screen the answer off from the document."),
    Statement(
        "q",
        "B",
        ("A", "d"),
        True,
        "Once A is known the path is closed again: the licence for the score holds while A is latent, "
        "although the score computes A.",
    ),
)

ASSUMPTIONS = {
    "Directed acyclic graph": "Every arrow points from what generates to what is generated, and none leads back.",
    "Causal sufficiency": "Whatever two of the variables have as a common cause is itself one of the variables.",
    "Causal Markov": "Given its parents, a variable is independent of all that does not descend from it.",
    "Faithfulness": "Independence arises from the shape of the graph alone, never from effects that happen to cancel.",
}


class Reply(NamedTuple):
    """Whether x and y are d-separated by `given`; every path between them, and whether it is open."""

    separated: bool
    paths: tuple[tuple[tuple[str, ...], bool, str], ...]  # nodes, open, why in words


def d_separated(x: str, y: str, given: Collection[str] = ()) -> bool:
    """Whether `given` d-separates x and y. ConfigError for an unknown variable, or one that is conditioned on."""
    import networkx as nx

    _check(x, y, given)
    separated: bool = nx.is_d_separator(_graph(), {x}, {y}, set(given))
    return separated


def explain(x: str, y: str, given: Collection[str] = ()) -> Reply:
    """The same with every path between x and y: open, or closed and by what."""
    separated = d_separated(x, y, given)
    return Reply(separated, tuple(_path(path, set(given)) for path in _paths(x, y)))


def write_path(nodes: Iterable[str]) -> str:
    """A path with its arrows: q <- A -> d <- B."""
    nodes = list(nodes)
    words = nodes[:1]
    for a, b in itertools.pairwise(nodes):
        words += ["->" if (a, b) in EDGES else "<-", b]
    return " ".join(words)


def _path(path: tuple[str, ...], given: set[str]) -> tuple[tuple[str, ...], bool, str]:
    for before, node, after in zip(path, path[1:], path[2:], strict=False):
        collider = (before, node) in EDGES and (after, node) in EDGES
        if collider and not ({node} | _descendants(node)) & given:
            return path, False, f"closed at the collider {node}"
        if not collider and node in given:
            return path, False, f"closed at {node}, which is known"
    opened = [n for b, n, a in zip(path, path[1:], path[2:], strict=False) if (b, n) in EDGES and (a, n) in EDGES]
    return path, True, f"open: the collider {', '.join(opened)} is known" if opened else "open"


def _paths(x: str, y: str) -> list[tuple[str, ...]]:
    import networkx as nx

    skeleton: Any = _graph().to_undirected()
    return sorted((tuple(p) for p in nx.all_simple_paths(skeleton, x, y)), key=lambda p: (len(p), p))


def _descendants(node: str) -> set[str]:
    import networkx as nx

    return set(nx.descendants(_graph(), node))


def _graph() -> Any:
    import networkx as nx

    return nx.DiGraph(EDGES)


def _check(x: str, y: str, given: Collection[str]) -> None:
    for name in (x, y, *given):
        if name not in NODES:
            raise ConfigError(
                f"there is no variable {name!r}", where="causal graph", hint=f"They are {', '.join(NODES)}."
            )
    if x == y or x in given or y in given:
        raise ConfigError("a variable is compared with another, and given a third", where="causal graph")
