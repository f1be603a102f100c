"""The keywords of every document of a corpus and the vectors of all its terms: made once, kept on disk.

The entry on disk belongs to (corpus content, encoder, extractor, keyword rules, segmenter); whichever of them
changes, it is made anew. The order of documents changes nothing in it but the order of its rows.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from core.causal_attention.steps import LADDER
from core.disk_cache import DiskCache
from core.errors import StoreError
from core.retriever import OnProgress
from core.text import keywords, segment
from core.text.embedding import Encoder, embed_all, text_key
from core.text.keywords import Idf, Keyword, key_bert, text_rank, tf_idf

KIND = "keywords"
FORMAT = "1"
TableExtractor = Literal["tf-idf", "textrank", "keybert"]
_TELL_EVERY = 200  # documents between two words on progress


@dataclass(frozen=True)
class KeywordTable:
    """Rows are documents in CSR form: those of row i are ids[indptr[i]:indptr[i + 1]], heaviest first.

    terms: the vocabulary, sorted; vectors (V, d) of norm 1; unknown (V,): the encoder does not know the term.
    """

    terms: tuple[str, ...]
    vectors: NDArray[np.float32]
    unknown: NDArray[np.bool_]
    indptr: NDArray[np.int64]
    ids: NDArray[np.int64]
    weights: NDArray[np.float64]
    idf: Idf

    def keywords(self, row: int, k: int = LADDER) -> list[Keyword]:
        """The k best keywords of a document."""
        start, stop = int(self.indptr[row]), int(self.indptr[row + 1])
        return [
            Keyword(self.terms[i], float(w))
            for i, w in zip(self.ids[start:stop][:k], self.weights[start:stop][:k], strict=True)
        ]


def extract(
    extractor: TableExtractor, tokens: Sequence[str], idf: Idf, vector: NDArray[np.float32], encoder: Encoder
) -> list[Keyword]:
    """The keywords of one text given its words; `vector` is E(text), used by "keybert" alone."""
    if extractor == "textrank":
        return text_rank(tokens)
    if extractor == "keybert":
        names = sorted(set(tokens))
        return key_bert(vector, names, encoder.encode(names)) if names else []
    return tf_idf(tokens, idf)


def keyword_table(
    texts: Sequence[str],
    vectors: NDArray[np.float32],
    encoder: Encoder,
    extractor: TableExtractor,
    content_key: str,
    on_progress: OnProgress | None = None,
    cache: DiskCache | None = None,
) -> KeywordTable:
    """The table of these texts, from the disk when it is there. vectors (n, d): those of the texts.

    An exception that `on_progress` raises ends the work and is passed on; vectors made until then are kept.
    """
    report = on_progress or (lambda message, share: None)
    cache = cache or DiskCache()
    key = "|".join(
        (FORMAT, keywords.VERSION, segment.VERSION, encoder.version, extractor, content_key, str(len(texts)))
    )
    stored = _read(cache, key, len(texts))
    if stored is None:
        stored = _make(texts, vectors, encoder, extractor, report)
        _keep(cache, key, stored)
    names, rows, idf, unknown = stored
    # The key is the vocabulary itself: two extractors over the same words share their vectors.
    matrix = embed_all(names, encoder, text_key(names), _part(report, 0.5), cache)
    return _table(names, matrix, unknown, rows, idf)


def extended(
    table: KeywordTable, texts: Sequence[str], encoder: Encoder, on_progress: OnProgress | None = None
) -> KeywordTable:
    """The table with rows for more texts, by TF-IDF with the idf of the corpus they came into [ours]."""
    rows = [tf_idf(keywords.terms(text), table.idf)[:LADDER] for text in texts]
    fresh = sorted({k.term for row in rows for k in row} - set(table.terms))
    matrix = np.concatenate([table.vectors, encoder.encode(fresh, on_progress)]) if fresh else table.vectors
    unknown = np.concatenate([table.unknown, _unknown(fresh, encoder)])
    names = (*table.terms, *fresh)
    place = {name: i for i, name in enumerate(names)}
    counts = np.array([len(row) for row in rows], np.int64)
    return KeywordTable(
        names,
        matrix,
        unknown,
        np.concatenate([table.indptr, table.indptr[-1] + np.cumsum(counts)]),
        np.concatenate([table.ids, np.array([place[k.term] for row in rows for k in row], np.int64)]),
        np.concatenate([table.weights, np.array([k.weight for row in rows for k in row], np.float64)]),
        table.idf,
    )


def table_of(rows: Sequence[Sequence[Keyword]], encoder: Encoder, idf: Idf) -> KeywordTable:
    """A table of keywords that were chosen elsewhere, in memory."""
    names = tuple(sorted({k.term for row in rows for k in row}))
    return _table(names, encoder.encode(names), _unknown(names, encoder), rows, idf)


_Stored = tuple[tuple[str, ...], list[list[Keyword]], Idf, NDArray[np.bool_]]


def _make(
    texts: Sequence[str],
    vectors: NDArray[np.float32],
    encoder: Encoder,
    extractor: TableExtractor,
    report: OnProgress,
) -> _Stored:
    tokens = []
    for i, text in enumerate(texts):
        if i % _TELL_EVERY == 0:
            report("Reading the words of the documents", 0.3 * i / len(texts))
        tokens.append(keywords.terms(text))
    idf = Idf.of(tokens)
    rows = []
    for i, own in enumerate(tokens):
        if i % _TELL_EVERY == 0:
            report("Choosing the keywords of each document", 0.3 + 0.2 * i / len(texts))
        rows.append(extract(extractor, own, idf, vectors[i], encoder)[:LADDER])
    names = tuple(sorted({k.term for row in rows for k in row}))
    return names, rows, idf, _unknown(names, encoder)


def _unknown(names: Sequence[str], encoder: Encoder) -> NDArray[np.bool_]:
    return np.array([encoder.unknown_share([name]) > 0.5 for name in names], np.bool_)


def _table(
    names: tuple[str, ...],
    matrix: NDArray[np.float32],
    unknown: NDArray[np.bool_],
    rows: Iterable[Sequence[Keyword]],
    idf: Idf,
) -> KeywordTable:
    place = {name: i for i, name in enumerate(names)}
    rows = list(rows)
    indptr = np.concatenate([np.zeros(1, np.int64), np.cumsum([len(row) for row in rows], dtype=np.int64)])
    ids = np.array([place[k.term] for row in rows for k in row], np.int64)
    weights = np.array([k.weight for row in rows for k in row], np.float64)
    return KeywordTable(names, matrix, unknown, indptr, ids, weights, idf)


def _part(report: OnProgress, start: float) -> OnProgress:
    return lambda what, share: report(what, None if share is None else start + (1 - start) * share)


def _read(cache: DiskCache, key: str, n: int) -> _Stored | None:
    folder = cache.get_folder(KIND, key)
    if folder is None:
        return None
    try:
        words: dict[str, Any] = json.loads((folder / "words.json").read_text(encoding="utf-8"))
        names = tuple(map(str, words["terms"]))
        rows = [[Keyword(names[i], w) for i, w in row] for row in words["rows"]]
        idf = Idf(int(words["documents"]), {str(t): int(df) for t, df in words["frequencies"].items()})
        unknown = np.isin(np.arange(len(names)), words["unknown"])
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        rows = []
    if len(rows) != n:
        cache.remove(KIND, key)
        return None
    return names, rows, idf, unknown


def _keep(cache: DiskCache, key: str, stored: _Stored) -> None:
    names, rows, idf, unknown = stored
    place = {name: i for i, name in enumerate(names)}
    body = {
        "terms": names,
        "rows": [[(place[k.term], k.weight) for k in row] for row in rows],
        "documents": idf.documents,
        "frequencies": idf.frequencies,
        "unknown": np.flatnonzero(unknown).tolist(),
    }

    def write(folder: Path) -> None:
        (folder / "words.json").write_text(json.dumps(body, ensure_ascii=False), encoding="utf-8")

    try:
        cache.put_folder(KIND, key, write)
    except StoreError:
        return  # it is in memory; the next process will make it again
