"""Vectors of short texts, kept on disk between runs, so that a known word needs no encoder loaded.

One SQLite file beside the disk cache, shared by processes. It is a convenience and never an obstacle:
where it cannot be read or written, nothing is known and nothing is kept. Texts are stored as hashes.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.disk_cache import cache_root

log = logging.getLogger(__name__)

FILE = "word-vectors.sqlite"
ROWS = 10_000  # per encoder version: about 20 MB at 512 dimensions
CHARACTERS = 200  # longer texts are not kept
_BATCH = 500  # host parameters of a query


def word_vector_file() -> Path:
    """Where the vectors lie."""
    return cache_root() / FILE


def read_word_vectors(version: str, texts: Sequence[str], dimensions: int) -> dict[str, NDArray[np.float32]]:
    """The known vectors among `texts`, bit for bit as they were kept."""
    hashes = {_hash(text): text for text in texts if len(text) <= CHARACTERS}
    if not hashes or not word_vector_file().exists():
        return {}
    known: dict[str, NDArray[np.float32]] = {}
    try:
        with _open() as db:
            keys = list(hashes)
            for start in range(0, len(keys), _BATCH):
                part = keys[start : start + _BATCH]
                marks = ",".join("?" * len(part))
                query = f"SELECT hash, vector FROM vectors WHERE version = ? AND hash IN ({marks})"
                for key, blob in db.execute(query, (version, *part)):
                    if len(blob) == 4 * dimensions:
                        known[hashes[key]] = np.frombuffer(blob, np.float32)
    except (sqlite3.Error, OSError) as error:
        _give_up(error)
    return known


def keep_word_vectors(version: str, texts: Sequence[str], vectors: NDArray[np.float32]) -> None:
    """Keep the (n, d) vectors of the short ones among `texts`; the oldest go when there are too many."""
    rows = [
        (version, _hash(text), vector.tobytes())
        for text, vector in zip(texts, vectors, strict=True)
        if len(text) <= CHARACTERS
    ]
    if not rows:
        return
    try:
        word_vector_file().parent.mkdir(parents=True, exist_ok=True)
        with _open() as db, db:
            db.executemany("INSERT OR IGNORE INTO vectors (version, hash, vector) VALUES (?, ?, ?)", rows)
            db.execute(
                "DELETE FROM vectors WHERE version = ?1 AND id <= "
                "(SELECT id FROM vectors WHERE version = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)",
                (version, ROWS),
            )
    except (sqlite3.Error, OSError) as error:
        _give_up(error)


def clear_word_vectors() -> None:
    """Forget them all."""
    for suffix in ("", "-wal", "-shm"):
        with contextlib.suppress(OSError):
            Path(f"{word_vector_file()}{suffix}").unlink()


@contextlib.contextmanager
def _open() -> Iterator[sqlite3.Connection]:
    db = sqlite3.connect(word_vector_file(), timeout=2.0)
    try:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = NORMAL")
        db.execute(
            "CREATE TABLE IF NOT EXISTS vectors (id INTEGER PRIMARY KEY, version TEXT NOT NULL, hash BLOB NOT NULL, "
            "vector BLOB NOT NULL, UNIQUE (version, hash))"
        )
        yield db
    finally:
        db.close()


def _give_up(error: Exception) -> None:
    log.debug("word vectors on disk are not used: %s", error)
    # A file that is no database, or a broken one, would stay useless for ever. A busy one is left alone.
    if isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.OperationalError):
        clear_word_vectors()


def _hash(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=16).digest()
