"""The causal-attention page and the corpora of the Data page without a browser; "letters" encodes: it loads nothing."""

import json
import re
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar

import made
import pytest
import streamlit as st
from conftest import ROOT
from lying_server import LyingServer
from streamlit.runtime.pages_manager import PagesManager
from streamlit.testing.v1 import AppTest

import core.llm.client
from core.causal_attention.steps import RankingStep, ReadQuery
from core.errors import EncoderError
from core.llm.endpoint import Endpoint
from core.llm.structured import forget_rungs
from core.store import Store
from core.text.embedding import get_encoder
from pages.shared import corpus_engine, model
from pages.shared.model import Connection

EXPENSES = "How do I get my travel expenses reimbursed?"
RIGHT = "Getting your money back after a trip"
PAGE = "causal_attention"


@pytest.fixture(autouse=True)
def warm_server(monkeypatch):
    """A server that has run app.py before, and has nothing cached from an earlier test."""
    st.cache_resource.clear()
    make = PagesManager.__init__

    def made_before(self, *args, **kwargs):
        make(self, *args, **kwargs)
        PagesManager.uses_pages_directory = False

    monkeypatch.setattr(PagesManager, "__init__", made_before)


def open_page(name, theme="light", browser="", **address):
    """Open a page by its link, and wait until no job is watched."""
    at = AppTest.from_file(ROOT / "app.py", default_timeout=120)
    at.context["theme"] = theme
    if browser:
        at.session_state["browser"] = browser
    if name != "home":
        at.switch_page(f"pages/{name}.py")
    for key, value in address.items():
        at.query_params[key] = value
    return wait(at.run())


def wait(at, seconds=200):
    """Rerun the page until its jobs and its run are over."""
    deadline = time.monotonic() + seconds
    assert not at.exception
    while any(b.key in ("stop_index", "stop_opening", "stop_button") for b in at.button):
        assert time.monotonic() < deadline
        time.sleep(0.05)
        at.run()
        assert not at.exception
    return at


def words(at):
    """All HTML that the page wrote, as one text."""
    return "\n".join(e.proto.body for e in at.get("html") if "<style>" not in e.proto.body)


def ask(at, query):
    """Ask it, and wait for the ranking."""
    at.text_input(key="query").input(query)
    return wait(at.button(key="run_button").click().run())


def upload(at, **files):
    """Load documents on the Data page."""
    at.segmented_control(key="corpus_source").set_value("Upload").run()
    sent = [(name.replace("__", "."), data, "application/octet-stream") for name, data in files.items()]
    at.file_uploader(key="documents").set_value(sent).run()
    return wait(at.button(key="load_documents").click().run())


def keys(at):
    return [b.key for b in at.button]


# --- asking --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_suggestion_becomes_a_stored_run_that_home_lists_and_leads_to(theme):
    at = open_page(PAGE, theme, data="company", encoder="letters")
    assert EXPENSES in words(at)
    wait(at.button(key="example_0").click().run())
    trace = Store().load(at.query_params["run"])
    assert (trace.method, trace.question, trace.status) == ("causal-attention", EXPENSES, "finished")
    assert {s.mode for s in trace.steps if isinstance(s, RankingStep)} >= {"baseline", "exact", "semantic", "hybrid"}
    assert at.query_params["q"] == EXPENSES
    assert "cosines of" in words(at)
    at.switch_page("pages/home.py").run()
    links = [link.proto for link in at.get("page_link")]
    mine = next(link for link in links if EXPENSES in link.label.replace("\\", ""))
    assert mine.page == PAGE
    at.switch_page(f"pages/{PAGE}.py").run()
    assert at.query_params["run"] == trace.run_id  # a page switch loses nothing


def test_one_can_guess_before_a_ranking_was_ever_seen():
    at = open_page(PAGE, data="company", encoder="letters")
    wait(at.button(key="guess_0").click().run())
    assert at.query_params["guess"] == "1"
    assert "Which of these documents answers best?" in words(at)
    assert "cosines of" in words(at)
    assert not at.slider
    ask(at, "What should I do when I receive a phishing email?")  # the next one is guessed, too
    assert "Which of these documents answers best?" in words(at)
    at.button(key="guess_leave").click().run()
    assert at.slider(key="rerank_k")


def test_a_stored_run_opens_by_its_link_with_its_query_and_encoder():
    run = open_page(PAGE, data="company", encoder="letters", q=EXPENSES, go="1").query_params["run"]
    st.cache_resource.clear()
    at = open_page(PAGE, run=run)
    assert at.text_input(key="query").value == EXPENSES
    assert at.query_params["data"] == "company"
    assert at.query_params["encoder"] == "letters"
    assert "cosines of" in words(at)


