"""Connect a model, without a browser: what the dialog says of servers that are there, are not, or lie; whose key goes
where; and that a model decides when it was connected and Run was pressed.
"""

import time

import made
import pytest
from conftest import ROOT
from lying_server import LyingServer
from scripted_model import scripted
from streamlit.testing.v1 import AppTest
from test_apptest_pages import finish, open_page, warm_server, words  # noqa: F401

import core.llm.client
from core.graph.readers import read_upload
from core.llm.client import NO_KEY
from core.llm.structured import forget_rungs
from core.store import Store
from pages.shared import datasets, model
from pages.shared.datasets import Dataset

KEY = "sk-secret-7"
NODES = (
    "id,name,type,text\na,Alien,film,A crew.\ns,Ridley Scott,person,A director.\nw,Sigourney Weaver,person,Acts.\n"
    "b,South Shields,town,By the sea.\n"
)
EDGES = "source,target,type\na,s,directed by\na,w,stars\ns,b,born in\n"


@pytest.fixture(autouse=True)
def quick_and_forgetful(monkeypatch):
    monkeypatch.setattr(core.llm.client, "FIRST_WAIT", 0.01)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    forget_rungs()


def answers(body):
    """The scripted model, which also passes the panel's test."""
    return {"city": "Paris"} if len(body["messages"]) == 1 else scripted(body)


def open_panel(page="home", **address):
    at = open_page(page, **address)
    return press(at, "connect_model")


def press(at, key):
    at.button(key=key).click().run()
    deadline = time.monotonic() + 60
    while "model_stop" in [b.key for b in at.button]:
        assert time.monotonic() < deadline
        at.run()
    assert not at.exception
    return at


def fill(at, url, key="", name="", timeout=5.0):
    at.text_input(key="model_url").input(url)
    at.text_input(key="model_key").input(key)
    at.number_input(key="model_timeout").set_value(timeout)
    if name:
        at.text_input(key="model_name").input(name)
    return at


def is_open(at):
    return "model_use" in [b.key for b in at.button]


def connected(at):
    return at.session_state._state._state.filtered_state.get(model.CONNECTED)


@pytest.mark.parametrize("page", ["home", "data", "cara"])
def test_the_panel_opens_from_each_page_and_asks_for_what_is_missing(page):
    at = open_panel(page)
    assert "Decisions</span><b>offline policy" in words(at)
    press(at, "model_use")
    assert "Where is the server?" in words(at)
    fill(at, "127.0.0.1:1")
    press(at, "model_test")
    assert "Which model is it?" in words(at)
    assert at.text_input(key="model_url").value == "http://127.0.0.1:1/v1"
    assert connected(at) is None


@pytest.mark.parametrize(
    ("url", "said"),
    [("no address", "no web address"), ("http://me:word@host/v1", "Put the key into its own field"),
     ("http://127.0.0.1:1", "cannot be reached")],
)  # fmt: skip
@pytest.mark.parametrize("button", ["model_list", "model_test"])
def test_a_wrong_address_is_told_and_what_was_typed_stays(url, said, button):
    at = press(fill(open_panel(), url, KEY, "tiny"), button)
    assert said in words(at)
    assert is_open(at)
    assert at.text_input(key="model_name").value == "tiny"
    assert KEY not in words(at)


def test_the_servers_models_are_listed_one_is_chosen_and_used():
    with LyingServer(answers=answers) as server:
        at = press(fill(open_panel(), server.url, KEY), "model_list")
        assert "The server offers 1 model" in words(at)
        assert (at.selectbox(key="model_name").options, at.selectbox(key="model_name").value) == (["tiny"], "tiny")
        press(at, "model_test")
        assert "<b>It works.</b>" in words(at)
        assert server.keys == [f"Bearer {KEY}"]
    press(at, "model_use")
    assert not is_open(at)
    assert "Decisions</span><b>tiny at 127.0.0.1" in words(at)
    at.switch_page("pages/data.py").run()
    assert "Decisions</span><b>tiny at 127.0.0.1" in words(at)
    press(at, "connect_model")
    press(at, "model_back")
    assert "Decisions</span><b>offline policy" in words(at)
    assert connected(at) is None


