"""The contracts of the KERAG room: who decides.

Each decision is a small protocol with an offline implementation in this room and a model-backed twin beside it:
`Planner` looks at the schema and plans, `Summariser` (see `summary`) reasons over the triples. The loop knows only
these. A graph that is handed to them counts its calls and raises StoppedError once the run was stopped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from core.graph.contracts import Graph
from core.kerag.settings import KeragConfig
from core.kerag.steps import SchemaStep, SeenRelation, TopicStep
from core.kerag.summary import Summariser
from core.llm.exchange import Exchange
from core.retriever import OnProgress, ShouldStop


@dataclass(frozen=True, eq=False)
class Topics:
    """The topic entities as a step tells them, and their positions in the graph, in the same order."""

    step: TopicStep
    positions: tuple[int, ...]


class Planner(Protocol):
    """Decides what is in scope (KERAG-1), for one question. `exchange`: what a model was asked in the last decision.

    Any of these may raise a CausewayError.
    """

    decided_by: str

    @property
    def exchange(self) -> Exchange | None: ...

    def topics(self) -> Topics:
        """Step 1: the topic entities and the domain; none where the question names no node."""
        ...

    def resume(self, topics: Topics) -> None:
        """Take topics that were found before, instead of finding them."""
        ...

    def judge(self, hop: int, frontier: int, seen: Sequence[SeenRelation], earlier: Sequence[SchemaStep]) -> SchemaStep:
        """Steps 3 and 4 at a hop: which of the relations in view stay, and whether the kept ones are enough.

        frontier: nodes the hop starts from. seen: each with its edges, neighbour types and examples; of those `by`
        hand, `kept` is decided.
        """
        ...


class KeragMinds(Protocol):
    """Makes the planner and the summariser of a run: the offline ones, or those that ask a model."""

    @property
    def decided_by(self) -> str: ...

    @property
    def notices(self) -> tuple[str, ...]:
        """What a reader must know of these deciders; complete once one was made."""
        ...

    def for_run(self) -> KeragMinds:
        """Deciders for one run, with counters of their own."""
        ...

    def tokens(self) -> tuple[int | None, int | None]:
        """(prompt, completion) tokens used so far; None where no model was asked or none was counted."""
        ...

    def prepare(self, graph: Graph, on_progress: OnProgress) -> None:
        """Load what the first decision needs, saying what is loaded."""
        ...

    def planner(self, graph: Graph, question: str, config: KeragConfig, should_stop: ShouldStop) -> Planner: ...

    def summariser(self, graph: Graph, question: str, config: KeragConfig, should_stop: ShouldStop) -> Summariser: ...
