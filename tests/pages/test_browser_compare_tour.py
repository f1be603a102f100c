"""Compare, tour, presenter and prediction in a real browser, on a server that nobody has visited."""

import re
import zipfile

import made
import pytest
from conftest import open_context, run_app, settle, visit
from playwright.sync_api import expect
from pointing import drawing_in

from core.figures.tour import read_tour
from core.graph.samples import load_sample
from core.store import Store

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]
SLOW = 240_000  # ms: an encoder is loaded, on a machine that may be busy
BROWSER = "0" * 32
WALK = 'iframe[title="The walk of the agents"]'


@pytest.fixture(scope="module")
def fresh(browser, tmp_path_factory):
    """A fresh server whose store has two runs of one question, and a scripted run for each stop of the tour."""
    folder = tmp_path_factory.mktemp("compared")
    store = Store(folder / "home")
    store.save(made.trace(), run_id="one")
    store.save(made.trace(assess=False, agents=1), run_id="two")
    for data, question in {(stop.query["data"], stop.query["q"]) for stop in read_tour() if stop.page == "cara"}:
        known = {"question": question, "dataset": load_sample(data).graph.dataset}
        store.save(made.trace().model_copy(update=known), label=f"browser {BROWSER}")
    with run_app(folder) as address:
        yield address


@pytest.fixture
def page(browser, fresh):
    with open_context(browser, fresh) as context:
        context.add_cookies([{"name": "causeway_browser", "value": BROWSER, "url": fresh}])
        yield context.new_page()


def test_a_link_brings_the_comparison(page):
    visit(page, "/cara?run=one&other=two&tab=Compare")
    expect(page.get_by_text(re.compile("They never part|goes the same way|parts at"))).to_be_visible()
    legend = page.frame_locator(WALK).locator("[data-part=legend]")
    expect(legend).to_contain_text("only CARA without C")
    page.locator(".st-key-cite_1_1 button").click()
    settle(page)
    expect(page).to_have_url(re.compile("node=p2"))
    drawing_in(page, WALK).wait_for_function("() => window.causeway?.selectedId() === 'p2'")
    with page.expect_download() as download:
        page.get_by_role("button", name="These tables (CSV, zipped)").click()
    with zipfile.ZipFile(download.value.path()) as archive:
        assert archive.namelist() == ["ranked-lists.csv", "cost-of-both.csv", "where-they-part.csv"]
        assert "Ivo Brandt" in archive.read("ranked-lists.csv").decode()
    page.get_by_role("button", name="Stop comparing").click()
    expect(legend).not_to_contain_text("only CARA without C")
    expect(page).not_to_have_url(re.compile("other="))


def test_the_tour_to_its_end(page):
    visit(page, "/")
    page.get_by_text("Take the tour").click()
    stops = read_tour()
    for number, stop in enumerate(stops, 1):
        expect(page.get_by_text(f"Tour, {number} of {len(stops)}")).to_be_visible(timeout=SLOW)
        expect(page).to_have_url(re.compile(f"/{stop.page}\\?"))
        if stop.page == "cara":
            expect(page.get_by_label("Question", exact=True)).to_have_value(stop.query["q"])
        if stop.page == "causal_attention":
            expect(page.get_by_label("Query", exact=True)).to_have_value(stop.query["q"])
        expect(page.get_by_test_id("stTabs").first).to_be_visible(timeout=SLOW)
        settle(page)
        expect(page.locator(".cw-message")).to_have_count(0)
        page.mouse.move(600, 600)
        page.mouse.wheel(0, 3000)
        expect(page.locator(".st-key-tour").get_by_text(stop.caption)).to_be_in_viewport(ratio=1)  # however far down
        if "tab" in stop.query:
            expect(page.get_by_role("tab", name=stop.query["tab"])).to_have_attribute("aria-selected", "true")
        if "versus" in stop.query:
            expect(page).to_have_url(re.compile("other="))
            expect(page.get_by_text("They part at once")).to_be_visible(timeout=SLOW)
        if number < len(stops):
            page.locator(".st-key-tour").get_by_text("Next").click()
    page.locator(".st-key-tour").get_by_text("Finish").click()
    expect(page.get_by_role("heading", name="Causeway")).to_be_visible()
    expect(page).not_to_have_url(re.compile("tour="))
    expect(page.get_by_text("Tour,")).to_have_count(0)


