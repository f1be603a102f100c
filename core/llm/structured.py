"""Structured replies: ask for JSON of a given shape, read what came, and ask again a bounded number of times.

The ladder: a JSON schema the server enforces, else "some JSON", else plain words with the schema in the
prompt. Which rung a (server, model) takes is learnt once. Whatever the rung, the reply is validated here.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar, cast

from pydantic import BaseModel, ValidationError

from core.errors import ModelError
from core.llm.client import ChatClient, Completion, Message, RefusedError

Rung = Literal["json_schema", "json_object", "plain"]
RUNGS: tuple[Rung, ...] = ("json_schema", "json_object", "plain")
ASKED_AGAIN = 2  # times, after a reply that does not validate
LONGEST = 2  # a reply cut by length is asked for with up to this many times the tokens

T = TypeVar("T", bound=BaseModel)

_REASONING = re.compile(r"<(think|thinking|reasoning|thought)\b[^>]*>.*?(?:</\1\s*>|\Z)", re.S | re.I)
_REASONING_END = re.compile(r".*</(?:think|thinking|reasoning|thought)\s*>", re.S | re.I)
_rungs: dict[tuple[str, str], Rung] = {}
_rungs_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class Attempt:
    """One reply as it came, and what was wrong with it ("" when nothing was)."""

    raw: str
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Reply(Generic[T]):
    """A validated reply. `repaired`: it took more than reading the JSON as it stood. `prompt` is what was sent."""

    value: T
    attempts: tuple[Attempt, ...]
    prompt: tuple[Message, ...]
    repaired: bool = False
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class ReplyError(ModelError):
    """No reply could be used; `attempts` holds each as it came, and the tokens are those of all of them."""

    def __init__(
        self,
        what: str,
        *,
        where: str,
        attempts: tuple[Attempt, ...],
        prompt_tokens: int | None = None,
        completion_tokens: int | None = None,
    ) -> None:
        super().__init__(what, where=where, hint="A larger model may keep to the form.")
        self.attempts = attempts
        self.prompt_tokens = prompt_tokens
        self.completion_tokens = completion_tokens


@dataclass(slots=True)
class _Tokens:
    prompt: int | None = 0
    completion: int | None = 0
    attempts: list[Attempt] = field(default_factory=list)

    def add(self, reply: Completion) -> None:
        def plus(total: int | None, more: int | None) -> int | None:
            return None if total is None or more is None else total + more

        self.prompt = plus(self.prompt, reply.prompt_tokens)
        self.completion = plus(self.completion, reply.completion_tokens)


def ask(
    client: ChatClient,
    messages: Sequence[Message],
    shape: type[T],
    *,
    temperature: float = 0.0,
    max_tokens: int = 1024,
    seed: int | None = None,
    check: Callable[[T], str] | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> Reply[T]:
    """A reply of the given shape. `check` may refuse a valid one by saying why (ids that were not offered, say).

    A reply that does not validate is asked for again, with the reason, at most twice; one that was cut by
    length gets more tokens instead. ReplyError then holds every attempt. ModelError: see ChatClient.complete.
    """
    prompt = list(messages)
    used = _Tokens()
    tokens, again = max_tokens, 0
    while True:
        reply = _complete(client, prompt, shape, temperature, tokens, seed, should_stop)
        used.add(reply)
        value, problem, repaired = read(reply.text, shape)
        if value is not None and check is not None:
            problem = check(value)
        used.attempts.append(Attempt(reply.text, problem))
        if value is not None and not problem:
            return Reply(
                value=value,
                attempts=tuple(used.attempts),
                prompt=tuple(messages),
                repaired=repaired or len(used.attempts) > 1,
                prompt_tokens=used.prompt,
                completion_tokens=used.completion,
            )
        if reply.finish_reason == "length" and tokens < LONGEST * max_tokens:
            tokens *= 2
            continue
        if again == ASKED_AGAIN:
            what = f"{len(used.attempts)} replies, none usable; the last: {problem}"
            raise ReplyError(
                what,
                where=client.endpoint.label,
                attempts=tuple(used.attempts),
                prompt_tokens=used.prompt,
                completion_tokens=used.completion,
            )
        again += 1
        correction = f"That reply cannot be used: {problem}. Reply again with the JSON alone, in the form asked for."
        prompt = [
            *messages,
            {"role": "assistant", "content": reply.text[:2000]},
            {"role": "user", "content": correction},
        ]


def read(text: str, shape: type[T]) -> tuple[T | None, str, bool]:
    """(the value or None, what is wrong, whether it had to be repaired) of one reply's text.

    Reasoning blocks are dropped; the last JSON value that decodes counts; broken JSON is mended if it can be.
    """
    plain = _REASONING_END.sub("", _REASONING.sub("", text))  # some servers cut the opening tag away
    value = _last_json(plain)
    repaired = False
    if value is None:
        if "{" not in plain:
            return None, "it holds no JSON object", False
        import json_repair

        try:
            value = json_repair.loads(plain[plain.index("{") :])
        except (ValueError, RecursionError):
            value = None
        repaired = True
        if isinstance(value, list):  # prose around several objects
            value = next((v for v in reversed(value) if isinstance(v, dict)), None)
        if not isinstance(value, dict) or not value:
            return None, "its JSON is broken", True
    try:
        return shape.model_validate(value), "", repaired
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the reply"
        return None, f"{where}: {first['msg']}", repaired


def rung_of(client: ChatClient) -> Rung:
    """The rung this server and model are known to take; the first until shown otherwise."""
    return _rungs.get((client.endpoint.base_url, client.endpoint.model), RUNGS[0])


def strict_schema(shape: type[BaseModel]) -> dict[str, Any]:
    """The shape's JSON schema as servers enforce it: every field required, no other allowed.

    Reading stays lenient: a field with a default may be missing from a reply that was not enforced.
    """
    return cast(dict[str, Any], _strict(shape.model_json_schema()))


def _strict(part: Any) -> Any:
    if isinstance(part, list):
        return [_strict(p) for p in part]
    if not isinstance(part, dict):
        return part
    strict = {k: _strict(v) for k, v in part.items() if k not in ("default", "title", "description")}
    if "properties" in part:
        strict["properties"] = {k: _strict(v) for k, v in part["properties"].items()}
        strict["required"] = list(part["properties"])
        strict["additionalProperties"] = False
    return strict


def forget_rungs() -> None:
    """Learn again, for a server that was changed."""
    with _rungs_lock:
        _rungs.clear()


def _complete(
    client: ChatClient,
    messages: Sequence[Message],
    shape: type[BaseModel],
    temperature: float,
    max_tokens: int,
    seed: int | None,
    should_stop: Callable[[], bool] | None,
) -> Completion:
    """One call on the highest rung the server takes; a refusal of the format steps down, once and for all."""
    while True:
        rung = rung_of(client)
        sent = list(messages) if rung == "json_schema" else _with_schema(messages, shape)
        try:
            return client.complete(
                sent,
                temperature=temperature,
                max_tokens=max_tokens,
                response_format=_format(rung, shape),
                seed=seed,
                should_stop=should_stop,
            )
        except RefusedError as error:
            if rung == "plain" or error.status not in (400, 404, 415, 422, 501):
                raise
            with _rungs_lock:
                key = (client.endpoint.base_url, client.endpoint.model)
                if _rungs.get(key, RUNGS[0]) == rung:  # another agent may have stepped down meanwhile
                    _rungs[key] = RUNGS[RUNGS.index(rung) + 1]


def _format(rung: Rung, shape: type[BaseModel]) -> dict[str, Any] | None:
    if rung == "json_schema":
        body = {"name": shape.__name__, "schema": strict_schema(shape), "strict": True}
        return {"type": "json_schema", "json_schema": body}
    return {"type": "json_object"} if rung == "json_object" else None


def _with_schema(messages: Sequence[Message], shape: type[BaseModel]) -> list[Message]:
    schema = json.dumps(strict_schema(shape), separators=(",", ":"))
    last = messages[-1]
    text = f"{last['content']}\n\nReply with one JSON object and nothing else. Its JSON schema:\n{schema}"
    return [*messages[:-1], {"role": last["role"], "content": text}]


def _last_json(text: str) -> Any:
    """The last JSON object in the text that decodes and is not inside another; None if there is none."""
    decoder = json.JSONDecoder()
    found, at = None, 0
    while (at := text.find("{", at)) >= 0:
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            at += 1
            continue
        found, at = value, end
    return found
