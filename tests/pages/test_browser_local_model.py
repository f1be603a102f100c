"""A real model in a real browser: connected, a live run watched and stopped, and the run still there after a reload.

The model is small and weak: nothing is asserted of what it says.
"""

import re

import pytest
from conftest import open_context, run_app, settle
from demands import require_or_skip
from local_model import CONTEXT, NAME, local_model, why_not
from playwright.sync_api import expect
from test_browser_model import load_alien

from core.llm.answering import AnswerStep
from core.llm.exchange import Exchange, spent
from core.store import Store

pytestmark = [pytest.mark.browser, pytest.mark.model]


@pytest.fixture
def model_url(browser, tmp_path):  # the browser first: without one no model is started
    if why_not():
        require_or_skip("model", why_not())
    with local_model(tmp_path / "model.log") as address:
        yield address


def connect(page, url):
    page.get_by_role("button", name="Connect a model").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("textbox", name="Base URL").fill(url)
    dialog.get_by_role("button", name="List models").click()
    expect(dialog.get_by_text("The server offers 1 model")).to_be_visible(timeout=60_000)
    dialog.get_by_role("spinbutton", name="Context").fill(str(CONTEXT))
    dialog.get_by_role("spinbutton", name="Prompt price").fill("2")
    dialog.get_by_role("button", name="Use this model").click()
    expect(dialog).to_have_count(0)
    settle(page)


def test_a_live_run_is_watched_stopped_and_still_there_after_a_reload(browser, model_url, tmp_path):
    with run_app(tmp_path / "app") as server, open_context(browser, server) as context:
        page = context.new_page()
        load_alien(page)
        connect(page, model_url)
        expect(page.locator(".cw-chips")).to_contain_text(f"{NAME} at 127.0.0.1")
        page.get_by_role("button", name="Settings").click()
        page.get_by_role("spinbutton", name="Agents").fill("1")
        page.get_by_role("spinbutton", name="Agents").press("Enter")
        settle(page)
        page.keyboard.press("Escape")
        page.get_by_label("Question").fill("who directed Alien?")
        page.get_by_role("button", name="Run", exact=True).click()
        running = page.locator(".st-key-running")
        lanes = running.locator(".cw-live .cw-lane")
        expect(lanes).to_have_count(1, timeout=60_000)
        expect(lanes.first).to_contain_text("1 read the question", timeout=60_000)
        counted = re.compile(r"\d+ calls?, [\d,]+ tokens.*, cost [\d.]+")
        expect(running.locator(".cw-doing")).to_contain_text(counted, timeout=120_000)
        expect(page).to_have_url(re.compile(r"run=\d{8}-"))
        run = re.search(r"run=([\w-]+)", page.url)[1]
        running.get_by_role("button", name="Stop").click()
        expect(page.get_by_text("This run was stopped")).to_be_visible()
        settle(page)
        page.reload()
        settle(page)
        expect(page).to_have_url(re.compile(run))
        expect(page.get_by_role("button", name="Connect a model")).to_be_visible()  # the session is a new one
        expect(page.locator(".cw-chips")).to_contain_text(f"{NAME} at 127.0.0.1")
        expect(page.get_by_text("This run was stopped")).to_be_visible()
        page.get_by_role("tab", name="Cost").click()
        expect(page.locator(".cw-note", has_text=counted)).to_be_visible()  # at the price of then
    kept = Store(tmp_path / "app" / "home").load(run)
    assert kept.status == "stopped"
    assert kept.usage.price.prompt == 2.0
    assert spent(kept.steps).prompt_tokens > 100
    assert any(isinstance(getattr(s, "exchange", None), Exchange) for s in kept.steps)
    assert not any(isinstance(s, AnswerStep) for s in kept.steps)  # it was stopped before
