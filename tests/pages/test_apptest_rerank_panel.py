"""The panels of one ranking without a browser: sliders that re-rank, the selected document, the game, the downloads."""

import io
import zipfile

import made_ranking
import pytest
from streamlit.testing.v1 import AppTest

from core.causal_attention.retriever import CausalAttentionRetriever
from core.trace import Trace
from pages.shared import rerank_settings

TRACE = made_ranking.trace(mode="semantic", tau=0.6)


def script():
    """The panel alone, on a run that the test puts into the session."""
    import streamlit as st

    from pages.shared import rerank_exports, rerank_panel

    trace = st.session_state["trace"]
    st.session_state["files"] = rerank_exports.of(trace)
    rerank_panel.draw(trace)


def opened(trace=TRACE, *, corpus=True, **address) -> AppTest:
    from pages.shared import corpora

    at = AppTest.from_function(script, default_timeout=120)
    at.session_state["trace"] = trace
    if corpus:
        judged = made_ranking.judged()
        key = judged.corpus.content_id
        at.session_state[corpora.OWN] = {key: corpora.OpenCorpus(key, "Orchard", judged, is_sample=False)}
    for name, value in address.items():
        at.query_params[name] = str(value)
    at.run()
    assert not at.exception
    return at


def words(at):
    return "\n".join(e.proto.body for e in at.get("html") if "<style>" not in e.proto.body)


def test_a_run_opens_with_its_settings_and_what_it_did_in_words():
    at = opened()
    told = words(at)
    assert "The document that was judged to answer best, “Winter work”" in told
    assert at.slider("rerank_tau").value == 0.6
    assert at.slider("rerank_k").value == 15
    assert at.slider("rerank_window").max == 40
    assert at.button("rerank_reset").disabled
    assert "Why “" in told
    assert '<mark class="rr-a">' in told
    assert set(at.query_params) == set()


def test_a_moved_slider_ranks_again_without_an_encoder_and_is_in_the_link(monkeypatch):
    def never(*_args, **_options):
        raise AssertionError("an encoder was asked")

    at = opened(document="guide")
    before = words(at)
    monkeypatch.setattr(made_ranking.Words, "encode", never)
    monkeypatch.setattr(CausalAttentionRetriever, "run", never)
    at.slider("rerank_tau").set_value(0.1).run()
    assert not at.exception
    assert at.query_params["tau"] == "0.1"
    assert words(at) != before
    assert "A from τ = 0.10" in words(at)
    at.button("rerank_reset").click().run()
    assert "tau" not in at.query_params
    assert words(at) == before


def test_a_moved_slider_is_not_told_its_own_value_back():
    at = opened(document="guide")
    at.slider("rerank_tau").set_value(0.1).run()
    at.slider("rerank_k").set_value(9).run()
    assert not at.slider("rerank_tau").proto.set_value  # the browser may be ahead by a few presses
    assert not at.slider("rerank_k").proto.set_value
    at.button("rerank_reset").click().run()
    assert at.slider("rerank_tau").proto.set_value  # moved by the page, not by the person
    assert list(at.slider("rerank_tau").proto.value) == [0.6]


def test_a_link_brings_back_ranking_settings_and_document():
    at = opened(ranking="hybrid", weight=0.25, tau=0.3, k=4, window=5, theta=-0.9, shared=-0.5, document="guide")
    assert at.slider("rerank_weight").value == 0.25
    assert at.slider("rerank_window").value == 5
    told = words(at)
    assert "“Winter work” stands at" in told
    assert "A from τ = 0.30" in told
    assert "= 0.25 × " in told
    assert "(−0.50) × " in told
    assert not at.button("rerank_reset").disabled


@pytest.mark.parametrize(
    ("name", "value"), [("tau", "nan"), ("tau", "1e400"), ("weight", "half"), ("k", "9" * 30), ("window", "<b>")]
)
def test_what_is_no_number_in_a_link_is_dropped(name, value):
    at = opened(**{name: value})
    assert name not in at.query_params
    assert at.button("rerank_reset").disabled


@pytest.mark.parametrize(("name", "value", "held"), [("tau", "7", 1.0), ("k", "500", 30), ("window", "-3", 1)])
def test_a_number_out_of_bounds_is_held(name, value, held):
    assert opened(**{name: value}).slider(f"rerank_{name}").value == held


def test_names_that_nothing_has_show_the_run_as_it_was():
    at = opened(ranking="maxsim", document="nobody", between="cross-encoder,exact,<x>", look="<y>")
    assert "Causal attention:" in words(at)
    assert at.segmented_control("rerank_look").value == "chart"


def test_another_run_begins_anew():
    at = opened(tau=0.1, document="near")
    at.session_state["trace"] = made_ranking.trace(run_id="ranked2", mode="semantic", tau=0.6)
    at.run()
    assert set(at.query_params) == set()
    assert at.slider("rerank_tau").value == 0.6


def test_the_table_is_the_chart_in_rows():
    at = opened(look="table", document="guide")
    frame = at.dataframe[0].value
    assert next(iter(frame["Document"]))
    assert list(frame["Place"]) == sorted(frame["Place"])
    assert "Judged" in frame.columns


def test_a_title_is_text():
    at = opened(document="<b>odd</b>")
    assert "&lt;b&gt;Odd&lt;/b&gt;" in words(at)
    assert "<b>Odd</b>" not in words(at)


def test_without_its_corpus_a_run_shows_its_words_and_says_what_is_missing():
    at = opened(corpus=False)
    assert "Its text is not at hand" in words(at)
    assert "heaviest keywords" in words(at)
    assert "judged" not in words(at)


def test_a_run_that_ended_early_says_so():
    at = opened(TRACE.model_copy(update={"steps": TRACE.steps[:2]}))
    assert "ended before it ranked" in words(at)


def test_one_guesses_before_the_rankings_are_shown():
    at = opened(guess=1)
    assert "Which of these documents answers best?" in words(at)
    assert not at.slider
    assert "similarity 1" not in words(at)
    at.button("guess_stuffed").click().run()
    told = words(at)
    assert "You chose “Apple apple”: place" in told
    assert "Judged to answer best is “Winter work”." in told
    assert "0 of 1 right" in told
    at.button("guess_leave").click().run()
    assert "guess" not in at.query_params
    assert at.slider("rerank_tau").value == 0.6
    assert "“Apple apple” stands at" in words(at)


def test_downloads_are_what_is_on_the_screen():
    at = opened(tau=0.1, document="guide")
    page, trace, tables = (export.make() for export in at.session_state["files"])
    assert Trace.from_json(trace).config["tau"] == 0.1
    assert b"Winter work" in page
    assert b"A from \xcf\x84 = 0.10" in page
    with zipfile.ZipFile(io.BytesIO(tables)) as archive:
        assert sorted(archive.namelist()) == ["evidence.csv", "query.csv", "ranking.csv", "words.csv"]
        assert b"Winter work" in archive.read("ranking.csv")


def test_bounds_follow_what_the_run_kept():
    bounds = rerank_settings.bounds_of(made_ranking.trace(pool=5, window=5, kept=8, keywords=8, tau=-0.5))
    assert bounds["window"].most == 5
    assert bounds["k"].most == 8
    assert bounds["tau"].least == -0.5
