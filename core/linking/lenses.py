"""Lenses on graphs, through the best encoder to be had: how methods read a question against a schema offline.

Not here: any choice. A lens says how near words are to relations and classes (see `core.linking.lens`).
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable

from core.errors import EncoderError
from core.graph.contracts import Graph
from core.linking.lens import Lens
from core.linking.similarity import Encoder

ENCODER_ORDER = ("minilm", "use", "letters")  # the first that works here is taken
GRAPHS_KEPT = 3

GetEncoder = Callable[[str], Encoder]


class Lenses:
    """Lenses of the graphs used last, through one encoder. Safe to use from any thread."""

    def __init__(self, get_encoder: GetEncoder | None = None) -> None:
        self._get_encoder = get_encoder
        self._lock = threading.Lock()
        self._encoder: Encoder | None = None
        self._missing: list[str] = []
        self._lenses: OrderedDict[str, Lens] = OrderedDict()

    def lens(self, graph: Graph) -> Lens:
        """The graph's schema through the encoder. EncoderError when none can be loaded."""
        key = graph.dataset.content_id
        with self._lock:
            lens = self._lenses.get(key)
            if lens is None:
                self._encoder = self._encoder or self._first_usable()
                lens = self._lenses[key] = Lens(graph.schema(), (self._encoder,))
                while len(self._lenses) > GRAPHS_KEPT:
                    self._lenses.popitem(last=False)
            self._lenses.move_to_end(key)
            return lens

    @property
    def encoder_title(self) -> str:
        """The encoder's name for people; empty before it was needed."""
        return str(getattr(self._encoder, "title", self._encoder.name)) if self._encoder else ""

    @property
    def notices(self) -> tuple[str, ...]:
        """Which encoders could not be loaded, and which one stands in."""
        if not self._missing:
            return ()
        return (f"{' '.join(self._missing)} The schema is read with {self.encoder_title} instead.",)

    def _first_usable(self) -> Encoder:
        for name in ENCODER_ORDER:
            try:
                encoder = self._load(name)
                encoder.encode(["word"])  # an installed but broken package shows only here
                return encoder
            except EncoderError as error:
                self._missing.append(f"{error.what[:1].upper()}{error.what[1:]}.")
        raise EncoderError("no encoder can be loaded", hint="Install the requirements again.")

    def _load(self, name: str) -> Encoder:
        if self._get_encoder is not None:
            return self._get_encoder(name)
        from core.text.embedding import get_encoder

        return get_encoder(name)


shared = Lenses()  # pure functions of graph and encoder, so one store serves every method and run
