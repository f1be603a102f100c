"""The contracts of the KERAG room: settings, what was retrieved, and who decides.

Each decision is a small protocol with an offline implementation in this room and a model-backed twin beside it:
`Planner` looks at the schema and plans, `Summariser` (see `summary`) reasons over the triples. The loop knows only
these. A graph that is handed to them counts its calls and raises StoppedError once the run was stopped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from core.graph.contracts import Graph
from core.retriever import OnProgress, ShouldStop
from core.trace import Frozen, NodeRef

if TYPE_CHECKING:
    from core.kerag.steps import SchemaStep, SeenRelation, TopicStep
    from core.kerag.summary import Summariser
    from core.llm.exchange import Exchange

QuestionKind = Literal["lookup", "count", "superlative", "comparison", "yes/no", "set", "multi-hop"]


class Overrule(Frozen):
    """A person's word on a relation at a hop: kept or left out, whatever the planner said (KERAG-1)."""

    hop: int = Field(ge=1)
    relation: str
    direction: Literal["out", "in"]
    kept: bool


class KeragConfig(Frozen):
    """The settings of a run. hops: None plans them, up to `max_hops`; a number fixes them (KERAG-6).

    drop_relations, reason: ablations. budget: triples of the neighbourhood at most. overrules: decisions made by
    hand. without: triples taken away, each as "head id", "relation", "tail id". seed: handed to a model; offline
    nothing is drawn by lot. top: lines of the ranked list.
    """

    max_hops: int = Field(3, ge=1, le=6)
    hops: int | None = Field(None, ge=1, le=6)
    drop_relations: bool = True
    reason: bool = True
    budget: int = Field(100_000, ge=1, le=1_000_000)
    overrules: tuple[Overrule, ...] = ()
    without: tuple[tuple[str, str, str], ...] = ()
    seed: int = 0
    top: int = Field(50, ge=1, le=1000)


@dataclass(frozen=True, eq=False)
class Neighbourhood:
    """The subgraph that was retrieved, as columns: n nodes, t triples.

    nodes: by place here, topics first. positions (n,): their positions in the graph. hop (n,): hops from the nearest
    topic. head, tail (t,): places of nodes here; relation (t,): places in `relations`. total: triples in scope before
    the budget cut.
    """

    nodes: tuple[NodeRef, ...]
    positions: NDArray[np.int64]
    hop: NDArray[np.int16]
    relations: tuple[str, ...]
    head: NDArray[np.int64]
    relation: NDArray[np.int64]
    tail: NDArray[np.int64]
    topics: tuple[int, ...] = (0,)
    total: int = 0

    def __len__(self) -> int:
        return len(self.head)


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
