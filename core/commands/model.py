"""The options by which a command is given a language model. The key comes from the environment, never an option."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from core.errors import ConfigError

if TYPE_CHECKING:
    from core.llm.source import ModelSource
    from core.trace import Price, Trace

ModelName = Annotated[
    str | None,
    typer.Option("--model", help="Let this model decide, at --base-url. Its key: OPENAI_API_KEY, if it needs one."),
]
BaseUrl = Annotated[
    str | None,
    typer.Option("--base-url", envvar="OPENAI_BASE_URL", help="An OpenAI-compatible server.", metavar="URL"),
]
ContextTokens = Annotated[
    int, typer.Option("--context", help="Tokens that a prompt and its reply may fill.", min=512, metavar="TOKENS")
]
Record = Annotated[
    Path | None, typer.Option("--record", help="Keep the model's validated replies in this file.", metavar="FILE")
]
Replay = Annotated[
    Path | None, typer.Option("--replay", help="Let recorded replies decide; no server is asked.", metavar="FILE")
]
PricePrompt = Annotated[
    float | None,
    typer.Option("--price-prompt", help="What a million tokens of prompts cost.", min=0, metavar="PRICE"),
]
PriceReply = Annotated[
    float | None,
    typer.Option("--price-reply", help="What a million tokens of replies cost.", min=0, metavar="PRICE"),
]
CONTEXT = 8192


def model_source(
    model: str | None, base_url: str | None, context: int, record: Path | None, replay: Path | None
) -> ModelSource | None:
    """The model that was asked for, or None for the offline policy. ConfigError for options that contradict."""
    if replay is not None:
        if record is not None:
            raise ConfigError("a replay is not recorded again", where="--record, --replay", hint="Use one of them.")
        from core.llm.source import recorded

        return recorded(replay, model, context)
    if model is None:
        if record is not None:
            raise ConfigError("there is nothing to record offline", where="--record", hint="Name a model.")
        return None
    if not base_url:
        hint = "For instance --base-url http://127.0.0.1:11434/v1, or set OPENAI_BASE_URL."
        raise ConfigError("where is this model?", where="--base-url", hint=hint)
    from core.llm.endpoint import Endpoint, normalise_base_url
    from core.llm.source import connect

    endpoint = Endpoint(base_url=normalise_base_url(base_url), model=model, context_tokens=context)
    return connect(endpoint, recording=record)


def price_of(source: ModelSource | None, prompt: float | None, reply: float | None) -> Price | None:
    """The price that was given, in the person's own currency; None for none. ConfigError where no model is paid."""
    given = {"--price-prompt": prompt, "--price-reply": reply}
    for option, value in given.items():
        if value is not None and not math.isfinite(value):
            raise ConfigError("a price is a finite number", where=option)
    if prompt is None and reply is None:
        return None
    if source is None or source.endpoint is None:
        named = ", ".join(option for option, value in given.items() if value is not None)
        raise ConfigError("no model is paid for here", where=named, hint="Name a model; a replay costs nothing.")
    from core.trace import Price

    return Price(prompt=prompt, completion=reply)


def priced(trace: Trace, price: Price | None) -> Trace:
    """The run with what its model costs, as the app keeps it."""
    return trace.model_copy(update={"usage": trace.usage.model_copy(update={"price": price})}) if price else trace


def spent_in_words(trace: Trace) -> str:
    """`Asked: 3 calls, 1,234 tokens, cost 0.02`; empty for a run in which no model was asked."""
    from core.figures.exchanges import asked_in_all, tokens_in_words
    from core.figures.words import money

    used = asked_in_all(trace)
    cost = used.cost(trace.usage.price)
    if not used.calls:
        return ""
    return f"Asked: {tokens_in_words(used)}" + (f", cost {money(cost)}" if cost is not None else "")
