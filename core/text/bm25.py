"""An inverted index with BM25 scores computed ahead: search all texts, or score a few of them.

Two formulas. "bm25s" is the one of Lucene, built by the bm25s library (k1 = 1.5, b = 0.75):

    score(q, d) = sum over words t of q of  idf(t) * tf / (tf + k1 * (1 - b + b * |d| / average |d|))
    idf(t) = ln(1 + (N - df + 0.5) / (df + 0.5)),  always positive

"okapi" is rank-bm25's BM25Okapi, with (k1 + 1) above the line and idf(t) = ln((N - df + 0.5) / (df + 0.5)),
which is not positive for a word in half of the texts or more; see `_okapi_idf` for what is mended there.
A word that a query repeats counts as often as it stands in it.

The scores lie in CSC arrays: the column of word t is indices[indptr[t]:indptr[t + 1]] (positions of
texts, ascending) and the same stretch of data (float32). Words are numbered in sorted order and added up
in that order, so a score depends neither on the order of the texts nor on that of the query's words.
"""

from __future__ import annotations

import json
import logging
import math
import threading
from collections import Counter, OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.retriever import OnProgress
from core.text.selection import best_positions
from core.text.tokens import tokenise

Engine = Literal["bm25s", "okapi"]
K1, B, EPSILON = 1.5, 0.75, 0.25
FORMAT = "causeway.bm25/1"
ABOUT = {"format", "engine", "documents", "words"}

_QUERIES_KEPT = 512
_DENSE_BYTES = 32 * 1024 * 1024  # for score vectors over all texts of queries asked again


class _Column(NamedTuple):
    """The texts that hold a word of the query, and what the word adds to each one's score."""

    positions: NDArray[np.int32]
    scores: NDArray[np.float32]


