"""The most that a run with a model can cost, told before it starts. An upper bound, and named as one."""

from __future__ import annotations

from core.cara.contracts import CaraConfig
from core.llm.endpoint import Endpoint
from core.trace import Frozen

REPLY_TOKENS = 700  # of a long reply; most are shorter


class Estimate(Frozen):
    """At most so many calls and tokens; `cost` is None when no price is known."""

    calls: int
    tokens: int
    cost: float | None


def at_most(config: CaraConfig, endpoint: Endpoint) -> Estimate:
    """Every agent spends its whole budget on Neighbors, each assessed, each prompt as long as the context allows.

    Replies asked for again are not in it: they are rare, and are counted while the run goes.
    """
    calls = config.agents * config.max_steps * (2 if config.assess else 1) + 1
    prompt = calls * (endpoint.context_tokens - REPLY_TOKENS)
    completion = calls * REPLY_TOKENS
    cost = None
    if endpoint.price_prompt is not None or endpoint.price_completion is not None:
        cost = (prompt * (endpoint.price_prompt or 0.0) + completion * (endpoint.price_completion or 0.0)) / 1e6
    return Estimate(calls=calls, tokens=prompt + completion, cost=cost)
