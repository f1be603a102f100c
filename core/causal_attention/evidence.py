"""Evidence of candidates between its two forms: arrays to compute with, and columns that a trace keeps.

Every number is rounded to 6 places before either is made, so both hold the same values.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.causal_attention.index import Pool
from core.causal_attention.scores import Facts
from core.causal_attention.steps import DocumentEvidence


def evidence_of(pool: Pool) -> tuple[DocumentEvidence, ...]:
    """What a trace keeps of each candidate of a pool (made with its words)."""
    facts = pool.facts
    counts = facts.valid.sum(axis=1).tolist()
    result = []
    for i, k in enumerate(counts):
        triangle = np.tril_indices(k)
        result.append(
            DocumentEvidence(
                id=pool.ids[i],
                terms=pool.terms[i],
                weights=tuple(facts.weights[i, :k].tolist()),
                exact=tuple(facts.exact[i, :k].tolist()),
                nearest=pool.nearest[i],
                nearest_cosine=tuple(facts.nearest[i, :k].tolist()),
                query_cosine=tuple(facts.query[i, :k].tolist()),
                gram=tuple(facts.gram[i][triangle].tolist()),
                unknown=float(facts.unknown[i]),
            )
        )
    return tuple(result)


def facts_of(documents: Sequence[DocumentEvidence]) -> Facts:
    """The arrays that `evidence_of` was made from."""
    m, width = len(documents), max((len(d.terms) for d in documents), default=0)
    facts = Facts(
        np.zeros((m, width), np.bool_),
        np.zeros((m, width)),
        np.zeros((m, width), np.bool_),
        np.full((m, width), -1.0),
        np.zeros((m, width)),
        np.zeros((m, width, width)),
        np.array([d.unknown for d in documents], np.float64),
    )
    for i, document in enumerate(documents):
        k = len(document.terms)
        facts.valid[i, :k] = True
        facts.weights[i, :k] = document.weights
        facts.exact[i, :k] = document.exact
        facts.nearest[i, :k] = document.nearest_cosine
        facts.query[i, :k] = document.query_cosine
        rows, columns = np.tril_indices(k)
        facts.gram[i, rows, columns] = document.gram
        facts.gram[i, columns, rows] = document.gram
    return facts