def test_a_link_that_asks_takes_up_an_equal_run_of_the_same_encoder():
    me = "0123456789abcdef" * 2
    first = open_page(PAGE, browser=me, data="company", encoder="letters", q=EXPENSES, go="1").query_params["run"]
    again = open_page(PAGE, browser=me, data="company", encoder="letters", q=EXPENSES, go="1").query_params["run"]
    other = open_page(PAGE, browser=me, data="company", encoder="letters", keywords="textrank", q=EXPENSES, go="1")
    assert again == first != other.query_params["run"]
    read = next(s for s in Store().load(other.query_params["run"]).steps if isinstance(s, ReadQuery))
    assert read.extractor == "textrank"


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("how do i do that", "The query has no keyword"),
        ("?", "The query has no keyword"),
        ("x", ""),
        ("\U0001f980\U0001f980", ""),
        ("<script>alert(1)</script> & *bold*", ""),
        ("travel expenses " * 5_000, ""),
    ],
)
def test_odd_queries_are_ranked_or_explained(query, said):
    at = ask(open_page(PAGE, data="company", encoder="letters"), query)
    trace = Store().load(at.query_params["run"])
    assert trace.status == "finished"
    assert len(trace.ranked) == 40
    assert said in words(at)
    assert "<script>" not in words(at)
    assert ("q" in at.query_params) == (len(query) < 1_500)
    assert open_page(PAGE, run=trace.run_id).text_input(key="query").value == query.strip()


def test_an_empty_query_is_refused_in_words():
    at = ask(open_page(PAGE, data="company", encoder="letters"), "  ")
    assert "The question is empty" in words(at)
    assert Store().list() == []


def test_a_link_to_a_run_that_is_not_here_can_be_run_again():
    at = open_page(PAGE, data="company", encoder="letters", run="20260101-000000-abcdef", q=EXPENSES)
    assert "There is no run 20260101-000000-abcdef" in words(at)
    wait(at.button(key="run_button").click().run())
    assert Store().load(at.query_params["run"]).question == EXPENSES


def test_a_run_of_another_method_is_shown_on_its_own_page():
    Store().save(made.trace(), run_id="walk")
    at = open_page(PAGE, run="walk")
    assert "Ivo Brandt" in words(at)
    ranking = open_page(PAGE, data="company", encoder="letters", q=EXPENSES, go="1").query_params["run"]
    assert open_page("cara", run=ranking).text_input(key="query").value == EXPENSES


def test_a_trace_file_of_a_ranking_opens_on_its_page():
    run = open_page(PAGE, data="company", encoder="letters", q=EXPENSES, go="1").query_params["run"]
    file = Store().load(run).to_json().encode()
    at = open_page("cara")
    at.file_uploader(key="trace_file").set_value(("run.json", file, "application/json")).run()
    assert wait(at).text_input(key="query").value == EXPENSES


def test_a_link_to_a_corpus_that_is_not_here_says_so():
    assert "This link names a corpus that is not here" in words(open_page(PAGE, data="my secret upload"))


def test_a_query_of_another_corpus_is_told_apart():
    run = open_page(PAGE, data="company", encoder="letters", q=EXPENSES, go="1").query_params["run"]
    at = open_page(PAGE, run=run, q="something else")
    assert f"The ranking below is for: <b dir='auto'>{EXPENSES}</b>" in words(at)


def test_switching_the_corpus_starts_over():
    at = open_page(PAGE, data="company", encoder="letters", q=EXPENSES, go="1")
    at.session_state[corpus_engine.CHOSEN]["eight_themes"] = corpus_engine.Engine("letters")
    wait(at.selectbox(key="corpus_choice").set_value("eight_themes").run())
    assert at.query_params["data"] == "eight_themes"
    assert "run" not in at.query_params
    assert at.text_input(key="query").value == ""
    assert "Wason selection task" in words(at)


# --- indexing ------------------------------------------------------------------------------------------------------


class Slow:
    """Letters, as slow as the test wants; it says that it knows little of the texts."""

    def __init__(self, go, title="MiniLM", unknown=0.0):
        self._own, self._go, self.title, self._unknown = get_encoder("letters"), go, title, unknown
        self.name, self.dimensions, self.version = "letters", self._own.dimensions, f"slow {time.monotonic()}"

    def encode(self, texts, on_progress=None):
        while not self._go.wait(0.01):
            if on_progress:
                on_progress("Reading texts slowly", 0.43)
        return self._own.encode(texts)

    def unknown_share(self, texts):
        return self._unknown


