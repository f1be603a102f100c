"""What calls to a model can cost at most, told before they are made. An upper bound, and named as one.

Not here: how many calls a method makes.
"""

from __future__ import annotations

from core.llm.endpoint import Endpoint
from core.trace import Frozen

REPLY_TOKENS = 700  # of a long reply; most are shorter


class Estimate(Frozen):
    """At most so many calls and tokens; `cost` is None when no price is known."""

    calls: int
    tokens: int
    cost: float | None


def of_calls(calls: int, endpoint: Endpoint) -> Estimate:
    """The bound for that many calls, each prompt as long as the context allows.

    Replies asked for again are not in it: they are rare, and are counted while the run goes.
    """
    prompt = calls * (endpoint.context_tokens - min(REPLY_TOKENS, endpoint.context_tokens // 2))
    completion = calls * endpoint.context_tokens - prompt
    cost = None
    if endpoint.price_prompt is not None or endpoint.price_completion is not None:
        cost = (prompt * (endpoint.price_prompt or 0.0) + completion * (endpoint.price_completion or 0.0)) / 1e6
    return Estimate(calls=calls, tokens=prompt + completion, cost=cost)
