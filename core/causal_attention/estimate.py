"""How often a causal-attention run asks a model at most. Not here: what a call costs (core/llm/estimate.py)."""

from __future__ import annotations

from core.causal_attention.steps import CarConfig


def most_calls(config: CarConfig, *, model_keywords: bool = False) -> int:
    """One for the answer, if there is to be one; with `model_keywords` one for the query and each document of S1."""
    return config.answer + (1 + config.window if model_keywords else 0)
