"""Texts to chunks of 4,096 characters, each beginning 512 before the last one ended (CAR-10)."""

from __future__ import annotations

SIZE = 4_096
OVERLAP = 512


def chunks(text: str) -> list[str]:
    """Pieces of `text`, in order: each at most 4,096 characters, the last 512 of one the first 512 of the next.

    Cut by characters and not at words, so that a chunk's place in the text is its number times 3,584. A
    blank text has none; no chunk lies wholly in the one before it.
    """
    if not text.strip():
        return []
    step = SIZE - OVERLAP
    return [text[start : start + SIZE] for start in range(0, max(len(text) - OVERLAP, 1), step)]


def chunk_count(text: str) -> int:
    """How many chunks `text` has."""
    return -(-max(len(text) - OVERLAP, 1) // (SIZE - OVERLAP)) if text.strip() else 0