def test_indexing_is_stopped_and_resumed_and_a_waiting_query_is_asked_then(monkeypatch):
    go = threading.Event()
    monkeypatch.setattr(corpus_engine, "get_encoder", lambda name: Slow(go))
    at = AppTest.from_file(ROOT / "app.py", default_timeout=120)
    at.switch_page(f"pages/{PAGE}.py")
    at.query_params["data"] = "company"
    at.run()
    while "Reading texts slowly" not in words(at):
        at.run()
    at.text_input(key="query").input(EXPENSES)
    at.button(key="run_button").click().run()
    assert "as soon as the corpus is indexed" in words(at)
    at.switch_page("pages/home.py").run()
    at.switch_page(f"pages/{PAGE}.py").run()  # it goes on meanwhile
    at.button(key="stop_index").click().run()
    wait(at)
    assert "Indexing was stopped at 43%. What was done is kept." in words(at)
    assert Store().list() == []
    go.set()
    wait(at.button(key="resume_index").click().run())
    assert Store().load(at.query_params["run"]).question == EXPENSES


def test_an_encoder_that_does_not_know_the_texts_warns(monkeypatch):
    go = threading.Event()
    go.set()
    monkeypatch.setattr(corpus_engine, "get_encoder", lambda name: Slow(go, unknown=0.83))
    said = "MiniLM does not know 83% of these texts&#x27; word pieces"
    assert said in words(open_page(PAGE, data="eight_themes", encoder="minilm"))
    at = open_page("data", data="eight_themes")
    assert said in words(at)
    assert "83.00% of a sample" in words(open_page("data", data="eight_themes", part="Encoder and index"))


def test_an_encoder_that_fails_is_told_and_tried_again(monkeypatch):
    def broken(name):
        raise EncoderError("its weights are damaged", where=name, hint="Choose another encoder.")

    monkeypatch.setattr(corpus_engine, "get_encoder", broken)
    at = open_page(PAGE, data="company", encoder="letters")
    assert "Its weights are damaged" in words(at)
    assert "Choose another encoder." in words(at)
    monkeypatch.undo()
    wait(at.button(key="resume_index").click().run())
    assert "resume_index" not in keys(at)


def test_a_folder_and_a_server_can_be_chosen_as_encoder(tmp_path):
    at = open_page("data", data="company", encoder="letters", part="Encoder and index")
    wait(at.selectbox(key="encoder_choice").set_value("folder").run())
    at.text_input(key="encoder_folder").input(str(tmp_path)).run()
    wait(at.button(key="use_folder").click().run())
    assert "This is no folder of a sentence-transformers model" in words(at)
    wait(at.selectbox(key="encoder_choice").set_value("server").run())
    at.text_input(key="encoder_url").input("http://user:secret@127.0.0.1:9/v1")
    at.button(key="use_server").click().run()
    assert "The address carries more than a place" in words(at)
    at.text_input(key="encoder_url").input("http://127.0.0.1:9")
    at.text_input(key="encoder_model").input("bge")
    at.text_input(key="encoder_key").input("sk-secret")
    at.button(key="use_server").click().run()
    assert at.text_input(key="encoder_key").value == ""
    assert "encoder" not in at.query_params
    wait(at.button(key="stop_index").click().run())  # a server that is not there is asked three times more
    wait(at.selectbox(key="encoder_choice").set_value("letters").run())
    assert "Chosen by hand" in words(at)
    assert "sk-secret" not in words(at)


