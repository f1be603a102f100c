"""The client and the ladder against a real server that lies: what is mended, what fails, how often it is asked."""

from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lying_server import LyingServer
from pydantic import BaseModel, Field

import core.llm.client
from core.errors import ConfigError, ModelError, StoppedError
from core.llm.client import ChatClient
from core.llm.endpoint import Endpoint, normalise_base_url
from core.llm.structured import ReplyError, ask, forget_rungs, read, rung_of, strict_schema
from core.llm.usage import Count, Meter


class Vote(BaseModel):
    choice: Literal["yes", "no"]
    score: int = Field(ge=0, le=10)


@pytest.fixture(autouse=True)
def quick_and_forgetful(monkeypatch):
    monkeypatch.setattr(core.llm.client, "FIRST_WAIT", 0.01)
    forget_rungs()


def client_of(server, timeout=30.0, key="sk-secret-1"):
    return ChatClient(Endpoint(base_url=server.url, model="tiny", timeout=timeout), key)


def vote(server, **how):
    client = client_of(server, how.pop("timeout", 30.0))
    return ask(client, [{"role": "user", "content": "yes or no?"}], Vote, max_tokens=how.pop("max_tokens", 200), **how)


def test_an_honest_reply_takes_one_call():
    with LyingServer() as server:
        reply = vote(server)
    assert (reply.value.choice, reply.value.score, reply.repaired) == ("yes", 7, False)
    assert (reply.prompt_tokens, reply.completion_tokens) == (11, 5)
    assert len(server.requests) == 1
    assert server.requests[0]["response_format"]["json_schema"]["name"] == "Vote"


# What each lie comes to: how many calls, and a part of the error's words ("" when a good reply is found in the end).
OUTCOMES = {
    "malformed json": (3, "none usable"),
    "half a reply": (3, "none usable"),
    "prose": (3, "no JSON"),
    "html": (1, "web page"),
    "null choices": (1, "no choice"),
    "null content and usage": (3, "no JSON"),
    "wrong ids": (3, "choice"),
    "out of range": (3, "score"),
    "other key names": (3, "choice"),
    "429": (4, "HTTP 429"),
    "500": (4, "HTTP 500"),
    "hang": (1, "no reply within"),
    "2 MB": (1, "characters long"),
    "decoy in reasoning": (1, ""),
    "cut by length": (2, ""),
}


@pytest.mark.parametrize("lie", OUTCOMES)
def test_every_lie_ends_in_a_bounded_number_of_calls(lie):
    calls, words = OUTCOMES[lie]
    with LyingServer(lie) as server:
        if words:
            with pytest.raises(ModelError) as error:
                vote(server, timeout=1.0 if lie == "hang" else 30.0)
            assert words in error.value.what
            assert "secret" not in str(error.value)
        else:
            reply = vote(server, max_tokens=60)
            assert reply.value == Vote(choice="yes", score=7)
        assert len(server.requests) == calls


@pytest.mark.parametrize("lie", ["malformed json", "prose", "wrong ids", "out of range", "429", "500"])
def test_a_lie_told_once_is_recovered_from(lie):
    with LyingServer([lie, "honest"]) as server:
        assert vote(server).value.choice == "yes"
        assert len(server.requests) == 2


def test_asking_again_says_what_was_wrong():
    with LyingServer(["out of range", "honest"]) as server:
        reply = vote(server)
    assert reply.repaired
    assert "score" in server.requests[1]["messages"][-1]["content"]
    assert [bool(a.problem) for a in reply.attempts] == [True, False]


def test_all_replies_are_kept_when_none_can_be_used():
    with LyingServer("prose") as server, pytest.raises(ReplyError) as error:
        vote(server)
    assert len(error.value.attempts) == 3
    assert "weather" in error.value.attempts[0].raw


def test_a_check_can_refuse_a_valid_reply():
    with LyingServer() as server, pytest.raises(ReplyError, match="not offered"):
        vote(server, check=lambda v: "that was not offered")


def test_the_rung_is_learnt_once():
    with LyingServer(refuse_formats=("json_schema", "json_object")) as server:
        assert vote(server).value.choice == "yes"
        client = client_of(server)
        assert rung_of(client) == "plain"
        assert len(server.requests) == 3
        assert "JSON schema" in server.requests[-1]["messages"][-1]["content"]
        assert vote(server).value.choice == "yes"
        assert len(server.requests) == 4


def test_a_refused_key_is_not_a_refused_format_and_is_scrubbed():
    with LyingServer() as server:
        server.reply = lambda handler, lie, body: handler.send(401, '{"error": {"message": "bad sk-secret-1"}}')
        with pytest.raises(ModelError) as error:
            vote(server)
        assert len(server.requests) == 1
    assert "[key]" in error.value.what
    assert "secret" not in str(error.value)
    assert error.value.hint == "Check the key."


