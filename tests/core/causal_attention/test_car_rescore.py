from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from car_world import FRUIT, TableEncoder, index_of
from hypothesis import given, settings
from hypothesis import strategies as st

from core.causal_attention.evidence import evidence_of, facts_of
from core.causal_attention.rescore import NOTICE, rescore
from core.causal_attention.retriever import CausalAttentionRetriever
from core.causal_attention.steps import EvidenceStep, RankingStep, SplitStep
from core.errors import ConfigError, TraceError
from core.trace import Trace

QUERY = "apple harvest"
START = {"tau": 0.5, "keywords": 10, "window": 5}
INDEX = index_of(FRUIT)


def decisions(trace: Trace) -> list[Any]:
    """All that a ranking says, without clocks."""
    return [s.content() for s in trace.steps] + [r.model_dump() for r in trace.ranked]


@pytest.fixture
def start() -> Trace:
    return CausalAttentionRetriever(INDEX).run(QUERY, START)


@settings(max_examples=40)
@given(
    st.fixed_dictionaries(
        {},
        optional={
            "tau": st.one_of(st.none(), st.floats(-1, 1)),
            "keywords": st.integers(1, 30),
            "window": st.integers(1, 40),
            "theta": st.floats(-1, 1),
            "weight": st.floats(0, 1),
            "shared_weight": st.floats(-1, 1),
            "mode": st.sampled_from(["baseline", "exact", "semantic", "fallback", "hybrid"]),
        },
    )
)
def test_other_settings_are_exactly_a_fresh_run(changes: dict[str, Any]) -> None:
    retriever = CausalAttentionRetriever(INDEX)
    again = rescore(retriever.run(QUERY, START), **changes)
    fresh = retriever.run(QUERY, {**START, **changes})
    assert decisions(again) == decisions(fresh)
    assert again.config == fresh.config


def test_it_survives_a_file_and_calls_no_encoder(start: Trace) -> None:
    loaded = Trace.from_json(start.to_json())
    assert loaded.same_content(start)
    assert isinstance(INDEX.encoder, TableEncoder)
    before = INDEX.encoder.calls
    again = rescore(loaded, tau=0.2, keywords=3)
    assert INDEX.encoder.calls == before
    assert decisions(again) == decisions(
        CausalAttentionRetriever(INDEX).run(QUERY, {**START, "tau": 0.2, "keywords": 3})
    )


def test_it_says_what_it_is_once_and_drops_the_answer_of_other_documents(start: Trace) -> None:
    again = rescore(rescore(start, mode="baseline"), mode="exact")
    assert again.notices.count(NOTICE) == 1
    assert start.answer is not None
    changed = [r.id for r in again.ranked] != [r.id for r in start.ranked]
    assert (again.answer is None) == changed
    assert rescore(start).answer == start.answer


def test_settings_that_cannot_be_answered_are_refused(start: Trace) -> None:
    for changes, words in (
        ({"window": 41}, "beyond what is kept"),
        ({"keywords": 31}, "beyond what is kept"),
        ({"tau": 2.0}, "tau"),
        ({"query_keywords": 3}, "needs a new run"),
        ({"mode": "maxsim"}, "no ranking"),
    ):
        with pytest.raises(ConfigError, match=words):
            rescore(start, **changes)
    with pytest.raises(TraceError, match=r"car\.read_query"):
        rescore(start.model_copy(update={"steps": ()}))


def test_the_evidence_is_the_same_in_both_forms() -> None:
    pool = INDEX.pool(INDEX.read(QUERY, 10), 6, 30)
    for here, there in zip(pool.facts, facts_of(evidence_of(pool)), strict=True):
        np.testing.assert_array_equal(here, there)


def test_steps_are_numbered_and_every_split_is_there(start: Trace) -> None:
    assert [s.index for s in start.steps] == list(range(1, len(start.steps) + 1))
    assert [s.how for s in start.steps if isinstance(s, SplitStep)] == ["exact", "semantic"]
    modes = [s.mode for s in start.steps if isinstance(s, RankingStep)]
    assert modes == ["baseline", "exact", "semantic", "fallback", "hybrid"]
    evidence = next(s for s in start.steps if isinstance(s, EvidenceStep))
    for document in evidence.documents:
        k = len(document.terms)
        assert len(document.gram) == k * (k + 1) // 2
        assert len(document.weights) == len(document.nearest) == len(document.query_cosine) == k
