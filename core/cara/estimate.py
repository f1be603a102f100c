"""The most that a CARA run with a model can cost, told before it starts."""

from __future__ import annotations

from core.cara.contracts import CaraConfig
from core.llm.endpoint import Endpoint
from core.llm.estimate import REPLY_TOKENS as REPLY_TOKENS
from core.llm.estimate import Estimate as Estimate
from core.llm.estimate import of_calls


def most_calls(config: CaraConfig) -> int:
    """Every agent spends its whole budget on Neighbors, each assessed; then the answer is written."""
    return config.agents * config.max_steps * (2 if config.assess else 1) + 1


def at_most(config: CaraConfig, endpoint: Endpoint) -> Estimate:
    """See `most_calls`, and `of_calls` for what a call can cost."""
    return of_calls(most_calls(config), endpoint)
