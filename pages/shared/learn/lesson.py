"""What a chapter and a lesson are: one equation, said in words, and a miniature in which it can be tried.

A miniature computes with the functions of `core`, so what is taught is what runs. Not here: which chapters there are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Place:
    """Where the equation is at work in the app: a page with an address, and what the link says."""

    page: str
    label: str
    address: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Lesson:
    """One equation. `name` stands in the address.

    words: paragraphs, before the equation. equation: LaTeX, printed and never computed with. source: the paper's own
    place. draw: the miniature; it reruns by itself, without the page around it.
    """

    name: str
    title: str
    source: str
    words: tuple[str, ...]
    equation: str
    draw: Callable[[], None]
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class Chapter:
    """The lessons of one method, in the order in which they build on each other."""

    name: str
    title: str
    lessons: tuple[Lesson, ...]
