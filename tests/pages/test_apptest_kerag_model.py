"""KERAG with a model, without a browser: recorded and replayed with no server, and overruled after a restart."""

import re

import pytest
from lying_server import LyingServer
from test_apptest_model import on_graph, press, quick_and_forgetful, use_model  # noqa: F401
from test_apptest_pages import finish, warm_server, words  # noqa: F401

from core.kerag import remembered
from core.kerag.steps import SchemaStep
from core.store import Store

QUESTION = "Where was the director of Alien born?"
WANTED = ("directed by", "born in")


def answers(body):
    """A model that keeps the two relations it needs."""
    text = body["messages"][-1]["content"]
    if len(body["messages"]) == 1:
        return {"city": "Paris"}
    if "Options:" in text:
        return {"entities": ["o1"], "domain": "film", "question_kind": "multi-hop", "reason": "it is named"}
    if "Relations at hop" in text:
        seen = dict(re.findall(r"^(r\d+): (.*)$", text, re.M))
        out = [h for h, relation in seen.items() if not any(w in relation for w in WANTED)]
        return {"irrelevant": out, "enough": "Hop 1 follows" in text, "missing": [], "reason": "of no use"}
    numbers = [int(n) for n, w in re.findall(r"^(\d+)\. (.*)$", text, re.M) if "born in" in w]
    return {
        "reasoning": [{"text": "The director was born in South Shields.", "triples": numbers}],
        "answers": ["South Shields"],
        "value": "",
        "known": True,
    }


@pytest.fixture(autouse=True)
def _forgetful(monkeypatch):
    monkeypatch.setattr(remembered, "shared", remembered.Decisions())


def stored(at):
    return Store().load(at.query_params["run"])


def hops(trace):
    return [s for s in trace.steps if isinstance(s, SchemaStep)]


def overrule(at, relation):
    """Turn a relation of the last hop."""
    trace = stored(at)
    hop = hops(trace)[-1]
    seen = next(r for r in hop.relations if r.relation == relation)
    key = f"kerag_turn_{trace.run_id}_{hop.hop}_{seen.direction}_{seen.relation}"
    at.toggle(key).set_value(not seen.kept).run()
    finish(at)


def test_a_run_is_made_again_from_its_replies_also_when_it_was_overruled_and_the_process_is_another(monkeypatch):
    with LyingServer(answers=answers) as server:
        at = use_model(on_graph("kerag", QUESTION), server.url)
        finish(next(b for b in at.button if b.label == "Run").click().run())
        first = stored(at)
        assert "South Shields" in words(at)
        assert "4 calls, 64 tokens" in words(at)
        assert "relevance" not in words(at)  # a model gives none
        assert len(hops(first)) == 2
        monkeypatch.setattr(remembered, "shared", remembered.Decisions())  # the server was started anew
        before = len(server.requests)
        overrule(at, "directed by")
        second = stored(at)
        assert len(server.requests) == before + 2  # hop 2 and the reasoning; the topics and hop 1 stay
        assert "2 calls, 32 tokens" in words(at)
        assert "Decided in an earlier run; not asked again." in words(at)
        assert hops(second)[0].content() == hops(first)[0].content()
    for made in (first, second):
        monkeypatch.setattr(remembered, "shared", remembered.Decisions())
        at.query_params["run"] = made.run_id
        at.run()
        press(at, "replay")  # the model's server is gone
        finish(at)
        again = stored(at)
        assert again.run_id != made.run_id
        assert (again.status, again.decided_by) == ("finished", "tiny, recorded")
        assert "Decisions</span><b>tiny, recorded" in words(at)
        assert again.config == made.config
        assert [r.id for r in again.ranked] == [r.id for r in made.ranked]
        assert again.answer.text == made.answer.text
