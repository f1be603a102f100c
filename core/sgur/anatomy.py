"""Where observations are seen, when a source does not say: localisations found in their names, else by meaning.

The paper asks a language model (A.1); this is its stand-in without one [ours]. `core.sgur.anatomy_model` asks one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from core.retriever import OnProgress
from core.sgur.expert_graph import Layer
from core.sgur.extraction_words import JOINING, words_of
from core.sgur.vocabulary import LabelVectors, Vocabulary
from core.text.embedding import Encoder

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

MOST = 3  # localisations of an observation, as in the paper's prompt

Places = dict[int, list[int]]  # observation -> its localisations


def locate(
    observations: Layer,
    localisations: Layer,
    parents: csr_matrix | None = None,
    encoder: Encoder | None = None,
    on_progress: OnProgress | None = None,
) -> Places:
    """For each observation up to three localisations: named in its name or another name; else those of broader
    observations; else, with an encoder, the nearest by meaning above tau. Some stay without.
    """
    if not len(localisations):
        return {}
    vocabulary = Vocabulary.of(localisations)
    found: Places = {}
    for n, (name, others) in enumerate(zip(observations.names, observations.synonyms, strict=True)):
        for text in (name, *others):
            if own := _named(text, vocabulary):
                found[n] = own
                break
    if parents is not None:
        _inherit(found, parents, len(observations))
    if encoder is not None:
        _nearest(found, observations, LabelVectors.of(vocabulary, encoder, on_progress))
    return found


def _named(text: str, vocabulary: Vocabulary) -> list[int]:
    """The localisations whose label stands whole in the text, the most telling first, none inside another."""
    roots = {w.root for w in words_of(text) if w.text not in JOINING}
    labels = [vocabulary.labels[place] for place in vocabulary.candidates(roots)]
    labels.sort(key=lambda label: (-vocabulary.weight(label.roots), len(label.roots), label.observation))
    named: list[int] = []
    left = set(roots)
    for label in labels:
        if label.observation not in named and not label.exact_case and set(label.roots) <= left:
            named.append(label.observation)
            left -= set(label.roots)
    return named[:MOST]


def _inherit(found: Places, parents: csr_matrix, observations: int) -> None:
    """An observation without localisations takes those of its nearest broader ones."""
    bare = [n for n in range(observations) if n not in found]
    while bare:
        taken = {}
        for n in bare:
            above = parents.indices[parents.indptr[n] : parents.indptr[n + 1]].tolist()
            if own := list(dict.fromkeys(place for p in above for place in found.get(p, ())))[:MOST]:
                taken[n] = own
        if not taken:
            return
        found.update(taken)
        bare = [n for n in bare if n not in taken]


def _nearest(found: Places, observations: Layer, vectors: LabelVectors) -> None:
    bare = [n for n in range(len(observations)) if n not in found]
    for start in range(0, len(bare), 512):
        some = bare[start : start + 512]
        similar = vectors.encoder.encode([observations.names[n] for n in some]) @ vectors.vectors.T
        for n, row in zip(some, similar, strict=True):
            best = int(np.argmax(row))
            if row[best] >= vectors.tau:
                found[n] = [vectors.vocabulary.labels[best].observation]
