"""A graph's search index, from disk if it was built before, else built and kept. No pickle.

Kept by the graph's content id and engine. Not here: how an index is built or searched (`core.text.bm25`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from core.disk_cache import DiskCache
from core.errors import StoreError
from core.retriever import OnProgress

if TYPE_CHECKING:
    from core.text.bm25 import BM25Index, Engine

INDEXES = "bm25"
_VERSION = 1  # of `KnowledgeGraph.document` and the tokeniser together
_WORTH = 100_000  # characters; fewer are indexed as soon as read from disk


def open_index(
    content_id: str,
    engine: Engine,
    count: int,
    characters: int,
    documents: Callable[[], Sequence[str]],
    on_progress: OnProgress | None = None,
) -> BM25Index:
    """The index over the documents of the graph with that content id; they are asked for only if it must be built.

    count: how many documents; characters: about how long they are together.
    """
    from core.text.bm25 import BM25Index

    worth = characters >= _WORTH
    cache, key = DiskCache(), f"{content_id} {engine} {_VERSION}"
    if worth:
        folder = cache.get_folder(INDEXES, key)
        if folder is not None:
            try:
                index = BM25Index.load(folder)
                if len(index) == count:
                    return index
            except (OSError, ValueError):
                pass  # damaged, or evicted this instant: built anew
            cache.remove(INDEXES, key)
    index = BM25Index.build(documents(), engine, on_progress)
    if worth:
        with suppress(StoreError):  # a full or read-only disk costs time, not the run
            cache.put_folder(INDEXES, key, index.save)
    return index
