"""A corpus made ready for re-ranking: document vectors, keywords, term vectors, and the encoder's own tau.

A query is read against it (`read`), then a pool of the most similar documents is taken out with all the
cosines that any split and score needs (`pool`). Not here: what is done with them (rerank.py).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.causal_attention.keyword_table import KeywordTable, TableExtractor, extended, extract, keyword_table
from core.causal_attention.scores import PLACES, Facts, Floats
from core.corpus.document import Corpus, Document
from core.corpus.report import Duplicate
from core.retriever import OnProgress
from core.text.embedding import UNKNOWN_LIMIT, Encoder
from core.text.keywords import Keyword, terms
from core.trace import DatasetRef

TAU_OF_PAPER = 0.6  # for BGE-M3; used where there are too few terms to measure
PERCENTILE = 99
PAIRS = 20_000
FEWEST_TERMS = 20


class Reading(NamedTuple):
    """A query as it is compared: E(q) (d,), K_q best first, and E(u) (k, d) for each of its terms."""

    text: str
    vector: NDArray[np.float32]
    keywords: tuple[Keyword, ...]
    term_vectors: NDArray[np.float32]
    notices: tuple[str, ...] = ()


class Pool(NamedTuple):
    """The p documents most like a query, best first: row numbers, ids, s_sim, and the evidence of each.

    terms: each document's keywords; nearest: for each of them the query keyword of largest cosine ("" without).
    """

    rows: NDArray[np.int64]
    ids: tuple[str, ...]
    similarity: Floats
    facts: Facts
    terms: tuple[tuple[str, ...], ...]
    nearest: tuple[tuple[str, ...], ...]

    def size(self, window: int, theta: float) -> int:
        """How many of them are S1 (CAR-1): the first `window` whose similarity is at least theta."""
        return int((self.similarity[:window] >= theta).sum())


@dataclass(frozen=True)
class CausalIndex:
    """Documents, their vectors (n, d), their keywords, and the encoder. `tau_auto`: see `measured_tau`.

    duplicates: what was left out because a document here says the same, the first of `duplicates_total`.
    """

    documents: tuple[Document, ...]
    dataset: DatasetRef
    encoder: Encoder
    extractor: TableExtractor
    vectors: NDArray[np.float32]
    table: KeywordTable
    tau_auto: float
    duplicates: tuple[Duplicate, ...] = ()
    duplicates_total: int = 0

    @cached_property
    def _ids(self) -> NDArray[np.str_]:
        return np.array([document.id for document in self.documents], dtype=np.str_)

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {document.id: row for row, document in enumerate(self.documents)}

    def row_of(self, id_: str) -> int:
        """The row of a document. KeyError when there is none."""
        return self._rows[id_]

    @cached_property
    def id_order(self) -> NDArray[np.int64]:
        """(n,): the place of each row in the order of ids."""
        places = np.empty(len(self.documents), np.int64)
        ranked = sorted(range(len(self.documents)), key=lambda i: self.documents[i].id)
        places[ranked] = np.arange(len(ranked))
        return places

    def read(self, query: str, k: int) -> Reading:
        """E(q), and the k best query keywords with their vectors."""
        tokens = terms(query)
        vector = self.encoder.encode([query])[0]
        found = tuple(extract(self.extractor, tokens, self.table.idf, vector, self.encoder)[:k])
        return self.reading(query, vector, found)

    def reading(self, query: str, vector: NDArray[np.float32], found: Sequence[Keyword]) -> Reading:
        """A query with keywords that were chosen elsewhere."""
        term_vectors = self.encoder.encode([keyword.term for keyword in found])
        notices = []
        if not found:
            notices.append("The query has no keyword, only common words or signs: nothing of a document can be shared.")
        if not vector.any():
            notices.append("The encoder reads nothing in this query: all documents are equally unlike it.")
        elif self.encoder.unknown_share([query]) > UNKNOWN_LIMIT:
            notices.append(f"{self.encoder.title} does not know the query's words; its cosines mean little here.")
        return Reading(query, vector, tuple(found), term_vectors, tuple(notices))

    def similarities(self, vector: NDArray[np.float32]) -> Floats:
        """(n,) cosines of a query vector (d,) with every document, to 6 places, so that equal texts tie."""
        return (self.vectors @ vector).astype(np.float64).round(PLACES)

    def nearest_rows(self, vector: NDArray[np.float32], k: int) -> tuple[NDArray[np.int64], Floats]:
        """The k rows of largest cosine, best first, ties by id; and those cosines."""
        scores = self.similarities(vector)
        k = min(k, len(scores))
        if k == 0:
            return np.zeros(0, np.int64), np.zeros(0)
        threshold = np.partition(scores, len(scores) - k)[len(scores) - k]
        rows = np.flatnonzero(scores >= threshold)
        rows = rows[np.lexsort((self.id_order[rows], -scores[rows]))][:k].astype(np.int64)
        return rows, scores[rows]

    def pool(self, reading: Reading, size: int, kept: int, named: bool = True) -> Pool:
        """The `size` documents most like the query, with the evidence of `kept` keywords each.

        named False leaves out the words, which scores do not need.
        """
        rows, similarity = self.nearest_rows(reading.vector, size)
        facts, ids, closest = self._facts(rows, reading, kept)
        names: tuple[tuple[str, ...], ...] = ()
        nearest: tuple[tuple[str, ...], ...] = ()
        if named:
            counts = facts.valid.sum(axis=1)
            words = [keyword.term for keyword in reading.keywords]
            names = tuple(tuple(self.table.terms[t] for t in own[:c]) for own, c in zip(ids, counts, strict=True))
            nearest = tuple(
                tuple(words[j] if words else "" for j in own[:c]) for own, c in zip(closest, counts, strict=True)
            )
        return Pool(rows, tuple(self._ids[rows].tolist()), similarity, facts, names, nearest)

    def _facts(
        self, rows: NDArray[np.int64], reading: Reading, kept: int
    ) -> tuple[Facts, NDArray[np.int64], NDArray[np.int64]]:
        """The evidence of these rows; the term ids (m, K), and which query keyword is nearest (m, K)."""
        table = self.table
        starts = table.indptr[rows]
        counts = np.minimum(table.indptr[rows + 1] - starts, kept)
        width = int(counts.max()) if len(counts) else 0
        slots = np.arange(width)
        valid = slots < counts[:, None]
        places = np.where(valid, starts[:, None] + slots, 0)
        ids = table.ids[places] if width else np.zeros((len(rows), 0), np.int64)
        weights = np.where(valid, table.weights[places], 0.0) if width else np.zeros((len(rows), 0))
        vectors = table.vectors[ids] * valid[:, :, None]  # (m, K, d)
        # Rows are summed one by one, so a document's numbers do not depend on which others stand beside it.
        query = np.einsum("mkd,d->mk", vectors, reading.vector)
        if len(reading.keywords) and width:
            to_query = np.matmul(vectors, reading.term_vectors.T)  # (m, K, |K_q|)
            rounded = np.round(to_query, PLACES)
            closest = rounded.argmax(axis=2)
            nearest = np.take_along_axis(rounded, closest[:, :, None], 2)[:, :, 0].astype(np.float64)
        else:
            closest, nearest = np.zeros(ids.shape, np.int64), np.full(ids.shape, -1.0)
        own = {term: i for i, term in enumerate(self._query_ids(reading))}
        exact = valid & np.isin(ids, list(own)) if own else np.zeros(ids.shape, np.bool_)
        gram = np.matmul(vectors, vectors.transpose(0, 2, 1)).astype(np.float64)
        unknown = (table.unknown[ids] & valid).sum(axis=1) / np.maximum(counts, 1)
        facts = Facts(
            valid,
            weights,
            exact,
            np.where(valid, nearest, -1.0).round(PLACES),
            query.astype(np.float64).round(PLACES),
            gram.round(PLACES),
            unknown,
        )
        return facts, ids, closest

    @cached_property
    def _places(self) -> dict[str, int]:
        return {term: i for i, term in enumerate(self.table.terms)}

    def _query_ids(self, reading: Reading) -> list[int]:
        return [self._places[k.term] for k in reading.keywords if k.term in self._places]

    def with_documents(
        self, documents: Sequence[Document], vectors: NDArray[np.float32], on_progress: OnProgress | None = None
    ) -> CausalIndex:
        """The index with more documents, in memory. Their keywords are weighed by the idf of the old ones [ours]."""
        table = extended(self.table, [document.content for document in documents], self.encoder, on_progress)
        return replace(
            self,
            documents=(*self.documents, *documents),
            vectors=np.concatenate([self.vectors, vectors]),
            table=table,
            dataset=self.dataset.model_copy(
                update={
                    "content_id": f"{self.dataset.content_id}+{len(documents)}",
                    "size": {"documents": len(self.documents) + len(documents)},
                }
            ),
        )

    def subset(self, rows: Sequence[int]) -> CausalIndex:
        """The index with these documents only; the vocabulary and the idf of the whole corpus stay."""
        table = self.table
        spans = [np.arange(table.indptr[row], table.indptr[row + 1]) for row in rows]
        places = np.concatenate([np.zeros(0, np.int64), *spans])
        indptr = np.concatenate([np.zeros(1, np.int64), np.cumsum([len(s) for s in spans], dtype=np.int64)])
        own = replace(table, indptr=indptr, ids=table.ids[places], weights=table.weights[places])
        documents = tuple(self.documents[row] for row in rows)
        return replace(self, documents=documents, vectors=self.vectors[list(rows)], table=own)

    def first(self, n: int) -> CausalIndex:
        """The index with its first n documents only; the vocabulary and the idf stay."""
        end = int(self.table.indptr[n])
        table = replace(
            self.table,
            indptr=self.table.indptr[: n + 1],
            ids=self.table.ids[:end],
            weights=self.table.weights[:end],
        )
        return replace(self, documents=self.documents[:n], vectors=self.vectors[:n], table=table)


def build_index(
    corpus: Corpus,
    encoder: Encoder,
    extractor: TableExtractor = "tf-idf",
    on_progress: OnProgress | None = None,
) -> CausalIndex:
    """Make a corpus ready, or read what was made before. An exception of `on_progress` ends it, resumably.

    EncoderError when the encoder cannot be loaded.
    """
    from core.corpus.vectors import document_vectors

    vectors = document_vectors(corpus, encoder, on_progress)
    texts = [document.content for document in corpus.documents]
    # The content id does not know the order of documents; the table's rows do.
    ids = "\n".join(document.id for document in corpus.documents)
    table = keyword_table(texts, vectors, encoder, extractor, f"{corpus.content_id}|{_short(ids)}", on_progress)
    return CausalIndex(
        corpus.documents,
        corpus.dataset,
        encoder,
        extractor,
        vectors,
        table,
        measured_tau(table.vectors),
        corpus.report.duplicates,
        corpus.report.duplicates_total,
    )


def measured_tau(vectors: NDArray[np.float32]) -> float:
    """The 99th percentile of the cosines of random pairs of different terms (CAR-3), to three places.

    vectors (V, d): those of a vocabulary, sorted. With fewer than 20 terms: the paper's 0.6.
    """
    n = len(vectors)
    if n < FEWEST_TERMS:
        return TAU_OF_PAPER
    if n * (n - 1) // 2 <= PAIRS:
        a, b = np.triu_indices(n, 1)
    else:
        generator = np.random.default_rng(0)
        a = generator.integers(0, n, PAIRS)
        b = (a + generator.integers(1, n, PAIRS)) % n
    cosines = np.einsum("nd,nd->n", vectors[a], vectors[b])
    return round(float(np.percentile(cosines, PERCENTILE)), 3)


def _short(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
