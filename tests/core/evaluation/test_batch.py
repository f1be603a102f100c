"""The batch runner with methods that do as they are told: rows, means, costs, failures, stops."""

import json
import logging

import pytest
from fake_retriever import DATASET, make_trace

from core.errors import ConfigError, EncoderError, QuestionError
from core.evaluation.batch import COSTS, METRICS, evaluate, summarise
from core.evaluation.intervals import bootstrap
from core.evaluation.questions import Gold, Question
from core.store import Store
from core.trace import Ranked, Usage

KEYS = {
    "hit@1", "hit@5", "recall@20", "mrr", "seconds_per_question", "global_search", "neighbors", "assess", "nodes",
    "tokens", "n", "intervals",
}  # fmt: skip


def question(number, hops=1):
    return Question(id=f"q{number}", text=f"question {number}", answers=(Gold(name=f"N{number}", ids=(f"n{number}",)),),
                    hops=hops, kind="lookup")  # fmt: skip


class Scripted:
    """Ranks the right node at the place given for each question; 0: not at all; an exception: raises it."""

    dataset = DATASET

    def __init__(self, places, method="scripted", tokens=None):
        self.places, self.method, self.tokens = places, method, tokens
        self.prepared, self.configs = 0, []

    def prepare(self, on_progress=None):
        self.prepared += 1

    def run(self, text, config=None, on_step=None, should_stop=None):
        self.configs.append(dict(config or {}))
        number = int(text.split()[-1])
        place = self.places[number]
        if isinstance(place, BaseException):
            raise place
        ids = [f"wrong{i}" for i in range(30)]
        if place:
            ids.insert(place - 1, f"n{number}")
        ranked = tuple(Ranked(id=i, name=i.upper(), score=1.0) for i in ids)
        usage = Usage(
            calls={"global_search": 1, "neighbors": number},
            nodes_examined=10,
            prompt_tokens=self.tokens,
            completion_tokens=None if self.tokens is None else 1,
        )
        return make_trace(text, method=self.method).model_copy(update={"ranked": ranked, "usage": usage})


def test_rows_means_and_costs_by_hand():
    questions = [question(n, hops=1 + n % 2) for n in range(4)]
    result = evaluate(None, questions, {"a": Scripted([1, 2, 6, 0]), "b": Scripted([0, 0, 0, 0], tokens=9)}, seed=5)
    a, b = result.methods["a"], result.methods["b"]
    assert result.n == 4
    assert a.scores == {"hit@1": 0.25, "hit@5": 0.5, "recall@20": 0.75, "mrr": pytest.approx((1 + 1 / 2 + 1 / 6) / 4)}
    assert a.costs == {"global_search": 1.0, "neighbors": 1.5, "assess": 0.0, "nodes": 10.0}
    assert (a.tokens, b.tokens) == (None, 10.0)
    assert b.scores["mrr"] == 0
    assert a.intervals["hit@1"] == bootstrap([1, 0, 0, 0], 5)[1:]
    assert [(r.best_rank, r.top, r.gold) for r in result.rows_of("a")][:2] == [
        (1, "N0", ("N0",)),
        (2, "WRONG0", ("N1",)),
    ]
    by_hops = result.slices(lambda row: row.hops)
    assert by_hops["1"]["a"].scores["hit@1"] == 0.5
    assert by_hops["2"]["a"].n == 2


def test_the_json_has_the_agreed_keys_and_is_plain():
    result = evaluate(None, [question(1)], {"a": Scripted([0, 1])})
    body = json.loads(json.dumps(result.as_json(), allow_nan=False))
    assert body["n"] == 1
    assert set(body["methods"]["a"]) == KEYS
    assert set(body["methods"]["a"]["intervals"]) == set(METRICS)
    assert any("warms it up" in note for note in body["notes"])


def test_the_first_question_is_scored_and_not_timed():
    rows = evaluate(None, [question(n) for n in range(3)], {"a": Scripted([1, 1, 1])}).rows
    assert [row.warm_up for row in rows] == [True, False, False]
    timed = [row.model_copy(update={"seconds": s}) for row, s in zip(rows, (100.0, 1.0, 3.0), strict=True)]
    assert summarise(timed).seconds == 2.0
    assert summarise(timed).n == 3
    assert summarise(timed[:1]).seconds == 100.0  # there is nothing else to go by


