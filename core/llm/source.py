"""Where a run's model decisions come from: a connected server, or a recording. What a method is handed.

The key stays inside; nothing here prints, stores or compares it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import BaseModel

from core.errors import CausewayError, ConfigError
from core.llm.client import ChatClient
from core.llm.endpoint import Endpoint
from core.llm.replay import Asker, LiveAsker, Recording, ReplayAsker
from core.llm.structured import ask, rung_of


@dataclass(frozen=True)
class ModelSource:
    """Makes a fresh asker for each run. `label` names the decider on screen."""

    label: str
    context_tokens: int
    make_asker: Callable[[], Asker] = field(repr=False)
    endpoint: Endpoint | None = None


def connect(endpoint: Endpoint, key: str | None = None, recording: Path | None = None) -> ModelSource:
    """A live model; its validated replies are kept in `recording` when a path is given."""
    kept = Recording(recording) if recording is not None else None
    if kept is not None:
        kept.note_context(endpoint.model, endpoint.context_tokens)

    def make() -> Asker:
        return LiveAsker(ChatClient(endpoint, key), kept)

    return ModelSource(endpoint.label, endpoint.context_tokens, make, endpoint)


def recorded(path: Path, model: str | None = None, context_tokens: int | None = None) -> ModelSource:
    """The replies in a recording, with no server. ConfigError when the file holds none, or several models.

    context_tokens: what a prompt and its reply may fill, as when it was recorded; None: as the file says.
    """
    if not path.is_file():
        raise ConfigError("there is no such recording", where=path.name)
    recording = Recording(path)
    models = recording.models()
    if model is None:
        if len(models) != 1:
            listed = ", ".join(models) or "none"
            raise ConfigError(f"the recording holds replies of {len(models)} models ({listed})", where=path.name)
        model = models[0]
    name = model
    context = context_tokens or recording.context(name) or Endpoint.model_fields["context_tokens"].default
    return ModelSource(f"{name}, recorded", context, lambda: ReplayAsker(recording, name))


class _Capital(BaseModel):
    city: str


@dataclass(frozen=True)
class Verdict:
    """What a test of a connection showed, in a sentence; `seconds` a short structured reply took."""

    works: bool
    words: str
    seconds: float | None = None


def try_connection(endpoint: Endpoint, key: str | None = None) -> Verdict:
    """Ask one short structured question and say what came of it. Never raises for what a server does."""
    message = {"role": "user", "content": 'Reply with the capital of France as JSON: {"city": ..}'}
    try:
        client = ChatClient(endpoint, key)
        reply = ask(client, [message], _Capital, max_tokens=200)
    except CausewayError as error:
        return Verdict(False, error.words[:1].upper() + error.words[1:])
    seconds = client.meter.count.seconds
    how = {"json_schema": "it keeps to a JSON schema", "json_object": "it replies in JSON when asked"}
    form = how.get(rung_of(client), "it replies in plain text, which is read and checked")
    mended = " after being asked again" if reply.repaired else ""
    counted = "" if reply.prompt_tokens is not None else "; it does not count tokens"
    return Verdict(True, f"The model replied in {seconds:.1f} s{mended}; {form}{counted}.", seconds)
