"""The agent loop of CARA (CARA-5): carry out what the policy decides, record it, let the causal module assess.

The loop knows no way of deciding: policies and assessors come in through the protocols of `contracts`.
Each action costs one of T_max steps; an assessment belongs to the Neighbors call before it and costs none.
An action that cannot be carried out becomes a failed step, and the agent goes on.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Any, TypeVar, cast

from core.cara.contracts import (
    Action,
    AgentState,
    Append,
    Assessor,
    Finish,
    GlobalSearch,
    Neighbors,
    Policy,
)
from core.cara.scores import scored
from core.cara.steps import (
    Appended,
    AppendStep,
    Assessment,
    AssessStep,
    Candidate,
    CaraStep,
    Exchange,
    FailedStep,
    FinishStep,
    Found,
    GlobalSearchStep,
    Link,
    NeighborsStep,
)
from core.errors import CausewayError, StoppedError
from core.graph.contracts import Graph, Neighborhood, Relation
from core.retriever import ShouldStop
from core.trace import NodeRef

log = logging.getLogger(__name__)

TEXT_SHOWN = 240  # characters of a node's text that a step keeps
FAILURES_ALLOWED = 5  # in a row, after which the agent ends: a policy that only errs learns nothing more

CaraStepType = TypeVar("CaraStepType", bound=CaraStep)


class NodeCards:
    """Nodes as steps show them, made once per graph: reference, text, and whether the text was cut."""

    def __init__(self, graph: Graph, limit: int = 200_000) -> None:
        self._graph = graph
        self._limit = limit
        self._cards: dict[int, tuple[NodeRef, str, bool]] = {}
        self._links: dict[tuple[Relation, ...], tuple[Link, ...]] = {}

    def __call__(self, position: int) -> tuple[NodeRef, str, bool]:
        card = self._cards.get(position)
        if card is None:
            node = self._graph.node(position)
            cut = len(node.text) > TEXT_SHOWN
            text = node.text[:TEXT_SHOWN].rstrip() + "…" if cut else node.text
            card = (NodeRef(id=node.id, name=node.name, type=node.type), text, cut)
            if len(self._cards) >= self._limit:
                self._cards.clear()
            self._cards[position] = card
        return card

    def links(self, relations: tuple[Relation, ...]) -> tuple[Link, ...]:
        links = self._links.get(relations)
        if links is None:
            links = tuple(Link(type=r.type, direction=r.direction) for r in relations)
            self._links[relations] = links
        return links


class Agent:
    """One agent on one question. `emit` receives each step as it is made."""

    def __init__(
        self,
        graph: Graph,
        cards: NodeCards,
        policy: Policy,
        assessor: Assessor | None,
        state: AgentState,
        emit: Callable[[CaraStep], None],
        should_stop: ShouldStop,
        clock: Callable[[], float] = time.perf_counter,
        began: float | None = None,
    ) -> None:
        self._graph = graph
        self._cards = cards
        self._policy = policy
        self._assessor = assessor
        self._state = state
        self._emit = emit
        self._should_stop = should_stop
        self._clock = clock
        self._began = clock() if began is None else began
        self._retrieved: set[int] = set()

    def walk(self) -> AgentState:
        """Walk until Finish, the end of the budget, or a stop; every step has been emitted by then."""
        state = self._state
        started = self._clock()
        try:
            reading = self._policy.read(state)
        except CausewayError as error:
            self._fail("read the question", error, started)
            self._finish("the question could not be read", started)
            return state
        self._record(reading, started)
        failures = 0
        while not self._should_stop():
            started = self._clock()
            if state.steps_left <= 0:
                self._finish(f"the budget of {state.config.max_steps} steps is spent", started, budget_spent=True)
                break
            try:
                action = self._policy.next_action(state)
                if isinstance(action, Finish):
                    self._finish(action.reason, started, exchange=self._policy.exchange)
                    break
                self._carry_out(action, started)
                failures = 0
            except StoppedError:
                break
            except CausewayError as error:
                failures += 1
                self._fail(_in_words(error), error, started, self._policy.exchange)
                if failures >= FAILURES_ALLOWED:
                    self._finish(f"{failures} failed steps in a row", self._clock())
                    break
        return state

    def _carry_out(self, action: Action, started: float) -> None:
        if isinstance(action, GlobalSearch):
            self._global_search(action, started)
        elif isinstance(action, Neighbors):
            self._neighbors(action, started)
        elif isinstance(action, Append):
            self._append(action, started)

    def _global_search(self, action: GlobalSearch, started: float) -> None:
        k = self._state.config.search_k
        found = []
        for hit in self._graph.search(action.subquery, k):
            node, text, _ = self._cards(hit.position)
            self._state.positions[node.id] = hit.position
            found.append(Found.model_construct(node=node, score=hit.score, text=text))
        self._make(
            GlobalSearchStep,
            started,
            subquery=action.subquery,
            k=k,
            found=tuple(found),
            reason=action.reason,
            exchange=self._policy.exchange,
        )

    def _neighbors(self, action: Neighbors, started: float) -> None:
        k = self._state.config.neighbors_k
        around = self._graph.neighbors(
            action.node, action.subquery, action.node_types or None, action.edge_types or None, k
        )
        node, anchor = self._cards(action.node)[0], self._cards(action.anchor)[0]
        self._state.positions[node.id] = action.node
        step = self._make(
            NeighborsStep,
            started,
            node=node,
            anchor=anchor,
            path=action.path,
            subquery=action.subquery,
            node_types=tuple(action.node_types),
            edge_types=tuple(action.edge_types),
            k=k,
            total=around.total,
            candidates=self._candidates(around),
            source=action.source,
            reason=action.reason,
            exchange=self._policy.exchange,
        )
        if self._assessor is not None and step.candidates and not self._should_stop():
            self._assess(self._assessor, step)

    def _candidates(self, around: Neighborhood) -> tuple[Candidate, ...]:
        candidates = []
        for neighbor in around.neighbors:
            node, text, cut = self._cards(neighbor.position)
            self._state.positions[node.id] = neighbor.position
            candidates.append(
                Candidate.model_construct(
                    node=node,
                    bm25=neighbor.score,
                    links=self._cards.links(neighbor.relations),
                    text=text,
                    text_cut=cut,
                )
            )
        return tuple(candidates)

    def _assess(self, assessor: Assessor, hop: NeighborsStep) -> None:
        started = self._clock()
        config = self._state.config
        try:
            assessments: tuple[Assessment, ...] = scored(
                assessor.assess(self._state, hop), config.lambda_, config.alpha
            )
        except CausewayError as error:
            if not isinstance(error, StoppedError):
                self._fail(f"assess the candidates of step {hop.index}", error, started, assessor.exchange)
            return
        kept = len(assessments) if config.keep is None else min(config.keep, len(assessments))
        self._make(
            AssessStep,
            started,
            lambda_=config.lambda_,
            alpha=config.alpha,
            kept=kept,
            assessments=assessments,
            source=hop.index,
            decided_by=assessor.decided_by,
            exchange=assessor.exchange,
        )

    def _append(self, action: Append, started: float) -> None:
        nodes = []
        for pick in action.picks:
            if pick.node in self._retrieved:
                continue
            self._retrieved.add(pick.node)
            self._state.retrieved.append(pick.node)
            node, text, _ = self._cards(pick.node)
            anchor = self._cards(pick.anchor)[0] if pick.anchor is not None else None
            nodes.append(
                Appended(node=node, source=pick.source, anchor=anchor, path=pick.path, text=text, score=pick.score)
            )
        self._make(AppendStep, started, nodes=tuple(nodes), reason=action.reason, exchange=self._policy.exchange)

    def _finish(
        self, reason: str, started: float, budget_spent: bool = False, exchange: Exchange | None = None
    ) -> None:
        self._make(FinishStep, started, reason=reason, budget_spent=budget_spent, exchange=exchange)

    def _fail(self, action: str, error: CausewayError, started: float, exchange: Exchange | None = None) -> None:
        self._make(FailedStep, started, action=action, error=str(error), exchange=exchange)

    def _make(self, kind: type[CaraStepType], started: float, **fields: Any) -> CaraStepType:
        fields.setdefault("decided_by", self._policy.decided_by)
        # model_construct: the parts are made here and valid; validating each again would double a step's cost.
        step = cast(
            CaraStepType,
            kind.model_construct(
                agent=self._state.agent,
                index=len(self._state.steps) + 1,
                at=started - self._began,
                seconds=self._clock() - started,
                **fields,
            ),
        )
        self._keep(step)
        return step

    def _record(self, step: CaraStep, started: float) -> None:
        self._keep(
            step.model_copy(
                update={
                    "agent": self._state.agent,
                    "index": len(self._state.steps) + 1,
                    "at": started - self._began,
                    "seconds": self._clock() - started,
                    "decided_by": step.decided_by or self._policy.decided_by,
                }
            )
        )

    def _keep(self, step: CaraStep) -> None:
        self._state.steps.append(step)
        self._emit(step)


def _in_words(error: CausewayError) -> str:
    return f"an action ({error.where})" if error.where else "an action"