def test_limit_takes_the_first_that_can_be_scored_and_says_what_was_left_out():
    questions = [Question(text="why 9?"), *(question(n) for n in range(4))]
    result = evaluate(None, questions, {"a": Scripted([1, 0, 1, 1])}, limit=2)
    assert [row.question_id for row in result.rows] == ["q0", "q1"]
    assert any("1 questions of the file" in note for note in result.notes)
    with pytest.raises(QuestionError, match="no question has an answer"):
        evaluate(None, questions[:1], {"a": Scripted([])})


def test_a_failure_costs_its_question_only(caplog):
    places = [1, ZeroDivisionError("inner detail"), EncoderError("cannot read this"), 1]
    with caplog.at_level(logging.ERROR):
        result = evaluate(None, [question(n) for n in range(4)], {"a": Scripted(places)})
    assert [row.status for row in result.rows] == ["finished", "failed", "failed", "finished"]
    assert result.methods["a"].scores["hit@1"] == 0.5
    assert result.methods["a"].failed == 2
    assert result.rows[2].error == "cannot read this"
    assert "inner detail" in caplog.text
    assert "inner detail" not in result.rows[1].error
    assert any("failed on 2 questions" in note for note in result.notes)


def test_a_wrong_setting_ends_the_batch_at_once():
    with pytest.raises(ConfigError, match="lambda is 7"):
        evaluate(None, [question(0)], {"a": Scripted([ConfigError("lambda is 7")])})


def test_configs_go_to_their_method_and_each_is_prepared_once():
    a, b = Scripted([1, 1]), Scripted([1, 1])
    evaluate(None, [question(0), question(1)], {"a": a, "b": b}, {"a": {"seed": 3}})
    assert a.configs == [{"seed": 3}] * 2
    assert b.configs == [{}] * 2
    assert (a.prepared, b.prepared) == (1, 1)


def test_stopping_keeps_what_was_asked():
    asked = []

    class Counting(Scripted):
        def run(self, text, config=None, on_step=None, should_stop=None):
            asked.append(text)
            return super().run(text, config, on_step, should_stop)

    methods = {"a": Counting([1] * 5), "b": Counting([1] * 5)}
    result = evaluate(None, [question(n) for n in range(5)], methods, should_stop=lambda: len(asked) >= 3)
    assert result.stopped
    assert len(result.rows) == 3
    assert set(result.methods) == {"a"}
    assert any("Stopped" in note for note in result.notes)
    assert evaluate(None, [question(0)], {"a": Counting([1])}, should_stop=lambda: True).methods == {}


def test_a_run_cut_short_by_stop_is_no_row():
    flag = []

    class Cut(Scripted):
        def run(self, text, config=None, on_step=None, should_stop=None):
            flag.append(1)
            return super().run(text, config).model_copy(update={"status": "stopped"})

    result = evaluate(None, [question(0), question(1)], {"a": Cut([1, 1])}, should_stop=lambda: bool(flag))
    assert result.rows == ()


def test_paired_differences():
    questions = [question(n) for n in range(6)]
    result = evaluate(None, questions, {"a": Scripted([1] * 6), "b": Scripted([1, 1, 1, 0, 0, 0])})
    difference = result.difference("hit@1", "a", "b")
    assert difference.mean == 0.5
    assert 0 < difference.low < 0.5 < difference.high < 1


def test_runs_are_saved_where_asked(tmp_path):
    store = Store(tmp_path)
    result = evaluate(None, [question(0), question(1)], {"a": Scripted([1, EncoderError("no")])}, store=store)
    lines = store.list(label="evaluation")
    assert {line.run_id for line in lines} == {row.run_id for row in result.rows}
    assert sorted(line.status for line in lines) == ["failed", "finished"]


def test_progress_is_told():
    said = []
    evaluate(None, [question(0), question(1)], {"a": Scripted([1, 1]), "b": Scripted([1, 1])},
             on_progress=lambda message, share: said.append((message, share)))  # fmt: skip
    assert said == [("a: question 1 of 2", 0.0), ("a: question 2 of 2", 0.25), ("b: question 1 of 2", 0.5),
                    ("b: question 2 of 2", 0.75)]  # fmt: skip


def test_every_cost_has_its_place():
    row = evaluate(None, [question(0)], {"a": Scripted([1])}).rows[0]
    assert set(row.costs) == set(COSTS)
    assert set(row.scores) == set(METRICS)
