from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from car_world import FRUIT, TableEncoder, index_of
from hypothesis import given, settings
from hypothesis import strategies as st

from core.causal_attention.retriever import CausalAttentionRetriever
from core.causal_attention.steps import GateStep, RankingStep, ReadQuery, SplitStep
from core.corpus.report import Duplicate
from core.errors import ConfigError, QuestionError
from core.trace import Step, Trace

MODES = ("baseline", "exact", "semantic", "fallback", "hybrid")


def run(texts: dict[str, str], query: str = "apple harvest", encoder: Any = None, **config: Any) -> Trace:
    return CausalAttentionRetriever(index_of(texts, encoder)).run(query, config)


def ranking(trace: Trace, mode: str) -> list[str]:
    return [p.id for s in trace.steps if isinstance(s, RankingStep) and s.mode == mode for p in s.places]


def split(trace: Trace, how: str = "semantic") -> dict[str, Any]:
    return {d.id: d for s in trace.steps if isinstance(s, SplitStep) and s.how == how for d in s.documents}


@settings(max_examples=15)
@given(st.permutations(list(FRUIT)))
def test_permuting_documents_changes_no_ranking(ids: list[str]) -> None:
    straight, mixed = run(FRUIT), run({id_: FRUIT[id_] for id_ in ids})
    for mode in MODES:
        assert ranking(straight, mode) == ranking(mixed, mode)
    assert straight.same_content(mixed)


def test_equal_documents_tie_by_id_in_any_order() -> None:
    same = dict.fromkeys(("b", "c", "a"), "apple ladder rope")
    for mode in MODES:
        assert ranking(run(same), mode) == ["a", "b", "c"]


def test_a_copy_of_a_ranked_document_is_named_before_others_and_in_any_order() -> None:
    copies = [Duplicate(id=f"copy {n}", source="", same_as="d5") for n in (1, 2, 3)]
    copies += [Duplicate(id="z", source="", same_as="d1")]
    said = set()
    for order in (copies, copies[::-1]):
        index = replace(index_of(FRUIT), duplicates=tuple(order), duplicates_total=4)
        said.add(CausalAttentionRetriever(index).run("apple harvest", {"pool": 2, "window": 2}).notices[-1])
    assert said == {
        "4 documents repeat another word for word; each text is ranked once: "
        "“z” is the same as “d1”; “copy 1” is the same as “d5”; “copy 2” is the same as “d5”, and 1 more."
    }
    assert not any("word for word" in notice for notice in run(FRUIT).notices)


def test_a_stuffed_document_sorts_last_and_says_why() -> None:
    trace = run(FRUIT, mode="exact")
    assert trace.ranked[-1].id == "d2"
    assert trace.ranked[-1].score == -1.0
    assert split(trace, "exact")["d2"].empty == "all absorbed"
    assert ranking(trace, "baseline").index("d2") < 5


def test_all_absorbed_gives_the_baseline_order_and_says_why() -> None:
    trace = run({"x": "apple", "y": "apple harvest", "z": "harvest harvest apple"})
    for mode in MODES:
        assert ranking(trace, mode) == ranking(trace, "baseline")
    assert any("all absorbed" in notice and "similarity decides" in notice for notice in trace.notices)


def test_no_keywords_anywhere_gives_the_baseline_order_and_says_why() -> None:
    trace = run({"x": "the of", "y": "and it the", "z": "\U0001f600"})
    for mode in MODES:
        assert ranking(trace, mode) == ranking(trace, "baseline")
    assert any("no keywords" in notice for notice in trace.notices)


def test_an_encoder_blind_to_the_language_is_told() -> None:
    words = ("数据", "安全", "评估", "茶")
    blind = TableEncoder({word: [1.0] for word in words}, unknown=words)
    trace = run({"x": "数据 安全", "y": "评估 茶"}, "数据", blind)
    assert {d.empty for d in split(trace).values()} == {"unknown language"}
    assert any("does not know the query's words" in notice for notice in trace.notices)
    assert ranking(trace, "semantic") == ranking(trace, "baseline")


