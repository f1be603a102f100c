"""Fine-tuning jobs against a small server that offers them, one that does not, and one that talks nonsense."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from core.errors import ConfigError, ModelError
from core.llm.client import ChatClient
from core.llm.endpoint import Endpoint
from core.llm.fine_tuning import FEWEST_ROWS, Job, follow, launch

ROW = json.dumps({"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]}) + "\n"


@contextmanager
def server(replies: dict[str, list[Any]]) -> Iterator[tuple[ChatClient, list[tuple[str, bytes]]]]:
    """Answers each path with its replies in order, the last one again and again; other paths with 404."""
    seen: list[tuple[str, bytes]] = []

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *args: Any) -> None: ...

        def answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            seen.append((self.path, body))
            own = replies.get(self.path)
            reply = (own.pop(0) if len(own) > 1 else own[0]) if own else {"error": {"message": "not here"}}
            data = json.dumps(reply).encode()
            self.send_response(200 if own else 404)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def do_GET(self) -> None:
            self.answer()

        def do_POST(self) -> None:
            self.answer()

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.daemon_threads = True
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        url = f"http://127.0.0.1:{http.server_port}/v1"
        yield ChatClient(Endpoint(base_url=url, model="small", timeout=5.0), "sk-secret-tuning"), seen
    finally:
        http.shutdown()
        http.server_close()


def rows(folder: Path, count: int = FEWEST_ROWS) -> Path:
    path = folder / "rows.jsonl"
    path.write_text(ROW * count, encoding="utf-8")
    return path


def job(status: str, **more: Any) -> dict[str, Any]:
    return {"id": "ft-1", "object": "fine_tuning.job", "status": status, **more}


OFFERED: dict[str, list[Any]] = {
    "/v1/files": [{"id": "file-7", "object": "file"}],
    "/v1/fine_tuning/jobs": [job("queued")],
}


def test_a_job_is_launched_and_followed_to_its_end(tmp_path: Path) -> None:
    steps = [job("running"), job("running"), job("succeeded", fine_tuned_model="small-2", trained_tokens=99)]
    with server({**OFFERED, "/v1/fine_tuning/jobs/ft-1": steps}) as (client, seen):
        began = launch(client, rows(tmp_path))
        told: list[str] = []
        ended = follow(client, began, lambda now: told.append(now.status), every=0.01)
    assert began == Job(id="ft-1", status="queued")
    assert told == ["running", "succeeded"]
    assert (ended.ended, ended.model, ended.trained_tokens) == (True, "small-2", 99)
    assert b'"messages"' in seen[0][1]
    asked = json.loads(seen[1][1])
    assert (asked["training_file"], asked["model"]) == ("file-7", "small")


def test_a_failed_job_says_why(tmp_path: Path) -> None:
    failed = job("failed", error={"message": "rows are odd", "code": "x", "param": None})
    with server({**OFFERED, "/v1/fine_tuning/jobs/ft-1": [failed]}) as (client, _):
        ended = follow(client, launch(client, rows(tmp_path)), lambda now: None, every=0.01)
    assert (ended.status, ended.error) == ("failed", "rows are odd")


def test_one_who_stops_looking_leaves_the_job_as_it_is(tmp_path: Path) -> None:
    with server({**OFFERED, "/v1/fine_tuning/jobs/ft-1": [job("running")]}) as (client, seen):
        left = follow(client, launch(client, rows(tmp_path)), lambda now: None, lambda: True, every=0.01)
    assert left.status == "queued"
    assert len(seen) == 2


def test_a_server_without_fine_tuning_says_so(tmp_path: Path) -> None:
    with server({}) as (client, _), pytest.raises(ModelError, match="offers no fine-tuning") as caught:
        launch(client, rows(tmp_path))
    assert "TRL" in caught.value.hint


def test_nonsense_and_too_few_rows(tmp_path: Path) -> None:
    with server({"/v1/files": [{"nothing": 1}]}) as (client, _), pytest.raises(ModelError):
        launch(client, rows(tmp_path))
    with server({**OFFERED, "/v1/fine_tuning/jobs": [{"hello": 1}]}) as (client, _), pytest.raises(ModelError):
        launch(client, rows(tmp_path))
    with server({}) as (client, seen), pytest.raises(ConfigError, match="too few"):
        launch(client, rows(tmp_path, 3))
    assert seen == []
