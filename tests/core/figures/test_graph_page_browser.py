"""Graph pages and replay files as a browser shows them: alone, from a file, with nothing to ask anybody for."""

import base64
import re
from pathlib import Path

import pytest
from film_run import big_run, film_run, hostile_run
from pointing import place_of

from core.figures.cara_view import cara_view
from core.figures.graph_page import graph_page
from core.figures.replay import replay_html

ASSETS = Path(__file__).resolve().parents[3] / "assets"
pytestmark = pytest.mark.browser


class Opened:
    """A page opened from a file, and what it did that it should not."""

    def __init__(self, browser, folder, **options):
        self.folder = folder
        self.context = browser.new_context(viewport={"width": 1200, "height": 700}, **options)
        self.requests, self.dialogs, self.faults = [], [], []
        self.context.on("request", lambda r: self.requests.append(r.url))
        self.context.on("dialog", lambda d: (self.dialogs.append(d.message), d.dismiss()))
        self.context.on("weberror", lambda e: self.faults.append(str(e.error)))
        self.context.on("console", lambda m: self.faults.append(m.text) if m.type in ("error", "warning") else None)

    def open(self, html, name="page.html"):
        path = self.folder / name
        path.write_text(html, encoding="utf-8")
        page = self.context.new_page()
        page.goto(path.as_uri())
        until(page, "window.causeway !== undefined || document.querySelector('iframe')")
        return page

    def check(self):
        assert [r for r in self.requests if not r.startswith(("file:", "about:", "data:"))] == []
        assert self.dialogs == []
        assert self.faults == []


@pytest.fixture
def opened(browser, tmp_path):
    made = Opened(browser, tmp_path, reduced_motion="reduce")
    yield made
    made.context.close()
    made.check()


def until(page, script):
    """Wait until `script` is true. Playwright's own waiting evaluates text inside the page, which the page forbids."""
    for _ in range(1200):  # a minute, on a machine that may be busy
        if page.evaluate(script):
            return
        page.evaluate("new Promise((done) => setTimeout(done, 50))")
    raise AssertionError(f"never came true: {script}")


def said(page):
    return page.locator('[data-part="said"]').inner_text()


def groups(page):
    return page.evaluate("causeway.state.group.slice()")


def test_stepping_by_buttons_slider_and_keys(opened):
    trace = film_run()
    view = cara_view(trace, step=(0, 1))
    page = opened.open(graph_page(view))
    assert said(page) == view.frames[0].caption
    page.get_by_role("button", name="Next step").click()
    assert said(page) == view.frames[1].caption
    page.get_by_label("Step", exact=True).fill("15")
    assert said(page) == view.frames[15].caption
    assert page.locator('[data-part="count"]').inner_text() == f"16 of {len(view.frames)}"
    page.locator('[data-part="stage"]').focus()
    page.keyboard.press("ArrowLeft")
    assert said(page) == view.frames[14].caption
    page.get_by_role("button", name="Back one step").click()
    assert said(page) == view.frames[13].caption
    page.get_by_label("Step", exact=True).fill("0")
    assert page.get_by_role("button", name="Back one step").is_disabled()


def test_what_a_node_is_follows_from_the_frames(opened):
    view = cara_view(film_run(), step=(0, 5))
    at = {node.name: i for i, node in enumerate(view.nodes)}
    page = opened.open(graph_page(view))
    now = groups(page)
    assert now[at["Ridley Scott"]] == "current"
    assert now[at["Alien"]] == "visited"
    assert now[at["Gladiator"]] == "candidate"
    assert now[at["Hampton Fancher"]] == "idle"
    assert page.evaluate(f"causeway.state.score[{at['Gladiator']}]") == -1
    page.get_by_role("button", name="Next step").click()  # another agent's step
    page.evaluate("causeway.goTo(0, 6)")
    score = page.evaluate(f"causeway.state.score[{at['Gladiator']}]")
    assert score == next(
        s
        for f in view.frames
        if (f.agent, f.index) == (0, 6)
        for c, s in zip(f.candidates, f.scores, strict=True)
        if c == at["Gladiator"]
    )
    page.get_by_label("Step", exact=True).fill(str(len(view.frames) - 1))
    assert groups(page)[at["Hampton Fancher"]] == "answer"
    page.evaluate("causeway.goTo(1, 10)")  # weighed by the first agent before, hollow again for the second
    assert page.evaluate(f"causeway.state.score[{at['Harrison Ford']}]") == -1
    page.evaluate("causeway.goTo(0, 5)")  # stepping back takes things back
    assert groups(page) == now


