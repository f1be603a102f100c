"""A key that no header can carry is refused without repeating it; one that a server repeats stays out of replies."""

import json

import pytest
from lying_server import LyingServer
from pydantic import BaseModel

from core.errors import ConfigError
from core.llm.client import NO_KEY, ChatClient
from core.llm.endpoint import Endpoint
from core.llm.source import try_connection

KEY = "sk-secret-5"
MESSAGE = [{"role": "user", "content": "hello"}]


class Echo(BaseModel):
    heard: str


def endpoint(server):
    return Endpoint(base_url=server.url, model="tiny", timeout=5)


@pytest.mark.parametrize("key", ["sk-\u201csecret", "sk-secret\nmore", "sk secret", "sk-secret\x00"])
def test_what_no_header_can_carry_is_refused_and_not_repeated(key):
    with pytest.raises(ConfigError) as error:
        ChatClient(Endpoint(base_url="http://127.0.0.1:1/v1", model="tiny"), key)
    assert "secret" not in str(error.value)
    verdict = try_connection(Endpoint(base_url="http://127.0.0.1:1/v1", model="tiny"), key)
    assert not verdict.works
    assert "secret" not in verdict.words


def test_no_key_given_is_the_environments_and_an_empty_one_is_none(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", f" {KEY}\n")
    with LyingServer() as server:
        for given in (None, "", "sk-other-6"):
            ChatClient(endpoint(server), given).complete(MESSAGE)
        assert server.keys == [f"Bearer {KEY}", f"Bearer {NO_KEY}", "Bearer sk-other-6"]


@pytest.mark.parametrize(("key", "heard"), [(KEY, "[key] was the key"), ("e", "e was the key")])
def test_a_reply_that_repeats_the_key_loses_it_unless_it_is_too_short_to_be_a_secret(key, heard):
    with LyingServer(answers=lambda body: json.dumps({"heard": f"{key} was the key"})) as server:
        reply = ChatClient(endpoint(server), key).complete(MESSAGE)
    assert json.loads(reply.text) == {"heard": heard}
