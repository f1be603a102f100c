from __future__ import annotations

import pytest
from made_expert import drawn, small

from core.errors import ConfigError, TraceError
from core.sgur.engine import Engine
from core.sgur.session import Session
from core.sgur.steps import SgurConfig
from core.sgur.what_if import rescore
from core.trace import Trace


@pytest.mark.parametrize("beta", [0.05, 0.4, 3.0])
@pytest.mark.parametrize("graph", [small(), drawn(1500, 12, 5)])
def test_another_beta_is_what_a_fresh_session_with_it_believes(graph, beta: float) -> None:
    engine = Engine(graph)
    ids = graph.observations.ids
    trace = Session(engine).tell_ids(ids[2:4]).answer({ids[5]: "yes", ids[6]: "no"}).trace()
    again = rescore(Trace.from_json(trace.to_json()), beta)
    fresh = Session(engine, SgurConfig(beta=beta)).tell_ids(ids[2:4]).answer({ids[5]: "yes", ids[6]: "no"}).trace()
    assert [r.id for r in again.ranked] == [r.id for r in fresh.ranked]
    assert [r.score for r in again.ranked] == pytest.approx([r.score for r in fresh.ranked], abs=1e-6)
    for a, b in zip(again.steps, fresh.steps, strict=True):
        if a.kind == "sgur.belief":
            assert (a.entropy_bits, a.rest_probability) == pytest.approx((b.entropy_bits, b.rest_probability), abs=1e-5)


def test_a_beta_of_nothing_or_a_trace_without_belief_is_refused() -> None:
    trace = Session(Engine(small())).trace()
    with pytest.raises(TraceError, match="no belief"):
        rescore(trace, 1.0)
    with pytest.raises(ConfigError, match="above 0"):
        rescore(trace, 0.0)
