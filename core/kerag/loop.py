"""The loop of KERAG: topics, the schema hop by hop, the plan, the retrieval, the reasoning (KERAG-1 to KERAG-3).

Planning and gathering take turns, since the next hop's schema is seen from where this one led. The loop knows no way
of deciding; each decision becomes a step as soon as it is made. A decision made by hand stands whatever the planner
says. Not here: the trace (`retriever`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from core.errors import CausewayError, StoppedError
from core.graph.contracts import Relation
from core.kerag.contracts import Planner, Topics
from core.kerag.counted import CountedGraph
from core.kerag.neighbourhood import Gathering
from core.kerag.remembered import Memory
from core.kerag.settings import KeragConfig, Overrule
from core.kerag.steps import (
    KeragFailedStep,
    KeragStep,
    LeftOut,
    PlanStep,
    SchemaStep,
    SeenRelation,
    SummaryStep,
)
from core.kerag.subgraph import Neighbourhood
from core.kerag.summary import Asked, Summariser, cited, renumbered
from core.kerag.view import KEPT_TRIPLES, places_kept, retrieve_step
from core.llm.exchange import Exchange

BY_GRAPH = "the graph"

StepType = TypeVar("StepType", bound=KeragStep)
T = TypeVar("T")


class _Decider(Protocol):
    @property
    def decided_by(self) -> str: ...

    @property
    def exchange(self) -> Exchange | None: ...


@dataclass(eq=False)
class Found:
    """What a run has come to so far; it survives a stop. The lines of `summary` cite places in `around`."""

    around: Neighbourhood | None = None
    summary: SummaryStep | None = None


class KeragLoop:
    """One run on one question. `emit` receives each step as it is made, numbered and timed; `found` what came of it."""

    def __init__(
        self,
        graph: CountedGraph,
        question: str,
        config: KeragConfig,
        planner: Planner,
        summariser: Summariser,
        emit: Callable[[KeragStep], None],
        memory: Memory,
        began: float,
        found: Found,
    ) -> None:
        self._graph = graph
        self._question = question
        self._config = config
        self._planner = planner
        self._summariser = summariser
        self._emit = emit
        self._memory = memory
        self._began = began
        self._steps = 0
        self.found = found

    def run(self) -> None:
        """Plan, retrieve, reason. StoppedError when the run was stopped; what was found stays in `found`."""
        started = time.perf_counter()
        topics = self._attempt("find the topic entities", self._topics, self._planner)
        if topics is None:
            return
        self._keep(topics.step, started)
        config = self._config
        gathering = Gathering(self._graph, topics.positions, config.budget, self._question, config.without)
        schema: list[SchemaStep] = []
        try:
            self._explore(gathering, schema)
        finally:
            self.found.around = gathering.neighbourhood()
        self._plan(topics, schema)
        self._reason(topics, gathering)

    # --- planning -----------------------------------------------------------------------------------

    def _topics(self) -> Topics:
        known = self._memory.topics()
        if known is not None:
            self._planner.resume(known)
            return Topics(_taken_over(known.step), known.positions)
        self._graph.count("plan")
        found = self._planner.topics()
        return self._memory.keep_topics(Topics(_stamped(self._planner, found.step), found.positions))

    def _explore(self, gathering: Gathering, schema: list[SchemaStep]) -> None:
        """Hop by hop, until it is enough, nothing leads on, or the last hop is reached."""
        config = self._config
        for hop in range(1, (config.hops or config.max_hops) + 1):
            started = time.perf_counter()
            seen = _by_hand(gathering.in_view(), [o for o in config.overrules if o.hop == hop])
            if not seen:
                return
            step = self._attempt(
                f"judge the relations at hop {hop}", self._judgment(gathering, seen, schema), self._planner
            )
            if step is None:
                return
            schema.append(self._keep(step, started))
            gathering.leave_out(hop, [s for s in step.relations if not s.kept])
            kept = frozenset(Relation(s.relation, s.direction) for s in step.relations if s.kept)
            gathering.follow(kept)
            wished = any(o.kept and o.hop > hop for o in config.overrules)
            if not gathering.frontier or (config.hops is None and step.enough and not wished):
                return

    def _judgment(
        self, gathering: Gathering, seen: Sequence[SeenRelation], schema: Sequence[SchemaStep]
    ) -> Callable[[], SchemaStep]:
        hop, frontier, earlier = len(schema) + 1, len(gathering.frontier), tuple(schema)

        def judge() -> SchemaStep:
            known = self._memory.schema(hop, seen)
            if known is not None:
                return _taken_over(known)
            self._graph.count("plan")
            step = self._planner.judge(hop, frontier, seen, earlier)
            return self._memory.keep_schema(hop, _stamped(self._planner, step))

        return judge

    def _plan(self, topics: Topics, schema: Sequence[SchemaStep]) -> None:
        """The plan (D, E, R_bar, h), as it came out."""
        seen = [s for step in schema for s in step.relations]
        kept = {(s.relation, s.direction) for s in seen if s.kept}
        out = [(s.relation, s.direction) for s in seen if (s.relation, s.direction) not in kept]
        self._keep(
            PlanStep(
                domain=topics.step.domain,
                topics=tuple(t.node for t in topics.step.topics),
                left_out=tuple(dict.fromkeys(r if d == "out" else f"{r} (backwards)" for r, d in out)),
                hops=len(schema),
                question_kind=topics.step.question_kind,
                reason=_why_so_far(self._config, schema),
                decided_by=topics.step.decided_by,
            ),
            time.perf_counter(),
        )

    # --- retrieval and reasoning --------------------------------------------------------------------

    def _reason(self, topics: Topics, gathering: Gathering) -> None:
        """Retrieve and reason. A small neighbourhood is told before the reasoning, a large one by what that cites."""
        started = time.perf_counter()
        around = self.found.around = gathering.neighbourhood()
        left_out = list(gathering.left_out)
        if gathering.taken:
            why = "taken away by hand"
            left_out.append(LeftOut(what="triples taken away", triples=gathering.taken, why=why))
        small = len(around) <= KEPT_TRIPLES
        if small:
            self._keep(retrieve_step(around, places_kept(around, ()), left_out), started, BY_GRAPH)
        asked = Asked(self._question, topics.step.question_kind, topics.step.topics, around.total > len(around))

        def summarise() -> SummaryStep:
            self._graph.count("summarise")
            return _stamped(self._summariser, self._summariser.summarise(asked, around, self._config.reason))

        began = time.perf_counter()
        summary = self.found.summary = self._attempt("reason over the triples", summarise, self._summariser)
        ended = time.perf_counter()
        if not small:
            places = places_kept(around, cited(summary) if summary is not None else ())
            self._keep(retrieve_step(around, places, left_out), started, BY_GRAPH, began)
            if summary is not None:
                summary = renumbered(summary, {triple: place for place, triple in enumerate(places.tolist())})
        if summary is not None:
            self._keep(summary, began, ended=ended)

    # --- steps --------------------------------------------------------------------------------------

    def _attempt(self, action: str, call: Callable[[], T], decider: _Decider) -> T | None:
        """What `call` returns; None when it failed, which a step records."""
        started = time.perf_counter()
        try:
            return call()
        except StoppedError:
            raise
        except CausewayError as error:
            self._graph.count("failed")  # a call that was broken off by a stop did not fail
            failed = KeragFailedStep(action=action, error=str(error), exchange=decider.exchange)
            self._keep(failed, started, decider.decided_by)
            return None

    def _keep(self, step: StepType, started: float, decided_by: str = "", ended: float | None = None) -> StepType:
        """Number and time a step, and hand it on."""
        self._graph.check()
        self._steps += 1
        numbered = step.model_copy(
            update={
                "index": self._steps,
                "at": started - self._began,
                "seconds": (time.perf_counter() if ended is None else ended) - started,
                "decided_by": decided_by or step.decided_by,
            }
        )
        self._emit(numbered)
        return numbered


def _stamped(decider: _Decider, step: StepType) -> StepType:
    """The step with who decided, and what a model was asked."""
    return step.model_copy(update={"decided_by": decider.decided_by, "exchange": decider.exchange})


def _taken_over(step: StepType) -> StepType:
    return step.model_copy(update={"taken_over": True})


def _by_hand(seen: Sequence[SeenRelation], overrules: Sequence[Overrule]) -> tuple[SeenRelation, ...]:
    """The relations in view, with what was decided by hand; the last word on a relation holds."""
    said = {(o.relation, o.direction): o.kept for o in overrules}

    def decided(one: SeenRelation) -> SeenRelation:
        kept = said.get((one.relation, one.direction))
        if kept is None:
            return one
        reason = "kept by hand" if kept else "left out by hand"
        return one.model_copy(update={"kept": kept, "by": "hand", "reason": reason})

    return tuple(map(decided, seen))


def _why_so_far(config: KeragConfig, schema: Sequence[SchemaStep]) -> str:
    """Why the plan has as many hops as it has."""
    if not schema:
        return "there is nothing to start from"
    if config.hops is not None and len(schema) == config.hops:
        return f"{config.hops} hop{'s were' if config.hops > 1 else ' was'} asked for"
    if schema[-1].enough:
        return schema[-1].reason
    if len(schema) == config.max_hops:
        return f"no more than {config.max_hops} hop{'s' if config.max_hops > 1 else ''} may be planned"
    return "nothing leads on"
