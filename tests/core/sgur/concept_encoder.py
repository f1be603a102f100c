"""An encoder for tests that knows a few concepts: words of one concept are one axis, any other word has its own."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from core.retriever import OnProgress
from core.sgur.extraction_words import words_of

CONCEPTS = {
    "tremor": "shaking", "trembl": "shaking", "shake": "shaking", "quake": "shaking",
    "hand": "hand", "finger": "hand", "palm": "hand",
    "headach": "headache", "head": "head", "migrain": "headache",
    "inability": "cannot", "cannot": "cannot", "unable": "cannot", "walk": "walk", "stroll": "walk",
}  # fmt: skip
AXES = 256


class ConceptEncoder:
    """Function words count for nothing."""

    name = "concepts"
    title = "Concepts"
    dimensions = AXES
    version = "concepts/1"

    def encode(self, texts: Sequence[str], on_progress: OnProgress | None = None) -> NDArray[np.float32]:
        rows = np.zeros((len(texts), AXES), np.float32)
        for n, text in enumerate(texts):
            for word in words_of(text):
                if word.telling or word.turns:
                    concept = next((c for start, c in CONCEPTS.items() if word.text.startswith(start[:5])), word.root)
                    rows[n, zlib.crc32(concept.encode()) % AXES] += 1.0
        return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)

    def unknown_share(self, texts: Sequence[str]) -> float:
        return 0.0
