"""What a simulated patient says: the terms of a round as a sentence in plain words, some by another name [ours].

The sentence holds nothing but the names and other names that the graph has, so it is easier than what people write;
what it measures is whether a reader finds its way back from words to terms. Not here: reading (`extraction`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.sgur.expert_graph import Layer

OTHER_NAME = 0.5  # how often a term that has other names is told by one of them
OPENINGS = ("There is {}.", "I have noticed {}.", "What I see is {}.", "It began with {}.")


def sentence(observations: Layer, terms: Sequence[int], seed: Sequence[int]) -> str:
    """The terms (positions) as one sentence; the same for the same seed. "" without a term."""
    if not terms:
        return ""
    draw = np.random.default_rng(tuple(seed))
    opening = OPENINGS[int(draw.integers(len(OPENINGS)))]
    said = [_spoken(observations, term, draw) for term in terms]
    return opening.format(" and ".join([", ".join(said[:-1]), said[-1]]) if len(said) > 1 else said[0])


def _spoken(observations: Layer, term: int, draw: np.random.Generator) -> str:
    others = observations.synonyms[term] if term < len(observations.synonyms) else ()
    luck, place = draw.random(2)  # drawn also where there is no other name: the draws that follow stay the same
    name = others[int(place * len(others))] if others and luck < OTHER_NAME else observations.names[term]
    return name[:1].lower() + name[1:] if name[1:2].islower() else name
