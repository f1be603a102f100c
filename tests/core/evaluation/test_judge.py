"""Verdicts by normalised match: names, sets, numbers, dates, yes or no, and what cannot be known."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.evaluation.judge import MatchJudge, match, normal, same_value
from core.evaluation.questions import Gold, Question
from core.trace import Conclusion, NodeRef


def question(*names: str, kind: str = "lookup", value: str = "", literal: tuple[str, ...] = ()) -> Question:
    golds = tuple(Gold(name=n, ids=(n.lower(),)) for n in names)
    return Question(text="?", answers=golds, kind=kind, value=value, literal=literal)


def given_(*names: str, value: str = "", known: bool = True) -> Conclusion:
    return Conclusion(nodes=tuple(NodeRef(id=n.lower(), name=n) for n in names), value=value, known=known)


DONT_KNOW = given_(known=False)


@pytest.mark.parametrize(
    ("gold", "answer", "verdict", "f1"),
    [
        (question("Bern", "Thun"), given_("Thun", "Bern"), "accurate", 1.0),
        (question("Bern", "Thun"), given_("Bern"), "missing", 2 / 3),
        (question("Bern", "Thun"), given_("Bern", "Basel"), "hallucinated", 0.5),
        (question("Bern"), given_("Bern", "Thun"), "hallucinated", 2 / 3),
        (question("Bern"), given_("Thun"), "hallucinated", 0.0),
        (question("Bern"), DONT_KNOW, "missing", 0.0),
        (question("Bern"), given_(), "missing", 0.0),
        (question(kind="count", value="1,200"), given_(value="1200"), "accurate", 1.0),
        (question(kind="count", value="3"), given_("A", "B", "C", value="3"), "accurate", 1.0),
        (question("A", "B", kind="count", value="2"), given_("A", "C"), "accurate", 1.0),  # a set stands for its size
        (question(kind="count", value="3"), given_(value="4"), "hallucinated", 0.0),
        (question(kind="yes/no", value="yes"), given_(value="Yes"), "accurate", 1.0),
        (question(kind="yes/no", value="yes"), given_(value="no"), "hallucinated", 0.0),
        (question(literal=("3 May 1990",)), given_("1990-05-03"), "accurate", 1.0),
        (question(kind="false premise", value="false premise"), DONT_KNOW, "accurate", 1.0),
        (question(kind="false_premise"), given_("Bern"), "hallucinated", 0.0),
    ],
)
def test_verdicts(gold: Question, answer: Conclusion, verdict: str, f1: float) -> None:
    judgment = match(gold, answer)
    assert judgment.verdict == verdict
    assert judgment.f1 == pytest.approx(f1)
    assert judgment.reason
    assert judgment == MatchJudge().judge(gold, answer, "")


def test_a_part_of_the_answer_is_incomplete_and_no_hallucination() -> None:
    assert match(question("Bern", "Thun"), given_("Bern")).incomplete
    assert not match(question("Bern"), DONT_KNOW).incomplete


def test_homonyms_count_as_one_answer() -> None:
    gold = Question(text="?", answers=(Gold(name="Psycho", ids=("p1", "p2")), Gold(name="Frenzy", ids=("f",))))
    both = Conclusion(nodes=(NodeRef(id="p1", name="Psycho"), NodeRef(id="p2", name="Psycho")))
    assert match(gold, both).verdict == "missing"
    assert match(gold, both.model_copy(update={"nodes": (*both.nodes, NodeRef(id="f", name="Frenzy"))})).f1 == 1.0


def test_a_gold_answer_that_is_no_node_matches_by_its_name() -> None:
    gold = Question(text="?", answers=(Gold(name="The Zürich Tower"),))
    assert match(gold, given_("zurich tower")).verdict == "accurate"
    assert match(gold, given_(value="Zurich_Tower")).verdict == "accurate"


def test_a_question_without_gold_is_refused() -> None:
    with pytest.raises(ValueError, match="gold"):
        match(Question(text="?"), given_("Bern"))


@pytest.mark.parametrize(
    ("gold", "given_text", "same"),
    [
        ("88 minutes", "1 h 28 min", True),
        ("12,000", "12 000", True),
        ("1990", "May 1990", False),
        ("1500", "1,500", True),
        ("3 kg", "3 km", False),
        ("true", "yes", True),
        ("no", "yes", False),
    ],
)
def test_values(gold: str, given_text: str, same: bool) -> None:
    assert same_value(gold, given_text) is same
    assert same_value(given_text, gold) is same


def test_names_are_compared_without_case_accents_and_articles() -> None:
    assert normal("The  Éclair_au-Chocolat!") == "eclair au chocolat"
    assert normal("The") == "the"


@given(st.sets(st.sampled_from("abcdef"), min_size=1), st.sets(st.sampled_from("abcdef")), st.randoms())
def test_the_set_verdict_is_set_algebra(gold: set[str], answer: set[str], draw: Any) -> None:
    names = list(answer)
    draw.shuffle(names)
    judgment = match(question(*gold), given_(*names))
    expected = "hallucinated" if answer - gold else "accurate" if answer == gold else "missing"
    assert judgment.verdict == expected
    both = len(gold & answer)
    assert judgment.f1 == pytest.approx(2 * both / (len(gold) + len(answer)))
