"""The topics of a question: one, several, namesakes, everyday words, names that go on, and names of nothing."""

from __future__ import annotations

import pytest
from kerag_world import EDGES, NODES, books, graph_of, letters, offline

from core.graph.graph import KnowledgeGraph
from core.kerag.reading import Reading, without
from core.kerag.steps import TopicStep
from core.kerag.topics import Named, TopicFinder
from core.linking.mentions import Mention


def found(question: str, graph: KnowledgeGraph | None = None) -> Named:
    graph = graph or books()
    return TopicFinder(Reading(graph, letters().lens(graph), question)).find()


def ids(named: Named) -> list[str]:
    return [t.node.id for t in named.topics]


def test_one_entity_with_its_place_and_degree() -> None:
    question = "Who wrote The Salt Road?"
    named = found(question)
    (topic,) = named.topics
    assert (topic.node.id, topic.node.type, topic.degree) == ("b1", "book", 4)
    assert question[topic.start : topic.end] == "The Salt Road"
    assert named.positions == (books().index_of("b1"),)
    assert (topic.rivals, named.unknown, named.why) == ((), (), ())


def test_all_that_is_named_is_a_topic() -> None:
    assert set(ids(found("Which is older, The Salt Road or Winter Letters?"))) == {"b1", "b2"}
    assert set(ids(found("Which books by Ada Holm did Nils Berg translate?"))) == {"p1", "p2"}


def test_of_two_nodes_of_one_name_the_one_that_the_question_can_be_followed_from() -> None:
    named = found("Who translated Winter Letters?")
    (topic,) = named.topics
    assert topic.node.id == "b2"
    assert [r.id for r in topic.rivals] == ["l1"]
    assert named.why == ("2 nodes are called Winter Letters; from this one the question can be followed best",)


def test_namesakes_alike_are_told_apart_by_their_edges_then_by_their_place() -> None:
    nodes = {
        "a": ("Twin", "book", ""),
        "b": ("Twin", "book", ""),
        "c": ("Twin", "book", ""),
        "p": ("Ada", "person", ""),
        "q": ("Bo", "person", ""),
    }
    edges = [("a", "written by", "p"), ("b", "written by", "p"), ("b", "written by", "q"), ("c", "written by", "q")]
    named = found("Who wrote Twin?", graph_of(nodes, edges))
    assert ids(named) == ["b"]
    assert [r.id for r in named.topics[0].rivals] == ["a", "c"]


@pytest.mark.parametrize(
    ("question", "unknown"),
    [
        ("Who wrote The Salt Road Home?", "The Salt Road Home"),
        ("Who wrote Old Winter Letters?", "Old Winter Letters"),
        ('Who wrote "The Salt Road Revisited"?', "The Salt Road Revisited"),
        ("Who wrote Blue Moon Rising?", "Blue Moon Rising"),
    ],
)
def test_a_name_that_the_graph_has_only_a_part_of_names_nothing(question: str, unknown: str) -> None:
    named = found(question)
    assert named.topics == ()
    assert named.unknown == (unknown,)


def test_a_known_name_beside_an_unknown_one_stays() -> None:
    named = found('Which is older, The Salt Road or "The Blue Lamp"?')
    assert ids(named) == ["b1"]
    assert named.unknown == ("The Blue Lamp",)


def test_a_title_before_a_name_that_a_relation_explains_is_no_part_of_it() -> None:
    named = found("Which books has Translator Nils Berg translated?")
    assert ids(named) == ["p2"]
    assert named.unknown == ()


def test_an_everyday_word_is_a_topic_only_as_it_is_written_and_if_no_relation_is_called_so() -> None:
    nodes = NODES | {
        "g1": ("horror", "genre", ""),
        "g2": ("Fall", "book", ""),
        "g3": ("written", "genre", ""),
    }
    edges = [*EDGES, ("b1", "has genre", "g1"), ("g2", "has genre", "g3")]
    graph = graph_of(nodes, edges)
    assert set(ids(found("Which horror books were written by Ada Holm?", graph))) == {"g1", "p1"}
    assert ids(found("What do the books written by Ada Holm fall under?", graph)) == ["p1"]


def test_a_lower_case_name_is_found_where_nothing_is_written_like_one() -> None:
    assert ids(found("who wrote the quiet harbour")) == ["b3"]


def test_nothing_named() -> None:
    named = found("who wrote what")
    assert named == Named()


def test_names_of_others_are_no_needs_and_every_character_keeps_its_place() -> None:
    question = "Which books by Ada Holm did X translate?"
    ada = Mention(15, 23, "Ada Holm", (0,), 0)
    x = Mention(28, 29, "X", (1,), 0)
    hidden = without(question, [ada, x])
    assert len(hidden) == len(question)
    assert hidden == "Which books by it       did i translate?"


def test_a_question_about_a_whole_class_means_all_nodes_of_the_type() -> None:
    question = "Which of all these books was published first?"
    named = found(question)
    assert ids(named) == ["b1", "b2", "b3", "b4"]
    assert {question[t.start : t.end] for t in named.topics} == {"books"}
    assert named.why == ("it names no single node, so all 4 of the type “book” are meant",)
    trace = offline().run(question)
    assert trace.answer is not None
    assert trace.answer.text == "The Salt Road."
    assert isinstance(trace.steps[0], TopicStep)
    assert trace.steps[0].reason == named.why[0]


def test_a_class_too_large_or_without_a_type_is_not_meant(monkeypatch: pytest.MonkeyPatch) -> None:
    untyped = {i: (name, "", text) for i, (name, _, text) in NODES.items()}
    assert found("Which of all these books was published first?", graph_of(untyped, EDGES)).topics == ()
    monkeypatch.setattr("core.kerag.topics.MOST_OF_CLASS", 3)
    assert found("Which of all these books was published first?").topics == ()
