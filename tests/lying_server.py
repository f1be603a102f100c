"""A real HTTP server on loopback that speaks the chat protocol, and lies in a chosen way.

`LyingServer("prose")` answers every call with that lie; a list of lies is played in order, the last one
repeating. `answers` makes the honest replies. Every request body and the key it came with is kept.
"""

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

HONEST = "honest"
LIES = (
    "malformed json",
    "half a reply",
    "prose",
    "html",
    "null choices",
    "null content and usage",
    "wrong ids",
    "out of range",
    "other key names",
    "429",
    "500",
    "hang",
    "2 MB",
    "decoy in reasoning",
    "cut by length",
)


class LyingServer:
    def __init__(self, lies=HONEST, answers=None, hang=30.0, refuse_formats=()):
        self.lies = [lies] if isinstance(lies, str) else list(lies)
        self.answers = answers or (lambda body: {"choice": "yes", "score": 7})
        self.hang = hang
        self.refuse_formats = refuse_formats
        self.requests, self.keys = [], []
        self.lock = threading.Lock()
        self.closing = threading.Event()
        server = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *args):
                pass

            def send(self, status, body, kind="application/json", headers=()):
                data = body if isinstance(body, bytes) else body.encode()
                try:
                    self.send_response(status)
                    self.send_header("Content-Type", kind)
                    self.send_header("Content-Length", str(len(data)))
                    for name, value in headers:
                        self.send_header(name, value)
                    self.end_headers()
                    self.wfile.write(data)
                except OSError:
                    pass  # the client gave up first

            def do_GET(self):
                self.send(200, json.dumps({"object": "list", "data": [{"id": "tiny", "object": "model"}]}))

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with server.lock:
                    number = len(server.requests)
                    server.requests.append(body)
                    server.keys.append(self.headers.get("Authorization", ""))
                lie = server.lies[min(number, len(server.lies) - 1)]
                wanted = (body.get("response_format") or {}).get("type")
                if wanted in server.refuse_formats:
                    return self.send(400, json.dumps({"error": {"message": f"no {wanted} here"}}))
                return server.reply(self, lie, body)

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        threading.Thread(target=self.http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.http.server_port}/v1"

    def reply(self, handler, lie, body):
        good = self.answers(body)
        text = good if isinstance(good, str) else json.dumps(good)
        usage = {"prompt_tokens": 11, "completion_tokens": 5, "total_tokens": 16}
        finish = "stop"
        if lie == "malformed json":
            text = "{'choice': yes,, }}"
        elif lie == "half a reply":
            text = text[: len(text) // 2]
        elif lie == "prose":
            text = "I would rather talk about the weather."
        elif lie == "html":
            return handler.send(200, "<!doctype html><title>Log in</title>", "text/html")
        elif lie == "null choices":
            return handler.send(200, json.dumps({"id": "x", "object": "chat.completion", "choices": None}))
        elif lie == "null content and usage":
            text, usage = None, None
        elif lie == "wrong ids":
            text = text.replace("yes", "no such thing")
        elif lie == "out of range":
            text = text.replace("7", "7000")
        elif lie == "other key names":
            text = json.dumps({"decision": "yes", "points": 7})
        elif lie == "429":
            return handler.send(429, json.dumps({"error": {"message": "slow down"}}), headers=[("Retry-After", "0.05")])
        elif lie == "500":
            return handler.send(500, json.dumps({"error": {"message": f"boom {handler.headers.get('Authorization')}"}}))
        elif lie == "hang":
            self.closing.wait(self.hang)
            return handler.send(500, "{}")
        elif lie == "2 MB":
            text = "x" * 2_000_000
        elif lie == "decoy in reasoning":
            text = '<think>maybe {"choice": "no", "score": 1}? no.</think>\n```json\n' + text + "\n```"
        elif lie == "cut by length":
            limit = body["max_tokens"]
            if limit < 100:
                text, finish = text[: len(text) // 2], "length"
        elif lie == "slow":
            time.sleep(0.3)
        choice = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text}}
        return handler.send(
            200, json.dumps({"id": "x", "object": "chat.completion", "created": 0, "model": body["model"],
                             "choices": [choice], "usage": usage})
        )  # fmt: skip

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.closing.set()
        self.http.shutdown()
        self.http.server_close()
