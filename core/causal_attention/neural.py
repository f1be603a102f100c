"""Neural rerankers beside the causal ones: MaxSim over MiniLM's token vectors, and a cross-encoder from a folder.

MaxSim (as in ColBERT, but with a sentence encoder that was not trained for it) is always there, and is a
stand-in: no package carries a trained cross-encoder. Both are associational, and fooled by stuffing.
"""

from __future__ import annotations

import os
import threading
import warnings
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from core.errors import EncoderError
from core.retriever import OnProgress

MEMORY_BYTES = 256 * 1024**2
WINDOWS = 4  # of a document's first windows of 254 tokens, the others are not read
HINT = "Choose another ranking, or check the folder."


class NeuralScorer(Protocol):
    """Scores texts for a query, higher is better. `stand_in`: not what the paper compares with."""

    name: Literal["maxsim", "cross-encoder"]
    stand_in: bool

    def score(self, query: str, texts: Sequence[str]) -> list[float]: ...


class MaxSim:
    """Mean over the query's tokens of the largest cosine with any token of the document."""

    name: Literal["maxsim", "cross-encoder"] = "maxsim"
    stand_in = True

    def __init__(self) -> None:
        self._model: Any = None
        self._lock = threading.Lock()
        self._known: OrderedDict[str, NDArray[np.float16]] = OrderedDict()
        self._bytes = 0

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """One score in [-1, 1] for each text, to 6 places; 0 where either has no token. EncoderError without MiniLM."""
        with self._lock:
            asked, *read = self._tokens([query, *texts])
            if not len(asked):
                return [0.0] * len(texts)
            side = asked.astype(np.float32)
            return [
                round(float((side @ own.astype(np.float32).T).max(axis=1).mean()), 6) if len(own) else 0.0
                for own in read
            ]

    def prepare(self, texts: Sequence[str], on_progress: OnProgress | None = None) -> None:
        """Read these texts now, so that scoring them later is quick."""
        with self._lock:
            for start in range(0, len(texts), 64):
                if on_progress:
                    on_progress("Reading documents token by token", start / len(texts))
                self._tokens(texts[start : start + 64])

    def _tokens(self, texts: Sequence[str]) -> list[NDArray[np.float16]]:
        missing = [text for text in dict.fromkeys(texts) if text not in self._known]
        fresh = dict(zip(missing, self._encode(missing), strict=True)) if missing else {}
        result = [fresh[text] if text in fresh else self._known[text] for text in texts]
        for text, vectors in fresh.items():
            self._known[text] = vectors
            self._bytes += vectors.nbytes
        for text in texts:
            self._known.move_to_end(text)
        while self._bytes > MEMORY_BYTES and len(self._known) > len(texts):
            self._bytes -= self._known.popitem(last=False)[1].nbytes
        return result

    def _encode(self, texts: Sequence[str]) -> list[NDArray[np.float16]]:
        model = self._loaded()
        return [np.asarray(v, np.float16) for v in model.token_vectors(texts, WINDOWS)]

    def _loaded(self) -> Any:
        if self._model is None:
            from core.text.encoders.minilm import MiniLmModel

            model = MiniLmModel()
            reason = model.missing()
            if reason:
                raise EncoderError(f"MaxSim needs MiniLM: {reason}", where="maxsim", hint=HINT)
            model.load()
            self._model = model
        return self._model


_max_sim = MaxSim()


def max_sim() -> MaxSim:
    """The one MaxSim of this process."""
    return _max_sim


class CrossEncoder:
    """A trained cross-encoder in a local folder, as sentence-transformers saves it. Nothing is downloaded."""

    name: Literal["maxsim", "cross-encoder"] = "cross-encoder"
    stand_in = False

    def __init__(self, folder: Path) -> None:
        if not (folder / "config.json").is_file():
            what = "this folder holds no cross-encoder (there is no config.json)"
            raise EncoderError(what, where=folder.name, hint="Give a folder saved by sentence-transformers.")
        self._folder = folder
        self._model: Any = None
        self._lock = threading.Lock()

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """One score for each text, to 6 places. EncoderError when the folder cannot be loaded."""
        if not texts:
            return []
        with self._lock:
            model = self._loaded()
            scores = model.predict([(query, text) for text in texts], show_progress_bar=False)
        return [round(float(score), 6) for score in np.asarray(scores, np.float64).reshape(len(texts), -1)[:, -1]]

    def _loaded(self) -> Any:
        if self._model is None:
            os.environ["HF_HUB_OFFLINE"] = "1"
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    from sentence_transformers import CrossEncoder as Model

                    self._model = Model(str(self._folder), local_files_only=True, trust_remote_code=False)
            except Exception as error:
                what = f"the cross-encoder cannot be loaded: {type(error).__name__}: {error}"
                raise EncoderError(what, where=self._folder.name, hint=HINT) from error
        return self._model
