"""What a reader of a graph format is: a name, words for people, a test, and a function. One file a format."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from core.graph.readers.columns import ColumnChoice
from core.graph.readers.source import Source
from core.graph.report import LoadedGraph
from core.retriever import OnProgress


@dataclass(frozen=True, slots=True)
class Reader:
    """One format.

    claims: the names of the files of a source that this reader would read, () if it is not its format.
    A test looks at names and first bytes only. read: gets a source of just the claimed files.
    """

    name: str
    title: str  # as messages name it, e.g. "N-Triples (.nt)"
    claims: Callable[[Source], tuple[str, ...]]
    read: Callable[[Source, ColumnChoice, OnProgress | None], LoadedGraph]
    several: bool = False  # whether several files can be one graph


def report_progress(on_progress: OnProgress | None, what: str, share: float | None = None) -> None:
    """Tell a listener, if there is one, what is being done."""
    if on_progress is not None:
        on_progress(what, share)
