"""One chat call to any OpenAI-compatible server: bounded in time and retries, honest about what went wrong.

The key is held by the client object alone and is scrubbed from every message that leaves it.
Not here: what is asked, and the reading of a structured reply.
"""

from __future__ import annotations

import os
import queue
import random
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from core.errors import ConfigError, ModelError, StoppedError
from core.llm.endpoint import Endpoint
from core.llm.usage import Meter

if TYPE_CHECKING:
    import openai

Message = Mapping[str, str]  # {"role": .., "content": ..}

ATTEMPTS = 4  # of one call, the first included
LONGEST_WAIT = 30.0  # seconds that Retry-After may ask for
FIRST_WAIT = 0.5
STOP_SEEN = 0.1  # seconds until a wish to stop is seen by one who waits for a reply
LONGEST_REPLY = 100_000  # characters; a longer reply is no answer to anything asked here
RETRIED = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
NO_KEY = "none"  # the library refuses to start without one, also for servers that ask for none
SECRET = 8  # characters from which on a key is taken for a secret, and cut out of replies that repeat it

_HINTS = {
    400: "The server refused the request; its words are above.",
    401: "Check the key.",
    403: "This key may not use this model.",
    404: "Check the base URL and the model's name.",
    413: "The prompt was too long for this server.",
    429: "The server is busy or the quota is used up; wait, or use fewer agents.",
}


@dataclass(frozen=True, slots=True)
class Completion:
    """What came back. Token counts are None when the server did not say."""

    text: str
    finish_reason: str
    prompt_tokens: int | None
    completion_tokens: int | None
    seconds: float
    retries: int


class ChatClient:
    """Calls one model. Safe to use from several threads.

    key: None takes the environment's OPENAI_API_KEY, "" sends none. ConfigError for what no header can carry.
    """

    def __init__(self, endpoint: Endpoint, key: str | None = None, meter: Meter | None = None) -> None:
        self.endpoint = endpoint
        self.meter = meter or Meter()
        self._key = usable_key(os.environ.get("OPENAI_API_KEY", "") if key is None else key)
        self._client: openai.OpenAI | None = None

    def __repr__(self) -> str:
        return f"ChatClient({self.endpoint.label})"

    def models(self) -> list[str]:
        """The names of the models the server offers, sorted. ModelError when it cannot say."""
        reply = self._once(lambda client: client.models.list())
        data = getattr(reply, "data", None)
        if not isinstance(data, list):
            raise ModelError("the server's list of models cannot be read", where=self.endpoint.label)
        return sorted({self._scrub(str(m.id)) for m in data if getattr(m, "id", None)})

    def complete(
        self,
        messages: Sequence[Message],
        *,
        temperature: float = 0.0,
        max_tokens: int = 1024,
        response_format: Mapping[str, Any] | None = None,
        seed: int | None = None,
        should_stop: Callable[[], bool] | None = None,
    ) -> Completion:
        """One reply. Retries what may pass (429, 5xx, a lost connection) at most three times, honouring Retry-After.

        ModelError says what the server did; StoppedError when `should_stop()` turned true, also while
        the server is silent.
        """
        request: dict[str, Any] = {
            "model": self.endpoint.model,
            "messages": [dict(m) for m in messages],
            "temperature": temperature,
            "max_tokens": max_tokens,
        }
        if response_format is not None:
            request["response_format"] = dict(response_format)
        if seed is not None:
            request["seed"] = seed
        stop = should_stop or (lambda: False)
        started = time.perf_counter()
        for attempt in range(ATTEMPTS):
            if stop():
                raise StoppedError("stopped while waiting for the model", where=self.endpoint.label)
            try:
                reply = self._leaving_at(should_stop, lambda client: client.chat.completions.create(**request))
            except _PassingError as error:
                if attempt == ATTEMPTS - 1:
                    self.meter.add(None, None, time.perf_counter() - started, retries=attempt)
                    raise ModelError(
                        f"{error.what} ({ATTEMPTS} attempts)", where=self.endpoint.label, hint=error.hint
                    ) from None
                _pause(error.wait if error.wait is not None else _backoff(attempt), stop)
                continue
            except ModelError:
                self.meter.add(None, None, time.perf_counter() - started, retries=attempt)
                raise
            return self._read(reply, time.perf_counter() - started, attempt)
        raise AssertionError("unreachable: the last attempt returns or raises")

    def request(self, call: Callable[[openai.OpenAI], Any]) -> Any:
        """Any other call of the library, once and without retries; errors as in `complete`."""
        return self._once(call)

    def _read(self, reply: Any, seconds: float, retries: int) -> Completion:
        usage = getattr(reply, "usage", None)
        prompt, completion = _int(usage, "prompt_tokens"), _int(usage, "completion_tokens")
        self.meter.add(prompt, completion, seconds, retries)
        if isinstance(reply, str):
            page = reply.lstrip()[:1] == "<"
            what = "the server sent a web page instead of a reply" if page else "the server sent text, not a reply"
            raise ModelError(what, where=self.endpoint.label, hint="Check the base URL: it usually ends in /v1.")
        choices = getattr(reply, "choices", None)
        if not choices:
            raise ModelError("the server's reply holds no choice", where=self.endpoint.label)
        text = getattr(getattr(choices[0], "message", None), "content", None)
        if text is not None and not isinstance(text, str):
            raise ModelError("the reply's content is no text", where=self.endpoint.label)
        text = (text or "").encode("utf-8", "replace").decode()
        if len(self._key) >= SECRET:  # a server that repeats what it was sent must not put the key into a trace
            text = self._scrub(text)
        if len(text) > LONGEST_REPLY:
            raise ModelError(f"the reply is {len(text):,} characters long", where=self.endpoint.label)
        reason = str(getattr(choices[0], "finish_reason", None) or "")
        return Completion(text, reason, prompt, completion, seconds, retries)

    def _leaving_at(self, should_stop: Callable[[], bool] | None, call: Callable[[openai.OpenAI], Any]) -> Any:
        """`_once`, left behind as soon as `should_stop()` turns true: a socket that waits cannot be told to stop."""
        if should_stop is None:
            return self._once(call)
        came: queue.SimpleQueue[tuple[Any, BaseException | None]] = queue.SimpleQueue()

        def work() -> None:
            try:
                came.put((self._once(call), None))
            except BaseException as error:
                came.put((None, error))

        threading.Thread(target=work, name="model-call", daemon=True).start()
        while True:
            try:
                reply, error = came.get(timeout=STOP_SEEN)
            except queue.Empty:
                if not should_stop():
                    continue
                raise StoppedError("stopped while waiting for the model", where=self.endpoint.label) from None
            if error is not None:
                raise error
            return reply

    def _once(self, call: Callable[[openai.OpenAI], Any]) -> Any:
        import openai

        if self._client is None:
            self._client = openai.OpenAI(
                base_url=self.endpoint.base_url,
                api_key=self._key or NO_KEY,
                timeout=self.endpoint.timeout,
                max_retries=0,  # retries are counted here; the library's own would multiply them
            )
        where = self.endpoint.label
        try:
            return call(self._client)
        except openai.APITimeoutError:
            raise ModelError(
                f"no reply within {self.endpoint.timeout:g} seconds", where=where, hint="Raise the time-out."
            ) from None
        except openai.APIStatusError as error:
            status = error.status_code
            what = f"HTTP {status}: {self._scrub(_short(error.message))}"
            hint = _HINTS.get(status, "The server has a fault." if status >= 500 else "")
            if status in RETRIED:
                raise _PassingError(what, where=where, hint=hint, wait=_retry_after(error.response.headers)) from None
            raise RefusedError(what, where=where, hint=hint, status=status) from None
        except openai.APIConnectionError as error:
            cause = self._scrub(_short(str(error.__cause__ or error)))
            hint = "Is the server running, and is the base URL right?"
            raise _PassingError(f"the server cannot be reached: {cause}", where=where, hint=hint) from None
        except (openai.OpenAIError, ValueError, TypeError, AttributeError) as error:
            # A reply that is no JSON, or JSON of another shape, surfaces as any of these.
            raise ModelError(f"the reply cannot be read: {self._scrub(_short(str(error)))}", where=where) from None

    def _scrub(self, text: str) -> str:
        """The text without the key, also when the server echoed it."""
        return text.replace(self._key, "[key]") if self._key else text


