"""All that observations are called, made ready for being found in a message: labels, their roots, and their vectors.

A label is a name or another name of one observation. Not here: messages.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from core.linking.words import EVERYDAY_WORDS
from core.retriever import OnProgress
from core.sgur.expert_graph import Layer
from core.sgur.extraction_words import JOINING, words_of
from core.text.embedding import Encoder, embed_all, text_key

EVERYDAY_PHRASES = 400
TAU_SHARE = 0.99  # of everyday phrases that stay below tau


@dataclass(frozen=True, slots=True)
class Label:
    """One way to call an observation. `roots`: of its telling words, in order. exact_case: it is an abbreviation."""

    text: str
    observation: int
    is_name: bool
    roots: tuple[str, ...]
    exact_case: bool


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """The labels of a layer of observations, and where each root occurs."""

    layer: Layer
    labels: tuple[Label, ...]
    by_root: dict[str, list[int]] = field(repr=False)

    @classmethod
    def of(cls, layer: Layer) -> Vocabulary:
        """All names and other names."""
        labels: list[Label] = []
        by_root: dict[str, list[int]] = defaultdict(list)
        for n, (name, others) in enumerate(zip(layer.names, layer.synonyms, strict=True)):
            for text in (name, *others):
                roots = tuple(w.root for w in words_of(text) if w.text not in JOINING)
                short = len(text) <= 6 and text.isupper()
                if roots:
                    for one in set(roots):
                        by_root[one].append(len(labels))
                    labels.append(Label(text, n, text == name, roots, short))
        return cls(layer, tuple(labels), dict(by_root))

    @cached_property
    def idf(self) -> dict[str, float]:
        """Root -> ln((L + 1) / (labels that have it + .5))."""
        return {one: math.log((len(self.labels) + 1) / (len(places) + 0.5)) for one, places in self.by_root.items()}

    @cached_property
    def observation_of(self) -> NDArray[np.int64]:
        """(labels,) the observation that each label calls."""
        return np.array([label.observation for label in self.labels], np.int64)

    @cached_property
    def single(self) -> NDArray[np.bool_]:
        """(labels,) whether a label has one root only."""
        return np.array([len(set(label.roots)) == 1 for label in self.labels], bool)

    @cached_property
    def abbreviations(self) -> NDArray[np.bool_]:
        """(labels,) whether a label is an abbreviation."""
        return np.array([label.exact_case for label in self.labels], bool)

    def weight(self, roots: tuple[str, ...]) -> float:
        """How telling roots are together."""
        return math.fsum(self.idf[one] for one in set(roots))

    @cached_property
    def by_rarest(self) -> dict[str, list[int]]:
        """Root -> places of the labels of which it is the rarest: the only ones it can give away."""
        found: dict[str, list[int]] = defaultdict(list)
        for place, label in enumerate(self.labels):
            found[min(label.roots, key=lambda one: (len(self.by_root[one]), one))].append(place)
        return dict(found)

    def candidates(self, roots: set[str], least: float = 1.0) -> list[int]:
        """Places of the labels of which `roots` cover at least this share, in order; the rarest root is among them."""
        places = {place for one in roots for place in self.by_rarest.get(one, ())}
        return sorted(place for place in places if self.coverage(place, roots) >= least)

    def coverage(self, place: int, roots: set[str]) -> float:
        """The share of a label's weight that `roots` hold; 0 for a single root out of several."""
        own = set(self.labels[place].roots)
        met = own & roots
        if len(met) == len(own):
            return 1.0
        return self.weight(tuple(met)) / self.weight(tuple(own)) if len(met) > 1 else 0.0


@dataclass(frozen=True, eq=False)
class LabelVectors:
    """The labels of a vocabulary as vectors, and tau_sim: what everyday phrases do not reach (SGUR-3).

    vectors: (labels, d) float32 rows of norm 1. tau belongs to the encoder and the vocabulary: the similarity to their
    nearest label that 99 of 100 phrases of everyday words stay below [ours; the paper's .85 is its encoder's].
    """

    vocabulary: Vocabulary
    encoder: Encoder
    vectors: NDArray[np.float32] = field(repr=False)
    tau: float

    @classmethod
    def of(cls, vocabulary: Vocabulary, encoder: Encoder, on_progress: OnProgress | None = None) -> LabelVectors:
        """Encoded once and kept on disk; the first time it takes up to some minutes."""
        texts = [label.text for label in vocabulary.labels]
        vectors = embed_all(texts, encoder, text_key(texts), on_progress)
        nearest = (encoder.encode(everyday_phrases()) @ vectors.T).max(axis=1)
        return cls(vocabulary, encoder, vectors, float(np.quantile(nearest, TAU_SHARE)))

    @cached_property
    def names(self) -> NDArray[np.float32]:
        """(O, d): the vector of each observation's name."""
        place = {label.observation: n for n, label in enumerate(self.vocabulary.labels) if label.is_name}
        rows = np.zeros((len(self.vocabulary.layer), self.vectors.shape[1]), np.float32)
        for observation, n in place.items():
            rows[observation] = self.vectors[n]
        return rows


def everyday_phrases(count: int = EVERYDAY_PHRASES) -> list[str]:
    """Two to five everyday words each, the same every time."""
    draw = np.random.default_rng(0)
    return [" ".join(draw.choice(EVERYDAY_WORDS, size=int(draw.integers(2, 6)))) for _ in range(count)]
