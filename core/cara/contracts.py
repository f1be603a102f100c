"""The contracts of the CARA room: configuration, actions, what an agent sees, and who decides.

A decision is one of three small protocols, `Policy`, `Assessor` and `Writer` (core/llm); each has an offline
implementation in this room and a model-backed twin beside it. The loop in `agent.py` knows only these.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from pydantic import Field

from core.cara.steps import Assessment, CaraStep, Exchange, Hop, NeighborsStep, ReadQuestion
from core.graph.contracts import Graph
from core.llm.answering import Writer
from core.retriever import OnProgress
from core.trace import Frozen, NodeRef


class CaraConfig(Frozen):
    """The settings of a run (paper's defaults). `keep` is r of CARA-4; None keeps all."""

    agents: int = Field(3, ge=1, le=8)
    max_steps: int = Field(150, ge=1, le=1000)  # T_max, per agent
    search_k: int = Field(30, ge=1, le=200)
    neighbors_k: int = Field(20, ge=1, le=200)
    lambda_: float = Field(0.5, ge=0, le=1)
    alpha: float = Field(0.5, ge=0, le=1)
    keep: int | None = Field(None, ge=1)
    assess: bool = True  # False: CARA without C
    fusion: Literal["rrf", "count"] = "rrf"
    rrf_constant: float = Field(60.0, gt=0)
    seed: int = 0
    top: int = Field(50, ge=1, le=1000)  # lines of the fused list that the trace keeps


@dataclass(frozen=True, slots=True)
class GlobalSearch:
    """Action: search the whole graph for `subquery`."""

    subquery: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Neighbors:
    """Action: look one hop around `node` (a position). `path` is how the agent came there from `anchor`."""

    node: int
    subquery: str
    anchor: int
    path: tuple[Hop, ...] = ()
    node_types: tuple[str, ...] = ()
    edge_types: tuple[str, ...] = ()
    source: int | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Pick:
    """A node to append, with where it came from and the score it is appended with."""

    node: int
    source: int | None = None
    anchor: int | None = None
    path: tuple[Hop, ...] = ()
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class Append:
    """Action: put nodes on the retrieved list, in this order. Nodes already there are skipped."""

    picks: tuple[Pick, ...]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Finish:
    """Action: end the walk."""

    reason: str = ""


ACTION_KINDS = frozenset({"cara.global_search", "cara.neighbors", "cara.append", "cara.failed"})
Action = GlobalSearch | Neighbors | Append | Finish


@dataclass(slots=True)
class AgentState:
    """The trajectory state s_t: all an agent may base its next action on. The loop alone changes it.

    steps: what was done and seen, in order; retrieved: R_j, positions in order of appending;
    positions: id -> position of every node seen so far; should_stop: whether the user stopped the run.
    """

    question: str
    agent: int
    config: CaraConfig
    steps: list[CaraStep] = field(default_factory=list)
    retrieved: list[int] = field(default_factory=list)
    positions: dict[str, int] = field(default_factory=dict)
    should_stop: Callable[[], bool] = field(default=lambda: False)

    @property
    def last(self) -> CaraStep | None:
        return self.steps[-1] if self.steps else None

    @property
    def steps_left(self) -> int:
        """Tool actions left of T_max. Assess steps are the module's, not the agent's, and are not counted."""
        return self.config.max_steps - sum(s.kind in ACTION_KINDS for s in self.steps)


class Policy(Protocol):
    """Who walks: one policy object per agent and question; it may keep notes between calls.

    `exchange` is what a model was asked and replied in the last decision, also in one that failed.
    """

    decided_by: str
    exchange: Exchange | None

    def read(self, state: AgentState) -> ReadQuestion:
        """Understand the question; recorded as the agent's first step."""
        ...

    def next_action(self, state: AgentState) -> Action:
        """The next action, from what the state shows and nothing else."""
        ...


class Assessor(Protocol):
    """The causal module C (CARA-3): an assessor, never an agent. One batched call per hop."""

    decided_by: str
    exchange: Exchange | None

    def assess(self, state: AgentState, hop: NeighborsStep) -> Sequence[Assessment]:
        """c, e and p of each candidate of `hop`, in its order; `causal` and `score` are filled in by the loop.

        A candidate that could not be judged is left out, never given a number.
        """
        ...


class Minds(Protocol):
    """Makes the decision makers of a run: the offline ones, or those that ask a model."""

    decided_by: str

    @property
    def notices(self) -> tuple[str, ...]:
        """What a reader must know of these deciders: fall-backs, departures from the paper."""
        ...

    def for_run(self) -> Minds:
        """Deciders for one run, with counters of their own."""
        ...

    def tokens(self) -> tuple[int | None, int | None]:
        """(prompt, completion) tokens used so far; None where no model was asked or none was counted."""
        ...

    def prepare(self, graph: Graph, on_progress: OnProgress) -> None:
        """Load what the first decision needs, saying what is loaded."""
        ...

    def policy(self, graph: Graph, question: str, agent: int, config: CaraConfig) -> Policy: ...

    def assessor(self, graph: Graph, question: str, agent: int, config: CaraConfig) -> Assessor: ...

    def answerer(self, graph: Graph, question: str, config: CaraConfig) -> Writer:
        """Who writes the answer from the fused evidence (CARA-8)."""
        ...


def ref(graph: Graph, position: int) -> NodeRef:
    """The node as a trace names it."""
    node = graph.node(position)
    return NodeRef(id=node.id, name=node.name, type=node.type)
