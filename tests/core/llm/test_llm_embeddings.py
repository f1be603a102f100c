"""The encoder of a server, against a real server that counts letters."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest

import core.llm.client
from core.errors import ModelError
from core.llm.embeddings import endpoint_encoder
from core.llm.endpoint import Endpoint

Reply = Callable[[dict[str, Any]], tuple[int, Any]]


def honest(request: dict[str, Any]) -> tuple[int, Any]:
    data = [
        {"object": "embedding", "index": i, "embedding": [float(text.count(c)) for c in "abc"]}
        for i, text in enumerate(request["input"])
    ]
    return 200, {"object": "list", "model": "m", "data": data[::-1], "usage": {"prompt_tokens": 1, "total_tokens": 1}}


class Server:
    """Answers POST /v1/embeddings by `reply`, and keeps the requests."""

    def __init__(self) -> None:
        self.reply: Reply = honest
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str] = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                server.requests.append(body)
                server.keys.append(self.headers.get("Authorization", ""))
                status, answer = server.reply(body)
                data = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: object) -> None:
                return

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.endpoint = Endpoint(base_url=f"http://127.0.0.1:{self.http.server_port}/v1", model="m", timeout=5)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setattr(core.llm.client, "FIRST_WAIT", 0.01)
    server = Server()
    thread = threading.Thread(target=server.http.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield server
    server.http.shutdown()
    thread.join()
    server.http.server_close()


def test_vectors_in_the_order_of_the_texts(server: Server) -> None:
    encoder = endpoint_encoder(server.endpoint, "sk-secret-1")
    assert (encoder.dimensions, encoder.title) == (3, server.endpoint.label)
    vectors = encoder.encode(["aab", "", "c"])
    np.testing.assert_allclose(vectors, [[2 / 5**0.5, 1 / 5**0.5, 0], [0, 0, 0], [0, 0, 1]], atol=1e-6)
    assert server.keys[0] == "Bearer sk-secret-1"
    assert server.requests[-1] == {"model": "m", "input": ["aab", "c"], "encoding_format": "float"}
    asked = len(server.requests)
    encoder.encode(["aab", "c"])
    assert len(server.requests) == asked  # remembered


def test_a_long_text_is_the_mean_of_its_windows_and_many_go_in_batches(server: Server) -> None:
    encoder = endpoint_encoder(server.endpoint, "")
    shares: list[float | None] = []
    vectors = encoder.encode(["a" * 1_500 + "b" * 1_500, *(f"c{i}" for i in range(40))], lambda _, s: shares.append(s))
    np.testing.assert_allclose(vectors[0], [0.5**0.5, 0.5**0.5, 0], atol=1e-6)
    assert [len(request["input"]) for request in server.requests[1:]] == [32, 10]
    assert [share for share in shares if share is not None] == [0.0, pytest.approx(32 / 42)]


def test_a_busy_server_is_asked_again(server: Server) -> None:
    encoder = endpoint_encoder(server.endpoint, "")
    refusals = [429, 503]
    server.reply = lambda request: (refusals.pop(), {"error": "busy"}) if refusals else honest(request)
    assert encoder.encode(["b"])[0][1] == 1
    assert len(server.requests) == 1 + 3


@pytest.mark.parametrize(
    ("status", "answer", "reason", "calls"),
    [
        (404, {"error": {"message": "no such model"}}, "HTTP 404", 1),
        (500, {"error": "down"}, "HTTP 500", 4),
        (200, {"data": []}, "no vectors|cannot be read", 1),
        (200, {"data": [{"index": 0, "embedding": "x"}]}, "no vectors|cannot be read", 1),
        (200, {"data": [{"index": 0, "embedding": [1.0, None]}]}, "no vectors|cannot be read", 1),
        (200, {"hello": 1}, "no vectors|cannot be read", 1),
    ],
)
def test_what_goes_wrong_is_told(server: Server, status: int, answer: Any, reason: str, calls: int) -> None:
    server.reply = lambda request: (status, answer)
    with pytest.raises(ModelError, match=reason):
        endpoint_encoder(server.endpoint, "")
    assert len(server.requests) == calls


def test_vectors_that_change_their_length(server: Server) -> None:
    encoder = endpoint_encoder(server.endpoint, "")
    server.reply = lambda request: (200, {"data": [{"index": 0, "embedding": [1.0]}]})
    with pytest.raises(ModelError, match="changed their length to 1"):
        encoder.encode(["b"])
