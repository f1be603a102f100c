"""A run in a real browser: asked for, walked through, questioned, exported, and linked to."""

import json
import re

import made
import pytest
from conftest import copied_link, open_context, run_app, settle, visit
from playwright.sync_api import expect
from pointing import click_node, click_point, drawing_in

from core.store import Store

pytestmark = pytest.mark.browser
WALK = 'iframe[title="The walk of the agents"]'


@pytest.fixture(scope="session")
def stored(app_folder):
    """A scripted run in the store of the session's app; its id."""
    return Store(app_folder / "home").save(made.trace(), run_id="scripted-run")


def test_a_whole_run_on_a_sample(page):
    visit(page, "/")
    question = page.locator(".st-key-card_films .cw-card b").inner_text()
    page.locator(".st-key-card_films").get_by_text("Watch the agents walk").click()
    expect(page.get_by_test_id("stTabs").first).to_be_visible(timeout=240_000)
    settle(page)
    expect(page.locator(".cw-answer").first).not_to_be_empty()
    expect(page.frame_locator(WALK).locator("[data-part=lanes] button")).to_have_count(3)
    expect(page.locator(".cw-chips")).to_contain_text("offline policy")
    expect(page).to_have_url(re.compile(r"run=\d{8}-"))
    run = re.search(r"run=[\w-]+", page.url)[0]
    page.get_by_test_id("stTopNavLink").get_by_text("Home", exact=True).click()
    settle(page)
    expect(page.get_by_text(question)).to_have_count(2)  # the card, and the run that is listed now
    page.get_by_test_id("stTopNavLink").get_by_text("CARA", exact=True).click()
    settle(page)
    expect(page).to_have_url(re.compile(run))  # a page switch loses nothing
    expect(page.locator(".cw-answer").first).not_to_be_empty()


def test_stepping_in_the_graph_moves_panel_and_address(page, stored):
    visit(page, f"/cara?run={stored}")
    frame = page.frame_locator(WALK)
    expect(frame.locator("[data-part=said]")).to_contain_text("finished")
    slider = frame.locator("[data-part=slider]")
    slider.focus()
    for _ in range(3):
        slider.press("ArrowLeft")
    settle(page)
    said = frame.locator("[data-part=said]").inner_text()
    agent, step = re.match(r"Agent (\d), step (\d)", said).groups()
    expect(page).to_have_url(re.compile(rf"agent={int(agent) - 1}&step={step}|step={step}&agent={int(agent) - 1}"))
    expect(page.get_by_text(f"Agent {agent} at")).to_be_visible()


def test_a_click_on_a_node_says_why_it_has_its_score(page, stored):
    visit(page, f"/cara?run={stored}")
    expect(page.locator(".cw-why")).to_contain_text("Ivo Brandt")
    before = page.locator(WALK).get_attribute("srcdoc")
    click_node(page, WALK, "c1")
    expect(page.locator(".cw-why")).to_contain_text("Bergen")
    expect(page.locator(".cw-why")).to_contain_text("cau = λ·c + (1 − λ)·e")
    expect(page).to_have_url(re.compile("node=c1"))
    settle(page)
    assert page.locator(WALK).get_attribute("srcdoc") == before  # the drawing was not loaded anew


def test_a_point_of_the_scatter_selects_its_node_in_graph_and_tables(page, stored):
    visit(page, f"/cara?run={stored}&agent=0&step=4&tab=Judgements")
    scatter = page.locator(".st-key-scatter_c_e")
    points = scatter.locator(".point")
    expect(points).to_have_count(3)  # what Ada Lund leads to, best first
    click_point(page, points.nth(2), scatter.locator(".hoverlayer").get_by_text("Bergen"))
    expect(page).to_have_url(re.compile("node=c1"))
    expect(page.locator(".cw-why")).to_contain_text("Bergen")
    drawing_in(page, WALK).wait_for_function("() => window.causeway?.selectedId() === 'c1'")


