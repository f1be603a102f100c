"""Data in a real browser: loading a file, two people at once, and names that would like to be more than text."""

import re

import pytest
from conftest import open_context, settle, visit
from playwright.sync_api import expect

pytestmark = pytest.mark.browser
HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(2)</script>",
    '<a href="javascript:alert(3)">click</a>',
    "![picture](http://outside.example/a.png)",
    "[link](javascript:alert(4)) **bold** $x^2$ :material/home:",
    "\u202eright to left \u05e9\u05dc\u05d5\u05dd",
    "quote\" and 'quote' & <b>bold</b>",
    "long " * 2000,
]


def upload(page, name, text):
    """Load a file on the Data page."""
    visit(page, "/data")
    page.get_by_role("radio", name="Upload").or_(page.get_by_text("Upload", exact=True)).first.click()
    settle(page)
    page.get_by_test_id("stFileUploader").locator("input[type=file]").set_input_files(
        files=[{"name": name, "mimeType": "text/csv", "buffer": text.encode()}]
    )
    settle(page)
    page.get_by_role("button", name="Load", exact=True).click()
    settle(page)


def test_a_csv_is_loaded_and_looked_around_in(page):
    rows = ["source,relation,target", "Ada,knows,Ben", "Ben,knows,Cid", "Cid,likes,Ada", "Cid"]
    upload(page, "people.csv", "\n".join(rows))
    expect(page.locator(".cw-chips")).to_contain_text("people")
    expect(page.locator(".cw-stats")).to_contain_text("3nodes")
    expect(page.locator(".cw-stats")).to_contain_text("1rejected line")
    frame = page.frame_locator('iframe[title="A neighbourhood"]')
    expect(frame.locator("[data-part=shown]")).to_contain_text("3 nodes")
    page.get_by_label("Search nodes").fill("Ben")
    page.get_by_label("Search nodes").press("Enter")
    settle(page)
    found = page.get_by_role("tabpanel").get_by_test_id("stDataFrame")
    expect(found.locator("canvas").first).to_be_visible()


def test_a_file_over_the_limit_is_refused_before_it_is_read(page, tmp_path):
    big = tmp_path / "big.csv"
    big.write_bytes(b"x" * (50 * 1024**2 + 1))
    visit(page, "/data")
    page.get_by_text("Upload", exact=True).first.click()
    settle(page)
    page.get_by_test_id("stFileUploader").locator("input[type=file]").set_input_files(big)
    expect(page.get_by_test_id("stFileUploader")).to_contain_text("File must be 50.0MB or smaller")


def test_two_people_see_nothing_of_each_other(page, browser, server):
    upload(page, "diary.csv", "source,relation,target\nme,met,somebody\nme,saw,something\n")
    expect(page.locator(".cw-chips")).to_contain_text("diary")
    page.get_by_test_id("stTopNavLink").get_by_text("CARA", exact=True).click()
    settle(page)
    page.get_by_role("button", name="Settings").click()
    page.get_by_label("Method").click()
    page.get_by_role("option", name="BM25", exact=True).click()  # it needs no encoder
    settle(page)
    page.keyboard.press("Escape")
    page.get_by_label("Question").fill("Who was met by me?")
    page.get_by_label("Question").press("Enter")
    expect(page.get_by_test_id("stTabs").first).to_be_visible()
    with open_context(browser, server) as other:
        stranger = visit(other.new_page(), "/")
        expect(stranger.get_by_text("Recent runs")).to_be_visible()
        expect(stranger.get_by_text("Who was met by me?")).to_have_count(0)
        visit(stranger, "/data")
        expect(stranger.get_by_text("diary")).to_have_count(0)
        visit(stranger, "/cara")
        stranger.get_by_label("Data").first.click()
        expect(stranger.get_by_role("option", name=re.compile("Films"))).to_be_visible()
        expect(stranger.get_by_role("option", name=re.compile("diary"))).to_have_count(0)
    again = visit(page.context.new_page(), "/")  # the same browser finds its own run again, in a new session
    expect(again.get_by_text("Who was met by me?")).to_be_visible()


def test_hostile_names_are_shown_as_text(page):
    def cell(text):
        return '"' + text.replace('"', '""') + '"'

    rows = ["source,relation,target"] + [f"hub,{cell('rel ' + HOSTILE[1])},{cell(name)}" for name in HOSTILE]
    upload(page, "<img src=x onerror=alert(5)>.csv", "\n".join(rows))
    expect(page.locator(".cw-stats")).to_contain_text(f"{len(HOSTILE) + 1}nodes")
    for tab in ("Types and relations", "Schema", "Reader's report", "Look around"):
        page.get_by_role("tab", name=tab).click()
        settle(page)
    page.get_by_label("Search nodes").fill("onerror picture link click")
    page.get_by_label("Search nodes").press("Enter")
    settle(page)
    visit(page, "/data?node=" + "%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E")
    page.get_by_test_id("stTopNavLink").get_by_text("CARA", exact=True).click()
    settle(page)
    expect(page.get_by_test_id("stException")).to_have_count(0)
    # The page's watch checks, at its end, that no dialog opened and nothing outside was asked for.


def test_a_hostile_trace_is_shown_as_text(page, tmp_path):
    import made

    nodes = [(i, f"{name} {HOSTILE[n % 6]}", kind, HOSTILE[n % 7]) for n, (i, name, kind, _) in enumerate(made.NODES)]
    graph = made.graph(nodes, [(s, f"{r} {HOSTILE[1]}", t) for s, r, t in made.EDGES], name=HOSTILE[0])
    from core.cara.retriever import CaraRetriever

    trace = CaraRetriever(graph, made.Minds()).run(HOSTILE[3] + HOSTILE[4], {"agents": 3})
    file = tmp_path / "hostile.json"
    file.write_text(trace.to_json())
    visit(page, "/cara")
    page.get_by_text("Open a trace file").click()
    page.locator(".st-key-trace_file input[type=file]").set_input_files(file)
    expect(page.locator(".cw-answer").first).to_contain_text("Ivo Brandt")
    for tab in ("What if", "Judgements", "Fusion", "Cost", "How this was decided"):
        page.get_by_role("tab", name=tab).click()
        settle(page)
    expect(page.locator(".cw-why")).to_contain_text("Ivo Brandt ![picture](http://outside.example/a.png)")
    expect(page.locator(".cw-why")).to_contain_text("</script><script>alert(2)</script>")
    expect(page.locator(".cw-chips")).to_contain_text("<img src=x onerror=alert(1)>")
    visit(page, "/")
    expect(page.get_by_text("![picture](http://outside.example/a.png)").first).to_be_visible()
