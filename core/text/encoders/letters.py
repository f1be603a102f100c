"""Vectors of letter trigrams: spelling only, no meaning. It needs no model, so it is always there."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from core.retriever import OnProgress
from core.text.pooling import unit_rows

DIMENSIONS = 2048


class LettersModel:
    """Counts of a text's letter trigrams, each put in one of 2,048 places by its crc32."""

    name = "letters"
    title = "Letter trigrams (spelling only, no model)"
    dimensions = DIMENSIONS
    version = "letters/1"
    persistent = False

    def missing(self) -> str:
        """Nothing can be missing."""
        return ""

    def load(self) -> None:
        """Nothing to load."""

    def encode(self, texts: Sequence[str], on_progress: OnProgress | None = None) -> NDArray[np.float32]:
        """(n, 2048) float32 rows of norm 1, of the case-folded text between single spaces."""
        counts = np.zeros((len(texts), DIMENSIONS), np.float32)
        for row, text in enumerate(texts):
            if on_progress and row % 5_000 == 0:
                on_progress("Counting letter trigrams", row / len(texts))
            padded = f" {' '.join(text.casefold().split())} "
            for i in range(len(padded) - 2):
                counts[row, zlib.crc32(padded[i : i + 3].encode()) % DIMENSIONS] += 1
        return unit_rows(counts)

    def unknown_share(self, texts: Sequence[str]) -> float:
        """Zero: every letter counts."""
        return 0.0
