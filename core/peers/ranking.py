"""A run of a method that ranks all nodes in one search: what BM25 and dense have in common."""

from __future__ import annotations

import datetime
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from core.errors import QuestionError
from core.graph.contracts import Graph, Hit
from core.llm.answering import Writer, Written, write_answer
from core.peers.steps import TEXT_KEPT, PeerConfig, PeerFound, PeerSearchStep
from core.retriever import OnStep, ShouldStop
from core.settings import checked_settings
from core.shared_work import StoppedError
from core.trace import NodeRef, Ranked, Trace, Usage


class PeerAnswerer(Writer, Protocol):
    """Writes the answer from the ranked evidence; the same one that the other retrievers are given."""

    def for_run(self) -> PeerAnswerer:
        """One for a single run, with counters of its own."""
        ...

    def tokens(self) -> tuple[int | None, int | None]:
        """(prompt, completion) tokens it used; None where no model was asked or none was counted."""
        ...


@dataclass(frozen=True, slots=True)
class Search:
    """What a search came to. `call` is its name in the cost table; `encoder` is empty for BM25."""

    hits: Sequence[Hit]
    call: str
    reason: str
    decided_by: str
    encoder: str = ""
    notices: tuple[str, ...] = ()


class Searcher(Protocol):
    """The one search of a method. `StoppedError` when `should_stop()` turned true first."""

    def __call__(self, question: str, k: int, should_stop: ShouldStop) -> Search: ...


def run_search(
    method: str,
    graph: Graph,
    search: Searcher,
    decided_by: str,
    answerer: PeerAnswerer | None,
    question: str,
    config: Mapping[str, Any] | None,
    on_step: OnStep | None,
    should_stop: ShouldStop | None,
) -> Trace:
    """Search once, rank what came back, answer if there is an answerer. See `Retriever.run`."""
    settings = checked_settings(PeerConfig, config)
    question = question.strip()
    if not question:
        raise QuestionError("the question is empty", hint="Write a question, or choose a suggested one.")
    stop = should_stop or (lambda: False)
    started_at = datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
    began = time.perf_counter()
    trace = Trace(
        method=method,
        question=question,
        config=settings.model_dump(),
        dataset=graph.dataset,
        decided_by=decided_by,
        status="stopped",
        started_at=started_at,
    )
    try:
        if stop():
            raise StoppedError
        result = search(question, settings.k, stop)
    except StoppedError:
        return trace.model_copy(update={"seconds": time.perf_counter() - began})
    found = tuple(_found(graph, hit) for hit in result.hits)
    step = PeerSearchStep(
        decided_by=result.decided_by,
        at=time.perf_counter() - began,
        seconds=time.perf_counter() - began,
        reason=result.reason,
        subquery=question,
        k=settings.k,
        encoder=result.encoder,
        found=found,
    )
    if on_step is not None:
        on_step(step)
    ranked = tuple(
        Ranked(id=f.node.id, name=f.node.name, type=f.node.type, score=f.score, ranks={0: rank})
        for rank, f in enumerate(found[: settings.top], 1)
    )
    own = None if stop() or answerer is None else answerer.for_run()
    written = Written() if own is None else write_answer(own, question, ranked, (step,), began, stop)
    if written.step is not None and on_step is not None:
        on_step(written.step)
    stopped = stop()
    prompt, completion = own.tokens() if own is not None else (None, None)
    return trace.model_copy(
        update={
            "decided_by": result.decided_by,
            "notices": (*result.notices, *written.notices),
            "steps": (step,) if written.step is None else (step, written.step),
            "ranked": ranked,
            "answer": written.answer,
            "usage": Usage(
                calls={result.call: 1},
                nodes_examined=len(found),
                prompt_tokens=prompt,
                completion_tokens=completion,
            ),
            "status": "stopped" if stopped else "finished",
            "seconds": time.perf_counter() - began,
        }
    )


def _found(graph: Graph, hit: Hit) -> PeerFound:
    node = graph.node(hit.position)
    return PeerFound(
        node=NodeRef(id=node.id, name=node.name, type=node.type),
        score=hit.score,
        text=node.text[:TEXT_KEPT],
        text_cut=len(node.text) > TEXT_KEPT,
    )