class BM25Index:
    """BM25 over a fixed list of texts. Immutable after `build` or `load`; safe to use from many threads."""

    def __init__(
        self,
        vocabulary: Sequence[str],
        indptr: NDArray[np.int64],
        indices: NDArray[np.int32],
        data: NDArray[np.float32],
        documents: int,
        engine: Engine,
    ) -> None:
        self.engine: Engine = engine
        self.documents = documents
        self.vocabulary = tuple(vocabulary)
        self._word_ids = {word: i for i, word in enumerate(self.vocabulary)}
        self._indptr, self._indices, self._data = indptr, indices, data
        self._lock = threading.Lock()
        self._queries: OrderedDict[str, tuple[_Column, ...]] = OrderedDict()
        self._dense: OrderedDict[str, NDArray[np.float32]] = OrderedDict()
        self._dense_kept = max(2, _DENSE_BYTES // (4 * max(documents, 1)))

    def __len__(self) -> int:
        return self.documents

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays, without the vocabulary."""
        return self._indptr.nbytes + self._indices.nbytes + self._data.nbytes

    @classmethod
    def build(cls, texts: Sequence[str], engine: Engine = "bm25s", on_progress: OnProgress | None = None) -> BM25Index:
        """Index `texts`; a text's position in the sequence is how it is addressed. None at all is allowed."""
        numbers: dict[str, int] = {}
        documents: list[list[int]] = []
        for position, text in enumerate(texts):
            if on_progress and position % 20_000 == 0:
                on_progress("Reading words", position / len(texts))
            documents.append([numbers.setdefault(word, len(numbers)) for word in tokenise(text)])
        if on_progress:
            on_progress("Building the text index", None)
        vocabulary = sorted(numbers)
        if not vocabulary:
            nothing = np.zeros(0, np.int32), np.zeros(0, np.float32)
            return cls((), np.zeros(1, np.int64), *nothing, len(documents), engine)
        rank = np.empty(len(numbers), np.int64)
        rank[[numbers[word] for word in vocabulary]] = np.arange(len(vocabulary))
        ranks = rank.tolist()
        documents = [[ranks[number] for number in words] for words in documents]
        make = _lucene_columns if engine == "bm25s" else _okapi_columns
        return cls(vocabulary, *make(documents, vocabulary), len(documents), engine)

    def search(self, query: str, k: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """The k best texts: positions and scores, best first, ties by position; texts that score 0 are left out."""
        scores = self._dense_scores(query)
        positions = best_positions(scores, k)
        return positions, scores[positions]

    def score_subset(self, query: str, positions: Sequence[int] | NDArray[np.integer[Any]]) -> NDArray[np.float32]:
        """(n,) scores of the texts at `positions`, in their order; the same numbers as `search` gives."""
        wanted = np.asarray(positions, dtype=np.int64)
        with self._lock:
            dense = self._dense.get(query)
            if dense is not None:
                self._dense.move_to_end(query)
            asked_before = query in self._queries
        if dense is None and asked_before:
            dense = self._dense_scores(query)
        if dense is not None:
            return dense[wanted]
        scores = np.zeros(len(wanted), np.float32)
        for column in self._columns(query):
            place = np.searchsorted(column.positions, wanted)
            np.minimum(place, len(column.positions) - 1, out=place)
            scores += np.where(column.positions[place] == wanted, column.scores[place], np.float32(0))
        return scores

    def save(self, folder: Path) -> None:
        """Write the index into `folder` as numpy arrays and a small JSON file. No pickle."""
        folder.mkdir(parents=True, exist_ok=True)
        np.save(folder / "indptr.npy", self._indptr, allow_pickle=False)
        np.save(folder / "indices.npy", self._indices, allow_pickle=False)
        np.save(folder / "data.npy", self._data, allow_pickle=False)
        (folder / "vocabulary.txt").write_bytes("\n".join(self.vocabulary).encode())
        about = {"format": FORMAT, "engine": self.engine, "documents": self.documents, "words": len(self.vocabulary)}
        (folder / "bm25.json").write_text(json.dumps(about), encoding="utf-8")

    @classmethod
    def load(cls, folder: Path) -> BM25Index:
        """Read what `save` wrote; the large arrays stay on disk (mmap). ValueError or OSError when it is damaged."""
        about = json.loads((folder / "bm25.json").read_text(encoding="utf-8"))
        if not isinstance(about, dict) or about.get("format") != FORMAT or not about.keys() >= ABOUT:
            raise ValueError(f"{folder} holds no {FORMAT} index")
        joined = (folder / "vocabulary.txt").read_bytes().decode()
        vocabulary = joined.split("\n") if joined else []
        indptr = np.load(folder / "indptr.npy", allow_pickle=False)
        indices = _open(folder / "indices.npy")
        data = _open(folder / "data.npy")
        fits = len(vocabulary) == about["words"] == len(indptr) - 1 and indptr[-1] == len(indices) == len(data)
        if not fits:
            raise ValueError(f"the files of the text index in {folder} do not fit together")
        return cls(vocabulary, indptr, indices, data, about["documents"], about["engine"])

    def _columns(self, query: str) -> tuple[_Column, ...]:
        """The columns of the query's known words, in the order of word numbers, repeats multiplied in."""
        with self._lock:
            known = self._queries.get(query)
            if known is not None:
                self._queries.move_to_end(query)
                return known
        counts = Counter(self._word_ids[word] for word in tokenise(query) if word in self._word_ids)
        columns = []
        for word, times in sorted(counts.items()):
            stretch = slice(int(self._indptr[word]), int(self._indptr[word + 1]))
            scores = self._data[stretch]
            columns.append(_Column(self._indices[stretch], scores if times == 1 else scores * np.float32(times)))
        known = tuple(columns)
        with self._lock:
            self._queries[query] = known
            while len(self._queries) > _QUERIES_KEPT:
                self._queries.popitem(last=False)
        return known

    def _dense_scores(self, query: str) -> NDArray[np.float32]:
        """(documents,) scores of all texts, kept for the queries asked last."""
        with self._lock:
            scores = self._dense.get(query)
            if scores is not None:
                self._dense.move_to_end(query)
                return scores
        scores = np.zeros(self.documents, np.float32)
        for column in self._columns(query):
            scores[column.positions] += column.scores
        scores.setflags(write=False)
        with self._lock:
            self._dense[query] = scores
            while len(self._dense) > self._dense_kept:
                self._dense.popitem(last=False)
        return scores


def _open(path: Path) -> NDArray[Any]:
    """A saved array, mapped; a plain ndarray view, since slicing np.memmap costs microseconds a time."""
    return np.asarray(np.load(path, mmap_mode="r", allow_pickle=False))


Columns = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]


def _lucene_columns(documents: list[list[int]], vocabulary: list[str]) -> Columns:
    """(indptr, indices, data) computed by bm25s. Its attribute `scores` is read here and nowhere else."""
    import bm25s

    logging.getLogger("bm25s").setLevel(logging.WARNING)  # it asks for DEBUG, and would print through any handler
    engine = bm25s.BM25(k1=K1, b=B, method="lucene", dtype="float32", int_dtype="int32", backend="numpy")
    numbers = {word: i for i, word in enumerate(vocabulary)}
    engine.index((documents, numbers), create_empty_token=False, show_progress=False)
    scores = engine.scores
    return _sorted_columns(scores["indptr"], scores["indices"], scores["data"])


def _okapi_columns(documents: list[list[int]], vocabulary: list[str]) -> Columns:
    """(indptr, indices, data) from the document frequencies and lengths of rank-bm25's BM25Okapi."""
    from rank_bm25 import BM25Okapi

    okapi = BM25Okapi(documents, k1=K1, b=B, epsilon=EPSILON)
    idf = _okapi_idf(okapi.idf, okapi.average_idf)
    words: list[int] = []
    positions: list[int] = []
    data: list[float] = []
    for position, (frequencies, length) in enumerate(zip(okapi.doc_freqs, okapi.doc_len, strict=True)):
        norm = K1 * (1 - B + B * length / okapi.avgdl)
        for word, tf in frequencies.items():
            words.append(word)
            positions.append(position)
            data.append(idf[word] * tf * (K1 + 1) / (tf + norm))
    indptr = np.concatenate([[0], np.cumsum(np.bincount(words, minlength=len(vocabulary)))])
    order = np.argsort(np.asarray(words), kind="stable")
    return indptr.astype(np.int64), np.asarray(positions, np.int32)[order], np.asarray(data, np.float32)[order]


def _okapi_idf(idf: dict[int, float], average: float) -> dict[int, float]:
    """BM25Okapi's idf with no word at or below zero, so that a text with the word beats one without it.

    rank-bm25 lifts a negative idf to EPSILON * average idf. That floor is itself negative in a tiny
    collection (one text: every score is negative), and an idf of exactly 0, of a word in half of the
    texts, is not lifted (two texts: every score is 0). Where its floor is positive it is kept as it is;
    else the mean of |idf| takes the average's place, or ln 2 where every idf is 0.
    """
    if average <= 0:
        average = math.fsum(abs(x) for x in idf.values()) / len(idf) or math.log(2)
    floor = EPSILON * average
    return {word: x if x > 0 else floor for word, x in idf.items()}


def _sorted_columns(indptr: NDArray[Any], indices: NDArray[Any], data: NDArray[Any]) -> Columns:
    """The same columns with ascending positions in each, which `score_subset` searches by halving."""
    words = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    order = np.lexsort((indices, words))
    return indptr.astype(np.int64), indices[order].astype(np.int32), data[order].astype(np.float32)
