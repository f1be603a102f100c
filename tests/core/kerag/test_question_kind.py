"""Questions by their form: each kind, the words of an extreme, bounds on values, and names that say nothing."""

from __future__ import annotations

import pytest

from core.kerag.question_kind import Span, form_of, kind_of, masked


def spans(question: str, *names: str) -> list[Span]:
    return [(question.find(n), question.find(n) + len(n)) for n in names]


@pytest.mark.parametrize(
    ("question", "names", "kind"),
    [
        ("Who painted Guernica?", ["Guernica"], "lookup"),
        ("Who is the mother of the painter of Guernica?", ["Guernica"], "multi-hop"),
        ("How many bridges cross the Aare?", ["Aare"], "count"),
        ("What is the number of bridges over the Aare?", ["Aare"], "count"),
        ("Which is the longest bridge over the Aare?", ["Aare"], "superlative"),
        ("Which town has the most bridges over the Aare?", ["Aare"], "superlative"),
        ("Which has the largest number of bridges over the Aare?", ["Aare"], "superlative"),
        ("Which is the most recent bridge over the Aare?", ["Aare"], "superlative"),
        ("Which is longer, the Aare or the Rhine?", ["Aare", "Rhine"], "comparison"),
        ("Who built more bridges, Telford or Brunel?", ["Telford", "Brunel"], "comparison"),
        ("Does the Aare flow through Bern?", ["Aare", "Bern"], "yes/no"),
        ("Is the Aare longer than the Rhine?", ["Aare", "Rhine"], "yes/no"),
        ("Can you name a bridge over the Aare?", ["Aare"], "lookup"),
        ("Could you please tell how many bridges cross the Aare?", ["Aare"], "count"),
        ("Can you name the bridges?", [], "lookup"),
        ("Which rivers flow through both Bern and Thun?", ["Bern", "Thun"], "set"),
        ("Which bridges over the Aare were built after 1900?", ["Aare"], "set"),
        ("Which bridges over the Aare have no toll?", ["Aare"], "set"),
        ("Which towns on the Aare are not in Bern?", ["Aare", "Bern"], "set"),
        ("", [], "lookup"),
    ],
)
def test_kinds(question: str, names: list[str], kind: str) -> None:
    assert kind_of(question, spans(question, *names)) == kind


def test_words_inside_a_name_say_nothing() -> None:
    question = "Who directed How Many Is the Longest Day?"
    assert kind_of(question, spans(question, "How Many Is the Longest Day")) != "count"
    assert kind_of(question, spans(question, "How Many Is the Longest Day")) == "lookup"
    assert form_of("Who directed The Longest Day?").extreme is not None  # unless the name is not known


@pytest.mark.parametrize(
    ("question", "greatest", "dimension", "counted"),
    [
        ("Which film came out first?", False, "date", ""),
        ("Which is the latest film?", True, "date", ""),
        ("Which film runs longest?", True, "duration", ""),
        ("What is the quickest fix?", False, "duration", ""),
        ("Which is the most expensive car?", True, "money", ""),
        ("Which is the least expensive car?", False, "money", ""),
        ("Which has the fewest doors?", False, "", "doors"),
        ("Which has the highest number of the doors?", True, "", "doors"),
    ],
)
def test_extremes(question: str, greatest: bool, dimension: str, counted: str) -> None:
    extreme = form_of(question).extreme
    assert extreme is not None
    assert extreme.greatest is greatest
    assert (extreme.dimensions[0] if extreme.dimensions else "") == dimension
    assert extreme.counted == counted


@pytest.mark.parametrize(
    "question", ["Which films are at least two hours long?", "Who is no longer there?", "What is her first name?"]
)
def test_what_is_no_extreme(question: str) -> None:
    assert form_of(question).extreme is None


@pytest.mark.parametrize(
    ("question", "test"),
    [
        ("Which films came out after 1990?", "> 1990"),
        ("Which films were made before 3 May 1990?", "< 3 May 1990"),
        ("Which films run longer than 1 hour 30 minutes?", "> 1 hour 30 minutes"),
        ("Which films run for at least 90 minutes?", ">= 90 minutes"),
        ("Which towns have more than 10,000 people?", "> 10,000"),
        ("Which cars cost under $5,000?", "< $5,000"),
    ],
)
def test_bounds(question: str, test: str) -> None:
    form = form_of(question)
    assert [t.test for t in form.tests][:1] == [test]
    assert form.extreme is None
    assert form.kind == "set"


def test_a_bound_inside_a_name_is_none() -> None:
    question = "Who directed Life after 1990?"
    assert form_of(question, spans(question, "Life after 1990")).tests == ()


def test_absence_and_negation() -> None:
    form = form_of("Which fixes need no tool?")
    assert form.absent is not None
    assert "Which fixes need no tool?"[slice(*form.absent)] == "tool"
    assert form_of("Which fixes do not need a tool?").negations == (18 - 3,)


def test_masking_keeps_every_place() -> None:
    question = "Is Bern on the Aare?"
    hidden = masked(question, spans(question, "Bern", "Aare"))
    assert len(hidden) == len(question)
    assert hidden == "Is it   on the it  ?"
