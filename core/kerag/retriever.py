"""KERAG as a retriever: a question in, a trace out with the plan, the neighbourhood and the reasoning.

KERAG answers from a neighbourhood and ranks nothing; which list is made of it here says `view.ranked`.
"""

from __future__ import annotations

import datetime
import time
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from core.errors import CausewayError, ConfigError, QuestionError, StoppedError
from core.graph.contracts import Graph
from core.kerag import remembered
from core.kerag.answer import answer_of
from core.kerag.contracts import KeragConfig, KeragMinds
from core.kerag.counted import CountedGraph
from core.kerag.loop import KeragLoop
from core.kerag.offline import OfflineKeragMinds
from core.kerag.remembered import Memory
from core.kerag.steps import KeragFailedStep, KeragStep
from core.kerag.view import ranked
from core.retriever import OnProgress, OnStep, ShouldStop
from core.trace import DatasetRef, Trace, Usage

NOTICE = (
    "The paper answers from the neighbourhood and ranks nothing; this list holds the answer's nodes, then those that "
    "the reasoning cites, then near ones."
)


class KeragRetriever:
    """KERAG on one graph. `minds` decide, offline by default."""

    method = "kerag"

    def __init__(self, graph: Graph, minds: KeragMinds | None = None) -> None:
        self._graph = graph
        self._minds: KeragMinds = minds or OfflineKeragMinds()

    @property
    def dataset(self) -> DatasetRef:
        """The graph it plans on."""
        return self._graph.dataset

    def prepare(self, on_progress: OnProgress | None = None) -> None:
        """Build the search index and load what the first decision needs."""
        report = on_progress or (lambda message, share: None)
        report("preparing the search index", None)
        self._graph.search("a", 1)  # any word will do: the index is built at the first search
        self._minds.prepare(self._graph, report)

    def settings(self, config: Mapping[str, Any] | None = None) -> KeragConfig:
        """The whole configuration of a run. ConfigError names the setting that is wrong."""
        try:
            return KeragConfig.model_validate(dict(config or {}))
        except ValidationError as error:
            first = error.errors()[0]
            name = ".".join(map(str, first["loc"]))
            raise ConfigError(f"the setting {name} is not valid: {first['msg']}", where=name) from None

    def run(
        self,
        question: str,
        config: Mapping[str, Any] | None = None,
        on_step: OnStep | None = None,
        should_stop: ShouldStop | None = None,
    ) -> Trace:
        """Plan, retrieve and reason (KERAG-1 to KERAG-3). See `Retriever.run`; settings: `KeragConfig`."""
        settings = self.settings(config)
        question = question.strip()
        if not question:
            raise QuestionError("the question is empty", hint="Write a question, or choose a suggested one.")
        minds = self._minds.for_run()
        started_at = datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
        began = time.perf_counter()
        stop = should_stop or (lambda: False)
        graph = CountedGraph(self._graph, stop)
        steps: list[KeragStep] = []

        def emit(step: KeragStep) -> None:
            steps.append(step)
            if on_step is not None:
                on_step(step)

        loop: KeragLoop | None = None
        stopped, notices, fault = False, [NOTICE], ""
        try:
            graph.check()
            loop = KeragLoop(
                graph,
                question,
                settings,
                minds.planner(graph, question, settings, stop),
                minds.summariser(graph, question, settings, stop),
                emit,
                Memory(remembered.shared, self.dataset.content_id, minds.decided_by, question, settings),
                began,
            )
            loop.run()
        except StoppedError:
            stopped = True
        except CausewayError as error:  # a graph that cannot be asked, an encoder that cannot be loaded
            fault = str(error)
            emit(KeragFailedStep(index=len(steps) + 1, action="look at the graph", error=fault))
        around = loop.found.around if loop is not None else None
        summary = loop.found.summary if loop is not None else None
        lines = ranked(around, summary, settings.top) if around is not None else ()
        failed = [s for s in steps if isinstance(s, KeragFailedStep)]
        if failed:
            count = len(failed)
            notices.append(
                f"{count} step{'s' if count > 1 else ''} of this run failed; each is listed with its reason."
            )
        if not lines and failed and not fault:
            fault = failed[0].error
        prompt, completion = minds.tokens()
        trace = Trace(
            method=self.method,
            question=question,
            config=settings.model_dump(mode="json"),
            dataset=self.dataset,
            decided_by=minds.decided_by,
            notices=(*minds.notices, *notices),
            ranked=lines,
            answer=None if stopped or summary is None or around is None else answer_of(summary, around),
            usage=Usage(
                calls=dict(sorted(graph.calls.items())),
                nodes_examined=len(graph.examined),
                prompt_tokens=prompt,
                completion_tokens=completion,
            ),
            status="stopped" if stopped else "failed" if fault else "finished",
            error="" if stopped else fault,
            started_at=started_at,
            seconds=time.perf_counter() - began,
        )
        return trace.model_copy(update={"steps": tuple(steps)})  # the steps are valid as they were made