def test_no_server_is_said_so():
    with LyingServer() as server:
        url = server.url
    client = ChatClient(Endpoint(base_url=url, model="tiny", timeout=2))
    with pytest.raises(ModelError, match="cannot be reached"):
        client.complete([{"role": "user", "content": "?"}])


def test_stop_ends_the_waiting_between_attempts():
    with LyingServer("500") as server:
        client = client_of(server)
        stop = lambda: len(server.requests) >= 1  # noqa: E731
        with pytest.raises(StoppedError):
            client.complete([{"role": "user", "content": "?"}], should_stop=stop)
        assert len(server.requests) == 1


def test_retry_after_is_honoured_up_to_a_limit():
    assert core.llm.client._retry_after({"retry-after": "2.5"}) == 2.5
    assert core.llm.client._retry_after({"retry-after": "86400"}) == core.llm.client.LONGEST_WAIT
    assert core.llm.client._retry_after({"retry-after": "Wed, 21 Oct 2015"}) is None
    assert core.llm.client._retry_after({}) is None


def test_models_are_listed_and_the_key_is_sent_but_not_shown():
    with LyingServer() as server:
        client = client_of(server)
        assert client.models() == ["tiny"]
        client.complete([{"role": "user", "content": "?"}])
        assert server.keys == ["Bearer sk-secret-1"]
        assert "secret" not in repr(client)


def test_the_meter_counts_calls_retries_and_what_was_not_counted():
    with LyingServer(["500", "honest", "null content and usage"]) as server:
        client = client_of(server)
        client.complete([{"role": "user", "content": "?"}])
        client.complete([{"role": "user", "content": "?"}])
    count = client.meter.count
    assert (count.calls, count.retries, count.uncounted) == (2, 1, 1)
    assert (count.prompt_tokens, count.completion_tokens) == (11, 5)


def test_cost_needs_a_price():
    meter = Meter()
    meter.add(1_000_000, 500_000, 1.0)
    assert meter.count.cost(Endpoint(base_url="http://x/v1", model="m").price) is None
    priced = Endpoint(base_url="http://x/v1", model="m", price_prompt=2.0, price_completion=8.0)
    assert meter.count.cost(priced.price) == pytest.approx(6.0)
    assert Count().cost(priced.price) == 0


@pytest.mark.parametrize(
    ("given_", "wanted"),
    [
        ("http://127.0.0.1:11434", "http://127.0.0.1:11434/v1"),
        ("127.0.0.1:8080/", "http://127.0.0.1:8080/v1"),
        ("http://host/v1/chat/completions", "http://host/v1"),
        ("https://host/openai/v1/", "https://host/openai/v1"),
        ("https://host/api/v3/models", "https://host/api/v3"),
    ],
)
def test_addresses_are_normalised(given_, wanted):
    assert normalise_base_url(given_) == wanted
    assert normalise_base_url(wanted) == wanted


@pytest.mark.parametrize(
    "bad", ["", "ftp://x", "http://", "http://u:p@host/v1", "http://host/v1?key=1", "http://h:x/", "no host"]
)
def test_a_bad_address_is_refused(bad):
    with pytest.raises(ConfigError):
        normalise_base_url(bad)


class TestRead:
    def test_the_last_object_counts(self):
        value, problem, _ = read('first {"choice":"no","score":1} then {"choice":"yes","score":2}', Vote)
        assert (value.choice, problem) == ("yes", "")

    def test_reasoning_is_dropped_also_when_its_start_or_end_is_missing(self):
        good = '{"choice":"yes","score":2}'
        assert read(f'<think>{{"choice":"no","score":1}}</think>{good}', Vote)[0].choice == "yes"
        assert read(f'{{"choice":"no","score":1}}</think>{good}', Vote)[0].choice == "yes"
        assert read(f'{good}<think>{{"choice":"no","score":1}}', Vote)[0].choice == "yes"

    def test_small_faults_are_mended_and_said(self):
        value, _, repaired = read("{choice: 'yes', score: 3,}", Vote)
        assert (value.score, repaired) == (3, True)

    @given(st.text(alphabet='{}[]",:ayes0 \n<think>/', max_size=300))
    def test_no_text_breaks_the_reader(self, text):
        value, problem, _ = read(text, Vote)
        assert (value is None) == bool(problem)

    def test_deep_nesting_is_refused(self):
        assert read('{"a":' * 5000, Vote)[0] is None


def test_a_strict_schema_requires_every_field_and_allows_no_other():
    class Part(BaseModel):
        title: str = "untitled"

    class Whole(BaseModel):
        default: int = 3
        parts: list[Part] = []

    schema = strict_schema(Whole)
    assert schema["required"] == ["default", "parts"]
    assert schema["$defs"]["Part"]["properties"] == {"title": {"type": "string"}}
    assert schema["$defs"]["Part"]["additionalProperties"] is False
    assert read("{}", Whole)[0] == Whole()  # reading stays lenient