def test_an_agent_switched_off_leaves_no_trace_and_is_stepped_over(opened):
    view = cara_view(film_run(), step=(0, 1))
    at = {node.name: i for i, node in enumerate(view.nodes)}
    page = opened.open(graph_page(view))
    page.evaluate("causeway.showFrame(44)")
    assert groups(page)[at["Drew Goddard"]] == "answer"  # found by the third agent alone
    page.get_by_role("button", name="Agent 3").click()
    assert groups(page)[at["Drew Goddard"]] == "idle"
    page.evaluate("causeway.goTo(1, 1)")
    page.get_by_role("button", name="Next step").click()
    assert said(page).startswith("Agent 1, step 2")
    page.get_by_role("button", name="Agent 3").click()
    page.evaluate("causeway.goTo(1, 1)")
    page.get_by_role("button", name="Next step").click()
    assert said(page).startswith("Agent 3, step 1")


def test_playing_runs_to_the_end_in_the_browser(opened):
    view = cara_view(film_run(), step=(1, 15))
    page = opened.open(graph_page(view))
    page.clock.install()
    left = len(view.frames) - 1 - view.start
    assert left >= 2
    page.get_by_role("button", name="Play").click()
    page.clock.run_for(700)
    assert said(page) == view.frames[view.start + 1].caption
    page.clock.run_for(700 * left)
    assert said(page) == view.frames[-1].caption
    assert page.locator('[data-part="play"]').inner_text() == "Play"


def test_labels_never_cover_each_other(opened):
    for trace in (film_run(), big_run(3, 20, 20)):
        page = opened.open(graph_page(cara_view(trace)))
        until(page, "causeway.labels().length > 0")
        boxes = [entry["box"] for entry in page.evaluate("causeway.labels()")]
        assert len(boxes) >= 15
        for i, a in enumerate(boxes):
            for b in boxes[i + 1 :]:
                assert not (a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3])


def test_the_legend_hides_and_counts(opened):
    view = cara_view(film_run(), step=(0, 6))
    page = opened.open(graph_page(view))
    button = page.get_by_role("button", name=re.compile("candidate"))
    assert int(button.locator("b").inner_text()) == groups(page).count("candidate") > 0
    button.click()
    hidden = page.evaluate("causeway.nodes.get().filter((node) => node.hidden).map((node) => node.id)")
    assert hidden == [i for i, group in enumerate(groups(page)) if group == "candidate"]
    button.click()
    assert page.evaluate("causeway.nodes.get().every((node) => !node.hidden)")


def test_a_click_selects_and_a_search_finds(opened):
    view = cara_view(film_run(), step=(0, 6))
    page = opened.open(graph_page(view))
    page.mouse.click(**place_of(page, "n:Gladiator"))
    until(page, "causeway.selectedId() === 'n:Gladiator'")
    page.get_by_label("Find a node by name").fill("prometh")
    page.keyboard.press("Enter")
    assert page.evaluate("causeway.selectedId()") == "n:Prometheus"


def test_the_drawing_downloads_as_a_picture(opened, tmp_path):
    page = opened.open(graph_page(cara_view(film_run(), step=(0, 6))))
    with page.expect_download() as download:
        page.get_by_role("button", name="PNG").click()
    path = tmp_path / download.value.suggested_filename
    download.value.save_as(path)
    data = path.read_bytes()
    assert (path.name, data[:4]) == ("graph.png", b"\x89PNG")
    assert len(data) > 10_000  # nodes, links and labels, not an empty ground


