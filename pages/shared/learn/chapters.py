"""The one list of chapters, in the order of the page; and the lesson that an address names."""

from __future__ import annotations

from pages.shared.learn import cara, causal_attention, kerag, sgur
from pages.shared.learn.lesson import Chapter, Lesson

CHAPTERS: tuple[Chapter, ...] = (cara.CHAPTER, causal_attention.CHAPTER, sgur.CHAPTER, kerag.CHAPTER)


def find(chapter: str, lesson: str) -> tuple[Chapter, Lesson]:
    """The lesson of that address; the chapter's first for an unknown one, the first chapter for an unknown chapter."""
    found = next((c for c in CHAPTERS if c.name == chapter), CHAPTERS[0])
    return found, next((one for one in found.lessons if one.name == lesson), found.lessons[0])


def neighbours(chapter: Chapter, lesson: Lesson) -> tuple[tuple[Chapter, Lesson] | None, tuple[Chapter, Lesson] | None]:
    """What comes before a lesson and after it, over the ends of chapters; None at either end of the page."""
    line = [(c, one) for c in CHAPTERS for one in c.lessons]
    at = line.index((chapter, lesson))
    return (line[at - 1] if at else None), (line[at + 1] if at + 1 < len(line) else None)
