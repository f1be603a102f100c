"""CARA as a retriever: m agents walk at once, their lists are fused, the answer quotes its evidence.

ARK is this same loop without the causal module and with count fusion: a configuration (see `core.methods`).
"""

from __future__ import annotations

import datetime
import logging
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from core.cara.agent import Agent, NodeCards
from core.cara.contracts import ACTION_KINDS, AgentState, CaraConfig, Minds
from core.cara.cost import usage
from core.cara.fusion import agent_lists, fuse
from core.cara.steps import CaraStep, FailedStep, FinishStep
from core.errors import QuestionError
from core.graph.contracts import Graph
from core.llm.answering import AnswerStep, Written, write_answer
from core.retriever import OnProgress, OnStep, ShouldStop
from core.settings import checked_settings
from core.trace import DatasetRef, Ranked, Step, Trace

log = logging.getLogger(__name__)


class CaraRetriever:
    """CARA on one graph. `minds` decides; `defaults` are settings that a run starts from."""

    def __init__(
        self, graph: Graph, minds: Minds, *, method: str = "cara", defaults: Mapping[str, Any] | None = None
    ) -> None:
        self.method = method
        self._graph = graph
        self._minds = minds
        self._defaults = dict(defaults or {})
        self._cards = NodeCards(graph)

    @property
    def dataset(self) -> DatasetRef:
        """The graph it walks on."""
        return self._graph.dataset

    def prepare(self, on_progress: OnProgress | None = None) -> None:
        """Build the search index and load the encoders now, saying which."""
        report = on_progress or (lambda message, share: None)
        report("preparing the search index", None)
        self._graph.search("a", 1)  # any word will do: the index is built at the first search
        self._minds.prepare(self._graph, report)

    def settings(self, config: Mapping[str, Any] | None = None) -> CaraConfig:
        """The whole configuration of a run. ConfigError names the setting that is wrong."""
        return checked_settings(CaraConfig, {**self._defaults, **(config or {})})

    def run(
        self,
        question: str,
        config: Mapping[str, Any] | None = None,
        on_step: OnStep | None = None,
        should_stop: ShouldStop | None = None,
    ) -> Trace:
        """Answer `question` (CARA-5 to CARA-8). See `Retriever.run`."""
        settings = self.settings(config)
        question = question.strip()
        if not question:
            raise QuestionError("the question is empty", hint="Write a question, or choose a suggested one.")
        stop = should_stop or (lambda: False)
        minds = self._minds.for_run()
        started_at = datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
        began = time.perf_counter()
        steps: list[CaraStep | AnswerStep] = []
        lock = threading.Lock()

        def emit(step: CaraStep | AnswerStep) -> None:
            with lock:  # arrival order in the trace is the order in which steps were handed on
                steps.append(step)
                if on_step is not None:
                    on_step(step)

        def walk(agent: int) -> None:
            state = AgentState(question, agent, settings, should_stop=stop)
            policy = minds.policy(self._graph, question, agent, settings)
            assessor = minds.assessor(self._graph, question, agent, settings) if settings.assess else None
            try:
                Agent(self._graph, self._cards, policy, assessor, state, emit, stop, began=began).walk()
            except Exception as error:  # one agent's fault must not take the others down
                log.exception("agent %d failed", agent)
                fault = f"{type(error).__name__}: this agent ended early because of a fault in Causeway"
                emit(FailedStep(agent=agent, index=len(state.steps) + 1, action="walk", error=fault))

        if settings.agents == 1:
            walk(0)
        else:
            with ThreadPoolExecutor(settings.agents, thread_name_prefix="cara-agent") as pool:
                list(pool.map(walk, range(settings.agents)))

        stopped = stop()
        trace = Trace(
            method=self.method,
            question=question,
            config=settings.model_dump(),
            dataset=self._graph.dataset,
            decided_by=minds.decided_by,
            notices=(*minds.notices, *_notices(steps, settings)),
            steps=tuple(steps),
            usage=usage(steps),
            status="stopped" if stopped else "failed" if _nothing_done(steps) else "finished",
            started_at=started_at,
        )
        if trace.status == "failed":
            trace = trace.model_copy(update={"error": next(s.error for s in steps if isinstance(s, FailedStep))})
        ranked = ranking(trace, settings)
        written = Written()
        if trace.status == "finished":
            writer = minds.answerer(self._graph, question, settings)
            written = write_answer(writer, question, ranked, steps, began, stop)
            if stop():
                trace = trace.model_copy(update={"status": "stopped"})
            if written.step is not None:
                emit(written.step)
        prompt, completion = minds.tokens()
        spent = trace.usage.model_copy(update={"prompt_tokens": prompt, "completion_tokens": completion})
        return trace.model_copy(
            update={
                "steps": tuple(steps),
                "ranked": ranked,
                "answer": written.answer,
                "notices": (*trace.notices, *written.notices),
                "usage": spent,
                "seconds": time.perf_counter() - began,
            }
        )


def ranking(trace: Trace, settings: CaraConfig) -> tuple[Ranked, ...]:
    """The fused list of a trace (CARA-7), cut to `settings.top`."""
    lists = agent_lists(trace)
    nodes = {node.id: node for own in lists.values() for node in own}
    fused = fuse({agent: [n.id for n in own] for agent, own in lists.items()}, settings.fusion, settings.rrf_constant)
    return tuple(
        Ranked(id=f.id, name=nodes[f.id].name, type=nodes[f.id].type, score=f.score, ranks=f.ranks)
        for f in fused[: settings.top]
    )


def _nothing_done(steps: Sequence[Step]) -> bool:
    """Whether every action failed: such a run found nothing because it could not look."""
    failed = any(isinstance(s, FailedStep) for s in steps)
    return failed and not any(s.kind in ACTION_KINDS and not isinstance(s, FailedStep) for s in steps)


def _notices(steps: Sequence[Step], settings: CaraConfig) -> list[str]:
    notices = []
    failed = sum(isinstance(s, FailedStep) for s in steps)
    if failed:
        notices.append(f"{failed} step{'s' if failed > 1 else ''} of this run failed; each is listed with its reason.")
    spent = sorted(s.agent for s in steps if isinstance(s, FinishStep) and s.budget_spent)
    if spent:
        who = ", ".join(str(agent + 1) for agent in spent)
        notices.append(f"Agent {who} spent the whole budget of {settings.max_steps} steps.")
    return notices