def usable_key(text: str) -> str:
    """The key without space around it. ConfigError, which does not repeat it, for what no HTTP header can carry."""
    key = text.strip()
    if not key.isascii() or not key.isprintable() or " " in key:
        hint = "Copy it again: letters, digits and signs, without a space or line end."
        raise ConfigError("the key holds characters that no key has", where="key", hint=hint)
    return key


class RefusedError(ModelError):
    """The server refused the request for good; `status` is its HTTP status."""

    def __init__(self, what: str, *, where: str = "", hint: str = "", status: int) -> None:
        super().__init__(what, where=where, hint=hint)
        self.status = status


class _PassingError(ModelError):
    """May pass: worth another attempt after `wait` seconds (None: after the usual pause)."""

    def __init__(self, what: str, *, where: str, hint: str, wait: float | None = None) -> None:
        super().__init__(what, where=where, hint=hint)
        self.wait = wait


def _backoff(attempt: int) -> float:
    # Half fixed, half random: agents that were refused together do not come back together.
    return FIRST_WAIT * float(2**attempt) * (0.5 + random.random() / 2)


def _retry_after(headers: Mapping[str, str]) -> float | None:
    try:
        return min(max(float(headers.get("retry-after", "")), 0.0), LONGEST_WAIT)
    except ValueError:
        return None


def _pause(seconds: float, stop: Callable[[], bool]) -> None:
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0 and not stop():
        time.sleep(min(left, 0.1))


def _short(text: str, limit: int = 300) -> str:
    text = " ".join(text.split())
    return text if len(text) <= limit else text[:limit] + "…"


def _int(holder: Any, name: str) -> int | None:
    value = getattr(holder, name, None)
    return value if isinstance(value, int) and value >= 0 else None
