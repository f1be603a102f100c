"""KERAG as a retriever: a question in, a trace out with the plan, the neighbourhood and the reasoning.

KERAG answers from a neighbourhood and ranks nothing; which list is made of it here says `view.ranked`.
"""

from __future__ import annotations

import datetime
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from core import errors
from core.errors import CausewayError, QuestionError
from core.graph.contracts import Graph
from core.kerag import remembered
from core.kerag.answer import answer_of
from core.kerag.contracts import KeragMinds
from core.kerag.counted import CountedGraph
from core.kerag.loop import Found, KeragLoop
from core.kerag.offline import OfflineKeragMinds
from core.kerag.remembered import Memory
from core.kerag.settings import KeragConfig
from core.kerag.steps import KeragFailedStep, KeragStep, SchemaStep, TopicStep
from core.kerag.view import ranked
from core.retriever import OnProgress, OnStep, ShouldStop
from core.settings import checked_settings
from core.shared_work import SharedWork, StoppedError
from core.trace import DatasetRef, Trace, Usage

NOTICE = (
    "The paper answers from the neighbourhood and ranks nothing; this list holds the answer's nodes, then those that "
    "the reasoning cites, then near ones."
)
QUESTION_READ = 2_000  # characters of a question


class _Steps:
    """The steps of one run as they come; once it was closed, later ones are refused."""

    def __init__(self, on_step: OnStep | None) -> None:
        self.made: list[KeragStep] = []
        self._on_step = on_step
        self._lock = threading.Lock()
        self._closed = False

    @property
    def closed(self) -> bool:
        """Whether the run has ended."""
        return self._closed

    def close(self) -> tuple[KeragStep, ...]:
        """Take no further step; those that were made."""
        with self._lock:
            self._closed = True
            return tuple(self.made)

    def add(self, step: KeragStep) -> None:
        """Keep a step and hand it on. StoppedError once the run has ended."""
        with self._lock:
            if self._closed:
                raise errors.StoppedError("the run has ended")
            self.made.append(step)
            if self._on_step is not None:
                self._on_step(step)


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
        return checked_settings(KeragConfig, config)

    def take_over(self, trace: Trace, position_of: Callable[[str], int]) -> None:
        """Remember what a run decided, so that the next one, which overrules it, keeps the steps before.

        Whoever made that run, and whenever: its trace says it all. position_of: a node's id -> its position in the
        graph, or KeyError. A run of other data, or of settings that mean nothing here, is passed over.
        """
        try:
            config = self.settings(trace.config)
            self._memory(self._minds.decided_by, trace.question.strip()[:QUESTION_READ], config).take_over(
                trace, position_of
            )
        except (errors.ConfigError, KeyError):
            return

    def _memory(self, decided_by: str, question: str, config: KeragConfig) -> Memory:
        return Memory(remembered.shared, self.dataset.content_id, decided_by, question, config)

    def run(
        self,
        question: str,
        config: Mapping[str, Any] | None = None,
        on_step: OnStep | None = None,
        should_stop: ShouldStop | None = None,
    ) -> Trace:
        """Plan, retrieve and reason (KERAG-1 to KERAG-3). See `Retriever.run`; settings: `KeragConfig`."""
        settings = self.settings(config)
        stop = should_stop or (lambda: False)
        question = question.strip()
        if not question:
            raise QuestionError("the question is empty", hint="Write a question, or choose a suggested one.")
        asked = question[:QUESTION_READ]
        minds = self._minds.for_run()
        started_at = datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
        began = time.perf_counter()
        steps = _Steps(on_step)
        graph = CountedGraph(self._graph, lambda: steps.closed or stop())
        found = Found()
        planned_by = minds.decided_by

        def work(report: OnProgress) -> None:
            nonlocal planned_by
            graph.check()
            planner = minds.planner(graph, asked, settings, stop)
            planned_by = planner.decided_by
            summariser = minds.summariser(graph, asked, settings, stop)
            memory = self._memory(minds.decided_by, asked, settings)
            KeragLoop(graph, asked, settings, planner, summariser, steps.add, memory, began, found).run()

        stopped, notices, fault = False, [NOTICE], ""
        if len(asked) < len(question):
            notices.append(f"Only the first {QUESTION_READ:,} characters of the question were read.")
        try:
            SharedWork(work).get(stop)  # in the background, so that a stop answers at once whatever is waited for
        except (errors.StoppedError, StoppedError):
            stopped = True
        except CausewayError as error:  # a graph that cannot be asked, an encoder that cannot be loaded
            fault = str(error)
            steps.add(KeragFailedStep(index=len(steps.made) + 1, action="look at the graph", error=fault))
        made = steps.close()
        around, summary = found.around, found.summary
        lines = ranked(around, summary, settings.top) if around is not None else ()
        failed = [s for s in made if isinstance(s, KeragFailedStep)]
        others = {s.decided_by for s in made if isinstance(s, TopicStep | SchemaStep)} - {planned_by}
        if others:
            notices.append(f"The steps before what was decided by hand stay as {', '.join(sorted(others))} made them.")
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
                calls=dict(sorted(dict(graph.calls).items())),  # a copy: a stopped run may still be counting
                nodes_examined=len(graph.examined),
                prompt_tokens=prompt,
                completion_tokens=completion,
            ),
            status="stopped" if stopped else "failed" if fault else "finished",
            error="" if stopped else fault,
            started_at=started_at,
            seconds=time.perf_counter() - began,
        )
        return trace.model_copy(update={"steps": made})  # the steps are valid as they were made
