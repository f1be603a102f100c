"""KERAG by a real, small, weak model on loopback. Never asserted: what it says."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from demands import require_or_skip
from kerag_world import books
from local_model import CONTEXT, NAME, local_model, why_not

from core.kerag.model import ModelKeragMinds
from core.kerag.retriever import KeragRetriever
from core.kerag.steps import KeragFailedStep, RetrieveStep, SchemaStep, SummaryStep, TopicStep
from core.llm.endpoint import Endpoint
from core.llm.source import ModelSource, connect
from core.trace import Trace

pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModelSource]:
    if why_not():
        require_or_skip("model", why_not())
    with local_model(tmp_path_factory.mktemp("model") / "server.log") as address:
        yield connect(Endpoint(base_url=address, model=NAME, context_tokens=CONTEXT, timeout=120), "sk-not-needed")


def test_a_whole_run_completes(source: ModelSource) -> None:
    graph = books()
    retriever = KeragRetriever(graph, ModelKeragMinds(source.make_asker, source.context_tokens))
    trace = retriever.run("Who wrote The Salt Road?", {"max_hops": 1})
    assert trace.status == ("finished" if trace.ranked or not trace.error else "failed")
    assert NAME in trace.decided_by
    assert (trace.usage.prompt_tokens or 0) > 100
    assert (trace.usage.completion_tokens or 0) > 0
    assert Trace.from_json(trace.to_json()) == trace
    assert [s.index for s in trace.steps] == list(range(1, len(trace.steps) + 1))
    ids = set(graph.ids)
    for step in trace.steps:
        if isinstance(step, TopicStep):
            assert {t.node.id for t in step.topics} <= ids
            assert step.exchange is not None
        elif isinstance(step, SchemaStep):
            assert step.exchange is not None
            assert {s.relation for s in step.relations} <= set(graph.edge_type_names)
        elif isinstance(step, RetrieveStep):
            places = range(len(step.triples))
        elif isinstance(step, SummaryStep):
            assert {t for line in step.lines for t in line.triples} <= set(places)
            assert {a.id for a in step.answers} <= ids
        elif isinstance(step, KeragFailedStep):
            assert step.error
