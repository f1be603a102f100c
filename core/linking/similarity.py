"""How near a word of the question is to a label of the graph (a relation or a node type), on one scale for any encoder.

A label is compared by its variants: the whole, its words, their base forms and agent nouns. A cosine becomes
a z-score against everyday English words, so that 1 means "nearer than most words" and 6 "this very word",
whichever encoder it came from. Not here: relations' ends and what they have in common (`roles`).
"""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from core.linking.words import (
    AUXILIARIES,
    EVERYDAY_WORDS,
    FUNCTION_WORDS,
    IRREGULAR,
    agent_nouns,
    lemma,
    roots,
    singular,
    stems,
)

Floats = NDArray[np.float64]

Z_NOTHING, Z_SAME = 1.0, 6.0  # z where similarity starts, and where it is full
PART_WEIGHT = 0.92  # of one word out of several
PART_STEM = 0.9  # share of Z_SAME for a stem that is only a part of the label
SAME_ROOT = 0.85  # of that, where only the root is the same ("paints", "painter")
LEMMA_WEIGHT = 0.97  # of a cosine found through the question word's lemma

_INVERSE = re.compile(r"\b(?:inverse|reverse|inv)(?: of)?\b")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


class Encoder(Protocol):
    """A text encoder whose rows have norm 1 and do not depend on what else is asked with them."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]: ...

    def unknown_share(self, texts: Sequence[str]) -> float: ...


def label_text(name: str) -> str:
    """A label in words: the last segment of a namespaced name, camel case and underscores opened, lower case."""
    text = name.strip().strip("_")
    if "://" in text:
        text = re.split(r"[#/]", text.rstrip("#/"))[-1]
    elif re.search(r"\w:\w", text) and " " not in text:
        text = text.rsplit(":", 1)[-1]
    if "__" in text:
        text = text.rsplit("__", 1)[-1]
    if re.search(r"\w\.\w", text) and " " not in text:
        text = text.rsplit(".", 1)[-1]
    text = _CAMEL.sub(" ", text).lower()
    text = re.sub(r"[_./\-]+", " ", text)
    return " ".join(_INVERSE.sub(" ", text).split()) or name.lower()


def label_variants(text: str) -> dict[str, float]:
    """Ways of saying a label -> weight: the whole 1, each of several words and its forms 0.92."""
    words = [w for w in text.split() if w not in FUNCTION_WORDS and w not in AUXILIARIES]
    variants = {text: 1.0}
    if not words:
        return variants
    variants.setdefault(" ".join(words), 1.0)
    weight = 1.0 if len(words) == 1 else PART_WEIGHT
    by_someone = "by" in text.split()
    for word in words:
        forms = {word, singular(word)}
        base = IRREGULAR.get(word) or (word[:-2] if word.endswith("ed") and len(word) > 4 else "")
        if base:
            forms.add(base)
            if by_someone:
                forms.update(agent_nouns(word))
        for form in forms:
            variants[form] = max(variants.get(form, 0.0), weight)
    return variants


def ramp(values: Floats, low: float, high: float) -> Floats:
    """0 up to `low`, 1 from `high` on, straight between."""
    return np.clip((values - low) / (high - low), 0.0, 1.0)


_everyday: dict[str, NDArray[np.float32]] = {}  # by encoder version
_everyday_lock = threading.Lock()


def everyday_vectors(encoder: Encoder) -> NDArray[np.float32]:
    """(words, d) the everyday words in this encoder, computed once in a process."""
    with _everyday_lock:
        known = _everyday.get(encoder.version)
        if known is None:
            known = _everyday[encoder.version] = encoder.encode(EVERYDAY_WORDS)
        return known


def forms_of(text: str) -> tuple[str, ...]:
    """What is compared for a word or span: itself, and a single word's base form."""
    base = text if " " in text else lemma(text)
    return (text,) if base == text else (text, base)


Vectors = Mapping[str, Sequence[NDArray[np.float32]]]  # text -> a vector of each encoder


class LabelSpace:
    """L labels seen through one or more encoders."""

    def __init__(self, texts: Sequence[str], encoders: Sequence[Encoder], *, parts: bool = True) -> None:
        """texts: labels in words (`label_text`). parts False: they are compared as wholes, by meaning alone."""
        self.texts = tuple(texts)
        variants = [label_variants(t) if parts else {t: 1.0} for t in self.texts]
        flat = [(label, text, weight) for label, own in enumerate(variants) for text, weight in own.items()]
        self._starts = np.searchsorted([label for label, _, _ in flat], np.arange(len(self.texts)))
        self._weights = np.array([weight for _, _, weight in flat])
        # stems, or roots, of a variant -> label -> least z
        self._stems: dict[frozenset[str], dict[int, float]] = {}
        self._roots: dict[frozenset[str], dict[int, float]] = {}
        for label, text, weight in flat if parts else ():
            least = Z_SAME * (1.0 if weight == 1.0 else PART_STEM)
            _raise_to(self._stems, stems(text), label, least)
            _raise_to(self._roots, roots(text), label, least * SAME_ROOT)
        self._scales = [self._scale(encoder, [text for _, text, _ in flat]) for encoder in encoders if flat]

    def _scale(self, encoder: Encoder, variants: list[str]) -> tuple[NDArray[np.float32], Floats, Floats]:
        """The variants' vectors (d, V), and each label's centre and spread over everyday words.

        A label's own statistics are averaged with those of all labels, since one label's are noisy.
        """
        own = np.ascontiguousarray(encoder.encode(variants).T)
        everyday = self._best(everyday_vectors(encoder) @ own)
        centre = everyday.mean(axis=0)
        spread = np.maximum(everyday.std(axis=0), 0.5 * everyday.std())
        spread = np.maximum((spread + spread.mean()) / 2, 1e-6)
        return own, (centre + centre.mean()) / 2, spread

    def _best(self, cosines: NDArray[np.float32]) -> Floats:
        """(n, V) cosines to variants -> (n, L): the best weighted variant of each label."""
        return np.maximum.reduceat(cosines * self._weights, self._starts, axis=1)

    def named(self, text: str) -> frozenset[int]:
        """The labels one of whose variants has the very stems of the text."""
        return frozenset(self._stems.get(stems(text), ()))

    def z(self, text: str, vectors: Vectors) -> Floats:
        """(L,) z-score of a word or span against each label, the mean over the encoders.

        vectors: those of `forms_of(text)`. Rounded to 4 decimals.
        """
        if not self.texts:
            return np.zeros(0)
        total = np.zeros(len(self.texts))
        for encoder, (own, centre, spread) in enumerate(self._scales):
            raw = np.full(len(self.texts), -1.0)
            for number, form in enumerate(forms_of(text)):
                # one row at a time: a product of many rows differs in the last bits
                cosine = self._best((vectors[form][encoder] @ own)[None])[0]
                raw = np.maximum(raw, cosine * (LEMMA_WEIGHT if number else 1.0))
            total += (raw - centre) / spread
        z = total / len(self._scales)
        for known, key in ((self._stems, stems(text)), (self._roots, roots(text))):
            for label, least in known.get(key, {}).items():
                z[label] = max(z[label], least)
        return np.round(z, 4)


def _raise_to(index: dict[frozenset[str], dict[int, float]], key: frozenset[str], label: int, least: float) -> None:
    if key:
        at = index.setdefault(key, {})
        at[label] = max(at.get(label, 0.0), least)


def similarity(z: Floats) -> Floats:
    """z-scores to [0, 1]: 0 up to z = 1, 1 from z = 6 on."""
    return ramp(z, Z_NOTHING, Z_SAME)
