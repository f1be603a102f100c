"""The options by which a command is given a language model. The key comes from the environment, never an option."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from core.errors import ConfigError

if TYPE_CHECKING:
    from core.llm.source import ModelSource

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
