"""A model in a real browser: connected, watched deciding, questioned, exported; and its key is nowhere."""

import json
import re
import zipfile
from pathlib import Path

import pytest
from conftest import open_context, run_app, settle, visit
from lying_server import LyingServer
from playwright.sync_api import expect
from scripted_model import scripted
from test_apptest_model import EDGES, NODES

pytestmark = pytest.mark.browser
KEY = "sk-nowhere-0123456789abcdef"
TRACE, REPLAY, TABLES = "Trace (JSON)", "Replay (one HTML file)", "Tables (CSV, zipped)"


def indiscreet(body):
    """A scripted model that repeats the key it was sent, in the reasons it gives and in its answer."""
    if len(body["messages"]) == 1:
        return {"city": f"Paris, and your key is {KEY}"}
    reply = scripted(body)
    if "reason" in reply:
        reply["reason"] += f" with {KEY}"
    for sentence in reply.get("sentences", ()):
        sentence["text"] += f" ({KEY})"
    return reply


def load_alien(page):
    visit(page, "/data?source=Upload")
    page.locator(".st-key-source").get_by_text("Upload").click()
    settle(page)
    page.locator(".st-key-files input[type=file]").set_input_files(
        [
            {"name": "nodes.csv", "mimeType": "text/csv", "buffer": NODES.encode()},
            {"name": "edges.csv", "mimeType": "text/csv", "buffer": EDGES.encode()},
        ]
    )
    settle(page)
    page.get_by_role("button", name="Load", exact=True).click()
    settle(page)
    nodes = len(NODES.splitlines()) - 1
    expect(page.locator(".cw-stats")).to_contain_text(f"{nodes}nodes")  # not those of what stood there before
    page.get_by_test_id("stTopNavLink").get_by_text("CARA", exact=True).click()
    settle(page)


def connect(page, url):
    """Connect the server's first model, by way of its list and a test, and have its replies kept."""
    page.get_by_role("button", name="Connect a model").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("textbox", name="Base URL").fill(url)
    field = dialog.locator(".st-key-model_key input")
    field.fill(KEY)
    dialog.get_by_role("button", name="List models").click()
    expect(dialog.get_by_text("The server offers 1 model")).to_be_visible()
    expect(field).to_have_value("")
    dialog.get_by_role("button", name="Test", exact=True).click()
    expect(dialog.get_by_text("It works.")).to_be_visible()
    dialog.get_by_text("Keep the replies").click()
    dialog.get_by_role("button", name="Use this model").click()
    expect(dialog).to_have_count(0)
    settle(page)


def seen(page):
    """All that the page holds: its HTML and its frames', what stands in fields, the address, the browser's stores."""
    texts = [page.url, *(frame.content() for frame in page.frames)]
    texts += page.locator("iframe").evaluate_all("frames => frames.map(f => f.srcdoc)")
    texts += page.locator("input, textarea").evaluate_all("fields => fields.map(f => f.value)")
    stores = "JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie, history.state])"
    return "\n".join([*texts, page.evaluate(stores)])


def download(page, label, folder):
    with page.expect_download() as download:
        page.get_by_role("button", name=label).click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


