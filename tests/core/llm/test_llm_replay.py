"""Recordings: the same run again without a server; each agent its own replies."""

import pytest
from lying_server import LyingServer
from pydantic import BaseModel

from core.errors import ModelError
from core.llm.client import ChatClient
from core.llm.endpoint import Endpoint
from core.llm.replay import LiveAsker, Recording, ReplayAsker
from core.llm.source import connect, recorded


class Number(BaseModel):
    n: int


MESSAGE = [{"role": "user", "content": "a number?"}]


def test_a_recorded_run_replays_without_a_server_by_agent_and_turn(tmp_path):
    numbers = iter(range(100))
    with LyingServer(answers=lambda body: {"n": next(numbers)}) as server:
        client = ChatClient(Endpoint(base_url=server.url, model="tiny"), "sk-secret-2")
        recording = Recording(tmp_path / "replies.sqlite")
        live = LiveAsker(client, recording)
        said = [live.ask(MESSAGE, Number, agent=a, temperature=1.0).value.n for a in (0, 1, 0)]
        assert live.count.calls == 3
    recording.close()
    recording = Recording(tmp_path / "replies.sqlite")
    assert recording.models() == ["tiny"]
    replay = ReplayAsker(recording, "tiny")
    assert [replay.ask(MESSAGE, Number, agent=a, temperature=1.0).value.n for a in (0, 1, 0)] == said == [0, 1, 2]
    assert "recorded" in replay.label
    with pytest.raises(ModelError, match="not in the recording"):
        replay.ask(MESSAGE, Number, agent=0, temperature=1.0)  # a third time was never asked
    with pytest.raises(ModelError):
        replay.ask(MESSAGE, Number, agent=2, temperature=1.0)
    recording.close()
    assert b"secret" not in (tmp_path / "replies.sqlite").read_bytes()


def test_a_recording_knows_the_context_it_was_made_with(tmp_path):
    path = tmp_path / "replies.sqlite"
    with LyingServer(answers=lambda body: {"n": 1}) as server:
        source = connect(Endpoint(base_url=server.url, model="tiny", context_tokens=1234), "sk-secret-2", path)
        source.make_asker().ask(MESSAGE, Number, agent=0)
    assert recorded(path).context_tokens == 1234
    assert recorded(path, context_tokens=999).context_tokens == 999


def test_a_reply_that_failed_is_not_recorded(tmp_path):
    with LyingServer("prose") as server:
        recording = Recording(tmp_path / "replies.sqlite")
        live = LiveAsker(ChatClient(Endpoint(base_url=server.url, model="tiny")), recording)
        with pytest.raises(ModelError):
            live.ask(MESSAGE, Number, agent=0)
    assert recording.models() == []
    recording.close()