class Embeddings(BaseHTTPRequestHandler):
    """A server of embeddings: how often each of some letters stands in a text."""

    keys: ClassVar[list[str]] = []

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.keys.append(self.headers["Authorization"])
        rows = [[1.0 + text.count(letter) for letter in "aeiorst"] for text in asked["input"]]
        body = json.dumps({"data": [{"index": i, "embedding": row} for i, row in enumerate(rows)]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        """Nothing."""


def test_a_server_of_embeddings_indexes_and_ranks_and_its_key_stays_here():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Embeddings)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    at = open_page("data", data="company", encoder="letters", part="Encoder and index")
    at.selectbox(key="encoder_choice").set_value("server").run()
    at.text_input(key="encoder_url").input(f"http://127.0.0.1:{server.server_port}/v1")
    at.text_input(key="encoder_model").input("bge")
    at.text_input(key="encoder_key").input("sk-secret-9")
    wait(at.button(key="use_server").click().run())
    assert f"bge at 127.0.0.1:{server.server_port}, 7 dimensions" in words(at)
    at.switch_page(f"pages/{PAGE}.py").run()
    at = ask(wait(at), EXPENSES)
    server.shutdown()
    trace = Store().load(at.query_params["run"])
    read = next(s for s in trace.steps if isinstance(s, ReadQuery))
    assert read.encoder == f"endpoint:bge at 127.0.0.1:{server.server_port}"
    assert set(Embeddings.keys) == {"Bearer sk-secret-9"}
    assert "sk-secret" not in trace.to_json() + words(at) + "".join(at.query_params)
    stranger = open_page(PAGE, data="company", encoder="letters")
    assert "bge" not in words(stranger)


# --- the Data page -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("part", ["", "Reader's report", "Encoder and index", "Queries"])
def test_data_draws_a_sample_corpus(part):
    at = open_page("data", data="company", **({"part": part} if part else {}))
    assert "<b class='cw-num'>40</b><span>documents</span>" in words(at)
    assert at.query_params["kind"] == "corpus"
    assert "data" in at.query_params


def test_the_switch_leads_from_graph_to_corpus_and_back():
    at = open_page("data", data="films")
    at.segmented_control(key="kind_switch").set_value("Corpus").run()
    assert not at.exception
    assert "documents of your own" in words(at)
    at.button(key="use_company").click().run()
    wait(at)
    at.segmented_control(key="kind_switch").set_value("Graph").run()
    assert at.query_params["data"] == "films"
    assert "nodes</span>" in words(at)
    at.segmented_control(key="kind_switch").set_value("Corpus").run()
    assert at.query_params["data"] == "company"
    at.switch_page("pages/home.py").run()
    at.switch_page("pages/data.py").run()
    assert "documents</span>" in words(at)


def test_an_upload_is_reported_with_what_was_left_out_and_why():
    at = upload(
        open_page("data", kind="corpus"),
        apples__md=b"# Apples\n\nApples grow on trees and are picked in autumn.",
        same__txt=b"# Apples\n\nApples grow on trees and are picked in autumn.",
        pears__txt=b"Pears grow on other trees.",
        twin__txt=b"Pears grow on other trees.",
        empty__txt=b"",
        broken__pdf=b"%PDF-1.4 nothing more",
    )
    report = words(at)
    assert "<b class='cw-num'>2</b><span>skipped</span>" in report
    assert "<span>duplicate</span>" in report or "<span>duplicates</span>" in report
    assert "data" not in at.query_params  # no link can carry it
    at.query_params["part"] = "Reader's report"
    at.run()
    tables = [d.value for d in at.dataframe]
    left_out = next(t for t in tables if "Reason" in t)
    assert set(left_out["What"]) == {"empty.txt", "broken.pdf"}
    assert all(left_out["Reason"])
    assert "apples.md and 5 more files" in words(at)
    at.switch_page(f"pages/{PAGE}.py").run()
    assert "apples.md and 5 more files" in words(wait(at))


def test_a_ranking_names_the_documents_that_repeat_another():
    at = upload(
        open_page("data", kind="corpus"), a__txt=b"Apples in autumn.", b__txt=b"Apples in autumn.", c__txt=b"Oil."
    )
    at.switch_page(f"pages/{PAGE}.py").run()
    at.query_params["encoder"] = "letters"
    assert "“b.txt” is the same as “a”" in words(ask(wait(at.run()), "apples"))


def test_columns_of_a_table_can_be_mapped():
    at = open_page("data", kind="corpus")
    at.segmented_control(key="corpus_source").set_value("Upload").run()
    rows = b"alpha,beta\nfirst words,second words\nthird words,fourth words\n"
    at.file_uploader(key="documents").set_value([("notes.csv", rows, "text/csv")]).run()
    at.toggle(key="choose_notes.csv").set_value(True).run()
    at.toggle(key="names_notes.csv").set_value(True).run()
    at.multiselect(key="document_text_notes.csv").set_value(["beta"]).run()
    at.selectbox(key="document_title_notes.csv").set_value("alpha").run()
    wait(at.button(key="load_documents").click().run())
    assert "first words" in words(at)
    assert "second words" in words(at)


def test_a_collection_is_uploaded_with_its_queries_and_judgements():
    at = upload(
        open_page("data", kind="corpus"),
        corpus__jsonl=b'{"_id": "a", "text": "apples are red"}\n{"_id": "b", "text": "pears are green"}\n',
        queries__jsonl=b'{"_id": "q", "text": "what is red?"}\n',
        test__tsv=b"query-id\tcorpus-id\tscore\nq\ta\t1\n",
    )
    assert "<b class='cw-num'>1</b><span>query</span>" in words(at)
    assert "<b class='cw-num'>1</b><span>judgement</span>" in words(at)
    at.switch_page(f"pages/{PAGE}.py").run()
    assert "what is red?" in words(wait(at))


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"empty__txt": b""}, "The file is empty"),
        ({"one__bin": b"\x00\x01\x02" * 100}, "Files of this format are not read"),
        ({"blank__md": b"  \n \n"}, "is empty"),
    ],
)
def test_a_load_that_fails_keeps_the_corpus_and_its_message(files, said):
    at = upload(open_page("data", data="company", encoder="letters"), **files)
    assert said in words(at)
    assert "Knowledge base of a company stays in use" in words(at)
    assert "Traceback" not in words(at)
    at.button(key="dismiss_0").click().run()
    assert said not in words(at)


