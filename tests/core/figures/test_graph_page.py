import base64
import hashlib
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from film_run import big_run, film_run, hostile_run

from core.figures.cara_view import cara_view
from core.figures.graph_page import graph_page, page_data, policy, vis
from core.figures.graph_view import GraphView, ViewNode


@pytest.fixture
def film_trace():
    return film_run()


@pytest.fixture
def hostile_trace():
    return hostile_run()


ASSETS = Path(__file__).resolve().parents[3] / "assets"
TEMPLATES = sorted(path for path in ASSETS.iterdir() if path.suffix in (".html", ".js", ".css"))


def data_of(html):
    return json.loads(re.search(r'<script type="application/json" id="view">(.*?)</script>', html, re.S).group(1))


def scripts(html):
    return re.findall(r"<script>(.*?)</script>", html, re.S)


def test_no_template_asks_for_anything_outside_or_writes_markup():
    assert {t.name for t in TEMPLATES} >= {"graph.html", "replay.html", "bridge.js", "player.js"}
    for template in TEMPLATES:
        text = template.read_text(encoding="utf-8")
        # the name of a markup language is an address that nobody asks
        assert not re.search(r"https?:(?!//www\.w3\.org/(?:2000/svg|1999/xhtml)\")", text), template.name
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|\|\s*safe", text), (
            template.name
        )
        assert not re.search(r"\bon(click|load|error|input)=", text), template.name


def test_the_page_is_whole_and_fenced(film_trace):
    html = graph_page(cara_view(film_trace))
    assert not re.search(r"<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)=", html)
    fence = re.search(r'Content-Security-Policy" content="([^"]*)"', html).group(1).replace("&#39;", "'")
    assert "default-src 'none'" in fence
    assert "unsafe-eval" not in fence
    for script in scripts(html):
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in fence
    assert len(scripts(html)) == 3
    assert html.count(str(vis())) == 1
    assert "script-src 'unsafe-inline'" not in fence
    assert policy("a") != policy("b")


def test_the_data_survive_the_page(film_trace):
    view = cara_view(film_trace, agents=[0, 2], selected="n:Gladiator", step=(0, 6))
    data = data_of(graph_page(view, theme="dark"))
    assert [f["name"] for f in data["facts"]] == [n.name for n in view.nodes]
    assert [n["x"] for n in data["nodes"]] == [n.x for n in view.nodes]
    assert [(e["from"], e["to"]) for e in data["edges"]] == [(e.source, e.target) for e in view.edges]
    assert data["frames"][5]["caption"] == view.frames[5].caption
    assert [a["shown"] for a in data["agents"]] == [True, False, True]
    assert (data["selected"], data["start"]) == ("n:Gladiator", view.start)
    assert data["colours"]["current"] == "#EF6404"
    assert data["nodes"][0]["color"] == "#4E7FF9"


def test_hostile_names_never_leave_the_data(hostile_trace):
    html = graph_page(cara_view(hostile_trace, selected="n:Alien"), standalone=True)
    assert "<script>alert" not in html
    assert "<img" not in html
    names = {f["name"] for f in data_of(html)["facts"]}
    assert "</script><script>alert(1)</script>" in names
    assert "__proto__" in names
    assert max(map(len, names)) <= 600
    assert max(len(f["label"]) for f in data_of(html)["facts"]) <= 28


def test_a_hostile_title_is_text():
    view = GraphView((ViewNode("a", "A"),), (), title="</title><script>alert(1)</script>", total_nodes=1)
    html = graph_page(view, standalone=True)
    assert "<script>alert" not in html
    assert "&lt;/title&gt;&lt;script&gt;" in html


def test_ids_of_the_data_are_no_keys_of_the_drawing():
    view = GraphView((ViewNode("__proto__", "A"), ViewNode("constructor", "B")), (), total_nodes=2)
    assert [n["id"] for n in page_data(view, "light")["nodes"]] == [0, 1]


def test_frames_are_compact():
    trace = big_run(3, 75, 20)
    view = cara_view(trace)
    assert len(view.frames) == 450
    html = graph_page(view)
    assert len(html) - len(vis()) < 450_000


def test_an_empty_view_is_a_page():
    data = data_of(graph_page(GraphView((), ())))
    assert data["nodes"] == data["edges"] == data["frames"] == []
    assert data["shown"] == "0 nodes"


@pytest.mark.parametrize(("standalone", "heading"), [(True, 1), (False, 0)])
def test_only_a_file_of_its_own_has_a_heading(film_trace, standalone, heading):
    view = replace(cara_view(film_trace), title="A walk")
    assert graph_page(view, standalone=standalone, height=512).count("<h1") == heading
    assert "512px" in graph_page(view, standalone=standalone, height=512)


def test_controls_have_names(film_trace):
    html = graph_page(cara_view(film_trace))
    for part in ("back", "next", "closer", "farther", "slider", "find"):
        tag = re.search(rf'<(?:button|input)[^>]*data-part="{part}"[^>]*>', html).group()
        assert "aria-label=" in tag
    assert 'aria-live="polite"' in html
    assert "prefers-reduced-motion" in html


def test_namesakes_of_two_types_are_told_apart():
    nodes = (
        ViewNode("1", "Misery", "film"),
        ViewNode("2", "Misery", "written work"),
        ViewNode("3", "King Kong", "film"),
    )
    labels = [f["label"] for f in page_data(GraphView(nodes, ()), "light")["facts"]]
    assert labels == ["Misery (film)", "Misery (written work)", "King Kong"]
    long = (ViewNode("1", "M" * 40, "f" * 40), ViewNode("2", "M" * 40, "g"))
    assert [len(f["label"]) for f in page_data(GraphView(long, ()), "light")["facts"]] == [28, 28]