@pytest.mark.parametrize(
    ("lie", "said"),
    [
        ("html", "web page instead of a reply"),
        ("429", "The server is busy or the quota is used up"),
        ("hang", "No reply within 0.5 seconds. Raise the time-out"),
        ("prose", "none usable"),
        ("null choices", "holds no choice"),
        ("500", "HTTP 500"),
    ],
)
def test_a_lying_server_gets_a_readable_verdict(lie, said):
    with LyingServer(lie) as server:
        timeout = 0.5 if lie == "hang" else 5.0
        at = press(fill(open_panel(), server.url, KEY, "tiny", timeout), "model_test")
    assert "<b>Not yet.</b>" in words(at)
    assert said.casefold() in words(at).casefold()
    assert KEY not in words(at)


def test_a_refused_key_is_told():
    with LyingServer(answers=answers) as server:
        server.reply = lambda handler, lie, body: handler.send(401, '{"error": {"message": "bad key"}}')
        at = press(fill(open_panel(), server.url, KEY, "tiny"), "model_test")
    assert "HTTP 401" in words(at)
    assert "Check the key." in words(at)


def test_the_key_leaves_its_field_and_prints_as_asterisks():
    with LyingServer(answers=answers) as server:
        at = press(fill(open_panel(), server.url, KEY, "tiny"), "model_test")
        assert at.text_input(key="model_key").value == ""
        assert "kept in this session&#x27;s memory alone" in words(at)
        press(at, "model_use")
    held = at.session_state._state._state.filtered_state  # what the session holds, widgets and all
    assert held[model.CONNECTED].key.secret.get_secret_value() == KEY
    assert KEY not in repr(held)


def test_a_key_is_sent_to_no_other_server_than_the_one_it_was_typed_for():
    with LyingServer(answers=answers) as first, LyingServer(answers=answers) as second:
        at = press(fill(open_panel(), first.url, KEY, "tiny"), "model_test")
        press(fill(at, second.url), "model_test")
        assert f"The key you typed is for {first.url.removesuffix('/v1')}" in words(at)
        press(at, "model_use")
    assert (first.keys, second.keys) == ([f"Bearer {KEY}"], [f"Bearer {NO_KEY}"])
    assert connected(at).key is None


def test_a_key_can_be_forgotten():
    with LyingServer(answers=answers) as server:
        at = press(fill(open_panel(), server.url, KEY, "tiny"), "model_test")
        press(at, "model_forget")
        press(at, "model_test")
    assert server.keys == [f"Bearer {KEY}", f"Bearer {NO_KEY}"]


def test_the_environments_key_is_used_and_never_shown(monkeypatch):
    with LyingServer(answers=answers) as server:
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        at = open_panel()
        assert at.text_input(key="model_url").value == server.url
        assert "A key from the environment is used" in words(at)
        press(fill(at, server.url, name="tiny"), "model_test")
        assert server.keys == [f"Bearer {KEY}"]
        press(fill(at, server.url, "sk-other-8", "tiny"), "model_test")
        assert server.keys[1] == "Bearer sk-other-8"
    assert KEY not in words(at)


