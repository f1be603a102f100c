"""All that is kept on disk only to be quick the second time: how large it is, and how to be rid of it."""

from __future__ import annotations

from core.disk_cache import DiskCache
from core.text.word_vectors import clear_word_vectors, word_vector_file

WORD_VECTORS = "word vectors"


def cache_sizes() -> dict[str, int]:
    """Bytes by kind; the word vectors, which live in a file of their own, among them."""
    sizes: dict[str, int] = {}
    for entry in DiskCache().entries():
        sizes[entry.kind] = sizes.get(entry.kind, 0) + entry.bytes
    words = word_vector_file()
    if words.is_file():
        sizes[WORD_VECTORS] = words.stat().st_size
    return sizes


def clear_caches(kind: str | None = None) -> int:
    """Remove one kind, or all; the bytes freed. What is removed is made anew when it is needed."""
    before = cache_sizes().get(WORD_VECTORS, 0)
    freed = DiskCache().clear(kind) if kind != WORD_VECTORS else 0
    if kind in (None, WORD_VECTORS):
        clear_word_vectors()
        freed += before
    return freed
