"""`OfflineMinds`: policy, causal module and answerer that need no model and no network.

Agents differ by encoder, since twins that decide alike would add nothing: the first reads with MiniLM, the second
with both encoders, the third with the multilingual USE, and so on in turn. Where torch is missing, USE and letter
n-grams take their place, and `notices` says so. No encoder is imported before one is needed.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from core.cara.contracts import Assessor, CaraConfig, Policy
from core.cara.offline_answerer import OfflineAnswerer
from core.cara.offline_assessor import OfflineAssessor
from core.cara.offline_policy import DECIDED_BY, OfflinePolicy
from core.cara.offline_reading import Reading, Readings
from core.errors import EncoderError
from core.graph.contracts import Graph
from core.linking.similarity import Encoder
from core.llm.answering import Writer
from core.retriever import OnProgress

LINE_UPS: tuple[tuple[tuple[str, ...], ...], ...] = (
    (("minilm",), ("minilm", "use"), ("use",)),
    (("minilm",), ("minilm", "letters"), ("letters",)),
    (("use",), ("use", "letters"), ("letters",)),
    (("letters",),),
)
UNKNOWN_LIMIT = 0.05  # share of word pieces unknown to an encoder, above which it is not asked
SAMPLING_NOTICE = (
    "Offline, agents do not sample at temperature 1.0 as in the paper: they differ by the encoder they read with, "
    "by the mention they start from, and by how they order equals."
)
_shared = Readings()  # pure functions of graph, encoders and question, so one store serves every instance


class OfflineMinds:
    """Makes the offline decision makers. Safe to use from any thread."""

    decided_by = DECIDED_BY

    def __init__(self, get_encoder: Callable[[str], Encoder] | None = None, readings: Readings | None = None) -> None:
        self._get_encoder = get_encoder
        self._readings = readings or _shared
        self._lock = threading.Lock()
        self._line_up: tuple[tuple[Encoder, ...], ...] | None = None
        self._missing: list[str] = []

    @property
    def notices(self) -> tuple[str, ...]:
        """That agents differ by encoder and not by sampling; which encoders could not be loaded, and what stands in."""
        notices = [SAMPLING_NOTICE]
        if self._missing:
            used = sorted({e.name for own in self._line_up or () for e in own})
            notices.append(f"{' '.join(self._missing)} Agents read with {', '.join(used)} instead.")
        return tuple(notices)

    def for_run(self) -> OfflineMinds:
        """Itself: nothing is kept of a run."""
        return self

    def tokens(self) -> tuple[int | None, int | None]:
        """None: no model is asked."""
        return None, None

    def prepare(self, graph: Graph, on_progress: OnProgress) -> None:
        """Load the encoders and read the graph's relations with each agent's."""
        on_progress("loading the text encoders; the first time takes a few seconds", None)
        for number, encoders in enumerate(self._encoders()):
            on_progress(f"reading the relations with {_title(encoders)}", number / len(self._encoders()))
            self._readings.lens(graph, encoders)

    def policy(self, graph: Graph, question: str, agent: int, config: CaraConfig) -> Policy:
        reading, encoders = self._reading(graph, question, agent)
        return OfflinePolicy(reading, config, agent, _title(encoders))

    def assessor(self, graph: Graph, question: str, agent: int, config: CaraConfig) -> Assessor:
        return OfflineAssessor(self._reading(graph, question, agent)[0])

    def answerer(self, graph: Graph, question: str, config: CaraConfig) -> Writer:
        return OfflineAnswerer()

    def _reading(self, graph: Graph, question: str, agent: int) -> tuple[Reading, tuple[Encoder, ...]]:
        line_up = self._encoders()
        encoders = line_up[agent % len(line_up)]
        if not question.isascii():
            encoders = _able(encoders, question) or _able(line_up[-1], question) or encoders
        return self._readings.reading(graph, encoders, question), encoders

    def _encoders(self) -> tuple[tuple[Encoder, ...], ...]:
        """The first line-up whose encoders all load; what failed is remembered for the notices."""
        with self._lock:
            if self._line_up is None:
                self._line_up = self._load()
            return self._line_up

    def _load(self) -> tuple[tuple[Encoder, ...], ...]:
        usable: dict[str, Encoder] = {}
        failed: set[str] = set()
        for line_up in LINE_UPS:
            names = {name for own in line_up for name in own}
            for name in sorted(names - failed - set(usable)):
                try:
                    usable[name] = self._encoder(name)
                except EncoderError as error:
                    failed.add(name)
                    self._missing.append(f"{error.what[:1].upper()}{error.what[1:]}.")
            if names <= set(usable):
                return tuple(tuple(usable[name] for name in own) for own in line_up)
        raise EncoderError("no encoder can be loaded", hint="Install the requirements again.")

    def _encoder(self, name: str) -> Encoder:
        """The encoder, tried on a word. EncoderError when it cannot be used here."""
        if self._get_encoder is None:
            from core.text.embedding import get_encoder

            encoder: Encoder = get_encoder(name)
        else:
            encoder = self._get_encoder(name)
        encoder.encode(["word"])
        return encoder


def _able(encoders: Sequence[Encoder], question: str) -> tuple[Encoder, ...]:
    """The encoders that know the question's writing: an English one maps Chinese words to one and the same vector."""
    return tuple(e for e in encoders if e.unknown_share([question]) <= UNKNOWN_LIMIT)


def _title(encoders: Sequence[Encoder]) -> str:
    return " + ".join(getattr(e, "title", e.name) for e in encoders)
