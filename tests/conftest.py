"""Fixtures for every test: private folders for store and caches, the shared data, what CI demands, and a browser.

A browser test has a real Streamlit server on a free port and an installed Chromium or Chrome; nothing is downloaded.
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from demands import require_or_skip
from hypothesis import HealthCheck, settings
from settling import OVERHEAR, settle

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

settings.register_profile("causeway", deadline=None, suppress_health_check=[HealthCheck.too_slow])  # no wall time
settings.load_profile("causeway")

ROOT = Path(__file__).resolve().parent.parent
FAILURES = ROOT / "failures"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
BROWSER_ARGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",  # containers have a small /dev/shm
]

PATIENCE = 60_000  # ms for anything in a browser, on a machine that may be busy


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A browser test starts servers and loads encoders: it has more time than others before it counts as stuck."""
    for item in items:
        if item.get_closest_marker("browser") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(600))


@pytest.fixture(autouse=True)
def private_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No test touches the real run store, its settings or a real key."""
    home = tmp_path / "causeway-home"
    monkeypatch.setenv("CAUSEWAY_HOME", str(home))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    return home


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data that lies beside the project."""
    folder = ROOT.parent / "shared" / "data"
    if not folder.is_dir():
        require_or_skip("shared", "../shared/data is not on this machine")
    return folder


# --- the app and a browser -------------------------------------------------------------------------------------


def _free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return int(s.getsockname()[1])


@contextmanager
def run_app(folder: Path, *options: str, home: Path | None = None) -> Iterator[str]:
    """Start the app on a free port, its log in `folder`, its store in `home`; yield its address; end only it."""
    folder.mkdir(parents=True, exist_ok=True)
    log, port = folder / "server.log", _free_port()
    env = {**os.environ, "PYTHONPATH": str(ROOT), "CAUSEWAY_HOME": str(home or folder / "home")}
    env.pop("OPENAI_API_KEY", None)
    command = [sys.executable, "-m", "streamlit", "run", "app.py", f"--server.port={port}", *options]
    with log.open("wb") as out:
        process = subprocess.Popen(command, cwd=ROOT, env=env, stdout=out, stderr=subprocess.STDOUT)
    try:
        address, deadline = f"http://127.0.0.1:{port}", time.monotonic() + 180
        while not _healthy(address):
            if process.poll() is not None or time.monotonic() > deadline:
                pytest.fail(f"Streamlit did not start:\n{log.read_text(errors='replace')}")
            time.sleep(0.1)
        yield address
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(10)
    said = log.read_text(errors="replace")
    assert "Traceback" not in said, said


def _healthy(address: str) -> bool:
    try:
        with urllib.request.urlopen(f"{address}/_stcore/health", timeout=1) as reply:
            return bool(reply.status == 200)
    except OSError:
        return False


def find_browser(own: str = "") -> str:
    """The path of an installed Chromium or Chrome, else playwright's own copy; empty when there is none."""
    named = os.environ.get("CHROMIUM", "")
    found = [named, *(shutil.which(name) or "" for name in BROWSERS), own]
    return next((path for path in found if path and Path(path).exists()), "")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One headless browser for the whole session."""
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        path = find_browser(playwright.chromium.executable_path)
        if not path:
            require_or_skip("chromium", "no Chromium or Chrome was found (`make test` installs one)")
        browser = playwright.chromium.launch(executable_path=path, args=BROWSER_ARGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def app_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the session's app keeps its log, and its runs in `home`."""
    return tmp_path_factory.mktemp("app")


@pytest.fixture(scope="session")
def server(app_folder: Path, browser: Browser) -> Iterator[str]:
    """Address of an app started once for the session. It depends on `browser`, so a skip starts no server."""
    with run_app(app_folder) as address:
        yield address


@dataclass
class Watch:
    """What must not happen in a browser: outside requests, script run from data, faults of our own scripts."""

    outside: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def check(self) -> None:
        assert not self.outside, f"the app asked for something outside: {self.outside}"
        assert not self.dialogs, f"script ran from data: {self.dialogs}"
        assert not self.faults, f"a script failed in the browser: {self.faults}"


@contextmanager
def open_context(browser: Browser, server: str, **options: Any) -> Iterator[BrowserContext]:
    """A fresh user at the app, watched; what was seen is checked when the block ends well."""
    context = browser.new_context(
        base_url=server,
        viewport=options.pop("viewport", {"width": 1280, "height": 900}),
        reduced_motion="reduce",
        locale="en-GB",
        timezone_id="UTC",
        **options,
    )
    watch = Watch()

    def guard(route: Any) -> None:
        address = route.request.url
        if address.startswith((server, "data:", "blob:", "about:", "file:")):
            route.continue_()
        else:
            watch.outside.append(address)
            route.abort()

    def dismiss(dialog: Any) -> None:
        watch.dialogs.append(dialog.message)
        dialog.dismiss()

    context.set_default_timeout(PATIENCE)
    context.add_init_script(OVERHEAR)
    context.route("**/*", guard)
    context.on("dialog", dismiss)
    context.on("weberror", lambda e: watch.faults.append(str(e.error)))
    try:
        yield context
    finally:
        context.close()
    watch.check()


@pytest.fixture
def page(browser: Browser, server: str, request: pytest.FixtureRequest) -> Iterator[Page]:
    """A page of the session's app, in a fresh context; a failure leaves a screenshot in failures/."""
    with open_context(browser, server) as context:
        page = context.new_page()
        yield page
        report = getattr(request.node, "rep_call", None)
        if report is not None and report.failed:
            FAILURES.mkdir(exist_ok=True)
            page.screenshot(path=FAILURES / f"{re.sub(r'[^A-Za-z0-9]+', '_', request.node.name)}.png", full_page=True)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    report = yield
    setattr(item, f"rep_{report.when}", report)
    return report


def visit(page: Page, path: str) -> Page:
    """Open a path of the app and wait until it stands."""
    from playwright.sync_api import expect

    page.goto(path, wait_until="domcontentloaded")
    settle(page)
    expect(page.get_by_test_id("stException")).to_have_count(0)
    return page


def exported(page: Page, folder: Path, count: int = 3) -> list[Path]:
    """Download everything that the page offers: `count` files."""
    from playwright.sync_api import expect

    page.get_by_role("button", name="Download", exact=True).click()
    buttons = page.get_by_test_id("stPopoverBody").get_by_test_id("stDownloadButton")
    expect(buttons).to_have_count(count)
    files = []
    for number in range(count):
        with page.expect_download() as download:
            buttons.nth(number).get_by_role("button").click()
        files.append(folder / download.value.suggested_filename)
        download.value.save_as(files[-1])
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("stPopoverBody")).to_have_count(0)
    settle(page)
    return files


def copied_link(page: Page, server: str) -> str:
    """Press Copy link, and what the clipboard holds then."""
    from playwright.sync_api import expect

    page.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=server)
    page.evaluate("navigator.clipboard.writeText('')")
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    return str(page.evaluate("navigator.clipboard.readText()"))