def test_on_a_shared_server_the_environments_key_goes_to_its_own_server_alone(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setattr("pages.shared.state.is_local", lambda: False)
    with LyingServer(answers=answers) as theirs, LyingServer(answers=answers) as ours:
        monkeypatch.setenv("OPENAI_BASE_URL", ours.url)
        at = press(fill(open_panel(), theirs.url, name="tiny"), "model_test")
        assert "A key from the environment" not in words(at)
        press(fill(at, ours.url, name="tiny"), "model_test")
    assert (theirs.keys, ours.keys) == ([f"Bearer {NO_KEY}"], [f"Bearer {KEY}"])
    monkeypatch.delenv("OPENAI_BASE_URL")
    assert model.environment_key_fits("https://api.openai.com/v1")
    assert not model.environment_key_fits("https://api.openai.com.evil.example/v1")


def use_model(at, url):
    press(at, "connect_model")
    fill(at, url, KEY, "tiny")
    at.number_input(key="model_price_prompt").set_value(1.0)
    at.checkbox(key="model_keep").check()
    return press(at, "model_use")


def on_alien(**address):
    """The CARA page with a graph of one's own, on which the scripted model knows its way."""
    return on_graph("cara", "who directed Alien?", **address)


def on_graph(page, question, **address):
    """A page with the question, and the graph as one's own."""
    at = AppTest.from_file(ROOT / "app.py", default_timeout=120)
    loaded = read_upload({"nodes.csv": NODES.encode(), "edges.csv": EDGES.encode()}, name="alien")
    own = Dataset(loaded.graph.content_id, "alien", loaded, is_sample=False)
    at.session_state[datasets.OWN] = {own.key: own}
    at.session_state[datasets.CURRENT] = own.key
    at.switch_page(f"pages/{page}.py")
    for key, value in {"q": question, **address}.items():
        at.query_params[key] = value
    at.run()
    assert not at.exception
    return at


def test_a_run_is_bounded_before_decided_by_the_model_counted_after_and_made_again_from_its_replies():
    with LyingServer(answers=answers) as server:
        at = use_model(on_alien(), server.url)
        assert "At most 901 calls" in words(at)
        press(at, "smaller_budget")
        assert "At most 73 calls" in words(at)
        assert server.requests == []  # nothing was asked so far
        finish(press(at, "run_button"))
        asked = len(server.requests)
        run_id = at.query_params["run"]
    assert "Ridley Scott directed Alien." in words(at)
    assert "Decisions</span><b>tiny at 127.0.0.1" in words(at)
    assert "cw-talk" in words(at)
    assert "Candidates: handle: name (type)" in words(at)
    at.query_params["tab"] = "Cost"
    at.run()
    assert f"{asked} calls, {16 * asked} tokens" in words(at)
    press(at, "replay")  # the server is gone
    finish(at)
    assert at.query_params["run"] != run_id
    assert "Decisions</span><b>tiny, recorded" in words(at)
    again, first = (Store().load(r) for r in (at.query_params["run"], run_id))
    assert [r.id for r in again.ranked] == [r.id for r in first.ranked] == ["s"]
    assert again.answer.text == first.answer.text


def test_deleting_a_run_deletes_its_replies(private_home):
    with LyingServer(answers=answers) as server:
        at = use_model(on_alien(), server.url)
        finish(press(at, "run_button"))
    run_id = at.query_params["run"]
    kept = private_home / "recordings" / f"{run_id}.sqlite"
    assert kept.is_file()
    at.switch_page("pages/home.py").run()
    press(at, f"delete_{run_id}")
    assert list(kept.parent.iterdir()) == []


def test_a_link_that_asks_to_run_waits_for_run_while_a_model_is_connected():
    with LyingServer(answers=answers) as server:
        at = use_model(open_page("cara", data="films"), server.url)
        press(at, "example_1")
        assert "run" not in at.query_params
        assert "Press Run to ask this" in words(at)
        assert "At most" in words(at)
        assert at.text_input(key="q").value
    assert server.requests == []


def test_a_method_that_asks_no_model_says_so():
    with LyingServer(answers=answers) as server:
        at = use_model(on_alien(method="BM25"), server.url)
        assert "BM25 asks no model" in words(at)
        finish(press(at, "run_button"))
    assert server.requests == []
    assert "tiny" not in Store().load(at.query_params["run"]).decided_by


def test_a_run_whose_replies_cannot_be_used_is_kept_and_says_so():
    with LyingServer("prose") as server:
        at = use_model(on_alien(agents="1", budget="2"), server.url)
        finish(press(at, "run_button"))
    assert "2 of 4 steps failed" in words(at)
    press(at, "go_to_failed")
    assert (at.query_params["agent"], at.query_params["step"]) == ("0", "2")
    assert "I would rather talk about the weather." in words(at)


def test_a_demo_is_a_copy_on_home_that_stays_when_the_run_goes():
    Store().save(made.trace(), run_id="made1")
    at = press(open_page("cara", run="made1"), "keep_demo")
    assert "This run is a demo on Home" in words(at)
    [demo] = Store().list(label="demo")
    at.switch_page("pages/home.py").run()
    press(at, "delete_made1")
    assert "decided by a script" in words(at)
    press(at, f"undemo_{demo.run_id}")
    assert Store().list() == []


def test_on_a_shared_server_a_demo_is_its_browsers_own(monkeypatch):
    Store().save(made.trace(), label="demo", run_id="everyones")
    Store().save(made.trace(), label="demo somebody else", run_id="theirs")
    monkeypatch.setattr("pages.shared.state.is_local", lambda: False)
    at = open_page("home")
    assert "decided by a script" in words(at)
    assert [b.key for b in at.button if (b.key or "").startswith("undemo")] == []
    other = made.trace().model_copy(update={"question": "Another?"})
    Store().save(other, label=f"browser {at.session_state['browser']}", run_id="mine")
    at.switch_page("pages/cara.py")
    at.query_params["run"] = "mine"
    press(at.run(), "keep_demo")
    at.switch_page("pages/home.py").run()
    assert len([b for b in at.button if (b.key or "").startswith("undemo")]) == 1
    assert [d.run_id for d in Store().list(label="demo")] == ["everyones"]