def test_reading_can_be_stopped(monkeypatch):
    def slow(path, **options):
        while True:
            time.sleep(0.01)
            options["on_progress"]("reading slowly", 0.2)

    monkeypatch.setattr("pages.shared.corpus_open.open_corpus", slow)
    at = open_page("data", data="company")
    at.segmented_control(key="corpus_source").set_value("Folder or path").run()
    at.text_input(key="corpus_path").input("/anywhere").run()
    at.button(key="load_corpus_path").click().run()
    assert "Reading slowly" in words(at)
    wait(at.button(key="stop_opening").click().run())
    assert "40</b><span>documents" in words(at)
    assert "load_corpus_path" in keys(at)


def test_a_path_is_opened_on_a_server_of_ones_own_and_refused_elsewhere(tmp_path, monkeypatch):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "note.txt").write_text("A note about pears, apples and other fruit.")
    at = open_page("data", kind="corpus")
    at.segmented_control(key="corpus_source").set_value("Folder or path").run()
    at.text_input(key="corpus_path").input(str(tmp_path / "mine")).run()
    wait(at.button(key="load_corpus_path").click().run())
    assert "<b>mine</b>" in words(at)
    stranger = open_page(PAGE)
    assert "mine" not in stranger.selectbox(key="corpus_choice").options
    monkeypatch.setattr("pages.shared.state.is_local", lambda: False)
    at = open_page("data", kind="corpus")
    at.segmented_control(key="corpus_source").set_value("Folder or path").run()
    assert "only while the server listens on this machine alone" in words(at)
    assert "corpus_path" not in [w.key for w in at.text_input]


def test_documents_are_found_by_their_words():
    at = open_page("data", data="company")
    at.text_input(key="find_document").input("money back").run()
    assert RIGHT in words(at)
    at.text_input(key="find_document").input("zzzz").run()
    assert "No document has these words" in words(at)


# --- a model -------------------------------------------------------------------------------------------------------


def replies(body):
    """A model that calls the text's first words its keywords, and answers from the first document."""
    text = body["messages"][1]["content"]
    if "Name up to" in text:
        named = re.findall(r"[A-Za-z]{5,}", text)[:6]
        return {"keywords": [{"term": word, "importance": 9 - n} for n, word in enumerate(named)]}
    return {"claims": [{"sentence": "Ask for your money with form E.", "documents": [1]}]}


def test_a_model_names_keywords_and_answers_is_bounded_counted_and_replayed(monkeypatch):
    monkeypatch.setattr(core.llm.client, "FIRST_WAIT", 0.01)
    forget_rungs()
    with LyingServer(answers=replies) as server:
        at = AppTest.from_file(ROOT / "app.py", default_timeout=120)
        at.session_state[model.CONNECTED] = Connection(Endpoint(base_url=server.url, model="tiny"), keep_replies=True)
        at.switch_page(f"pages/{PAGE}.py")
        for key, value in {"data": "company", "encoder": "letters", "q": EXPENSES, "go": "1"}.items():
            at.query_params[key] = value
        wait(at.run())
        assert "Press Run to ask this" in words(at)  # a link does not spend
        assert "At most 1 call," in words(at)
        at.toggle(key="model_keywords").set_value(True).run()
        assert "At most 22 calls" in words(at)
        assert server.requests == []
        wait(at.button(key="run_button").click().run())
        asked, run = len(server.requests), at.query_params["run"]
    trace = Store().load(run)
    assert asked == trace.usage.calls["model"] == 22
    assert trace.answer.text == "Ask for your money with form E."
    at.query_params["show"] = "How it was ranked"
    at.run()
    assert "a model" in words(at)
    assert "cw-talk" in words(at)
    assert "22 calls" in words(at)
    wait(at.button(key="replay").click().run())  # the server is gone
    again = Store().load(at.query_params["run"])
    assert again.run_id != run
    assert again.decided_by.endswith("tiny, recorded")
    assert [r.id for r in again.ranked] == [r.id for r in trace.ranked]
