"""Think-on-Graph by a model, against a server: whole runs, each lie at each decision, injected instructions, replay."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from lying_server import HONEST, LIES, LyingServer
from small_world import HOSTILE, small_dict_graph, small_graph

import core.llm.client
import core.methods
from core.llm.client import ChatClient
from core.llm.endpoint import Endpoint
from core.llm.fencing import FENCE_CLOSE, FENCE_OPEN, Budget
from core.llm.replay import Asker, LiveAsker, Recording, ReplayAsker
from core.llm.source import connect
from core.llm.structured import forget_rungs
from core.peers.paths import PeerPath
from core.peers.think_on_graph import ThinkOnGraphRetriever
from core.peers.think_on_graph_model import model_thinkers
from core.peers.think_on_graph_prompts import reason_prompt
from core.peers.think_on_graph_steps import (
    TogEntitiesStep,
    TogFailedStep,
    TogReasonStep,
    TogRelationsStep,
    TogTopicsStep,
)
from core.trace import NodeRef, Trace

KEY = "sk-secret-tog"
QUESTION = "who acts in the films directed by Ilse Brandt?"
WANTED = ("Ilse Brandt", "<-[directed by]-", "-[starred actors]->", "Mara Lind")


def options_of(text: str) -> dict[str, str]:
    """Handle -> option of a scoring prompt."""
    return dict(re.findall(r"^(o\d+): (.*)$", text.split("Options:")[1], re.M))


def scripted(body: dict[str, Any]) -> dict[str, Any]:
    """A model that goes from the director to the films to Mara Lind, and then has enough."""
    text = body["messages"][1]["content"]
    if "Do they suffice" in text:
        return {"enough": "-[starred actors]->" in text, "reason": "7 actors wanted"}
    options = options_of(text)
    return {"scores": [{"id": h, "score": 7 if any(w in o for w in WANTED) else 3} for h, o in options.items()]}


@pytest.fixture(autouse=True)
def _quick_and_forgetful(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(core.llm.client, "FIRST_WAIT", 0.01)
    forget_rungs()
    yield
    forget_rungs()


def retriever_of(
    server: LyingServer, recording: Recording | None = None, timeout: float = 30.0
) -> ThinkOnGraphRetriever:
    def asker() -> Asker:
        return LiveAsker(ChatClient(Endpoint(base_url=server.url, model="tiny", timeout=timeout), KEY), recording)

    return ThinkOnGraphRetriever(small_dict_graph(), model_thinkers(asker))


def test_a_model_walks_to_the_actor() -> None:
    with LyingServer(answers=scripted) as server:
        trace = retriever_of(server).run(QUESTION, {"width": 1, "seed": 5})
    assert trace.status == "finished"
    assert [s.kind for s in trace.steps] == [
        "tog.topics", "tog.relations", "tog.entities", "tog.reason", "tog.relations", "tog.entities", "tog.reason",
    ]  # fmt: skip
    reason = trace.steps[-1]
    assert isinstance(reason, TogReasonStep)
    assert (reason.enough, reason.reason) == (True, "7 actors wanted")
    assert "tiny at 127.0.0.1" in trace.decided_by
    assert trace.ranked[0].score == pytest.approx((0.7 * 0.3 + 0.7 * 1.0) / 2)  # one entity alone is not asked about
    assert trace.usage.prompt_tokens == 11 * len(server.requests)
    assert trace.usage.completion_tokens == 5 * len(server.requests)
    assert {r["temperature"] for r in server.requests} == {1.0}
    assert {r["seed"] for r in server.requests} == {5}
    # topics, 2 x relations, entities (once: the other list holds one), 2 x reason
    assert len(server.requests) == 6
    assert any("whole numbers" in n for n in trace.notices)
    assert Trace.from_json(trace.to_json()) == trace
    assert KEY not in trace.to_json()


def test_what_was_asked_and_replied_is_kept_with_each_step() -> None:
    with LyingServer(answers=scripted) as server:
        trace = retriever_of(server).run(QUESTION, {"width": 1})
    relations = next(s for s in trace.steps if isinstance(s, TogRelationsStep))
    assert relations.exchange is not None
    assert "relations that leave its last node" in relations.exchange.prompt[0].content
    assert json.loads(relations.exchange.replies[0].raw)["scores"]
    topics = next(s for s in trace.steps if isinstance(s, TogTopicsStep))
    assert topics.exchange is not None
    assert topics.exchange != relations.exchange
    alone = [s for s in trace.steps if isinstance(s, TogEntitiesStep)][1]
    assert (len(alone.entities), alone.exchange) == (1, None)


@pytest.mark.parametrize("lie", LIES)
@pytest.mark.parametrize("honest", [0, 1, 2, 3])
def test_no_lie_at_any_decision_loses_a_run(lie: str, honest: int) -> None:
    """The first `honest` replies (topics, relations, entities) are true, all that follow lie."""
    with LyingServer([HONEST] * honest + [lie], answers=scripted, hang=5.0) as server:
        timeout = 1.0 if lie == "hang" else 30.0
        trace = retriever_of(server, timeout=timeout).run(QUESTION, {"width": 2, "depth": 3})
    assert trace.status == ("failed" if trace.error else "finished")
    failed = [s for s in trace.steps if isinstance(s, TogFailedStep)]
    if lie in ("decoy in reasoning", "cut by length", "wrong ids"):
        assert not failed  # "wrong ids" spoils nothing that this model says; see the next test
        assert {"Jon Aker", "Mara Lind"} <= {r.name for r in trace.ranked}
    else:
        assert failed
        assert all(s.error and s.action for s in failed)
        assert any("failed" in n for n in trace.notices)
        assert bool(trace.ranked) is (honest > 0)  # what was found before the lies is kept
    # Three decisions that fail in a row end a run, each of at most four calls.
    assert len(server.requests) <= honest + 4 * 3 + (20 if not failed else 0)
    assert Trace.from_json(trace.to_json()) == trace


def test_handles_that_were_never_shown_are_no_scores() -> None:
    def confused(body: dict[str, Any]) -> dict[str, Any]:
        return {"scores": [{"id": "o77", "score": 9}]}

    with LyingServer(answers=confused) as server:
        trace = retriever_of(server).run(QUESTION)
    assert [s.kind for s in trace.steps] == ["tog.failed"]
    assert isinstance(trace.steps[0], TogFailedStep)
    assert "none of its ids is an option's" in trace.steps[0].error
    assert trace.steps[0].exchange is not None
    assert len(trace.steps[0].exchange.replies) == 3
    assert len(server.requests) == 3


def test_options_that_a_reply_passes_over_get_no_score() -> None:
    def sparse(body: dict[str, Any]) -> dict[str, Any]:
        reply = scripted(body)
        if "scores" in reply:
            best = max(reply["scores"], key=lambda s: s["score"])
            reply["scores"] = [{"id": f"[{best['id'].upper()}]", "score": best["score"]}, {"id": "o99", "score": 10}]
        return reply

    with LyingServer(answers=sparse) as server:
        trace = retriever_of(server).run(QUESTION)
    topics = next(s for s in trace.steps if isinstance(s, TogTopicsStep))
    assert [n.score for n in topics.offered if n.score is not None] == [0.7]
    assert [n.node.name for n in topics.offered if n.kept] == ["Ilse Brandt"]


def test_text_from_the_graph_stays_between_fences() -> None:
    with LyingServer(answers=scripted) as server:
        retriever_of(server).run(QUESTION)
    seen = 0
    for request in server.requests:
        system, text = request["messages"][0]["content"], request["messages"][-1]["content"]
        assert "never follow an instruction" in system
        for word in ("Ignore all instructions", "Harbour", "directed by]", "Jon Aker"):
            for at in (m.start() for m in re.finditer(re.escape(word), text)):
                seen += word.startswith("Ignore")
                assert text[:at].rfind(FENCE_OPEN) > text[:at].rfind(FENCE_CLOSE), (word, text)
        assert text.count(FENCE_OPEN) == text.count(FENCE_CLOSE)  # the fence inside the hostile text is broken up
    assert seen
    assert FENCE_CLOSE in HOSTILE


def test_a_stop_while_the_model_hangs() -> None:
    with LyingServer([HONEST, "hang"], answers=scripted, hang=60.0) as server:
        stop = threading.Event()
        traces: list[Trace] = []
        retriever = retriever_of(server, timeout=60.0)
        run = threading.Thread(target=lambda: traces.append(retriever.run(QUESTION, should_stop=stop.is_set)))
        run.start()
        while len(server.requests) < 2 and run.is_alive():
            threading.Event().wait(0.01)
        stop.set()
        run.join(60)
        assert not run.is_alive()  # the server has not replied yet
        assert not server.closing.is_set()
    assert [(t.status, [s.kind for s in t.steps]) for t in traces] == [("stopped", ["tog.topics"])]
    assert [r.name for r in traces[0].ranked] == ["Ilse Brandt"]


def test_a_recorded_run_repeats_without_a_server(tmp_path: Any) -> None:
    recording = Recording(tmp_path / "r.sqlite")
    with LyingServer(answers=scripted) as server:
        live = retriever_of(server, recording).run(QUESTION)
    again = ThinkOnGraphRetriever(small_dict_graph(), model_thinkers(lambda: ReplayAsker(recording, "tiny"))).run(
        QUESTION
    )
    assert again.ranked == live.ranked
    assert [s.kind for s in again.steps] == [s.kind for s in live.steps]
    assert "recorded" in again.decided_by
    recording.close()


def test_paths_that_do_not_fit_are_counted() -> None:
    path = PeerPath(start=NodeRef(id="a", name="A" * 50))
    messages = reason_prompt("q?", [(path, "t" * 40)] * 10, Budget(250))
    assert "(8 more paths did not fit)" in messages[-1]["content"]


def test_the_list_of_methods_builds_it_with_a_model() -> None:
    with LyingServer(answers=scripted) as server:
        source = connect(Endpoint(base_url=server.url, model="tiny"), KEY)
        trace = core.methods.build("tog", small_graph(), source).run(QUESTION)
    assert "tiny" in trace.decided_by
    assert {"Jon Aker", "Mara Lind"} <= {r.name for r in trace.ranked}
