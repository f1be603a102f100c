"""A diagnosis in rounds in a real browser: told in words, answered, previewed, undone, and opened by link elsewhere."""

import re

import pytest
from conftest import open_context, run_app, settle, visit
from playwright.sync_api import expect

from core.sgur.session import METHOD
from core.store import Store

pytestmark = pytest.mark.browser
FIRST, NEXT = "Paper jams", "Pulls several sheets at once"


def press(page, name, **where):
    """Press the first button of that name, and wait until the page stands."""
    page.get_by_role("button", name=name, **where).first.click()
    settle(page)


def told(page, words):
    """Tell these words: write, read, see what was matched, tell."""
    page.get_by_label(re.compile("in plain words")).fill(words)
    page.keyboard.press("Control+Enter")
    settle(page)
    press(page, "Read the words")
    expect(page.get_by_text("by its name").first).to_be_visible()
    press(page, "Tell", exact=True)


def bits(page):
    """The gain that a card claims, and the numbers of its sum."""
    said = page.locator("[class*=st-key-sgur_question_] .cw-num").first.inner_text()
    page.get_by_role("button", name="Why this one").first.click()
    numbers = page.locator(".cw-why b", has_text="bits").first
    expect(numbers).to_be_visible()
    text = numbers.inner_text()
    page.keyboard.press("Escape")
    return float(re.search(r"gains ([\d.]+) bits", said)[1]), [float(n) for n in re.findall(r"\d+\.\d+", text)]


def test_a_complaint_is_told_answered_previewed_undone_and_opened_elsewhere(browser, tmp_path):
    with run_app(tmp_path) as address, open_context(browser, address) as context:
        page = visit(context.new_page(), "/sgur?data=devices")
        told(page, FIRST)
        expect(page).to_have_url(re.compile("run="))
        expect(page.locator(".cw-lead")).to_contain_text(FIRST)
        expect(page.get_by_label(re.compile("in plain words"))).to_be_hidden()  # the form closed, and is empty

        claimed, (entropy, p_yes, after_yes, p_no, after_no, gain) = bits(page)
        assert claimed == gain
        assert gain == pytest.approx(entropy - p_yes * after_yes - p_no * after_no, abs=0.02)
        assert p_yes + p_no == pytest.approx(1.0)

        page.get_by_role("button", name="Preview").first.click()
        press(page, "If yes")
        expect(page.get_by_text("Nothing is kept of it.")).to_be_visible()
        run_id = re.search(r"run=([\w-]+)", page.url)[1]
        rounds = [s for s in Store(tmp_path / "home").load(run_id).steps if s.kind == "sgur.belief"]
        assert len(rounds) == 1  # a preview leaves nothing behind
        press(page, "Back to now")

        press(page, "Yes", exact=True)
        expect(page.get_by_role("radio", name="Round 2")).to_be_checked()
        press(page, "No", exact=True)
        expect(page.get_by_role("radio", name="Round 3")).to_be_checked()
        press(page, "Undo")
        expect(page.get_by_role("radio", name="Round 3")).to_have_count(0)
        expect(page.get_by_role("radio", name="Round 2")).to_be_checked()
        page.get_by_role("radio", name="Round 1").click()
        settle(page)
        expect(page).to_have_url(re.compile("round=1"))
        expect(page.get_by_role("button", name="Undo")).to_be_visible()
        link, held = page.url.removeprefix(address), page.locator(".cw-lead").inner_text()
    trace = Store(tmp_path / "home").load(run_id)
    assert trace.method == METHOD
    with run_app(tmp_path / "again", home=tmp_path / "home") as address, open_context(browser, address) as context:
        page = visit(context.new_page(), link)
        expect(page.locator(".cw-lead")).to_have_text(held)
        expect(page.get_by_role("radio", name="Round 1")).to_be_checked()
        expect(page.get_by_text("These were the questions after this round.")).to_be_visible()
        page.get_by_role("radio", name="Round 2").click()
        settle(page)
        page.get_by_role("button", name="Don't know").first.click()  # it goes on where it was left
        expect(page.get_by_role("radio", name="Round 3")).to_be_checked()