def test_what_if_answers_and_marks_the_first_other_choice(page, stored):
    visit(page, f"/cara?run={stored}&tab=What+if")
    for label, key in (("λ", "Home"), ("α", "End")):
        page.get_by_role("slider", name=re.compile(label)).last.press(key)
        settle(page)
    expect(page.get_by_text("2 choices would have changed")).to_be_visible()
    page.get_by_role("button", name="Go to that step").click()
    settle(page)
    expect(page).to_have_url(re.compile("step=6"))
    expect(page.frame_locator(WALK).locator("[data-part=said]")).to_contain_text("Agent 1, step 6")


def test_exports_and_the_replay_opened_by_itself(page, stored, tmp_path, browser):
    visit(page, f"/cara?run={stored}")
    page.get_by_role("button", name="Download", exact=True).click()
    files = {}
    for name in ("Replay (one HTML file)", "Trace (JSON)", "Tables (CSV, zipped)"):
        with page.expect_download() as download:
            page.get_by_role("button", name=name).click()
        files[name] = tmp_path / download.value.suggested_filename
        download.value.save_as(files[name])
    assert json.loads(files["Trace (JSON)"].read_text())["question"] == made.QUESTION
    assert files["Tables (CSV, zipped)"].read_bytes()[:2] == b"PK"
    replay = files["Replay (one HTML file)"]
    assert not re.search(r"<(?:script|link|img)\b[^>]*https?://", replay.read_text())
    with open_context(browser, "http://127.0.0.1:1", offline=True) as alone:
        page = alone.new_page()
        page.goto(replay.as_uri())
        expect(page.locator("[data-part=said]")).to_contain_text("finished")
        page.get_by_role("button", name="Back one step").click()
        expect(page.locator("[data-part=count]")).to_have_text("25 of 26")


def test_a_saved_trace_file_opens_as_a_run(page, tmp_path):
    file = tmp_path / "run.json"
    other = made.trace().model_copy(update={"question": "Is this another question?", "run_id": "elsewhere"})
    file.write_text(other.to_json())
    visit(page, "/cara")
    page.get_by_text("Open a trace file").click()
    page.locator(".st-key-trace_file input[type=file]").set_input_files(file)
    expect(page.locator(".cw-answer").first).to_contain_text("Ivo Brandt")
    expect(page.get_by_label("Question")).to_have_value("Is this another question?")


def test_a_listed_run_opens_with_its_own_question(page, stored, app_folder):
    other = made.trace(lambda_=0.9).model_copy(update={"question": "Who wrote it, then?"})
    Store(app_folder / "home").save(other, run_id="other-run")
    visit(page, f"/cara?run={stored}")
    expect(page.get_by_label("Question")).to_have_value(made.QUESTION)
    page.get_by_test_id("stTopNavLink").get_by_text("Home", exact=True).click()
    settle(page)
    page.get_by_text("Who wrote it, then?").click()
    settle(page)
    expect(page.get_by_label("Question")).to_have_value("Who wrote it, then?")
    expect(page).to_have_url(re.compile(r"lambda=0\.9"))
    page.get_by_label("Question").fill("And when?")
    page.get_by_role("button", name="Settings").click()  # leaves the field without asking
    page.get_by_label("Seed").fill("3")
    page.get_by_label("Seed").press("Enter")
    expect(page.get_by_text("Who wrote it, then?")).to_be_visible()


def test_copy_link_carries_run_step_and_node_to_another_server(page, stored, app_folder, browser, server):
    visit(page, f"/cara?run={stored}&agent=1&step=8&node=p1")
    link = copied_link(page, server)
    with run_app(app_folder / "again", home=app_folder / "home") as fresh, open_context(browser, fresh) as colleague:
        other = visit(colleague.new_page(), link.replace(server, fresh))
        expect(other.get_by_text("Agent 2 at Night Ferry: 2 neighbours")).to_be_visible()
        expect(other.locator(".cw-why")).to_contain_text("Night Ferry → starring → Ada Lund")


def test_dark_is_dark_everywhere(browser, server, stored):
    with open_context(browser, server, color_scheme="dark") as context:
        page = visit(context.new_page(), f"/cara?run={stored}")
        for ground in (page.get_by_test_id("stApp"), page.frame_locator(WALK).locator("body")):
            expect(ground).to_have_css("background-color", "rgb(14, 17, 23)")