def test_the_presenters_view_from_its_first_step_to_the_answer(page):
    visit(page, "/cara?run=one")
    page.get_by_role("button", name="Present").click()
    settle(page)
    expect(page.locator(".cw-asked")).to_have_text(made.QUESTION)
    frame = page.frame_locator('iframe[title="The walk, presented"]')
    expect(frame.locator("[data-part=count]")).to_have_text("1 of 26")
    expect(page.get_by_label("Question", exact=True)).to_have_count(0)
    expect(page.locator(".cw-presented")).to_have_count(0)
    frame.locator("[data-part=slider]").press("End")
    expect(page.locator(".cw-presented")).to_contain_text("Ivo Brandt")
    frame.locator("[data-part=stage]").press("Escape")  # also from within the graph
    expect(page.get_by_label("Question", exact=True)).to_be_visible()
    expect(page).not_to_have_url(re.compile("present="))


def test_presenting_begins_where_one_is_and_arrow_keys_work_without_a_click(page):
    visit(page, "/cara?run=one&agent=1&step=8&node=p1")
    walk = page.frame_locator(WALK)
    expect(walk.locator("[data-part=said]")).to_contain_text("Agent 2, step 8")
    expect(walk.locator("[data-part=count]")).to_have_text(re.compile(r"\d+ of 26"))
    at = int(walk.locator("[data-part=count]").inner_text().split()[0])
    page.get_by_role("button", name="Present").click()
    settle(page)
    count = page.frame_locator('iframe[title="The walk, presented"]').locator("[data-part=count]")
    expect(count).to_have_text(f"{at} of 26")
    page.mouse.click(640, 20)  # nowhere in particular
    page.keyboard.press("ArrowRight")
    expect(count).to_have_text(f"{at + 1} of 26")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    expect(count).to_have_text(f"{at - 1} of 26")
    page.keyboard.press(" ")
    expect(page.frame_locator('iframe[title="The walk, presented"]').locator("[data-part=play]")).to_have_text("Pause")
    page.keyboard.press(" ")
    settle(page)
    page.keyboard.press("Escape")
    expect(page.get_by_label("Question", exact=True)).to_be_visible()


def test_the_panel_says_what_it_shows_while_the_walk_plays(page):
    visit(page, "/cara?run=one&agent=0&step=3")
    said = page.get_by_text("Stays at step 3 while the walk plays")
    expect(page.frame_locator(WALK).locator("[data-part=said]")).to_contain_text("step 3")
    expect(said).to_be_hidden()
    page.frame_locator(WALK).locator("[data-part=play]").click()
    expect(said).to_be_visible()
    page.frame_locator(WALK).locator("[data-part=play]").click()
    expect(said).to_be_hidden()


def test_one_hop_is_guessed_and_then_shown(page):
    visit(page, "/cara?run=one&tab=Predict")
    page.get_by_role("button", name="Agent 1: 2 hops to guess").click()
    settle(page)
    frame = page.frame_locator('iframe[title="The walk up to this hop"]')
    expect(frame.locator("[data-part=said]")).to_contain_text("Agent 1, step 3: looked around Ada Lund")
    expect(page.get_by_text("Ivo Brandt")).to_have_count(0)
    page.get_by_role("button", name="The Long Tide").click()
    expect(page.get_by_text("Right. The agent followed The Long Tide")).to_be_visible()
    expect(page.get_by_text("1 of 1 right")).to_be_visible()
    expect(frame.locator("[data-part=said]")).to_contain_text("step 5")
    page.get_by_role("button", name="Leave the game").click()
    expect(page.locator(".cw-answer").first).to_contain_text("Ivo Brandt")
