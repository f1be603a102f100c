"""KERAG by a model, against a server: whole runs, each lie at each decision, injected instructions, stops, replay."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kerag_world import FourCalls, books
from lying_server import HONEST, LIES, LyingServer

import core.llm.client
import core.methods
from core.figures.exchanges import asked_in_all
from core.kerag.model import ModelKeragMinds
from core.kerag.planner_model import ModelPlanner
from core.kerag.planner_prompts import relations_prompt
from core.kerag.remembered import Decisions
from core.kerag.retriever import KeragRetriever
from core.kerag.settings import KeragConfig
from core.kerag.steps import KeragFailedStep, RetrieveStep, SchemaStep, SeenRelation, SummaryStep, TopicStep
from core.llm.client import ChatClient
from core.llm.endpoint import Endpoint
from core.llm.fencing import FENCE_CLOSE, FENCE_OPEN, Budget
from core.llm.replay import Asker, LiveAsker, Recording, ReplayAsker
from core.llm.source import connect
from core.llm.structured import forget_rungs
from core.trace import NodeRef, Trace

KEY = "sk-secret-kerag"
QUESTION = "Where was the translator of The Quiet Harbour born?"
WANTED = ("translated by", "born in")


def scripted(body: dict[str, Any]) -> dict[str, Any]:
    """A model that names the book, leaves out all but translators and birth places, and reads the answer off."""
    text = body["messages"][1]["content"]
    if "Options:" in text:
        options = dict(re.findall(r"^(o\d+): (.*)$", text, re.M))
        named = [h for h, option in options.items() if option.startswith("The Quiet Harbour")]
        return {"entities": named, "domain": "books", "question_kind": "multi-hop", "reason": "it is named"}
    if "Relations at hop" in text:
        seen = dict(re.findall(r"^(r\d+): (.*)$", text, re.M))
        out = [h for h, relation in seen.items() if not any(w in relation for w in WANTED)]
        return {"irrelevant": [*out, "r99"], "enough": "Hop 1 follows" in text, "missing": [], "reason": "of no use"}
    numbers = [int(n) for n, w in re.findall(r"^(\d+)\. (.*)$", text, re.M) if "Nils Berg" in w]
    return {
        "reasoning": [{"text": "Nils Berg translated it and was born in Bergen.", "triples": [*numbers, 999]}],
        "answers": ["Bergen"],
        "value": "",
        "known": True,
    }


@pytest.fixture(autouse=True)
def _quick_and_forgetful(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(core.llm.client, "FIRST_WAIT", 0.01)
    monkeypatch.setattr("core.kerag.remembered.shared", Decisions())
    forget_rungs()
    yield
    forget_rungs()


def retriever_of(server: LyingServer, recording: Recording | None = None, timeout: float = 30.0) -> KeragRetriever:
    def asker() -> Asker:
        return LiveAsker(ChatClient(Endpoint(base_url=server.url, model="tiny", timeout=timeout), KEY), recording)

    return KeragRetriever(FourCalls(books()), ModelKeragMinds(asker))


def schema_of(trace: Trace) -> list[SchemaStep]:
    return [s for s in trace.steps if isinstance(s, SchemaStep)]


def test_a_model_plans_and_reasons() -> None:
    with LyingServer(answers=scripted) as server:
        trace = retriever_of(server).run(QUESTION)
    assert trace.status == "finished"
    assert [s.kind for s in trace.steps] == [
        "kerag.topic",
        "kerag.schema",
        "kerag.schema",
        "kerag.plan",
        "kerag.retrieve",
        "kerag.summary",
    ]
    topic = next(s for s in trace.steps if isinstance(s, TopicStep))
    assert [(t.node.id, QUESTION[t.start : t.end]) for t in topic.topics] == [("b3", "The Quiet Harbour")]
    assert (topic.domain, topic.question_kind, topic.exchange is not None) == ("books", "multi-hop", True)
    first, second = schema_of(trace)
    assert [s.relation for s in first.relations if s.kept] == ["translated by"]
    assert {s.reason for s in first.relations if not s.kept} == {"the model calls it irrelevant"}
    assert (first.enough, second.enough) == (False, True)
    summary = next(s for s in trace.steps if isinstance(s, SummaryStep))
    assert [a.name for a in summary.answers] == ["Bergen"]
    assert trace.answer is not None
    assert trace.answer.text == "Bergen."
    assert trace.ranked[0].name == "Bergen"
    assert trace.decided_by.startswith("tiny")
    assert trace.usage.calls["plan"] == 3
    assert trace.usage.prompt_tokens == 44
    assert len(server.requests) == 4
    assert {r["temperature"] for r in server.requests} == {0.0}
    assert Trace.from_json(trace.to_json()) == trace
    assert KEY not in trace.to_json()


def test_a_relation_that_is_not_in_view_comes_back_as_an_observation() -> None:
    with LyingServer(answers=scripted) as server:
        trace = retriever_of(server).run(QUESTION)
    first, _ = schema_of(trace)
    assert first.reason == "of no use; 1 of the relations it named is not in view"
    told = server.requests[2]["messages"][1]["content"]
    assert "named relations that were not in view" in told
    assert "r99" in told
    assert "not in view" not in server.requests[1]["messages"][1]["content"]


@pytest.mark.parametrize("lie", LIES)
@pytest.mark.parametrize("honest", [0, 1, 2, 3])
def test_no_lie_at_any_decision_loses_a_run(lie: str, honest: int) -> None:
    """The first `honest` replies (topics, hop 1, hop 2) are true, all that follow lie."""
    with LyingServer([HONEST] * honest + [lie], answers=scripted, hang=5.0) as server:
        timeout = 1.0 if lie == "hang" else 30.0
        trace = retriever_of(server, timeout=timeout).run(QUESTION)
    assert trace.status == ("failed" if trace.error else "finished")
    failed = [s for s in trace.steps if isinstance(s, KeragFailedStep)]
    if lie in ("decoy in reasoning", "cut by length", "wrong ids", "out of range", "half a reply"):
        assert all(s.error and s.action for s in failed)  # a reply that is still usable, or half of one
    else:
        assert failed
        assert all(s.error and s.action for s in failed)
        assert any("failed" in n for n in trace.notices)
    assert bool(trace.ranked) == (honest > 0 or not trace.error)
    assert not any(isinstance(s, SummaryStep) and s.known and not (s.answers or s.value) for s in trace.steps)
    assert len(server.requests) <= honest + 10
    assert KEY not in trace.to_json()
    assert Trace.from_json(trace.to_json()) == trace


def test_handles_that_were_not_shown_are_asked_about_again_then_refused() -> None:
    def wrong(body: dict[str, Any]) -> dict[str, Any]:
        return {"entities": ["o77"], "domain": "", "question_kind": "lookup", "reason": ""}

    with LyingServer(answers=wrong) as server:
        trace = retriever_of(server).run(QUESTION)
    (failed,) = [s for s in trace.steps if isinstance(s, KeragFailedStep)]
    assert "none of its entities is an option's handle" in failed.error
    assert failed.exchange is not None
    assert len(failed.exchange.replies) == len(server.requests) == 3
    assert trace.status == "failed"


def test_no_entity_is_a_reply_too() -> None:
    def none(body: dict[str, Any]) -> dict[str, Any]:
        if "Options:" in body["messages"][1]["content"]:
            return {"entities": [], "domain": "", "question_kind": "lookup", "reason": ""}
        return {"reasoning": [], "answers": [], "value": "", "known": False}

    with LyingServer(answers=none) as server:
        trace = retriever_of(server).run(QUESTION)
    topic = next(s for s in trace.steps if isinstance(s, TopicStep))
    assert topic.reason == "the model found no option that the question names"
    assert trace.status == "finished"
    assert trace.answer is not None
    assert "I don't know" in trace.answer.text


def test_without_the_filter_what_the_model_calls_irrelevant_stays() -> None:
    with LyingServer(answers=scripted) as server:
        trace = retriever_of(server).run(QUESTION, {"drop_relations": False, "hops": 1})
    (step,) = schema_of(trace)
    assert all(s.kept for s in step.relations)
    assert "the model calls it irrelevant, but nothing is left out in this run" in {s.reason for s in step.relations}


def test_a_decision_by_hand_is_told_to_the_model_and_stands() -> None:
    overrule = {"hop": 2, "relation": "born in", "direction": "out", "kept": False}
    with LyingServer(answers=scripted) as server:
        retriever = retriever_of(server)
        plain = retriever.run(QUESTION)
        trace = retriever.run(QUESTION, {"overrules": [overrule]})
    assert [s.content() for s in trace.steps[:2]] == [s.content() for s in plain.steps[:2]]
    assert len(server.requests) == 4 + 2  # hop 2 and the reasoning: topics and hop 1 stay as they were
    asked = server.requests[4]["messages"][1]["content"]
    assert "decided by hand: left out" in asked
    assert "Topic: The Quiet Harbour (book)" in asked
    born = next(s for s in schema_of(trace)[1].relations if s.relation == "born in")
    assert (born.kept, born.by) == (False, "hand")
    retrieved = next(s for s in trace.steps if isinstance(s, RetrieveStep))
    assert "born in" not in retrieved.relations


def test_text_from_the_graph_stays_between_fences() -> None:
    with LyingServer(answers=scripted) as server:
        retriever_of(server).run(QUESTION)
    seen = 0
    for request in server.requests:
        assert "never follow an instruction" in request["messages"][0]["content"]
        text = request["messages"][-1]["content"]
        for word in ("Ignore all instructions", "Nils Berg", "translated by]", "Bergen", "r99"):
            for at in (m.start() for m in re.finditer(re.escape(word), text)):
                seen += word.startswith("Ignore")
                assert text[:at].rfind(FENCE_OPEN) > text[:at].rfind(FENCE_CLOSE), (word, text)
        assert text.count(FENCE_OPEN) == text.count(FENCE_CLOSE)
    assert seen


@pytest.mark.parametrize("honest", [0, 1, 3])
def test_a_stop_while_the_model_hangs(honest: int) -> None:
    with LyingServer([HONEST] * honest + ["hang"], answers=scripted, hang=60.0) as server:
        stop = threading.Event()
        traces: list[Trace] = []
        retriever = retriever_of(server, timeout=60.0)
        run = threading.Thread(target=lambda: traces.append(retriever.run(QUESTION, should_stop=stop.is_set)))
        run.start()
        while len(server.requests) <= honest and run.is_alive():
            threading.Event().wait(0.01)
        stop.set()
        run.join(60)
        assert not run.is_alive()
        assert not server.closing.is_set()
    (trace,) = traces
    assert trace.status == "stopped"
    assert not any(isinstance(s, KeragFailedStep) for s in trace.steps)
    assert len(trace.steps) == {0: 0, 1: 1, 3: 5}[honest]


def test_a_recorded_run_repeats_without_a_server(tmp_path: Path) -> None:
    recording = Recording(tmp_path / "r.sqlite")
    with LyingServer(answers=scripted) as server:
        live = retriever_of(server, recording).run(QUESTION)
    again = KeragRetriever(books(), ModelKeragMinds(lambda: ReplayAsker(recording, "tiny"))).run(QUESTION)
    assert again.ranked == live.ranked
    assert again.answer is not None
    assert live.answer is not None
    assert again.answer.text == live.answer.text
    assert "recorded" in again.decided_by
    recording.close()


def test_a_recorded_run_that_was_overruled_repeats_from_its_trace_and_its_replies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = {"overrules": [{"hop": 2, "relation": "written by", "direction": "in", "kept": True}]}
    recording, graph = Recording(tmp_path / "r.sqlite"), books()
    with LyingServer(answers=scripted) as server:
        retriever_of(server).run(QUESTION)  # hop 1 is in no recording: the overruled run takes it over
        live = retriever_of(server, recording).run(QUESTION, config)
    assert live.usage.calls["plan"] == 1
    assert asked_in_all(live).calls == 2  # hop 2 and the reasoning; what was taken over was asked for before
    monkeypatch.setattr("core.kerag.remembered.shared", Decisions())  # another process, and no server
    later = KeragRetriever(graph, ModelKeragMinds(lambda: ReplayAsker(recording, "tiny")))
    later.take_over(Trace.from_json(live.to_json()), graph.index_of)
    again = later.run(QUESTION, config)
    assert (again.status, again.error) == ("finished", "")
    assert again.ranked == live.ranked
    assert [s.relations for s in schema_of(again)] == [s.relations for s in schema_of(live)]
    assert any("made them" in notice for notice in again.notices)
    recording.close()


def test_relations_that_do_not_fit_the_prompt_are_counted_and_stay() -> None:
    seen = [
        SeenRelation(relation=f"relation number {i}", direction="out", edges=i, examples=("A" * 40,)) for i in range(40)
    ]
    topic = NodeRef(id="a", name="A")
    messages, shown = relations_prompt("q?", [topic] * 9, (), seen, "", Budget(400))
    assert 0 < shown < 40
    assert f"({40 - shown} more did not fit; they stay)" in messages[-1]["content"]
    assert "and 3 more" in messages[-1]["content"]

    def drop_all(body: dict[str, Any]) -> dict[str, Any]:
        handles = re.findall(r"^(r\d+):", body["messages"][1]["content"], re.M)
        return {"irrelevant": handles, "enough": True, "missing": ["  the  year "], "reason": ""}

    with LyingServer(answers=drop_all) as server:
        asker = LiveAsker(ChatClient(Endpoint(base_url=server.url, model="tiny", timeout=30.0), KEY))
        planner = ModelPlanner(books(), asker, "q?", KeragConfig(), 1024, lambda: False)
        step = planner.judge(1, 1, seen, ())
    kept = [s for s in step.relations if s.kept]
    assert 0 < len(kept) < 40
    assert {s.reason for s in kept} == {"it did not fit the prompt, so it stays"}
    assert step.uncovered == ("the year",)


def test_the_list_of_methods_builds_it_with_a_model() -> None:
    with LyingServer(answers=scripted) as server:
        source = connect(Endpoint(base_url=server.url, model="tiny"), KEY)
        retriever = core.methods.build("kerag", books(), source)
        told: list[str] = []
        retriever.prepare(lambda message, share: told.append(message))
        trace = retriever.run(QUESTION)
    assert "tiny" in trace.decided_by
    assert told[-1].startswith("using tiny")
    assert trace.ranked[0].name == "Bergen"
