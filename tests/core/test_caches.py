"""Sizes and clearing of everything cached, the word vectors among it."""

from core.caches import WORD_VECTORS, cache_sizes, clear_caches
from core.disk_cache import DiskCache
from core.text.word_vectors import word_vector_file


def test_sizes_by_kind_and_clearing_one_or_all(private_home):
    DiskCache().put_folder("bm25", "a", lambda folder: (folder / "x").write_bytes(b"1" * 100))
    DiskCache().put_folder("graph", "b", lambda folder: (folder / "x").write_bytes(b"1" * 10))
    word_vector_file().parent.mkdir(parents=True, exist_ok=True)
    word_vector_file().write_bytes(b"1" * 7)
    sizes = cache_sizes()
    assert sizes["bm25"] >= 100
    assert sizes[WORD_VECTORS] == 7
    assert clear_caches(WORD_VECTORS) == 7
    assert not word_vector_file().exists()
    assert clear_caches("bm25") >= 100
    assert set(cache_sizes()) == {"graph"}
    clear_caches()
    assert cache_sizes() == {}
