"""A run of a peer that takes several steps: its steps, costs and result as they come, and the trace in the end.

The walk runs in the background and the caller waits for it, so that a stop answers at once whatever the walk waits
for (a model, an encoder being loaded, a remote graph); what comes after the stop is dropped.
"""

from __future__ import annotations

import datetime
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from pydantic import BaseModel

from core import errors
from core.errors import CausewayError, QuestionError
from core.graph.contracts import Graph, Hit, Neighbor, Relation, RelationCount
from core.llm.answering import Written, write_answer
from core.llm.exchange import Exchange
from core.peers.deciders import Deciders
from core.peers.ranking import PeerAnswerer
from core.retriever import OnProgress, OnStep, ShouldStop
from core.shared_work import SharedWork, StoppedError
from core.trace import Answer, NodeRef, Ranked, Step, Trace, Usage

MOST_ASKED = 1000  # neighbours asked for, to have k of the wanted direction among both
TEXT_SHOWN = 240  # characters of a node's text that a step keeps and a prompt shows

ConfigType = TypeVar("ConfigType", bound=BaseModel)
StepType = TypeVar("StepType", bound=Step)
T = TypeVar("T")


Tokens = tuple[int | None, int | None]


class HasExchange(Protocol):
    """A decider: who it is, and what a model was asked and replied in its last decision."""

    @property
    def decided_by(self) -> str: ...

    @property
    def exchange(self) -> Exchange | None: ...


@dataclass(frozen=True, slots=True)
class Card:
    """A node as steps and prompts show it."""

    ref: NodeRef
    text: str
    cut: bool


