"""The estimate before a run, by hand."""

import pytest

from core.cara.contracts import CaraConfig
from core.cara.estimate import REPLY_TOKENS, at_most
from core.llm.endpoint import Endpoint


def test_worked_example():
    endpoint = Endpoint(base_url="http://x/v1", model="m", context_tokens=2000, price_prompt=1.0, price_completion=10.0)
    found = at_most(CaraConfig(agents=2, max_steps=5), endpoint)
    assert found.calls == 21
    assert found.tokens == 21 * 2000
    assert found.cost == pytest.approx((21 * (2000 - REPLY_TOKENS) + 21 * REPLY_TOKENS * 10) / 1e6)


def test_without_the_module_half_the_calls_and_without_a_price_no_cost():
    found = at_most(CaraConfig(agents=1, max_steps=3, assess=False), Endpoint(base_url="http://x/v1", model="m"))
    assert (found.calls, found.cost) == (4, None)