def test_hostile_names_are_shown_as_text(opened):
    page = opened.open(graph_page(cara_view(hostile_run(), step=(0, 6)), standalone=True))
    page.set_viewport_size({"width": 1200, "height": 800})  # room for the labels looked for below
    until(page, "causeway.labels().length > 0")
    tip = page.get_by_role("tooltip")
    for _ in range(60):  # the drawing may still be fitted to its new size, and the node move away
        at = place_of(page, "n:Ridley Scott")
        page.mouse.move(at["x"] - 60, at["y"] - 60)
        page.mouse.move(at["x"], at["y"], steps=6)
        page.wait_for_timeout(300)
        if tip.is_visible():
            break
    tip.wait_for()
    assert '<img src=x onerror="alert(2)">' in tip.inner_text()
    assert tip.locator("img, a, script").count() == 0
    assert "<img src=x" in said(page)
    labels = [entry["text"] for entry in page.evaluate("causeway.labels()")]
    assert any(text.startswith("</script><script>") for text in labels)


def test_even_a_script_that_got_in_would_not_run(opened):
    html = graph_page(cara_view(film_run())).replace("</body>", "<script>window.ran = 1; alert(9)</script></body>")
    page = opened.open(html)
    assert page.evaluate("window.ran") is None
    assert any("Content Security Policy" in fault for fault in opened.faults)
    opened.faults.clear()


PARENT = """<!doctype html><iframe width=1100 height=640 srcdoc="{page}"></iframe><script>
window.heard = [];
window.state = {{}};
addEventListener("message", (e) => {{ if (e.source === frames[0]) heard.push(e.data); }});
const place = document.body.appendChild(document.createElement("div"));
let unmount = () => {{}};
window.mount = async (data) => {{
  const {{ default: bridge }} = await import("data:text/javascript;base64,{bridge}");
  unmount();
  unmount = bridge({{ data, parentElement: place, setStateValue: (name, value) => {{ state[name] = value; }} }});
}};
</script>"""


@pytest.fixture
def framed(opened):
    """A page with the graph in a frame, as the app has it, and the bridge beside it: (page, frame)."""
    inner = graph_page(cara_view(film_run(), step=(0, 6))).replace("&", "&amp;").replace('"', "&quot;")
    bridge = base64.b64encode((ASSETS / "bridge.js").read_bytes()).decode()
    path = opened.folder / "parent.html"
    path.write_text(PARENT.format(page=inner, bridge=bridge), encoding="utf-8")
    # A page from a file has no origin to check, so the two talk at an address that the test itself answers.
    here = "http://causeway.test/"
    opened.context.route(here, lambda route: route.fulfill(path=path, content_type="text/html; charset=utf-8"))
    page = opened.context.new_page()
    page.goto(here)
    until(page, "heard.some((m) => m.causeway === 'ready')")
    yield page, page.frames[1]
    opened.requests = [r for r in opened.requests if r != here]


def click_node(page, frame, node):
    at, box = place_of(frame, node), page.locator("iframe").bounding_box()
    page.mouse.click(box["x"] + at["x"] + 2, box["y"] + at["y"] + 2)


def a_while(frame):
    frame.evaluate("new Promise((done) => setTimeout(done, 80))")


def test_a_frame_tells_its_page_what_was_chosen(framed):
    page, frame = framed
    click_node(page, frame, "n:Gladiator")
    until(page, "heard.some((m) => m.causeway === 'node' && m.id === 'n:Gladiator')")
    frame.get_by_role("button", name="Next step").click()
    until(page, "heard.some((m) => m.causeway === 'step' && m.agent === 1 && m.index === 6)")
    a_while(frame)
    assert page.evaluate("heard.filter((m) => m.causeway === 'step').length") == 1


