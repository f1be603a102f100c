"""Who answers a structured question: a live model, or the replies recorded from one.

A recording keeps validated replies only, as JSON in SQLite. Its key holds the agent's index and how often
the same question was asked before, else all agents would replay one trajectory.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol, TypeVar

from pydantic import BaseModel, ValidationError

from core.errors import ModelError, StoreError
from core.llm.client import ChatClient, Message
from core.llm.structured import Attempt, Reply, ask
from core.llm.usage import Count

T = TypeVar("T", bound=BaseModel)


class Asker(Protocol):
    """Answers structured questions. `label` is the decider's name on screen."""

    label: str

    @property
    def count(self) -> Count:
        """What was used so far."""
        ...

    def ask(
        self,
        messages: Sequence[Message],
        shape: type[T],
        *,
        agent: int,
        temperature: float = 0.0,
        max_tokens: int = 1024,
        seed: int | None = None,
        check: Callable[[T], str] | None = None,
        should_stop: Callable[[], bool] | None = None,
    ) -> Reply[T]:
        """A validated reply; see `structured.ask`. `agent` is -1 for calls that belong to no agent."""
        ...


class Recording:
    """A file of recorded replies. Thread-safe; several runs of one model can share it."""

    def __init__(self, path: Path) -> None:
        self._lock = threading.Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(path, check_same_thread=False, isolation_level=None, timeout=10)
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute(
                "CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, model TEXT, shape TEXT, value TEXT,"
                " prompt_tokens INTEGER, completion_tokens INTEGER)"
            )
            # Prompts are cut to the context, so a replay asks the same only with the same one.
            self._db.execute("CREATE TABLE IF NOT EXISTS contexts (model TEXT PRIMARY KEY, tokens INTEGER)")
        except (sqlite3.Error, OSError) as error:
            raise StoreError(f"the recording cannot be opened: {error}", where=path.name) from None

    def put(self, key: str, model: str, reply: Reply[BaseModel]) -> None:
        row = (
            key,
            model,
            type(reply.value).__name__,
            reply.value.model_dump_json(),
            reply.prompt_tokens,
            reply.completion_tokens,
        )
        with self._lock:
            self._db.execute("INSERT OR REPLACE INTO replies VALUES (?, ?, ?, ?, ?, ?)", row)

    def get(self, key: str) -> tuple[str, int | None, int | None] | None:
        """(JSON, prompt tokens, completion tokens) of a recorded reply."""
        with self._lock:
            row = self._db.execute(
                "SELECT value, prompt_tokens, completion_tokens FROM replies WHERE key = ?", (key,)
            ).fetchone()
        return (str(row[0]), row[1], row[2]) if row else None

    def models(self) -> list[str]:
        """The models whose replies are in the file."""
        with self._lock:
            return [str(r[0]) for r in self._db.execute("SELECT DISTINCT model FROM replies ORDER BY model")]

    def note_context(self, model: str, tokens: int) -> None:
        """Keep what a prompt and its reply may fill together."""
        with self._lock:
            self._db.execute("INSERT OR REPLACE INTO contexts VALUES (?, ?)", (model, tokens))

    def context(self, model: str) -> int | None:
        """What was kept by `note_context`; None when nothing was."""
        with self._lock:
            row = self._db.execute("SELECT tokens FROM contexts WHERE model = ?", (model,)).fetchone()
        return int(row[0]) if row else None

    def close(self) -> None:
        with self._lock:
            self._db.close()


class _Keys:
    """Turns a question into its key: what was asked, by which agent, and for the how-manieth time."""

    def __init__(self, model: str) -> None:
        self._model = model
        self._asked: Counter[str] = Counter()
        self._lock = threading.Lock()

    def __call__(
        self, messages: Sequence[Message], shape: type[BaseModel], agent: int, temperature: float, seed: int | None
    ) -> str:
        body = [self._model, agent, shape.__name__, [dict(m) for m in messages], temperature, seed]
        text = json.dumps(body, sort_keys=True, ensure_ascii=True)
        with self._lock:
            self._asked[text] += 1
            again = self._asked[text]
        return hashlib.sha256(f"{again}\n{text}".encode()).hexdigest()


class LiveAsker:
    """Asks a model, and records its validated replies when a recording is given. One per run."""

    def __init__(self, client: ChatClient, recording: Recording | None = None) -> None:
        self.label = client.endpoint.label
        self._client = client
        self._recording = recording
        self._keys = _Keys(client.endpoint.model)

    @property
    def count(self) -> Count:
        return self._client.meter.count

    def ask(
        self,
        messages: Sequence[Message],
        shape: type[T],
        *,
        agent: int,
        temperature: float = 0.0,
        max_tokens: int = 1024,
        seed: int | None = None,
        check: Callable[[T], str] | None = None,
        should_stop: Callable[[], bool] | None = None,
    ) -> Reply[T]:
        """See `Asker.ask`."""
        key = self._keys(messages, shape, agent, temperature, seed)
        reply = ask(
            self._client,
            messages,
            shape,
            temperature=temperature,
            max_tokens=max_tokens,
            seed=seed,
            check=check,
            should_stop=should_stop,
        )
        if self._recording is not None:
            self._recording.put(key, self._client.endpoint.model, reply)  # type: ignore[arg-type]
        return reply


class ReplayAsker:
    """Answers from a recording alone: no server, no key. One per run."""

    def __init__(self, recording: Recording, model: str) -> None:
        self.label = f"{model}, recorded"
        self._recording = recording
        self._keys = _Keys(model)

    @property
    def count(self) -> Count:
        return Count()

    def ask(
        self,
        messages: Sequence[Message],
        shape: type[T],
        *,
        agent: int,
        temperature: float = 0.0,
        max_tokens: int = 1024,
        seed: int | None = None,
        check: Callable[[T], str] | None = None,
        should_stop: Callable[[], bool] | None = None,
    ) -> Reply[T]:
        """The recorded reply. ModelError when this question was never recorded."""
        row = self._recording.get(self._keys(messages, shape, agent, temperature, seed))
        if row is None:
            raise ModelError(
                "this question is not in the recording",
                where=self.label,
                hint="Replay with the same graph, question and settings, or connect the model.",
            )
        try:
            value = shape.model_validate_json(row[0])
        except ValidationError as error:
            raise ModelError(f"a recorded reply is damaged: {error.errors()[0]['msg']}", where=self.label) from None
        return Reply(value, (Attempt(row[0]),), tuple(messages), prompt_tokens=row[1], completion_tokens=row[2])
