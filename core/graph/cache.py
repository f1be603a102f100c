"""What is kept on disk so that a graph opens fast the second time: its search index, and the built graph itself.

An index is kept by the graph's content id. Not here: where the cache folder is and how large it may
grow (`core.disk_cache`), or how an index is built (`core.text.bm25`).
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from core.retriever import OnProgress

if TYPE_CHECKING:
    from core.graph.graph import KnowledgeGraph
    from core.text.bm25 import BM25Index

_INDEX_VERSION = 1  # of `KnowledgeGraph.document` and the tokeniser together
_WORTH_KEEPING = 1_000_000  # characters; fewer are indexed sooner than they are read from disk


def open_index(graph: KnowledgeGraph, on_progress: OnProgress | None = None) -> BM25Index:
    """The search index of a graph, from disk if it is there, else built and kept."""
    from core.text.bm25 import BM25Index

    size = sum(map(len, graph.texts)) + sum(map(len, graph.names))
    if size < _WORTH_KEEPING:
        return _build(graph, on_progress)
    try:
        from core.disk_cache import DiskCache
    except ImportError:
        return _build(graph, on_progress)
    cache = DiskCache()
    kind, key = "bm25", f"{graph.content_id}-{graph.engine}-{_INDEX_VERSION}"
    try:
        folder = cache.get_folder(kind, key)
        if folder is not None:
            return BM25Index.load(folder)
    except (OSError, ValueError):
        pass  # a damaged index is built anew
    index = _build(graph, on_progress)
    with suppress(OSError):  # a full or read-only disk costs time, not the run
        cache.put_folder(kind, key, index.save)
    return index


def _build(graph: KnowledgeGraph, on_progress: OnProgress | None) -> BM25Index:
    from core.text.bm25 import BM25Index

    return BM25Index.build([graph.document(i) for i in range(len(graph))], graph.engine, on_progress)
