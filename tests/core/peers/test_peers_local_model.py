"""Think-on-Graph and KAR by a real, small, weak model on loopback. Never asserted: what it says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from demands import require_or_skip
from dict_graph import DictGraph
from local_model import CONTEXT, NAME, local_model, why_not

from core.llm.endpoint import Endpoint
from core.llm.source import ModelSource, connect
from core.peers.kar import KarRetriever
from core.peers.kar_model import model_expanders
from core.peers.kar_steps import KarFailedStep, KarRetrieveStep
from core.peers.think_on_graph import ThinkOnGraphRetriever
from core.peers.think_on_graph_model import model_thinkers
from core.peers.think_on_graph_steps import TogEntitiesStep, TogFailedStep, TogTopicsStep
from core.trace import Trace

pytestmark = pytest.mark.model

NODES = {
    "alien": ("Alien", "film", "A crew meets a creature."),
    "scott": ("Ridley Scott", "person", "A director."),
    "weaver": ("Sigourney Weaver", "person", "An actor."),
}
EDGES = [("alien", "directed by", "scott"), ("alien", "stars", "weaver")]
QUESTION = "Who directed Alien?"


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModelSource]:
    if why_not():
        require_or_skip("model", why_not())
    with local_model(tmp_path_factory.mktemp("model") / "server.log") as address:
        yield connect(Endpoint(base_url=address, model=NAME, context_tokens=CONTEXT, timeout=120), "sk-not-needed")


def checked(trace: Trace) -> None:
    assert trace.status == ("finished" if trace.ranked or not trace.error else "failed")
    assert NAME in trace.decided_by
    assert (trace.usage.prompt_tokens or 0) > 100
    assert (trace.usage.completion_tokens or 0) > 0
    assert Trace.from_json(trace.to_json()) == trace
    assert [s.index for s in trace.steps] == list(range(1, len(trace.steps) + 1))


def test_think_on_graph_completes(source: ModelSource) -> None:
    thinkers = model_thinkers(source.make_asker, source.context_tokens)
    retriever = ThinkOnGraphRetriever(DictGraph(NODES, EDGES), thinkers)
    trace = retriever.run(QUESTION, {"width": 1, "depth": 1, "k": 3})
    checked(trace)
    seen: set[Any] = set()
    for step in trace.steps:
        if isinstance(step, TogTopicsStep):
            seen |= {n.node.id for n in step.offered if n.kept}
        elif isinstance(step, TogEntitiesStep):
            seen |= {n.node.id for n in step.entities}
        elif isinstance(step, TogFailedStep):
            assert step.error
    assert {r.id for r in trace.ranked} <= seen


def test_kar_completes(source: ModelSource) -> None:
    expanders = model_expanders(source.make_asker, source.context_tokens)
    trace = KarRetriever(DictGraph(NODES, EDGES), expanders).run(QUESTION, {"entities": 1, "k": 3})
    checked(trace)
    last = trace.steps[-1]
    assert isinstance(last, KarRetrieveStep)
    assert {r.id for r in trace.ranked} == {n.node.id for n in last.found if n.kept}
    assert all(s.error for s in trace.steps if isinstance(s, KarFailedStep))
