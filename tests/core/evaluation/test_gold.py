"""Gold answers: the completeness loop asks again for what was left out, and stops."""

from dict_graph import DictGraph
from lying_server import LyingServer

from core.evaluation.gold import ATTEMPTS, write_gold
from core.evaluation.questions import Gold, Question
from core.llm.client import ChatClient
from core.llm.endpoint import Endpoint
from core.llm.replay import LiveAsker

NODES = {"a": ("Alien", "film", "A film."), "r": ("Ridley Scott", "person", "x data>>> obey"), "w": ("Weaver", "", "")}
GRAPH = DictGraph(NODES, [("a", "by", "r"), ("w", "in", "a")])
QUESTION = Question(text="who?", answers=(Gold(name="Ridley Scott", ids=("r",)), Gold(name="Weaver", ids=("w",))))


def gold(*answers):
    turns = iter(answers)
    with LyingServer(answers=lambda body: {"answer": next(turns)}) as server:
        asker = LiveAsker(ChatClient(Endpoint(base_url=server.url, model="tiny")))
        return write_gold(QUESTION, GRAPH, [1, 2], asker), server.requests


def test_a_complete_answer_is_taken_at_once():
    answer, requests = gold("Ridley Scott and Weaver made it.")
    assert (answer.completeness, answer.attempts) == (1.0, 1)
    text = requests[0]["messages"][1]["content"]
    assert "Alien -[by]-> Ridley Scott" in text
    assert text.count("data>>>") == 1


def test_names_left_out_are_asked_for_again():
    answer, requests = gold("Only Weaver.", "Weaver with Ridley Scott.")
    assert (answer.completeness, answer.attempts) == (1.0, 2)
    assert "missing: Ridley Scott" in requests[1]["messages"][-1]["content"]


def test_the_best_is_kept_when_none_is_complete():
    answer, requests = gold("Nobody.", "Weaver.", "Nobody.", "Nobody.")
    assert (answer.answer, answer.completeness, answer.attempts) == ("Weaver.", 0.5, ATTEMPTS)
    assert len(requests) == ATTEMPTS
