"""The slope chart in a real browser: chosen by hand and by key, moved by a slider, linked to, and opened as a file."""

import re

import made_ranking
import pytest
from conftest import open_context, settle, visit
from playwright.sync_api import expect

from core.figures.causal_attention.replay import rerank_html
from core.store import Store

pytestmark = pytest.mark.browser
TRACE = made_ranking.trace(mode="semantic", tau=0.6)


@pytest.fixture(scope="session")
def stored(app_folder):
    """A ranking in the store of the session's app; its id."""
    return Store(app_folder / "home").save(TRACE, run_id="made-ranking")


def labels(page):
    """The documents at the right side of the chart, best first."""
    return page.locator(".slope-label.right")


def ranking(page, path):
    """Open a ranking, and wait until the sample is indexed, too: the page is drawn anew then."""
    visit(page, path)
    expect(labels(page)).to_have_count(len(made_ranking.DOCUMENTS))
    expect(page.locator(".st-key-job_index")).to_have_count(0, timeout=240_000)
    settle(page)
    return page


def test_the_chart_chooses_a_document_and_a_link_brings_it_back(page, stored):
    ranking(page, f"/causal_attention?run={stored}")
    chosen = labels(page).filter(has_text="Winter work")
    chosen.click()
    settle(page)
    expect(page).to_have_url(re.compile("document=guide"))
    expect(page.locator(".rr-document h3")).to_have_text("Winter work")
    expect(chosen).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_text("“Winter work” stands at")).to_be_visible()
    labels(page).filter(has_text="Pears").focus()
    page.keyboard.press("Enter")
    settle(page)
    expect(page).not_to_have_url(re.compile("document=guide"))
    link = page.url
    visit(page, link)
    expect(page.locator(".rr-document h3")).to_have_text("Pears")
    expect(labels(page).filter(has_text="<b>Odd</b> *title*")).to_have_count(1)  # a title is text


def test_a_slider_moves_the_lines_and_goes_into_the_link(page, stored):
    ranking(page, f"/causal_attention?run={stored}&document=guide")
    before = labels(page).locator(".slope-name").all_inner_texts()
    slider = page.locator(".st-key-rerank_tau").get_by_role("slider")
    slider.focus()
    page.keyboard.press("Home")
    settle(page)
    expect(page).to_have_url(re.compile("tau=0"))
    expect(labels(page).locator(".slope-name")).not_to_have_text(before)
    page.get_by_role("button", name="As it was run").click()
    settle(page)
    expect(page).not_to_have_url(re.compile("tau="))
    expect(labels(page).locator(".slope-name")).to_have_text(before)


def test_a_document_is_guessed_before_the_ranking_is_shown(page, stored):
    ranking(page, f"/causal_attention?run={stored}&document=pears")
    page.get_by_role("button", name="Guess first").click()
    expect(page.get_by_text("Which of these documents answers best?")).to_be_visible()
    expect(page).to_have_url(re.compile("guess=1"))
    settle(page)
    expect(labels(page)).to_have_count(0)  # nothing on the page tells
    expect(page.get_by_role("tab")).to_have_count(0)
    expect(page.get_by_text("similarity 1", exact=False)).to_have_count(0)
    page.reload()
    expect(page.get_by_text("Which of these documents answers best?")).to_be_visible()
    settle(page)
    page.locator(".st-key-guess_guide").get_by_role("button").click()
    expect(page.get_by_text("You chose “Winter work”: place")).to_be_visible()
    expect(page.get_by_text("your guess")).to_have_count(1)
    expect(page.get_by_text("No guess on a judged query yet.")).to_be_visible()
    expect(page.get_by_role("button", name="This one answers best")).to_have_count(0)
    settle(page)
    page.get_by_role("button", name="Show the ranking").click()
    expect(labels(page)).to_have_count(len(made_ranking.DOCUMENTS))
    expect(page).not_to_have_url(re.compile("guess="))
    expect(page).to_have_url(re.compile("document=guide"))
    expect(page.locator(".rr-document h3")).to_have_text("Winter work")
    expect(page.get_by_role("tab", name="Answers")).to_be_visible()


def test_the_file_opens_by_itself(page, tmp_path):
    documents = {d.id: d for d in made_ranking.judged().corpus}
    file = tmp_path / "ranking.html"
    file.write_text(rerank_html(TRACE, documents=documents, judged={"guide": 2}, selected="guide"), encoding="utf-8")
    page.goto(file.as_uri())
    expect(labels(page)).to_have_count(len(documents))
    expect(page.locator(".rr-document h3:visible")).to_have_text("Winter work")
    labels(page).filter(has_text="Apple apple").click()
    expect(page.locator(".rr-document h3:visible")).to_have_text("Apple apple")
    expect(page.locator(".slope-judged", has_text="◆").first).to_be_visible()
    labels(page).first.hover()
    expect(page.locator(".slope-tip")).to_contain_text("place")


def test_a_narrow_window_cuts_nothing_off(browser, server, stored):
    with open_context(browser, server, viewport={"width": 800, "height": 900}) as context:
        page = ranking(context.new_page(), f"/causal_attention?run={stored}&document=guide")
        expect(page.locator(".rr-word").first).to_be_visible()
        page.wait_for_function("() => [...document.querySelectorAll('.rr-word')].every(row => row.offsetHeight < 64)")
        page.wait_for_function(
            """() => {
              const shown = document.querySelectorAll("[data-testid=stMain], .rr-document, .stButton p");
              return shown.length > 5 && [...shown].every((e) => e.scrollWidth <= e.clientWidth + 1);
            }"""
        )
        page.wait_for_function("() => document.querySelector('.rr-document').offsetWidth > 600")  # below the chart
