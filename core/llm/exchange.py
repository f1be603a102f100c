"""What a model was asked and what it replied, in the form that a step of a trace keeps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from pydantic import BaseModel

from core.errors import ModelError
from core.llm.client import Message
from core.llm.replay import Asker
from core.llm.structured import Attempt, Reply, ReplyError
from core.llm.usage import Count
from core.trace import Frozen, Step

REPLY_KEPT = 20_000  # characters of a reply that a step keeps

T = TypeVar("T", bound=BaseModel)


class Said(Frozen):
    """One message of a prompt."""

    role: str
    content: str


class Replied(Frozen):
    """One reply of a model as it came, and what was wrong with it ("" when nothing was)."""

    raw: str
    problem: str = ""


class Exchange(Frozen):
    """What a model was asked and what it replied. `repaired`: the first reply could not be used as it stood."""

    prompt: tuple[Said, ...]
    replies: tuple[Replied, ...]
    repaired: bool = False
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


def ask_and_keep(
    asker: Asker,
    messages: list[Message],
    shape: type[T],
    *,
    agent: int,
    temperature: float,
    max_tokens: int,
    seed: int | None,
    check: Callable[[T], str] | None = None,
    should_stop: Callable[[], bool] | None = None,
    keep: Callable[[Exchange], None] = lambda exchange: None,
) -> tuple[Reply[T], Exchange]:
    """Ask (see `Asker.ask`); `keep` gets the exchange also when no reply was usable. ModelError as there."""
    prompt = tuple(Said(role=m["role"], content=m["content"]) for m in messages)
    try:
        reply = asker.ask(
            messages,
            shape,
            agent=agent,
            temperature=temperature,
            max_tokens=max_tokens,
            seed=seed,
            check=check,
            should_stop=should_stop,
        )
    except ReplyError as error:
        keep(
            Exchange(
                prompt=prompt,
                replies=_replies(error.attempts),
                prompt_tokens=error.prompt_tokens,
                completion_tokens=error.completion_tokens,
            )
        )
        raise
    except ModelError as error:
        keep(Exchange(prompt=prompt, replies=(Replied(raw="", problem=error.what),)))
        raise
    exchange = Exchange(
        prompt=prompt,
        replies=_replies(reply.attempts),
        repaired=reply.repaired,
        prompt_tokens=reply.prompt_tokens,
        completion_tokens=reply.completion_tokens,
    )
    return reply, exchange


def spent(steps: Iterable[Step]) -> Count:
    """What the exchanges of these steps used: also of a run that is still going, was stopped, or comes from a file.

    A call that failed before there was a reply counts as one, without tokens. Steps that were taken over from an
    earlier run count there.
    """
    calls = prompt = completion = uncounted = 0
    for step in steps:
        exchange = getattr(step, "exchange", None)
        if not isinstance(exchange, Exchange) or getattr(step, "taken_over", False):
            continue
        calls += len(exchange.replies)
        prompt += exchange.prompt_tokens or 0
        completion += exchange.completion_tokens or 0
        if exchange.prompt_tokens is None or exchange.completion_tokens is None:
            uncounted += len(exchange.replies)
    return Count(calls=calls, prompt_tokens=prompt, completion_tokens=completion, uncounted=uncounted)


def _replies(attempts: Sequence[Attempt]) -> tuple[Replied, ...]:
    return tuple(Replied(raw=a.raw[:REPLY_KEPT], problem=a.problem) for a in attempts)
