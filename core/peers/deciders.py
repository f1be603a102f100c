"""Who decides in a peer's run, offline or a model: what both have in common. A method brings the decisions themselves.

`Deciders` makes the decider of a run. `OfflineDeciders` hands it a lens on the graph's schema, `ModelDeciders` a
`ModelScorer` that asks the model and counts its tokens.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

from core.graph.contracts import Graph
from core.linking import lenses as schema_lenses
from core.linking.lens import Lens
from core.linking.lenses import Lenses
from core.llm.replay import Asker
from core.peers.model_scores import ModelScorer
from core.retriever import OnProgress, ShouldStop

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

OFFLINE = "similarity and BM25 scores, no model"
CONTEXT_TOKENS = 8192  # of a model whose context is not known


class Deciders(Protocol[T_co]):
    """Makes the decider of a run."""

    @property
    def decided_by(self) -> str:
        """Who decides, as a trace names it."""
        ...

    @property
    def notices(self) -> tuple[str, ...]:
        """What a reader must know of these deciders; complete once one was made."""
        ...

    def for_run(self) -> Deciders[T_co]:
        """Deciders for one run, with counters of their own."""
        ...

    def tokens(self) -> tuple[int | None, int | None]:
        """(prompt, completion) tokens used so far; None where no model was asked or none was counted."""
        ...

    def prepare(self, graph: Graph, on_progress: OnProgress) -> None:
        """Load what the first decision needs, saying what is loaded."""
        ...

    def decider(self, graph: Graph, question: str, seed: int, should_stop: ShouldStop) -> T_co:
        """The decider of one question. EncoderError when no encoder can be loaded."""
        ...


class OfflineDeciders(Generic[T]):
    """Deciders that read the question through a lens: `make(lens, graph, question)`."""

    decided_by = OFFLINE

    def __init__(
        self, make: Callable[[Lens, Graph, str], T], notices: tuple[str, ...], lenses: Lenses | None = None
    ) -> None:
        self._make = make
        self._notices = notices
        self._lenses = lenses or schema_lenses.shared

    @property
    def notices(self) -> tuple[str, ...]:
        return (*self._notices, *self._lenses.notices)

    def for_run(self) -> OfflineDeciders[T]:
        """Itself: nothing is kept of a run."""
        return self

    def tokens(self) -> tuple[int | None, int | None]:
        """None: no model is asked."""
        return None, None

    def prepare(self, graph: Graph, on_progress: OnProgress) -> None:
        on_progress("reading the graph's relations", None)
        self._lenses.lens(graph)

    def decider(self, graph: Graph, question: str, seed: int, should_stop: ShouldStop) -> T:
        """The seed changes nothing: no lots are drawn."""
        return self._make(self._lenses.lens(graph), graph, question)


class ModelDeciders(Generic[T]):
    """Deciders that ask a model: `make(scorer, question)`. `make_asker` gives each run its own asker."""

    def __init__(
        self,
        make_asker: Callable[[], Asker],
        make: Callable[[ModelScorer, str], T],
        notices: tuple[str, ...],
        temperature: float,
        context_tokens: int = CONTEXT_TOKENS,
    ) -> None:
        self._make_asker = make_asker
        self._make = make
        self.notices = notices
        self._temperature = temperature
        self._context_tokens = context_tokens
        self._asker = make_asker()
        self.decided_by = self._asker.label

    def for_run(self) -> ModelDeciders[T]:
        """Deciders with counters of their own."""
        return ModelDeciders(self._make_asker, self._make, self.notices, self._temperature, self._context_tokens)

    def tokens(self) -> tuple[int | None, int | None]:
        """(prompt, completion) tokens of this run so far; None when the server never counted."""
        count = self._asker.count
        if not count.calls or count.uncounted == count.calls:
            return None, None
        return count.prompt_tokens, count.completion_tokens

    def prepare(self, graph: Graph, on_progress: OnProgress) -> None:
        on_progress(f"using {self.decided_by}", 1.0)

    def decider(self, graph: Graph, question: str, seed: int, should_stop: ShouldStop) -> T:
        scorer = ModelScorer(self._asker, self._context_tokens, self._temperature, seed, should_stop)
        return self._make(scorer, question)
