"""Texts to vectors: the encoders by name, and the vectors of whole collections kept on disk.

"minilm"   English, neural, 384 dimensions; needs torch
"use"      16 languages, neural on numpy alone, 512 dimensions
"letters"  spelling only, 2,048 dimensions; always there
"folder:PATH"  any sentence-transformers model in a folder of this machine; needs torch

Nothing here imports a model until a text is asked for that no cache knows.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from core.disk_cache import DiskCache
from core.errors import ConfigError, EncoderError, StoreError
from core.retriever import OnProgress
from core.text.cached_encoder import INSTALL_HINT, CachedEncoder, TextModel
from core.text.encoders.folder import PREFIX, FolderModel
from core.text.encoders.letters import LettersModel
from core.text.encoders.minilm import MiniLmModel
from core.text.encoders.use import UseModel

ENCODERS: dict[str, Callable[[], TextModel]] = {
    "minilm": MiniLmModel,
    "use": UseModel,
    "letters": LettersModel,
}
UNKNOWN_LIMIT = 0.05  # an encoder that does not know more of a text than this should not be asked for it
CHUNK = 8_192  # texts to a cache entry: what was encoded before a stop is not lost


class Encoder(Protocol):
    """Turns texts into vectors whose dot product is their cosine.

    title: the name for people. version: names everything that the vectors depend on.
    """

    @property
    def name(self) -> str: ...

    @property
    def title(self) -> str: ...

    @property
    def dimensions(self) -> int: ...

    @property
    def version(self) -> str: ...

    def encode(self, texts: Sequence[str], on_progress: OnProgress | None = None) -> NDArray[np.float32]:
        """(n, dimensions) float32 rows of norm 1; a zero row for a blank text, or one of which nothing can be read.

        A row is the same whatever else is asked with it, to within 1e-6. EncoderError when the model
        cannot be loaded. An exception raised by `on_progress` ends the encoding and is passed on.
        """
        ...

    def unknown_share(self, texts: Sequence[str]) -> float:
        """Share of the texts' word pieces that the model does not know; see UNKNOWN_LIMIT."""
        ...


class EncoderStatus(NamedTuple):
    """Whether an encoder can be had. `reason` says why not."""

    name: str
    title: str
    available: bool
    loaded: bool
    reason: str


_encoders: dict[str, CachedEncoder] = {}
_lock = threading.Lock()


def get_encoder(name: str) -> CachedEncoder:
    """The one encoder of that name in this process; its model is loaded later, when it is first needed.

    ConfigError for an unknown name. EncoderError when its packages are not there, or it failed to load
    before; an installed but broken package shows at the first `encode` or `load`.
    """
    encoder = _encoder(name)
    reason = "" if encoder.loaded else encoder.missing()
    if reason:
        raise EncoderError(f"the encoder {encoder.title} is not available: {reason}", where=name, hint=INSTALL_HINT)
    return encoder


def encoder_status(name: str) -> EncoderStatus:
    """Whether `get_encoder(name)` would give one, found out without importing anything. ConfigError: unknown name."""
    encoder = _encoder(name)
    reason = "" if encoder.loaded else encoder.missing()
    return EncoderStatus(name, encoder.title, not reason, encoder.loaded, reason)


def available_encoders() -> tuple[str, ...]:
    """Names of the encoders that can be had here, the best first."""
    return tuple(name for name in ENCODERS if encoder_status(name).available)


def embed_all(
    texts: Sequence[str],
    encoder: Encoder,
    content_key: str,
    on_progress: OnProgress | None = None,
    cache: DiskCache | None = None,
) -> NDArray[np.float32]:
    """(n, dimensions) vectors of a whole collection, kept on disk under (encoder version, `content_key`).

    `content_key` must change whenever any text does. What was encoded before `on_progress` raised, or
    the process ended, is found again. A disk that cannot be written is passed over.
    """
    cache = cache or DiskCache()
    vectors = np.empty((len(texts), encoder.dimensions), np.float32)
    for start in range(0, len(texts), CHUNK):
        stop = min(start + CHUNK, len(texts))
        chunk_progress = _part(on_progress, start, stop, len(texts))
        key = f"{encoder.version}|{content_key}|{len(texts)}|{start}"
        known = _read_chunk(cache, key, (stop - start, encoder.dimensions))
        if known is None:
            known = encoder.encode(texts[start:stop], chunk_progress)
            _keep_chunk(cache, key, known)
        elif chunk_progress:
            chunk_progress("Reading vectors from the cache", 0.0)
        vectors[start:stop] = known
    return vectors


def text_key(texts: Sequence[str]) -> str:
    """A content key for `embed_all`, for a collection that has no content id of its own."""
    digest = hashlib.sha256()
    for text in texts:
        raw = text.encode("utf-8", "surrogatepass")
        digest.update(len(raw).to_bytes(8, "big") + raw)
    return f"sha256:{digest.hexdigest()}"


def _encoder(name: str) -> CachedEncoder:
    if name.startswith(PREFIX):
        with _lock:
            if name not in _encoders:
                _encoders[name] = CachedEncoder(FolderModel(Path(name.removeprefix(PREFIX)).expanduser()))
            return _encoders[name]
    if name not in ENCODERS:
        raise ConfigError(f"unknown encoder {name!r}", hint=f"Known: {', '.join(ENCODERS)}.")
    with _lock:
        if name not in _encoders:
            _encoders[name] = CachedEncoder(ENCODERS[name]())
        return _encoders[name]


def _part(on_progress: OnProgress | None, start: int, stop: int, total: int) -> OnProgress | None:
    """`on_progress` for the stretch from `start` to `stop` of `total` texts."""
    if on_progress is None:
        return None
    report = on_progress
    return lambda what, share: report(what, None if share is None else (start + share * (stop - start)) / total)


def _read_chunk(cache: DiskCache, key: str, shape: tuple[int, int]) -> NDArray[np.float32] | None:
    folder = cache.get_folder("vectors", key)
    if folder is None:
        return None
    try:
        vectors = np.load(folder / "vectors.npy", allow_pickle=False)
    except (OSError, ValueError, EOFError):
        vectors = None
    if vectors is None or vectors.shape != shape or vectors.dtype != np.float32:
        cache.remove("vectors", key)
        return None
    return np.asarray(vectors, np.float32)


def _keep_chunk(cache: DiskCache, key: str, vectors: NDArray[np.float32]) -> None:
    def write(folder: Path) -> None:
        np.save(folder / "vectors.npy", vectors, allow_pickle=False)

    try:
        cache.put_folder("vectors", key, write)
    except StoreError:
        return  # they are in memory; the next process will make them again
