"""An encoder that remembers: it loads its model only for a text it has not met, here or in an earlier run.

Safe to use from many threads; the model itself runs one call at a time, since it uses every core.
"""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from core.errors import EncoderError
from core.retriever import OnProgress
from core.text.word_vectors import keep_word_vectors, read_word_vectors

MEMORY_BYTES = 64 * 1024**2
INSTALL_HINT = "Run `pip install -r requirements.txt`, or choose another encoder."
_SURROGATE = re.compile("[\ud800-\udfff]")
BULK = 4_096  # a call with more unknown texts than this is a whole collection, and is not remembered


class TextModel(Protocol):
    """What a file in core/text/encoders provides. `version` names everything that the vectors depend on.

    persistent: whether vectors of short texts are worth keeping on disk. `encode` gives (n, dimensions)
    float32 rows of norm 1 for texts that are not blank; a text's row may differ by at most 1e-6 with
    what else is asked, and is the same each time. `unknown_share` may be asked before `load`.
    """

    name: str
    title: str
    dimensions: int
    persistent: bool

    @property
    def version(self) -> str: ...

    def missing(self) -> str: ...

    def load(self) -> None: ...

    def encode(self, texts: Sequence[str], on_progress: OnProgress | None = None) -> NDArray[np.float32]: ...

    def unknown_share(self, texts: Sequence[str]) -> float: ...


class CachedEncoder:
    """A `TextModel` behind two memories: vectors of this process, and those of short texts on disk."""

    def __init__(self, model: TextModel) -> None:
        self._model = model
        self._loaded = False
        self._fault: EncoderError | None = None
        self._memory: OrderedDict[str, NDArray[np.float32]] = OrderedDict()
        self._capacity = MEMORY_BYTES // (4 * model.dimensions)
        self._lock = threading.Lock()  # of the memory
        self._model_lock = threading.RLock()  # of the model

    @property
    def name(self) -> str:
        """The name it is asked for by."""
        return self._model.name

    @property
    def title(self) -> str:
        """The name for people."""
        return self._model.title

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return self._model.dimensions

    @property
    def version(self) -> str:
        """Names everything that the vectors depend on; part of every cache key."""
        return self._model.version

    @property
    def loaded(self) -> bool:
        """Whether the model is in memory."""
        return self._loaded

    def missing(self) -> str:
        """What keeps the model from loading, in words; empty when nothing is known to. Imports nothing."""
        return self._fault.what if self._fault else self._model.missing()

    def load(self, on_progress: OnProgress | None = None) -> None:
        """Load the model now. EncoderError when it cannot be; the same at once when it could not before."""
        with self._model_lock:
            if self._loaded:
                return
            if self._fault is not None:
                raise self._fault
            if on_progress:
                on_progress(f"Loading {self.title}", None)
            try:
                self._model.load()
            except Exception as error:
                what = f"the encoder {self.title} cannot be loaded: {type(error).__name__}: {error}"
                self._fault = EncoderError(what, where=self.name, hint=INSTALL_HINT)
                raise self._fault from error
            self._loaded = True

    def encode(self, texts: Sequence[str], on_progress: OnProgress | None = None) -> NDArray[np.float32]:
        """(n, dimensions) float32, a row of norm 1 for each text; a zero row where there is nothing to read.

        `on_progress` is told the share done between batches; an exception it raises ends the encoding.
        EncoderError when the model is needed and cannot be loaded.
        """
        if isinstance(texts, str):
            raise TypeError("encode takes a list of texts")
        cleaned = [_clean(text) for text in texts]
        rows: dict[str, NDArray[np.float32]] = {"": np.zeros(self.dimensions, np.float32)}
        self._recall(cleaned, rows)
        unknown = list(dict.fromkeys(text for text in cleaned if text not in rows))
        if unknown and len(unknown) <= BULK and self._model.persistent:
            stored = read_word_vectors(self.version, unknown, self.dimensions)
            self._remember(stored)
            rows.update(stored)
        if any(text not in rows for text in unknown):
            with self._model_lock:
                self._recall(unknown, rows)  # another thread may have met them while this one waited
                self._compute([text for text in unknown if text not in rows], rows, on_progress)
        result = np.empty((len(cleaned), self.dimensions), np.float32)
        for i, text in enumerate(cleaned):
            result[i] = rows[text]
        return result

    def unknown_share(self, texts: Sequence[str]) -> float:
        """Share of the texts' word pieces that the model does not know, in [0, 1]; above .05 it is blind to them."""
        try:
            return self._model.unknown_share([_clean(text) for text in texts])
        except Exception as error:
            what = f"the tokenizer of {self.title} cannot be used: {type(error).__name__}: {error}"
            raise EncoderError(what, where=self.name, hint=INSTALL_HINT) from error

    def _compute(self, texts: list[str], rows: dict[str, NDArray[np.float32]], on_progress: OnProgress | None) -> None:
        if not texts:
            return
        self.load(on_progress)
        vectors = self._model.encode(texts, on_progress)
        rows.update(zip(texts, vectors, strict=True))
        if len(texts) <= BULK:
            self._remember(dict(zip(texts, vectors, strict=True)))
            if self._model.persistent:
                keep_word_vectors(self.version, texts, vectors)

    def _recall(self, texts: Sequence[str], rows: dict[str, NDArray[np.float32]]) -> None:
        with self._lock:
            for text in texts:
                vector = self._memory.get(text)
                if vector is not None:
                    self._memory.move_to_end(text)
                    rows[text] = vector

    def _remember(self, vectors: dict[str, NDArray[np.float32]]) -> None:
        with self._lock:
            for text, vector in vectors.items():
                if len(text) <= 10_000:
                    self._memory[text] = vector.copy()
            while len(self._memory) > self._capacity:
                self._memory.popitem(last=False)


def _clean(text: str) -> str:
    """The text as encoders can read it: a lone surrogate becomes U+FFFD, and no space stands at the ends."""
    return _SURROGATE.sub("\ufffd", text).strip()
