"""Each page by deep link on a server that nobody has visited, in a real browser; and a run that is stopped there."""

import re

import made
import pytest
from conftest import open_context, run_app, settle, visit
from playwright.sync_api import expect

from core.store import Store

pytestmark = pytest.mark.browser


@pytest.mark.parametrize(
    ("link", "said"),
    [
        ("/", "Recent runs"),
        ("/data?data=films&show=Schema", "adapted from"),
        ("/cara?run=made1&agent=2&step=6&node=p3", "Agent 3 at The Long Tide: 4 neighbours"),
        ("/learn?chapter=cara&lesson=fusion", "Agents walk apart and each brings a ranked list."),
    ],
)
def test_a_deep_link_opens_its_page_on_a_fresh_server(browser, tmp_path, link, said):
    Store(tmp_path / "home").save(made.trace(), run_id="made1")
    with run_app(tmp_path) as address, open_context(browser, address) as context:
        page = visit(context.new_page(), link)
        expect(page.get_by_test_id("stTopNav")).to_contain_text("CARA")  # our titles: app.py has run
        if "show=" in link:
            expect(page.frame_locator("iframe").locator("[data-part=shown]")).to_be_visible()
        else:
            expect(page.get_by_text(said).first).to_be_visible()
        expect(page.get_by_role("dialog")).to_have_count(0)
        if "step" in link:
            frame = page.frame_locator('iframe[title="The walk of the agents"]')
            expect(frame.locator("[data-part=said]")).to_contain_text("Agent 3, step 6")
            expect(page.locator(".cw-why")).to_contain_text("Mara Quist")


def test_a_run_is_stopped_while_it_loads_an_encoder(browser, tmp_path):
    with run_app(tmp_path) as address, open_context(browser, address) as context:
        page = context.new_page()
        page.goto("/cara?data=films&q=Who+directed+Psycho%3F&go=1")
        page.get_by_role("button", name="Stop").click()
        expect(page.get_by_text("This run was stopped")).to_be_visible()
        settle(page)
        expect(page).to_have_url(re.compile("run="))
        run_id = re.search(r"run=([\w-]+)", page.url)[1]
        assert Store(tmp_path / "home").load(run_id).status == "stopped"
        expect(page.get_by_label("Question")).to_have_value("Who directed Psycho?")
