"""A small world for tests of causal attention: an encoder whose vectors are written down, and corpora made of words."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from core.causal_attention.index import CausalIndex, build_index
from core.corpus.document import Corpus, Document, content_id
from core.corpus.report import CorpusReport


class TableEncoder:
    """Word vectors from a table, else by lot from the word; a text is the mean of its words."""

    name, title, dimensions = "table", "Table", 8

    def __init__(self, table: Mapping[str, Sequence[float]] | None = None, unknown: Sequence[str] = ()) -> None:
        self.table = {word: np.array([*v, *[0.0] * (8 - len(v))]) for word, v in (table or {}).items()}
        self.unknown = set(unknown)
        self.calls = 0
        self.version = f"table/{sorted(self.table)}/{sorted(self.unknown)}"

    def encode(self, texts: Sequence[str], on_progress: Any = None) -> np.ndarray:
        self.calls += 1
        rows = [self._row(text) for text in texts]
        return np.array(rows, np.float32).reshape(len(texts), 8)

    def unknown_share(self, texts: Sequence[str]) -> float:
        words = [w for text in texts for w in text.lower().split()]
        return sum(w in self.unknown for w in words) / len(words) if words else 0.0

    def _row(self, text: str) -> np.ndarray:
        total = np.zeros(8)
        for word in text.lower().replace(".", " ").split():
            total += self._word(word)
        norm = np.linalg.norm(total)
        return total / norm if norm else total

    def _word(self, word: str) -> np.ndarray:
        if word in self.table:
            return self.table[word]
        seed = int.from_bytes(hashlib.sha256(word.encode("utf-8", "surrogatepass")).digest()[:4], "big")
        vector = np.random.default_rng(seed).standard_normal(8)
        return vector / np.linalg.norm(vector)


def index_of(texts: Mapping[str, str], encoder: Any = None, **options: Any) -> CausalIndex:
    """An index over these texts by id, in their order."""
    documents = tuple(Document(id=id_, title="", text=text) for id_, text in texts.items())
    corpus = Corpus(documents, "small", content_id(documents), CorpusReport(documents=len(documents)))
    return build_index(corpus, encoder or TableEncoder(), **options)


FRUIT = {
    "d1": "apple apple pear harvest ladder basket",
    "d2": "apple apple apple apple",
    "d3": "ladder basket rope knot",
    "d4": "harvest moon night song apple",
    "d5": "engine piston valve",
    "d6": "pear pear cider press barrel",
}