def test_a_frame_obeys_its_page_and_no_stranger(framed):
    page, frame = framed
    page.evaluate("frames[0].postMessage({causeway: 'show', node: 'n:Prometheus', step: [0, 4]}, location.origin)")
    until(frame, "causeway.selectedId() === 'n:Prometheus'")
    assert frame.evaluate("[causeway.frame().agent, causeway.frame().index]") == [0, 4]
    frame.evaluate("postMessage({causeway: 'show', node: 'n:Legend'}, '*')")  # not from the parent
    a_while(frame)
    assert frame.evaluate("causeway.selectedId()") == "n:Prometheus"
    assert page.evaluate("heard.filter((m) => m.causeway !== 'ready')") == []  # obeying is not choosing


def test_the_bridge_carries_choices_both_ways_and_does_not_pull_back(framed):
    page, frame = framed
    page.evaluate("mount({node: 'n:Legend', step: [0, 5]})")
    until(frame, "causeway.selectedId() === 'n:Legend' && causeway.frame().index === 5")
    click_node(page, frame, "n:Gladiator")
    until(page, "state.node === 'n:Gladiator'")
    for _ in range(3):
        frame.get_by_role("button", name="Next step").click()
    until(page, "state.step?.agent === 0 && state.step.index === 6")
    page.evaluate("mount({node: 'n:Gladiator', step: [1, 5]})")  # a rerun's late echo of the first of the three
    a_while(frame)
    assert frame.evaluate("[causeway.frame().agent, causeway.frame().index]") == [0, 6]
    page.evaluate("postMessage({causeway: 'node', id: 'n:Avatar'}, location.origin)")  # not from a frame
    a_while(frame)
    assert page.evaluate("state.node") == "n:Gladiator"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_replay_file_explains_a_score_and_lights_citations(opened, theme):
    trace = film_run()
    page = opened.open(replay_html(trace, theme))
    page.get_by_role("button", name="Show evidence 1, Hampton Fancher").click()
    card = page.locator("#why")
    assert "Hampton Fancher" in card.inner_text()
    assert re.search(r"s = α·cau \+ \(1 − α\)·p = 0\.50 × 0\.\d\d \+ 0\.50 × 0\.\d\d = 0\.\d\d", card.inner_text())
    assert "Blade Runner → written by → Hampton Fancher" in card.inner_text()
    assert card.locator("mark").count() > 0
    page.locator("#steps").get_by_role("button", name=re.compile("weighed the 11 neighbours")).first.click()
    assert said(page).startswith("Agent 1, step 6")
    assert page.locator("#candidates tbody tr").count() == 11
    page.locator("#candidates").get_by_role("button", name="Gladiator").click()
    assert page.locator("#candidates tr.chosen").inner_text().split("\t")[1] == "Gladiator"
    assert "Gladiator → directed by → Ridley Scott" in card.inner_text()
    assert page.locator("#steps tr.now").count() == 1


def test_a_hostile_replay_file_runs_nothing(opened):
    page = opened.open(replay_html(hostile_run()))
    for step in (6, 8):
        page.evaluate(f"causeway.goTo(0, {step})")
        for button in page.locator("#candidates tbody button").all():
            button.click()
            assert page.locator("#why dl").count() == 1
    assert "<script>alert('q')</script>" in page.locator("h1").inner_text()
    assert page.locator("#why img, #candidates img, main script").count() == 0


def test_long_runs_step_within_a_beat(opened):
    page = opened.open(graph_page(cara_view(big_run(3, 75, 20))))
    assert page.locator('[data-part="shown"]').inner_text() == "300 of 4,501 nodes shown"
    page.evaluate("for (let i = 0; i < 450; i += 9) causeway.showFrame(i); causeway.showFrame(449)")
    assert said(page).startswith("Agent 3, step 150")


def test_pages_fit_narrow_windows(opened):
    page = opened.open(graph_page(cara_view(film_run()), standalone=True))
    page.set_viewport_size({"width": 400, "height": 700})
    until(page, "document.documentElement.scrollWidth <= innerWidth")
    assert page.get_by_role("button", name="Play").is_visible()
