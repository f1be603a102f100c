"""What a trace keeps of a neighbourhood: places, the retrieve step, the ranked list, and the answer in words."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.kerag.answer import answer_in_words, answer_of
from core.kerag.steps import Line, RetrieveStep, SummaryStep
from core.kerag.subgraph import Neighbourhood
from core.kerag.view import hops_of, places_kept, ranked, retrieve_step
from core.trace import NodeRef, step_from_json


def chain(*triples: tuple[int, int, int], nodes: int, hop: list[int], topics: tuple[int, ...] = (0,)) -> Neighbourhood:
    head, relation, tail = (np.array(column, dtype=np.int64) for column in zip(*triples, strict=True))
    return Neighbourhood(
        nodes=tuple(NodeRef(id=f"n{i}", name=f"N{i}", type="thing") for i in range(nodes)),
        positions=np.arange(nodes),
        hop=np.array(hop, dtype=np.int16),
        relations=("made by", "kept in"),
        head=head,
        relation=relation,
        tail=tail,
        topics=topics,
        total=len(head),
    )


# n0 -made by-> n1 -kept in-> n2; n3 -made by-> n1; n3 -kept in-> n4
AROUND = chain((0, 0, 1), (1, 1, 2), (3, 0, 1), (3, 1, 4), nodes=5, hop=[0, 1, 2, 2, 3])


def test_the_hop_of_a_triple_is_one_more_than_that_of_its_nearer_end() -> None:
    assert hops_of(AROUND).tolist() == [1, 2, 2, 3]


def test_what_fits_is_kept_in_order() -> None:
    assert places_kept(AROUND, (3, 1), 4).tolist() == [0, 1, 2, 3]


def test_what_does_not_fit_keeps_the_cited_and_then_the_nearest() -> None:
    assert places_kept(AROUND, (3,), 2).tolist() == [0, 3]
    assert places_kept(AROUND, (3, 3, 2, 1), 2).tolist() == [2, 3]
    assert places_kept(AROUND, (), 1).tolist() == [0]


@given(first=st.lists(st.integers(0, 3)), most=st.integers(1, 6))
def test_no_triple_twice_and_never_more_than_asked_for(first: list[int], most: int) -> None:
    places = places_kept(AROUND, first, most).tolist()
    assert places == sorted(set(places))
    assert len(places) == min(most, 4)
    assert most >= 4 or set(list(dict.fromkeys(first))[:most]) <= set(places)


def test_the_retrieve_step_renumbers_its_nodes_and_says_what_it_keeps() -> None:
    step = retrieve_step(AROUND, np.array([0, 3]), ())
    assert [n.id for n in step.nodes] == ["n0", "n1", "n3", "n4"]
    assert step.triples == ((0, 0, 1, 1), (2, 1, 3, 3))
    assert [(a.id, r, b.id) for a, r, b in map(step.triple, range(2))] == [
        ("n0", "made by", "n1"),
        ("n3", "kept in", "n4"),
    ]
    assert (step.total, step.among) == (4, 5)
    assert step.reason.startswith("4 triples among 5 nodes; this record keeps 2 of them")
    whole = retrieve_step(AROUND, np.arange(4), ())
    assert whole.reason == "4 triples among 5 nodes"
    assert whole.nodes == AROUND.nodes
    read = step_from_json(whole.model_dump_json())
    assert isinstance(read, RetrieveStep)
    assert read.triples == whole.triples


def summary(*answers: int, lines: tuple[Line, ...] = (), value: str = "", known: bool = True) -> SummaryStep:
    nodes = tuple(AROUND.nodes[i] for i in answers)
    return SummaryStep(lines=lines, answers=nodes, value=value, known=known, decided_by="a test")


def test_answers_come_first_then_what_is_cited_then_what_is_near_and_well_connected() -> None:
    lines = ranked(AROUND, summary(2, lines=(Line(number=1, text="", triples=(3,)),)), 10)
    assert [r.id for r in lines] == ["n2", "n3", "n4", "n1"]
    assert [r.score for r in lines] == [1.0, 0.5, 0.5, 0.25]
    assert [r.ranks for r in lines] == [{0: 1}, {0: 2}, {0: 3}, {0: 4}]
    assert [r.id for r in ranked(AROUND, None, 2)] == ["n1", "n3"]
    assert [r.id for r in ranked(AROUND, summary(4), 1)] == ["n4"]


def test_a_topic_is_ranked_only_as_the_answer_or_alone() -> None:
    assert ranked(AROUND, summary(0), 10)[0].id == "n0"
    alone = Neighbourhood(AROUND.nodes[:1], np.arange(1), np.zeros(1, np.int16), (), *(np.zeros(0, np.int64),) * 3)
    assert [r.id for r in ranked(alone, None, 10)] == ["n0"]


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (summary(1, 2), "N1, N2."),
        (summary(1, 2, value="2"), "2: N1, N2."),
        (summary(value="yes"), "yes."),
        (summary(known=False), "I don't know."),
        (summary(known=False, lines=(Line(number=1, text="No year is known."),)), "I don't know. No year is known."),
        (summary(known=False, lines=(Line(number=1, text="So: I don't know."),)), "So: I don't know."),
    ],
)
def test_the_answer_in_words(step: SummaryStep, words: str) -> None:
    assert answer_in_words(step) == words


def test_many_names_are_cut_and_counted() -> None:
    nodes = tuple(NodeRef(id=str(i), name=f"M{i}") for i in range(1_040))
    words = answer_in_words(SummaryStep(answers=nodes))
    assert words.startswith("M0, M1, ")
    assert words.endswith(" and 1,010 more.")


def test_each_line_is_a_claim_with_its_triples_as_evidence() -> None:
    step = summary(2, lines=(Line(number=1, text="N1 made it.", triples=(0, 2)), Line(number=2, text="Done.")))
    answer = answer_of(step, AROUND)
    assert [c.text for c in answer.claims] == ["N1 made it.", "Done."]
    assert [e.link for e in answer.claims[0].evidence] == ["N0 → made by → N1", "N3 → made by → N1"]
    assert [e.node.id for e in answer.claims[0].evidence] == ["n1", "n3"]  # the end that is farther from the topic
    assert answer.decided_by == "a test"


def test_namesakes_in_a_triple_are_told_apart_by_type() -> None:
    nodes = (NodeRef(id="a", name="Lamp", type="book"), NodeRef(id="b", name="Lamp", type="object"))
    around = Neighbourhood(
        nodes,
        np.arange(2),
        np.array([0, 1], np.int16),
        ("about",),
        np.array([0]),
        np.array([0]),
        np.array([1]),
    )
    line = Line(number=1, text="", triples=(0,))
    (claim,) = answer_of(SummaryStep(lines=(line,)), around).claims
    assert claim.evidence[0].link == "Lamp (book) → about → Lamp (object)"
