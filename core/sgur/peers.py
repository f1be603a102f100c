"""What SGUR is compared with (SGUR-11, and classics of the field): each gives every hypothesis a score, all at once.

A peer is a function of the engine and a query; the greater its score the better, and equals go to the hypothesis with
fewer observations, which makes each of them as strong as it can be. H hypotheses. Not here: peers that ask a model.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from core.sgur.engine import Engine
from core.sgur.expert_graph import Floats
from core.sgur.index import segment_max
from core.sgur.query import Query
from core.sgur.similarity import common_information

Peer = Callable[[Engine, Query], Floats]

BACKGROUND = 0.05  # naive Bayes: the share of observations that have nothing to do with the hypothesis
DAMPING, TURNS = 0.85, 30  # PageRank
RANK_CONSTANT = 10.0  # of the ensemble: 1 / (constant + place)


def shared_terms(engine: Engine, query: Query) -> Floats:
    """(H,) how many of the observed observations the hypothesis has."""
    seen = np.zeros(len(engine.graph.observations))
    seen[list(query.observed)] = 1.0
    return np.asarray(engine.graph.reported.astype(bool) @ seen, np.float64)


def ic_overlap(engine: Engine, query: Query) -> Floats:
    """(H,) summed information content of all that both imply."""
    index = engine.index
    seen = np.zeros(len(engine.graph.observations))
    for b in query.observed:
        above = index.broader.indices[index.broader.indptr[b] : index.broader.indptr[b + 1]]
        seen[above] = index.information[above]
    return np.asarray(index.implied @ seen, np.float64)


def resnik(engine: Engine, query: Query) -> Floats:
    """(H,) sum over the observed of the greatest information content shared with an observation of the hypothesis.

    Resnik, 1995.
    """
    score = np.zeros(len(engine.graph.hypotheses))
    for b in query.observed:
        score += segment_max(engine.graph.reported, common_information(engine.index, b))
    return score


def naive_bayes(engine: Engine, query: Query) -> Floats:
    """(H,) sum of ln p(b | d): how often d shows b or anything narrower, mixed with how common b is."""
    many = len(engine.graph.hypotheses)
    score = np.zeros(many)
    for b in query.observed:
        common = np.exp(-engine.index.information[b])
        score += np.log((1 - BACKGROUND) * engine.evidence.expected(b) + BACKGROUND * common)
    return score


def pagerank(engine: Engine, query: Query) -> Floats:
    """(H,) personalised PageRank from the observed, over the links of all layers and of the hierarchy."""
    graph = engine.graph
    reported, parents, located = (
        m.astype(np.float64) for m in (graph.reported.astype(bool), graph.parents, graph.located)
    )
    o, h, l = (np.zeros(n) for n in (len(graph.observations), len(graph.hypotheses), len(graph.localisations)))
    start = o.copy()
    start[list(query.observed)] = 1.0 / max(len(query.observed), 1)
    # Undirected: a walker leaves a node by any of its links alike.
    ways_o = reported.sum(0).A1 + parents.sum(0).A1 + parents.sum(1).A1 + located.sum(1).A1
    ways_h, ways_l = reported.sum(1).A1, located.sum(0).A1
    o = start.copy()
    for _ in range(TURNS):
        out_o, out_h, out_l = (x / np.maximum(w, 1) for x, w in ((o, ways_o), (h, ways_h), (l, ways_l)))
        o = (1 - DAMPING) * start + DAMPING * (
            reported.T @ out_h + parents @ out_o + parents.T @ out_o + located @ out_l
        )
        h, l = DAMPING * (reported @ out_o), DAMPING * (located.T @ out_o)
    return np.asarray(h, np.float64)


PEERS: dict[str, Peer] = {
    "shared-terms": shared_terms,
    "ic-overlap": ic_overlap,
    "resnik": resnik,
    "naive-bayes": naive_bayes,
    "pagerank": pagerank,
}


def peer_distance(engine: Engine, score: Floats) -> Floats:
    """(H,) a distance for `belief.places`: the place by score, equals by fewer observations; true twins stay equal."""
    rows = np.stack([-np.round(score, 9), engine.index.sizes])
    _, place = np.unique(rows, axis=1, return_inverse=True)
    return np.asarray(place, np.float64).reshape(-1)


def ensemble(places: list[Floats]) -> Floats:
    """(H,) a distance from several rankings by place: the reciprocal ranks summed, negative [ours]."""
    return -np.asarray(sum(1.0 / (RANK_CONSTANT + p) for p in places), np.float64)