def test_a_model_decides_a_whole_run_and_its_key_is_nowhere(browser, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    looks = []
    with (
        LyingServer(answers=indiscreet) as model,
        run_app(tmp_path / "app") as server,
        open_context(browser, server) as context,
        open_context(browser, server) as other,
    ):
        page = context.new_page()
        load_alien(page)
        connect(page, model.url.removesuffix("/v1"))
        looks.append(seen(page))
        expect(page.locator(".cw-chips")).to_contain_text("tiny at 127.0.0.1")  # who decides, before
        expect(page.get_by_text("At most 901 calls")).to_be_visible()
        page.get_by_role("button", name="Use a budget of 12 steps").click()
        expect(page.get_by_text("At most 73 calls")).to_be_visible()

        colleague = visit(other.new_page(), "/cara?data=films")
        expect(colleague.get_by_role("button", name="Connect a model")).to_be_visible()
        expect(colleague.locator(".cw-chips")).to_contain_text("offline policy")
        expect(colleague.locator("body")).not_to_contain_text("tiny at")

        page.get_by_label("Question").fill("who directed Alien?")
        page.get_by_role("button", name="Run", exact=True).click()
        expect(page.locator(".cw-answer").first).to_contain_text("Ridley Scott directed Alien.", timeout=120_000)
        settle(page)
        expect(page.locator(".cw-chips")).to_contain_text("tiny at 127.0.0.1")  # and after
        page.locator(".st-key-exchange_0 summary").click()
        expect(page.locator(".st-key-exchange_0 .cw-talk")).to_contain_text("Assess each.")
        expect(page.locator(".st-key-exchange_0 .cw-talk")).to_contain_text('"consequentiality": 9')
        page.get_by_role("tab", name="Cost").click()
        expect(page.get_by_text(re.compile(r"\d+ calls, [\d,]+ tokens"))).to_be_visible()
        settle(page)
        looks.append(seen(page))
        page.get_by_role("button", name="Download", exact=True).click()
        trace, replay, tables = (download(page, label, tmp_path) for label in (TRACE, REPLAY, TABLES))
        with zipfile.ZipFile(tables) as archive:
            archive.extractall(tmp_path / "tables")
        page.get_by_role("button", name="Keep as a demo on Home").click()
        expect(page.get_by_text("This run is a demo on Home")).to_be_visible()
        page.keyboard.press("Escape")
        page.get_by_role("button", name="Model: tiny").click()
        expect(page.get_by_role("dialog").get_by_text("Your key is kept")).to_be_visible()
        settle(page)
        looks.append(seen(page))
        page.keyboard.press("Escape")
        page.get_by_test_id("stTopNavLink").get_by_text("Home", exact=True).click()
        expect(page.get_by_text("decided by tiny at 127.0.0.1")).to_be_visible()
        settle(page)
        looks.append(seen(page))
        looks.append(seen(colleague))
        page.reload()
        settle(page)
        expect(page.get_by_role("button", name="Connect a model")).to_be_visible()  # a reload forgets the key
        expect(page.get_by_text("decided by tiny at 127.0.0.1")).to_be_visible()  # the demo needs no model
    assert set(model.keys) == {f"Bearer {KEY}"}
    assert json.loads(trace.read_text())["decided_by"].startswith("tiny at 127.0.0.1")
    assert "[key]" in trace.read_text()  # what the server repeated was cut out
    kept = [path for path in tmp_path.rglob("*") if path.is_file()]
    names = {path.name for path in kept}
    assert {"runs.sqlite3", "server.log", trace.name, replay.name, "steps.csv", "cost.csv"} <= names
    assert "[key]" in (tmp_path / "tables" / "steps.csv").read_text()
    assert [path for path in kept if path.parent.name == "recordings"]
    assert [str(path) for path in kept if says_key(path)] == []
    assert [number for number, look in enumerate(looks) if KEY in look] == []


def test_waiting_for_a_server_that_hangs_can_be_stopped_and_a_run_is_counted_while_it_goes(page):
    def answers(body):
        return {"city": "Paris"} if len(body["messages"]) == 1 else scripted(body)

    with LyingServer("hang", answers=answers) as model:
        load_alien(page)
        page.get_by_role("button", name="Connect a model").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_role("textbox", name="Base URL").fill(model.url)
        dialog.get_by_label("Model", exact=True).fill("tiny")
        dialog.get_by_role("button", name="Test", exact=True).click()
        expect(dialog.get_by_role("status")).to_contain_text("a short question")
        dialog.get_by_role("button", name="Stop").click()
        expect(dialog.get_by_role("button", name="Stop")).to_have_count(0)
        model.lies = ["slow"]
        dialog.get_by_role("button", name="Use this model").click()
        expect(dialog).to_have_count(0)
        settle(page)
        page.get_by_label("Question").fill("who directed Alien?")
        page.get_by_role("button", name="Run", exact=True).click()
        running = page.locator(".st-key-running")
        expect(running).to_contain_text(re.compile(r"tiny at 127.0.0.1:\d+ \d+ calls?, [\d,]+ tokens"))
        running.get_by_role("button", name="Stop").click()
        expect(page.get_by_text("This run was stopped")).to_be_visible()
        settle(page)
        expect(page.locator(".cw-chips")).to_contain_text("tiny at 127.0.0.1")  # also of a run that did not end


def says_key(path: Path) -> bool:
    """Whether a file holds the key, or a half of it that would do."""
    data = path.read_bytes()
    return any(part.encode() in data for part in (KEY, KEY[:18], KEY[-16:]))