class Recorder:
    """One run's record. All graph calls of the walk go through it, so that they are counted."""

    def __init__(self, graph: Graph, on_step: OnStep | None, should_stop: ShouldStop) -> None:
        self.graph = graph
        self.began = time.perf_counter()
        self.calls: Counter[str] = Counter()
        self.ranked: tuple[Ranked, ...] = ()  # the best that is known so far; replaced, never changed
        self.notices: list[str] = []
        self.answer: Answer | None = None
        self.failures = 0  # decisions that failed in a row
        self._on_step = on_step
        self._should_stop = should_stop
        self._steps: list[Step] = []
        self._cards: dict[int, Card] = {}
        self._lock = threading.Lock()
        self._closed = False

    # --- while it runs ------------------------------------------------------------------------------

    def stopped(self) -> bool:
        """Whether the run was asked to stop, or its caller has gone."""
        return self._closed or self._should_stop()

    def check(self) -> None:
        """StoppedError when the run was stopped."""
        if self.stopped():
            raise StoppedError

    def count(self, call: str) -> None:
        """Count a call by its name in the cost table. StoppedError when the run was stopped."""
        self.check()
        with self._lock:
            if self._closed:
                raise StoppedError
            self.calls[call] += 1

    def attempt(
        self,
        action: str,
        call: Callable[[], T],
        failed: type[Step],
        decider: HasExchange,
        *,
        decision: bool = True,
        **fields: Any,
    ) -> T | None:
        """What `call` returns; None when it failed, which a step of type `failed` records. StoppedError as it is.

        decision: whether the decider is asked; a look at the graph does not end a row of failed decisions.
        """
        started = time.perf_counter()
        try:
            result = call()
        except errors.StoppedError:
            raise StoppedError from None
        except CausewayError as error:
            self.check()  # a call that was broken off by a stop did not fail
            self.failures += 1
            self.count("failed")
            exchange = decider.exchange if decision else None
            why = {"action": action, "error": str(error), "exchange": exchange, **fields}
            self.add(failed, started, decided_by=decider.decided_by, **why)
            return None
        if decision:
            self.failures = 0
        return result

    def add(self, kind: type[StepType], started: float, ended: float | None = None, **fields: Any) -> StepType:
        """Make the next step, which took from `started` to `ended` (now, by default), and hand it on.

        StoppedError when the run has been ended meanwhile.
        """
        seconds = (time.perf_counter() if ended is None else ended) - started
        with self._lock:
            step = kind(index=len(self._steps) + 1, at=started - self.began, seconds=seconds, **fields)
            self._hand_on(step)
        return step

    def _hand_on(self, step: Step) -> None:
        """Keep a step and tell of it. Called with the lock held."""
        if self._closed:
            raise StoppedError
        self._steps.append(step)
        if self._on_step is not None:
            self._on_step(step)

    def take(self, written: Written) -> None:
        """Keep the answer, and the step in which a model was asked for it. StoppedError as in `add`."""
        self.check()
        self.answer = written.answer
        self.notices += written.notices
        if written.step is not None:
            with self._lock:
                self._hand_on(written.step)

    def search(self, query: str, k: int) -> tuple[Hit, ...]:
        """GlobalSearch."""
        self.count("global_search")
        return self.graph.search(query, k)

    def along(
        self, node: int, relation: RelationCount, query: str, k: int, but: Collection[int] = ()
    ) -> list[Neighbor]:
        """Up to k neighbours by one relation in its direction, none of `but`, best BM25 first, ties by position."""
        self.count("neighbors")
        # Neighbors looks both ways along a type, so as many more are asked for as may come from the other side.
        everywhere = sum(r.edges for r in self.graph.node(node).relations if r.type == relation.type)
        more = min(k + everywhere - relation.edges + len(but), max(MOST_ASKED, k))
        around = self.graph.neighbors(node, query, edge_types=(relation.type,), k=more)
        wanted = Relation(relation.type, relation.direction)
        return [n for n in around.neighbors if wanted in n.relations and n.position not in but][:k]

    def card(self, position: int) -> Card:
        """The node at a position; the first look at it counts it as examined."""
        card = self._cards.get(position)
        if card is None:
            node = self.graph.node(position)
            cut = len(node.text) > TEXT_SHOWN
            ref = NodeRef(id=node.id, name=node.name, type=node.type)
            card = self._cards[position] = Card(ref, node.text[:TEXT_SHOWN], cut)
        return card

    def tell_failures(self) -> None:
        """A notice of how many decisions failed, if any did."""
        failed = self.calls["failed"]
        if failed:
            told = f"{failed} step{'s' if failed > 1 else ''} of this run failed; each is listed with its reason."
            self.notices.append(told)

    # --- when it ends -------------------------------------------------------------------------------

    def close(self) -> tuple[Step, ...]:
        """Take no further step; those that were made."""
        with self._lock:
            self._closed = True
            return tuple(self._steps)

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps so far."""
        with self._lock:
            return tuple(self._steps)

    @property
    def nodes_examined(self) -> int:
        """Distinct nodes that were looked at."""
        return len(self._cards)


def run_walk(
    method: str,
    graph: Graph,
    deciders: Deciders[T],
    walk: Callable[[Recorder, T, str], None],
    answerer: PeerAnswerer | None,
    question: str,
    settings: BaseModel,
    on_step: OnStep | None,
    should_stop: ShouldStop | None,
) -> Trace:
    """Walk, answer if there is an answerer, and make the trace. See `Retriever.run`.

    `walk(recorder, decider, question)` records its steps and sets the recorder's `ranked`.
    """
    question = question.strip()
    if not question:
        raise QuestionError("the question is empty", hint="Write a question, or choose a suggested one.")
    stop = should_stop or (lambda: False)
    started_at = datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
    own = deciders.for_run()
    recorder = Recorder(graph, on_step, stop)
    writer = answerer.for_run() if answerer is not None else None
    seed = getattr(settings, "seed", 0)

    def work(report: OnProgress) -> None:
        recorder.check()
        walk(recorder, own.decider(graph, question, seed, recorder.stopped), question)
        if writer is not None:
            recorder.check()
            ranked, steps = recorder.ranked, recorder.steps
            recorder.take(write_answer(writer, question, ranked, steps, recorder.began, recorder.stopped))

    stopped = False
    try:
        SharedWork(work).get(stop)
        stopped = stop()
    except StoppedError:
        stopped = True
    finally:
        steps = recorder.close()
    failure = (
        "" if recorder.ranked else next((str(getattr(s, "error", "")) for s in steps if s.kind.endswith(".failed")), "")
    )
    prompt, completion = _sum(own.tokens(), writer.tokens() if writer is not None else (None, None))
    return Trace(
        method=method,
        question=question,
        config=settings.model_dump(),
        dataset=graph.dataset,
        decided_by=own.decided_by,
        notices=(*own.notices, *recorder.notices),
        steps=steps,
        ranked=recorder.ranked,
        answer=None if stopped else recorder.answer,
        usage=Usage(
            calls=dict(sorted(recorder.calls.items())),
            nodes_examined=recorder.nodes_examined,
            prompt_tokens=prompt,
            completion_tokens=completion,
        ),
        status="stopped" if stopped else "failed" if failure else "finished",
        error=failure,
        started_at=started_at,
        seconds=time.perf_counter() - recorder.began,
    )


def _sum(first: Tokens, second: Tokens) -> Tokens:
    """Token counts together; what was not counted adds nothing, and two that were not stay unknown."""
    prompt, completion = (
        None if a is None and b is None else (a or 0) + (b or 0) for a, b in zip(first, second, strict=True)
    )
    return prompt, completion
