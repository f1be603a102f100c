"""Long texts: cut into windows that an encoder can read, and one vector made of the windows' vectors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def windows(text: str, limit: int) -> list[str]:
    """`text` in as few pieces of at most `limit` characters as will do, of about equal length, cut at spaces."""
    pieces: list[str] = []
    rest = text.strip()
    while len(rest) > limit:
        target = -(-len(rest) // -(-len(rest) // limit))
        space = rest.rfind(" ", target // 2, target + 1)
        cut = space if space > 0 else target
        pieces.append(rest[:cut].strip())
        rest = rest[cut:].strip()
    return [piece for piece in (*pieces, rest) if piece]


def unit_rows(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """(n, d) rows scaled to norm 1; a zero row stays zero."""
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return (vectors / np.where(norms > 0, norms, 1)).astype(np.float32, copy=False)


def pool(vectors: NDArray[np.float32], counts: Sequence[int]) -> NDArray[np.float32]:
    """(n, d): for each text the mean of its `counts[i]` consecutive unit rows, scaled to norm 1.

    A text without a window has a zero row; one with a single window has that window's vector.
    """
    pooled = np.zeros((len(counts), vectors.shape[1]), np.float32)
    start = 0
    for i, count in enumerate(counts):
        if count == 1:
            pooled[i] = vectors[start]
        elif count:
            pooled[i] = unit_rows(vectors[start : start + count].mean(axis=0, keepdims=True))[0]
        start += count
    return pooled