@pytest.mark.parametrize("query", ["the of and", "x", "\U0001f600", "茶", "apple " * 10_000, "a\ud800b", "?!"])
def test_odd_queries_work_or_explain(query: str) -> None:
    trace = run(FRUIT, query)
    assert len(trace.ranked) == len(FRUIT)
    read = next(s for s in trace.steps if isinstance(s, ReadQuery))
    assert read.keywords or any("no keyword" in notice for notice in trace.notices)


def test_an_empty_query_is_refused() -> None:
    with pytest.raises(QuestionError):
        run(FRUIT, "  ")


def test_wrong_settings_are_refused() -> None:
    for config in ({"tau": 3}, {"mode": "magic"}, {"windows": 3}, {"window": 90}):
        with pytest.raises(ConfigError):
            run(FRUIT, **config)


def test_positions_beyond_the_window_keep_the_baseline_order() -> None:
    trace = run(FRUIT, window=2, mode="semantic")
    baseline = ranking(trace, "baseline")
    assert ranking(trace, "semantic")[2:] == baseline[2:]
    assert sorted(ranking(trace, "semantic")[:2]) == sorted(baseline[:2])


def test_theta_cuts_the_window() -> None:
    whole = run(FRUIT)
    third = whole.steps[1].candidates[2].score  # type: ignore[attr-defined]
    trace = run(FRUIT, theta=third)
    assert len(split(trace)) == 3
    assert ranking(trace, "semantic")[3:] == ranking(whole, "baseline")[3:]
    assert len(split(run(FRUIT, theta=1.0))) == 0


def test_a_run_repeats_exactly_and_hands_on_its_steps() -> None:
    seen: list[Step] = []
    retriever = CausalAttentionRetriever(index_of(FRUIT))
    first = retriever.run("apple harvest", on_step=seen.append)
    assert tuple(seen) == first.steps
    assert retriever.run("apple harvest").same_content(first)
    assert first.dataset.kind == "corpus"


def test_a_stopped_run_keeps_what_was_done() -> None:
    seen: list[Step] = []
    retriever = CausalAttentionRetriever(index_of(FRUIT))
    trace = retriever.run("apple", on_step=seen.append, should_stop=lambda: len(seen) >= 2)
    assert trace.status == "stopped"
    assert len(trace.steps) == 2
    assert trace.ranked == ()


def test_the_gate_decides_the_gated_ranking() -> None:
    index = index_of(FRUIT)
    on = CausalAttentionRetriever(index, gate=GateStep(known=True, enable=True, mode="semantic"))
    off = CausalAttentionRetriever(index, gate=GateStep(known=True, enable=False))
    none = CausalAttentionRetriever(index)
    trace = on.run("apple harvest", {"mode": "gated"})
    assert [r.id for r in trace.ranked] == ranking(trace, "semantic")
    trace = off.run("apple harvest", {"mode": "gated"})
    assert [r.id for r in trace.ranked] == ranking(trace, "baseline")
    trace = none.run("apple harvest", {"mode": "gated"})
    assert [r.id for r in trace.ranked] == ranking(trace, "baseline")
    assert any("no verdict" in notice for notice in trace.notices)


class LengthScorer:
    name = "maxsim"
    stand_in = True

    def score(self, query: str, texts: list[str]) -> list[float]:
        return [float(len(text)) for text in texts]


def test_a_neural_reranker_is_one_ranking_among_others() -> None:
    trace = CausalAttentionRetriever(index_of(FRUIT), [LengthScorer()]).run("apple", {"mode": "maxsim"})  # type: ignore[list-item]
    lengths = [len(FRUIT[r.id]) for r in trace.ranked]
    assert lengths == sorted(lengths, reverse=True)
    assert ranking(trace, "baseline")


def test_the_answer_quotes_its_documents() -> None:
    trace = run({"a": "The apple is red. Snow is white.", "b": "Rope."}, "the apple is red")
    assert trace.answer is not None
    for claim in trace.answer.claims:
        assert claim.evidence[0].quote == claim.text
        assert claim.evidence[0].node.id in {"a", "b"}
    assert "The apple is red." in trace.answer.text
