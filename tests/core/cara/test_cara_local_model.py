"""Whole runs by a real, small, weak model on loopback. Never asserted: what it says."""

import pytest
from demands import require_or_skip
from dict_graph import DictGraph
from local_model import CONTEXT, NAME, local_model, why_not

from core.cara.agent import NodeCards
from core.cara.contracts import AgentState, CaraConfig
from core.cara.model import ModelMinds
from core.cara.retriever import CaraRetriever
from core.cara.steps import AppendStep, Assessment, AssessStep, Candidate, FailedStep, FinishStep, Link, NeighborsStep
from core.errors import ModelError
from core.llm.answering import AnswerStep
from core.llm.client import ChatClient
from core.llm.endpoint import Endpoint
from core.llm.replay import LiveAsker
from core.llm.structured import rung_of
from core.trace import Trace

pytestmark = pytest.mark.model

NODES = {
    "alien": ("Alien", "film", "A crew meets a creature."),
    "scott": ("Ridley Scott", "person", "A director."),
    "weaver": ("Sigourney Weaver", "person", "An actor."),
}
EDGES = [("alien", "directed by", "scott"), ("alien", "stars", "weaver")]


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    if why_not():
        require_or_skip("model", why_not())
    with local_model(tmp_path_factory.mktemp("model") / "server.log") as address:
        yield address


def client_of(url):
    return ChatClient(Endpoint(base_url=url, model=NAME, context_tokens=CONTEXT, timeout=120), "sk-not-needed")


def test_a_run_completes_and_its_parts_are_true_to_each_other(url):
    minds = ModelMinds(lambda: LiveAsker(client_of(url)), context_tokens=CONTEXT)
    graph = DictGraph(NODES, EDGES)
    trace = CaraRetriever(graph, minds).run("Who directed Alien?", {"agents": 2, "max_steps": 3, "neighbors_k": 5})
    assert trace.status in ("finished", "failed")  # a weak model may not manage one action
    assert Trace.from_json(trace.to_json()) == trace
    assert NAME in trace.decided_by
    assert trace.usage.prompt_tokens > 100
    assert trace.usage.completion_tokens > 0
    appended = {n.node.id for s in trace.steps if isinstance(s, AppendStep) for n in s.nodes}
    assert {r.id for r in trace.ranked} == appended
    for agent in (0, 1):
        steps = trace.steps_of(agent)
        assert [s.index for s in steps] == list(range(1, len(steps) + 1))
        assert isinstance([s for s in steps if not isinstance(s, AnswerStep)][-1], FinishStep)
    for step in trace.steps:
        if isinstance(step, FailedStep):
            assert step.error
        if isinstance(step, AssessStep):
            hop = next(s for s in trace.steps_of(step.agent) if s.index == step.source)
            assert {a.id for a in step.assessments} <= {c.node.id for c in hop.candidates}
    decided = [s for s in trace.steps if s.exchange is not None]
    assert decided
    assert all(s.exchange.prompt for s in decided)


def test_the_causal_module_judges_a_hop_in_one_call(url):
    """The weak policy may never look around, so the hop is put before the assessor here."""
    graph = DictGraph(NODES, EDGES)
    cards = NodeCards(graph)
    candidates = tuple(
        Candidate(node=cards(p)[0], bm25=0.0, links=(Link(type=t, direction="out"),), text=cards(p)[1])
        for p, t in ((1, "directed by"), (2, "stars"))
    )
    hop = NeighborsStep(index=1, node=cards(0)[0], anchor=cards(0)[0], subquery="q", k=5, candidates=candidates)
    minds = ModelMinds(lambda: LiveAsker(client_of(url)), context_tokens=CONTEXT)
    config = CaraConfig(neighbors_k=5)
    assessor = minds.assessor(graph, "Who directed Alien?", 0, config)
    try:
        judged = list(assessor.assess(AgentState("Who directed Alien?", 0, config), hop))
    except ModelError:
        assert assessor.exchange.replies  # a refused reply is kept, and no number is made up
    else:
        assert judged
        assert all(isinstance(a, Assessment) and 0 <= a.consequentiality <= 1 for a in judged)
    assert minds.tokens()[0]


def test_the_server_lists_its_model_and_takes_a_schema(url):
    client = client_of(url)
    assert client.models() == [NAME]
    assert rung_of(client) == "json_schema"
