"""Vectors from any OpenAI-compatible server's /embeddings, behind the same memories as every other encoder.

The key lives in the client alone. Not here: the encoders of this machine (`core.text.embedding`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.errors import ModelError
from core.llm.client import ATTEMPTS, ChatClient, _backoff, _PassingError, _pause
from core.llm.endpoint import Endpoint
from core.retriever import OnProgress
from core.text.cached_encoder import CachedEncoder
from core.text.pooling import pool, unit_rows, windows

WINDOW = 1_500  # characters: servers' models read 512 tokens and more, and a sign of Chinese is about one
BATCH = 32
LARGEST = 16_384  # dimensions that are taken for a vector


class EndpointModel:
    """One embedding model on a server, asked once when it is made for the length of its vectors. ModelError."""

    persistent = True

    def __init__(self, endpoint: Endpoint, key: str | None = None) -> None:
        self._client = ChatClient(endpoint, key)
        self.name = f"endpoint:{endpoint.label}"
        self.title = endpoint.label
        self.version = f"endpoint/1/{endpoint.base_url}|{endpoint.model}"
        self.dimensions = len(self._ask(["a"])[0])

    def missing(self) -> str:
        """Nothing: it has answered once."""
        return ""

    def load(self) -> None:
        """Nothing is loaded here."""

    def encode(self, texts: Sequence[str], on_progress: OnProgress | None = None) -> NDArray[np.float32]:
        """(n, dimensions) float32 rows of norm 1; a text of more than 1,500 characters is the mean of its windows'.

        ModelError says what the server did, after three further attempts where that may help.
        """
        pieces = [windows(text, WINDOW) for text in texts]
        flat = [piece for own in pieces for piece in own]
        vectors = np.zeros((len(flat), self.dimensions), np.float32)
        for start in range(0, len(flat), BATCH):
            if on_progress:
                on_progress(f"Asking {self.title} for vectors", start / len(flat))
            found = self._ask(flat[start : start + BATCH])
            if found.shape[1] != self.dimensions:
                raise ModelError(f"the server's vectors changed their length to {found.shape[1]}", where=self.title)
            vectors[start : start + BATCH] = found
        return pool(unit_rows(vectors), [len(own) for own in pieces])

    def unknown_share(self, texts: Sequence[str]) -> float:
        """0: a server does not say which word pieces it knows."""
        return 0.0

    def _ask(self, texts: list[str]) -> NDArray[np.float32]:
        model = self._client.endpoint.model
        for attempt in range(ATTEMPTS):
            try:
                # Asked for by name, since the library's own default is base64, which few other servers speak.
                reply = self._client._once(
                    lambda client: client.embeddings.create(model=model, input=texts, encoding_format="float")
                )
                return self._read(reply, len(texts))
            except _PassingError as error:
                if attempt == ATTEMPTS - 1:
                    what = f"{error.what} ({ATTEMPTS} attempts)"
                    raise ModelError(what, where=self.title, hint=error.hint) from None
                _pause(error.wait if error.wait is not None else _backoff(attempt), lambda: False)
        raise AssertionError("unreachable: the last attempt returns or raises")

    def _read(self, reply: Any, wanted: int) -> NDArray[np.float32]:
        """(wanted, d) vectors in the order of the texts: servers may send them in another one, with an index."""
        items = getattr(reply, "data", None)
        try:
            ordered = sorted(items or (), key=lambda item: item.index)
            vectors = np.array([item.embedding for item in ordered], np.float32)
        except (AttributeError, TypeError, ValueError):
            vectors = np.zeros((0, 0), np.float32)
        usable = vectors.ndim == 2 and len(vectors) == wanted and 0 < vectors.shape[1] <= LARGEST
        if not usable or not np.isfinite(vectors).all():
            hint = "Check the base URL and that the model makes embeddings."
            raise ModelError("the server's reply holds no vectors for these texts", where=self.title, hint=hint)
        return vectors


def endpoint_encoder(endpoint: Endpoint, key: str | None = None) -> CachedEncoder:
    """The encoder of a server's model. key: None takes OPENAI_API_KEY, "" sends none. ModelError if it fails."""
    return CachedEncoder(EndpointModel(endpoint, key))
