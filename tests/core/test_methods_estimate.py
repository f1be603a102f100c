"""How much a run with a model can cost at most, for each method: by hand, and against what a run really asks."""

import pytest
from dict_graph import DictGraph
from lying_server import LyingServer

from core.llm.endpoint import Endpoint
from core.llm.source import connect
from core.methods import METHODS, at_most, build

ENDPOINT = Endpoint(base_url="http://127.0.0.1:1/v1", model="tiny", context_tokens=1000)


@pytest.mark.parametrize(
    ("method", "config", "calls"),
    [
        ("cara", {"agents": 2, "max_steps": 5}, 2 * 5 * 2 + 1),
        ("ark", {"agents": 2, "max_steps": 5}, 2 * 5 + 1),
        ("tog", {"width": 2, "depth": 3}, 1 + 3 * 5 + 1),
        ("kar", {"entities": 2}, 4 + 1),
    ],
)
def test_worked_examples(method, config, calls):
    estimate = at_most(method, config, ENDPOINT)
    assert (estimate.calls, estimate.tokens, estimate.cost) == (calls, calls * 1000, None)


def test_a_method_that_no_model_decides_has_no_estimate():
    assert [name for name in METHODS if at_most(name, {}, ENDPOINT) is None] == ["bm25", "dense"]


def greedy(body):
    """A model that never has enough: every option is best, and it always looks on."""
    shape = body["response_format"]["json_schema"]["name"]
    text = body["messages"][-1]["content"]
    if shape == "ScoresReply":
        return {"scores": [{"id": f"o{n}", "score": 9} for n in range(1, 9)]}
    if shape == "EnoughReply":
        return {"enough": False, "reason": "more"}
    if shape == "ExpansionReply":
        return {"expansion": "more of all", "answer_types": []}
    if shape == "AssessmentReply":
        return {"assessments": [{"id": "n1", "consequentiality": 5, "essentiality": 5, "path_consistency": 5}]}
    if shape == "AnswerReply":
        return {"sentences": [{"text": "All of them.", "evidence": []}]}
    return {"action": "neighbors" if "n1" in text else "global_search", "node": "n1", "subquery": "town"}


@pytest.mark.parametrize("method", ["cara", "ark", "tog", "kar"])
def test_a_model_that_never_has_enough_stays_within_the_bound(method):
    nodes = {f"t{n}": (f"Town {n}", "town", f"Town {n} is a town.") for n in range(6)}
    edges = [(f"t{a}", kind, f"t{b}") for a in range(6) for b in range(6) if a != b for kind in ("road", "rail")]
    config = {"agents": 2, "max_steps": 4} if method in ("cara", "ark") else {}
    with LyingServer(answers=greedy) as server:
        endpoint = Endpoint(base_url=server.url, model="tiny")
        retriever = build(method, DictGraph(nodes, edges), connect(endpoint))
        trace = retriever.run("which town is by Town 1 and Town 2 and Town 3?", config)
    assert trace.status == "finished"
    most = at_most(method, config, endpoint).calls
    assert most * 0.6 <= len(server.requests) <= most  # a bound, and not a far one
