"""The causal-attention page in a real browser: the whole way of a newcomer, a stopped indexing, a stranger's corpus."""

import json
import re
import zipfile

import pytest
from conftest import copied_link, exported, open_context, run_app, settle, visit
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.timeout(900)]
SLOW = 240_000  # ms: torch is loaded, on a machine that may be busy
QUERY = "What should I do when I receive a phishing email?"
GUIDE = "Suspicious messages: the first fifteen minutes"


def rows(page):
    """The documents at the right side of the chart, best first."""
    return page.locator(".slope-label.right")


def tab(page, name):
    page.get_by_role("tab", name=name).click()
    settle(page)


def test_from_the_sample_to_a_verdict_and_back_by_a_link(page, app_folder, browser, server, tmp_path):
    visit(page, "/data?kind=corpus")
    page.get_by_text("Samples", exact=True).first.click()
    settle(page)
    page.locator(".st-key-use_company button").click()
    expect(page.locator(".cw-stats")).to_contain_text("40documents")
    page.get_by_role("link", name="Ask this corpus").click(timeout=SLOW)

    page.get_by_label("Query", exact=True).fill(QUERY)
    page.get_by_label("Query", exact=True).press("Enter")
    expect(rows(page).first).to_be_visible(timeout=SLOW)
    settle(page)
    expect(page).to_have_url(re.compile(r"run=\d{8}-"))
    expect(page.locator(".cw-chips")).to_contain_text("MiniLM")

    before = rows(page).all_inner_texts()
    slider = page.locator(".st-key-rerank_tau").get_by_role("slider")
    moved = f"{float(slider.input_value()) + 0.12:.2f}"
    slider.focus()
    for _ in range(12):
        page.keyboard.press("ArrowRight")
    expect(slider).to_have_attribute("aria-valuetext", moved)
    expect(page).to_have_url(re.compile(rf"tau={moved.rstrip('0')}(&|$)"))
    settle(page)
    expect(slider).to_have_attribute("aria-valuetext", moved)  # no press was lost
    expect(rows(page)).to_have_count(len(before))
    expect(rows(page)).not_to_have_text(before, use_inner_text=True)

    rows(page).filter(has_text=GUIDE).click()
    settle(page)
    expect(page.locator(".rr-document h3")).to_have_text(GUIDE)
    expect(page.get_by_text(f"“{GUIDE}” stands at")).to_be_visible()

    tab(page, "Stuffing")
    page.get_by_text("This query", exact=True).click()
    settle(page)
    page.get_by_role("button", name="Put stuffed documents in").click()
    expect(page.get_by_text("Stuffed documents a query, m")).to_be_visible(timeout=SLOW)
    settle(page)
    expect(page.get_by_test_id("stPlotlyChart").first).to_be_visible()

    tab(page, "Does it help here?")
    expect(page.get_by_text("Nobody has measured on this corpus yet")).to_be_visible()
    page.get_by_text("Label this query's documents").click()
    asked = page.get_by_role("radiogroup", name=f"Is “{GUIDE}” relevant?")
    asked.get_by_role("radio", name="relevant", exact=True).click()
    settle(page)
    page.get_by_role("button", name="Done").click()
    settle(page)
    page.get_by_role("button", name="Measure on 1 query that you labelled").click()
    verdict = page.locator(".st-key-gate_verdict")
    expect(verdict).to_contain_text(re.compile("^O(n|ff): over 1 probe query"), timeout=SLOW)
    settle(page)
    said = verdict.locator(".cw-answer").inner_text()

    files = exported(page, tmp_path)
    trace = json.loads(next(f for f in files if f.suffix == ".json").read_text())
    assert trace["question"] == QUERY
    assert trace["config"]["tau"] > 0.4  # as it stands on the screen
    assert len(zipfile.ZipFile(next(f for f in files if f.suffix == ".zip")).namelist()) >= 2
    html = next(f for f in files if f.suffix == ".html").read_text()
    assert GUIDE in html
    assert not re.search(r"<(?:script|link|img)\b[^>]*https?://", html)

    link = copied_link(page, server)
    again = rows(page).all_inner_texts()
    with run_app(app_folder / "later", home=app_folder / "home") as fresh, open_context(browser, fresh) as colleague:
        other = visit(colleague.new_page(), link.replace(server, fresh))
        expect(rows(other).first).to_be_visible(timeout=SLOW)
        expect(other.get_by_label("Query", exact=True)).to_have_value(QUERY)
        expect(other.locator(".rr-document h3")).to_have_text(GUIDE)
        expect(rows(other)).to_have_text(again, use_inner_text=True)
        verdict = other.locator(".st-key-gate_verdict .cw-answer")
        expect(verdict).to_have_text(said, timeout=SLOW)  # and the tab of it, once the corpus is indexed


def test_documents_of_ones_own_are_nobody_elses(page, browser, server):
    visit(page, "/data?kind=corpus")
    page.get_by_text("Upload", exact=True).first.click()
    settle(page)
    text = "My diary. <img src=x onerror=alert(1)> I met somebody in the harbour and we spoke about boats."
    page.locator(".st-key-documents input[type=file]").set_input_files(
        files=[
            {"name": "a diary.txt", "mimeType": "text/plain", "buffer": text.encode()},
            {"name": "boats.md", "mimeType": "text/plain", "buffer": b"# Boats\n\nBoats lie in the harbour."},
        ]
    )
    settle(page)
    page.get_by_role("button", name="Load", exact=True).click()
    expect(page.locator(".cw-stats")).to_contain_text("2documents")
    expect(page.get_by_text("<img src=x onerror=alert(1)>").first).to_be_visible()
    with open_context(browser, server) as other:
        stranger = visit(other.new_page(), "/causal_attention?encoder=letters&data=company")
        stranger.get_by_label("Corpus").first.click()
        expect(stranger.get_by_role("option")).to_have_count(2)
