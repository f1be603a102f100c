"""Scores from replies, with an asker that answers from a list; the ladder of replies itself is tested with core.llm."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from core.errors import ModelError
from core.llm.fencing import Budget
from core.llm.structured import Attempt, Reply, strict_schema
from core.llm.usage import Count
from core.peers.model_scores import OPTIONS_SHOWN, ModelScorer, best_of, option_lines, scores_of


class Listed:
    label = "listed"
    count = Count()

    def __init__(self, *values: dict[str, Any]) -> None:
        self.values = list(values)
        self.asked: list[dict[str, Any]] = []

    def ask(
        self, messages: Sequence[Any], shape: Any, *, check: Callable[[Any], str] | None = None, **more: Any
    ) -> Reply[Any]:
        self.asked.append({"text": messages[-1]["content"], **more})
        value = shape.model_validate(self.values.pop(0))
        problem = check(value) if check else ""
        if problem:
            raise ModelError(problem)
        return Reply(value, (Attempt("raw"),), tuple(messages))


def scorer(*values: dict[str, Any], context: int = 8192) -> tuple[ModelScorer, Listed]:
    asker = Listed(*values)
    return ModelScorer(asker, context, 1.0, 7, lambda: False), asker


def test_scores_are_tenths_by_handle_and_the_first_word_counts() -> None:
    own, asker = scorer(
        {"scores": [{"id": " [O2] ", "score": 10}, {"id": "o1", "score": 3}, {"id": "o2", "score": 0},
                    {"id": "o9", "score": 5}]}
    )  # fmt: skip
    assert own.score("Judge.", "Question: q", ["a", "b", "c"]) == [0.3, 1.0, None]
    assert asker.asked[0]["seed"] == 7
    assert asker.asked[0]["temperature"] == 1.0
    assert own.exchange is not None
    assert own.exchange.prompt[0].content == "Judge."
    own.forget()
    assert own.exchange is None


def test_the_schema_asks_for_one_score_an_option_and_reading_is_lenient() -> None:
    shape = scores_of(3)
    array = strict_schema(shape)["properties"]["scores"]
    assert (array["minItems"], array["maxItems"]) == (3, 3)
    assert array["items"]["required"] == ["id", "score"]
    assert array["items"]["properties"]["score"] == {"type": "integer", "minimum": 0, "maximum": 10}
    assert shape.__name__ == scores_of(5).__name__  # a recording knows a question by the name of its shape
    assert len(shape.model_validate({"scores": [{"id": "o1", "score": 1}]}).scores) == 1
    with pytest.raises(ValueError, match="less than or equal to 10"):
        shape.model_validate({"scores": [{"id": "o1", "score": 11}]})


def test_a_reply_that_names_no_option_is_refused_and_kept() -> None:
    own, _ = scorer({"scores": [{"id": "x", "score": 1}]})
    with pytest.raises(ModelError, match="none of its ids"):
        own.score("Judge.", "Question: q", ["a"])
    assert own.exchange is not None
    assert "none of its ids" in own.exchange.replies[0].problem


def test_options_that_do_not_fit_are_told_and_get_no_score() -> None:
    own, asker = scorer({"scores": [{"id": "o1", "score": 1}, {"id": "o40", "score": 9}]}, context=700)
    scores = own.score("Judge.", "Question: q", ["x" * 100] * 40)
    assert scores[0] == 0.1
    assert scores[39] is None
    shown = asker.asked[0]["text"].count(": xx")  # the last one is cut
    assert 0 < shown < 40
    assert f"({40 - shown} more did not fit and are not shown)" in asker.asked[0]["text"]
    assert asker.asked[0]["max_tokens"] <= 350


def test_option_lines_are_one_line_each_and_bounded() -> None:
    assert option_lines(["a\nb\to3: c", "d"], Budget(1000)) == ["o1: a b o3: c", "o2: d"]
    assert option_lines(["y" * 500], Budget(100)) == ["o1: " + "y" * 96]
    assert len(option_lines(["z"] * 500, Budget(10**6))) == OPTIONS_SHOWN
    assert option_lines(["a" * 90, "b" * 90], Budget(100)) == ["o1: " + "a" * 90]


def test_best_of_leaves_out_what_was_not_scored_or_scored_nothing() -> None:
    assert best_of([None, 0.0, 0.4, 0.9, 0.4], 5) == [3, 2, 4]
    assert best_of([0.4, 0.9, 0.4], 2) == [1, 0]
    assert best_of([], 3) == []
