"""A world of a dozen words in a plane, small enough to draw, in which the method runs as it does on any corpus.

Each word is a direction; a text's vector is the mean of its words', so a cosine is an angle that one can see. It is for
teaching: the words and their angles were chosen, and nothing was measured on them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from core.causal_attention.index import CausalIndex, build_index
from core.causal_attention.retriever import CausalAttentionRetriever
from core.causal_attention.scores import Floats
from core.causal_attention.steps import SplitStep
from core.corpus.document import Corpus, Document, content_id
from core.corpus.report import CorpusReport
from core.retriever import OnProgress
from core.text.keywords import terms
from core.trace import Trace

QUERY = "cough remedy"
# Degrees. What answers the query lies beside its words, what only surrounds them in a quiz lies elsewhere.
ANGLES = {
    "remedy": 0,
    "cough": 12,
    "cure": 27,
    "throat": 46,
    "thyme": 52,
    "honey": 60,
    "ginger": 68,
    "kettle": 84,
    "quiz": 140,
    "prize": 155,
    "winner": 165,
    "weekly": 178,
}
STUFFED = "quiz"
TAU = 0.85  # of this world: "cure" is near enough to "cough", "throat" is not
MOST_REPEATS = 8


class PlaneEncoder:
    """The words of `ANGLES` as unit vectors; a text is the mean of the words it has, at length 1."""

    name, title, dimensions, version = "plane", "A plane", 2, "plane/1"

    def encode(self, texts: Sequence[str], on_progress: OnProgress | None = None) -> NDArray[np.float32]:
        """(n, 2) rows of norm 1, zero for a text without a known word."""
        rows = [self._row(terms(text)) for text in texts]
        return np.array(rows, np.float32).reshape(len(texts), 2)

    def unknown_share(self, texts: Sequence[str]) -> float:
        """The share of words that are not of this world."""
        words = [word for text in texts for word in terms(text)]
        return sum(word not in ANGLES for word in words) / len(words) if words else 0.0

    def _row(self, words: Sequence[str]) -> NDArray[np.float64]:
        angles = np.radians([ANGLES[word] for word in words if word in ANGLES])
        total = np.array([np.cos(angles).sum(), np.sin(angles).sum()])
        norm = math.hypot(*total)
        return total / norm if norm > 1e-9 else np.zeros(2)


def documents(repeats: int) -> tuple[Document, ...]:
    """Four texts; the quiz repeats the query's words so many times and answers nothing."""
    stuffing = " ".join(["cough remedy"] * repeats)
    return (
        Document("drinks", "Thyme and honey", "thyme honey ginger throat cough kettle"),
        Document(STUFFED, "Quiz", f"{stuffing} quiz prize winner"),
        Document("words", "Cough, cough", "cure remedy cough"),
        Document("weekly", "Weekly", "winner prize kettle honey"),
    )


@lru_cache(maxsize=32)
def miniature(repeats: int = 4) -> tuple[Trace, CausalIndex]:
    """The method's run on this world, and its index."""
    texts = documents(repeats)
    corpus = Corpus(texts, "A world in a plane", content_id(texts), CorpusReport(documents=len(texts)))
    index = build_index(corpus, PlaneEncoder())
    config = {"tau": TAU, "answer": False, "mode": "semantic"}
    return CausalAttentionRetriever(index).run(QUERY, config), index


def residual(trace: Trace, index: CausalIndex, id_: str) -> Floats | None:
    """v_B of a document under the trace's split (CAR-4), (2,) and shorter than 1; None where B is empty."""
    split = next(s for s in trace.steps if isinstance(s, SplitStep) and s.how == "semantic")
    own = next(document for document in split.documents if document.id == id_)
    weights = {k.term: k.weight for k in index.table.keywords(index.row_of(id_)) if k.term in own.rest}
    if not weights:
        return None
    vectors = index.encoder.encode(list(weights)).astype(np.float64)
    return np.asarray(np.average(vectors, axis=0, weights=list(weights.values())))


def gains(mean: float, spread: float, probes: int = 60, seed: int = 0) -> Floats:
    """(probes,) differences of a metric in [-1, 1], as a re-ranker might make them: by lot around a mean."""
    drawn = np.random.default_rng(seed).normal(0.0, spread, probes)
    return np.asarray(np.clip(drawn - drawn.mean() + mean, -1.0, 1.0))
