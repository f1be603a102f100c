"""The KERAG page in a real browser: plan, overrule, take away, follow a citation, compare, return by a link."""

import json
import re
import zipfile

import pytest
from conftest import exported, open_context, run_app, settle, visit
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.timeout(900)]
SLOW = 240_000  # ms: an encoder is loaded, on a machine that may be busy
QUESTION = "How many films won the Palme d'Or?"


def answer(page):
    """The card with the answer; while a page is drawn anew, the old one may still stand beside it."""
    return page.locator(".st-key-answer").last


def beside(page):
    """What the other method answers, in its card."""
    return page.locator(".st-key-kerag_answer_there").last


def test_from_a_question_to_a_link_on_a_fresh_server(page, app_folder, browser, server, tmp_path):
    visit(page, "/kerag?data=films")
    expect(page.get_by_text("Count: it counts")).to_be_visible()
    page.get_by_label("Question", exact=True).fill(QUESTION)
    page.get_by_label("Question", exact=True).press("Enter")
    expect(answer(page).locator(".cw-answer").first).to_have_text("6", timeout=SLOW)
    settle(page)
    expect(page).to_have_url(re.compile(r"run=\d{8}-"))
    plan = page.locator(".st-key-kerag_plan").last
    expect(plan).to_contain_text("About Palme d'Or")
    expect(plan).to_contain_text("Hop 1: 1 of 1 relation kept")
    expect(page.locator("iframe")).to_have_count(1)

    # overrule the one relation: nothing is retrieved, so nothing is claimed; then leave it to the planner again
    plan.locator("label", has_text="won").first.click()
    expect(answer(page)).to_contain_text("I don't know", timeout=SLOW)
    settle(page)
    expect(plan).to_contain_text("By hand, hop 1: ← won left out.")
    settle(page)
    plan.get_by_role("button", name="Undo", exact=True).click()
    expect(answer(page).locator(".cw-answer").first).to_have_text("6", timeout=SLOW)
    settle(page)

    # a triple taken away changes the answer at once, and the line it weakens says so
    reasoning = page.locator(".st-key-kerag_summarise").last
    reasoning.get_by_role("button", name="Take away").nth(1).click()
    expect(answer(page)).to_contain_text("The answer changes")
    expect(answer(page)).to_contain_text("Pulp Fiction won Palme d'Or")
    expect(answer(page).locator(".cw-answer").nth(2)).to_have_text("5")
    expect(reasoning).to_contain_text("Weakened: 1 of 6 triples taken")
    settle(page)

    # a citation leads to its triple, in the list and on the graph
    reasoning.get_by_role("button", name="[3]").first.click()
    settle(page)
    expect(reasoning.locator(".cw-cited")).to_have_text("Taxi Driver won Palme d'Or")
    expect(page).to_have_url(re.compile("triple=2.*|node=.*"))

    page.get_by_role("button", name="Run it on this question").click()
    expect(beside(page)).to_contain_text("CARA", timeout=SLOW)
    settle(page)
    expect(page.get_by_test_id("stPlotlyChart").first).to_be_visible()

    files = exported(page, tmp_path)
    assert json.loads(next(f for f in files if f.suffix == ".json").read_text())["question"] == QUESTION
    names = zipfile.ZipFile(next(f for f in files if f.suffix == ".zip")).namelist()
    assert {"plan.csv", "triples.csv", "reasoning.csv", "answer.csv"} <= set(names)
    html = next(f for f in files if f.suffix == ".html").read_text()
    assert "The Pianist" in html
    assert not re.search(r"<(?:script|link|img)\b[^>]*https?://", html)

    link = page.url
    with run_app(app_folder / "kerag", home=app_folder / "home") as fresh, open_context(browser, fresh) as colleague:
        other = visit(colleague.new_page(), link.replace(server, fresh))
        expect(answer(other)).to_contain_text("The answer changes", timeout=SLOW)
        expect(other.get_by_label("Question", exact=True)).to_have_value(QUESTION)
        expect(other.locator(".st-key-kerag_summarise .cw-cited").last).to_have_text("Taxi Driver won Palme d'Or")
        expect(beside(other)).to_contain_text("CARA", timeout=SLOW)
