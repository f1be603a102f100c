"""Dense retrieval (CARA-13): nodes ranked by the cosine of their text's vector with the question's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.graph.contracts import Graph, Hit
from core.peers.ranking import PeerAnswerer, Search, run_search
from core.peers.vectors import GraphVectors, graph_vectors
from core.retriever import OnProgress, OnStep, ShouldStop
from core.shared_work import SharedWork
from core.text.embedding import UNKNOWN_LIMIT, Encoder
from core.text.selection import best_positions
from core.trace import DatasetRef, Trace


class DenseRetriever:
    """Ranks all nodes of `graph` by cosine.

    encoder: an encoder, or the name of one; by default the best that can be loaded and knows the graph's
    words. `answerer` writes the answer; without one there is none.
    """

    method = "dense"

    def __init__(
        self, graph: Graph, encoder: Encoder | str | None = None, answerer: PeerAnswerer | None = None
    ) -> None:
        self._graph = graph
        self._answerer = answerer
        self._vectors: SharedWork[GraphVectors] = SharedWork(lambda report: graph_vectors(graph, report, encoder))

    @property
    def dataset(self) -> DatasetRef:
        """The graph it ranks the nodes of."""
        return self._graph.dataset

    def prepare(self, on_progress: OnProgress | None = None) -> None:
        """Encode every node, or read the vectors from the cache. An exception of `on_progress` ends it, resumably."""
        self._vectors.get(on_progress=on_progress)

    def run(
        self,
        question: str,
        config: Mapping[str, Any] | None = None,
        on_step: OnStep | None = None,
        should_stop: ShouldStop | None = None,
    ) -> Trace:
        """One search by cosine. See `Retriever.run`; settings: `PeerConfig`. EncoderError: no such encoder here."""
        return run_search(
            self.method,
            self._graph,
            self._search,
            "cosine ranking, no decision",
            self._answerer,
            question,
            config,
            on_step,
            should_stop,
        )

    def _search(self, question: str, k: int, should_stop: ShouldStop) -> Search:
        encoder, matrix, notices = self._vectors.get(should_stop)
        # In the background too: a question never asked before may have to load the model first.
        asked = SharedWork(lambda report: (encoder.encode([question], report)[0], encoder.unknown_share([question])))
        vector, unknown = asked.get(should_stop)
        if unknown > UNKNOWN_LIMIT:
            blind = f"{encoder.title} does not know {unknown:.0%} of the question's words."
            notices = (*notices, blind)
        reason = "The question's vector is compared with the vector of every node's name and text."
        decided_by = f"cosine ranking with {encoder.title}, no decision"
        return Search(rank(matrix, vector, k), "dense_search", reason, decided_by, encoder.name, notices)


def rank(matrix: NDArray[np.float32], vector: NDArray[np.float32], k: int) -> list[Hit]:
    """The k rows of highest cosine, best first, ties by position; matrix (n, d) and vector (d,) of norm 1.

    Cosines are rounded to 6 places, the precision of the vectors, so that equal texts tie. A cosine of
    exactly 0 is left out: a blank text, or nothing in common.
    """
    scores = np.round((matrix @ vector).astype(np.float64), 6)
    return [Hit(int(position), float(scores[position])) for position in best_positions(scores, k)]
