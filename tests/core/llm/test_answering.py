"""The answer's own step: made where a model was asked, also when it failed; never offline, never after a stop."""

import threading

import pytest
from dict_graph import DictGraph
from lying_server import LyingServer
from scripted_model import scripted

from core.cara.model import ModelMinds
from core.cara.offline_answerer import OfflineAnswerer
from core.cara.retriever import CaraRetriever
from core.cara.steps import FinishStep
from core.errors import ModelError, StoppedError
from core.llm.answering import AnswerStep, Written, write_answer
from core.llm.client import ChatClient
from core.llm.endpoint import Endpoint
from core.llm.exchange import spent
from core.llm.replay import LiveAsker
from core.llm.source import connect
from core.methods import build
from core.trace import Answer, Trace

NODES = {"alien": ("Alien", "film", "A crew."), "scott": ("Ridley Scott", "person", "A director.")}
EDGES = [("alien", "directed by", "scott")]


class Raising:
    decided_by = "a script"
    exchange = None

    def __init__(self, error):
        self.error = error

    def answer(self, question, ranked, steps, should_stop=None):
        raise self.error


def walked(server):
    endpoint = Endpoint(base_url=server.url, model="tiny", timeout=5)
    minds = ModelMinds(lambda: LiveAsker(ChatClient(endpoint, "")))
    handed_on = []
    trace = CaraRetriever(DictGraph(NODES, EDGES), minds).run("who directed Alien?", {"agents": 2}, handed_on.append)
    return trace, handed_on


def test_the_answers_prompt_and_reply_are_kept_after_the_walk():
    with LyingServer(answers=scripted) as server:
        trace, handed_on = walked(server)
    step = trace.steps[-1]
    assert handed_on[-1] is step
    assert isinstance(step, AnswerStep)
    assert "tiny at 127.0.0.1" in step.decided_by
    assert "Ridley Scott directed Alien." in step.exchange.replies[0].raw
    assert "A director." in step.exchange.prompt[-1].content
    assert step.error == ""
    assert step.index == 1 + max(s.index for s in trace.steps_of(0) if isinstance(s, FinishStep))
    assert spent(trace.steps).calls == len(server.requests)  # every call is in a step
    assert Trace.from_json(trace.to_json()) == trace


def test_an_answer_that_failed_is_a_step_with_its_reason():
    def no_answer(body):
        shape = body["response_format"]["json_schema"]["name"]
        return "I would rather not." if shape == "AnswerReply" else scripted(body)

    with LyingServer(answers=no_answer) as server:
        trace, _ = walked(server)
    step = trace.steps[-1]
    assert trace.answer is None
    assert isinstance(step, AnswerStep)
    assert step.error in trace.notices[-1]
    assert step.exchange.replies[0].raw == "I would rather not."
    assert trace.status == "finished"


@pytest.mark.parametrize("method", ["bm25", "kar"])
def test_peers_keep_the_answers_exchange_too(method, small):
    with LyingServer(answers=scripted) as server:
        source = connect(Endpoint(base_url=server.url, model="tiny"), "")
        trace = build(method, small, source).run("which director, Ridley Scott?")
    steps = [s for s in trace.steps if isinstance(s, AnswerStep)]
    assert len(steps) == 1
    assert steps[0] is trace.steps[-1]
    assert [s.index for s in trace.steps] == list(range(1, len(trace.steps) + 1))


@pytest.mark.parametrize("method", ["bm25", "kar", "cara"])
def test_offline_no_step_is_made(method, small):
    trace = build(method, small).run("who directed Alien?", {"agents": 1} if method == "cara" else {})
    assert trace.answer is not None
    assert not any(isinstance(s, AnswerStep) for s in trace.steps)


def test_a_stop_leaves_neither_answer_nor_notice():
    assert write_answer(Raising(StoppedError("stopped")), "q", (), (), 0.0) == Written()
    failed = write_answer(Raising(ModelError("no")), "q", (), (), 0.0)
    assert failed == Written(notices=("No answer was written: no",))
    assert write_answer(OfflineAnswerer(), "q", (), (), 0.0).answer == Answer(
        text="Nothing was found in the graph that answers this question.", decided_by="offline policy"
    )


def test_a_silent_server_is_left_when_the_run_is_stopped():
    spoke = threading.Event()
    with LyingServer("hang", hang=30.0) as server:
        silent = server.reply
        server.reply = lambda *asked: (silent(*asked), spoke.set())
        client = ChatClient(Endpoint(base_url=server.url, model="tiny", timeout=60), "")
        with pytest.raises(StoppedError):
            client.complete([{"role": "user", "content": "?"}], should_stop=lambda: bool(server.requests))
        assert not spoke.is_set()


@pytest.fixture
def small():
    from core.graph.graph import KnowledgeGraph

    names, types, texts = (list(column) for column in zip(*NODES.values(), strict=True))
    return KnowledgeGraph.from_arrays(list(NODES), names, types, texts, [0], [1], [0], ["directed by"])
