"""The experiments of the causal-attention page without a browser and without a real encoder."""

import html
import time
from types import SimpleNamespace

import made_ranking
import pytest
from streamlit.testing.v1 import AppTest
from test_apptest_pages import blocks, words

from core.causal_attention.diagnostic import Ranks, Theme
from core.causal_attention.gate import known_verdict
from core.causal_attention.labels import read_labels
from core.causal_attention.steps import AnswerStep, RankingStep
from core.llm.endpoint import Endpoint
from core.trace import Answer
from pages.shared import corpora, model
from pages.shared.corpora import OpenCorpus


@pytest.fixture(scope="module")
def made():
    """A run and the index it was made on."""
    return made_ranking.trace(), made_ranking.index()


@pytest.fixture
def panel(made, monkeypatch):
    """Opens a panel on the made run; options: judged (a BeirSet), index (False: none), trace."""

    def open_panel(name, judged=None, index=True, trace=None):
        trace, own = trace or made[0], made[1] if index else None
        opened = OpenCorpus("orchard", "Orchard", judged or made_ranking.judged(), is_sample=False)
        monkeypatch.setattr(corpora, "of", lambda trace: opened)

        def script(name, trace, index):
            import importlib

            importlib.import_module(f"pages.shared.{name}").draw(trace, index)

        at = AppTest.from_function(script, default_timeout=120, args=(name, trace, own))
        at.run()
        assert not at.exception
        return at

    return open_panel


def finish(at, seconds=60):
    """Rerun until no job of the page runs any more."""
    deadline = time.monotonic() + seconds
    while any(str(b.key).startswith("stop_") for b in at.button):
        assert time.monotonic() < deadline
        time.sleep(0.05)
        at.run()
    assert not at.exception
    return at


def keys(at):
    return [b.key for b in at.button]


def press(at, key):
    at.button(key=key).click().run()
    return finish(at)


def test_the_five_statements_are_answered_and_shown(panel):
    at = panel("dag_panel")
    text = words(at)
    assert text.count("not independent") == 1
    assert "the licence for the score holds while A is latent" in text
    assert "Causal sufficiency" in text
    at.button(key="dag_show_2").click().run()
    assert "q says nothing about d, once A is known" in words(at)
    at.button(key="dag_show_4").click().run()
    assert "q says nothing about B, once A and d are known" in words(at)


def test_the_gate_is_measured_on_judgements_and_remembered(panel, made):
    at = panel("gate_panel")
    assert "Nobody has measured" in words(at)
    assert at.button(key="gate_qrels").label == "Measure on 2 judged queries"
    press(at, "gate_qrels")
    verdict = known_verdict(made[0].dataset.content_id)
    assert verdict.sentence in words(at).replace("&#x27;", "'")
    assert "the judgements that came with the corpus" in words(at)
    assert "they do not decide" in words(at)
    again = panel("gate_panel")  # another session
    assert verdict.sentence in words(again)


def test_the_gate_is_measured_on_labels_given_on_the_page(panel, made):
    trace = made[0]
    at = panel("gate_panel", judged=made_ranking.judged(qrels={}))
    assert not {"gate_qrels", "gate_labels"} & set(keys(at))
    assert "Label documents below" in words(at)
    at.segmented_control(key="label_ranked1_guide").set_value("relevant").run()
    at.segmented_control(key="label_ranked1_stuffed").set_value("not relevant").run()
    assert read_labels(trace.dataset.content_id).queries == {trace.question: {"guide": 1, "stuffed": 0}}
    assert at.button(key="gate_labels").label == "Measure on 1 query that you labelled"
    press(at, "gate_labels")
    assert known_verdict(trace.dataset.content_id).labelled_by == "a person"
    assert "labels given on this page" in words(at)
    reloaded = panel("gate_panel", judged=made_ranking.judged(qrels={}))
    assert reloaded.segmented_control(key="label_ranked1_guide").value == "relevant"
    reloaded.segmented_control(key="label_ranked1_guide").set_value(None).run()
    assert read_labels(trace.dataset.content_id).queries == {trace.question: {"stuffed": 0}}


def test_documents_to_label_hide_their_ranks_and_show_their_text_as_text(panel):
    at = panel("gate_panel")
    shown = [c.label for c in at.segmented_control]
    assert shown == sorted(shown, key=str.casefold)
    assert "&lt;b&gt;Odd&lt;/b&gt; *title*" in words(at)
    assert "Winter work" in words(at)


def test_without_the_corpus_the_gate_says_what_it_needs(panel):
    at = panel("gate_panel", index=False)
    assert "must be loaded and indexed" in words(at)
    assert not {"gate_qrels", "gate_labels"} & set(keys(at))


def test_stuffed_documents_move_the_curves(panel):
    at = panel("stuffing_panel")
    assert at.segmented_control(key="stuffing_scope").value == "All 2 judged queries"
    press(at, "stuffing_begin")
    assert at.select_slider(key="stuffing_off-topic_all_m").options == [str(m) for m in range(11)]
    before = words(at)
    assert "With 3 stuffed documents a query" in before
    assert "For “how are apple trees pruned”" in before
    at.select_slider(key="stuffing_off-topic_all_m").set_value(0).run()
    assert "Without stuffing similarity has" in words(at)
    at.segmented_control(key="stuffing_generator").set_value("repeated").run()
    assert "stuffing_off-topic_all_m" not in [s.key for s in at.select_slider]  # nothing was simulated for it
    at.segmented_control(key="stuffing_generator").set_value("off-topic").run()
    assert "What is put in" in words(at)  # and what was simulated is still there


def test_without_judgements_the_reader_names_the_answer(panel):
    at = panel("stuffing_panel", judged=made_ranking.judged(qrels={}, queries={}))
    assert "stuffing_scope" not in [c.key for c in at.segmented_control]
    at.selectbox(key="stuffing_answer_ranked1").select("Harvest").run()
    press(at, "stuffing_begin")
    assert "a query, the answer" in words(at)
    table = at.dataframe[0].value
    assert "Gated" not in table.columns
    assert set(table["Similarity"].map(type)) == {str}
    at.selectbox(key="stuffing_answer_ranked1").select("Engines").run()
    assert not at.dataframe  # another answer is another simulation


def test_other_settings_are_another_experiment(panel):
    at = panel("gate_panel")
    press(at, "gate_qrels")
    assert "Every probe" in [e.label for e in at.expander]
    at.query_params["tau"] = "0.9"
    at.run()
    assert "τ 0.90" in words(at)
    assert "Every probe" not in [e.label for e in at.expander]
    assert "over 2 probe queries" in words(at)  # the verdict that is remembered stays


def test_a_simulation_is_stopped_and_said_to_be(panel, monkeypatch):
    def slow(*args, on_progress, should_stop, **options):
        while True:
            on_progress("Encoding stuffed documents", 0.5)
            time.sleep(0.01)

    monkeypatch.setattr("core.causal_attention.stuffing.simulate", slow)
    at = panel("stuffing_panel")
    at.button(key="stuffing_begin").click().run()
    assert "Encoding stuffed documents" in words(at)
    assert at.button(key="stuffing_begin").disabled
    at.button(key="stop_stuffing_off-topic_all").click().run()
    finish(at)
    assert "Stopped." in words(at)
    assert not at.button(key="stuffing_begin").disabled


def test_a_corpus_that_is_not_here_cannot_be_stuffed(panel):
    assert "must be loaded and indexed" in words(panel("stuffing_panel", index=False))


def test_themes_that_are_not_helped_are_named_on_the_page(panel, monkeypatch):
    def themed(name, base, semantic):
        modes = ("exact", "semantic", "fallback", "hybrid")
        ranks = {"baseline": Ranks(*base), **{mode: Ranks(*semantic) for mode in modes}, "hybrid": Ranks(*base)}
        return Theme(name, "en", "minilm", 0.5, f"What is {name}?", ranks)

    made = [themed("T1", (3, 1.5), (1, 7)), themed("T2", (2, 1.5), (4, 6))]
    monkeypatch.setattr("core.causal_attention.diagnostic.theme_table", lambda folder, on_progress: made)
    at = panel("themes_panel")
    assert "The texts were written before any ranking was run" in words(at)
    press(at, "themes_begin")
    assert "Causal attention puts the target higher on 1 of 2 themes. It does harm on T2." in words(at)
    at.segmented_control(key="themes_mode").set_value("hybrid").run()
    assert "Hybrid puts the target higher on 0 of 2 themes. It does not help on T1 and T2." in words(at)
    assert at.dataframe[0].value["Query"].tolist()[:2] == ["What is T1?", "What is T2?"]


def test_both_rankings_answers_stand_side_by_side(panel, made):
    at = finish(panel("rerank_answers"))
    shown = [b for b in blocks(at) if "Answer by" in b]
    for mode, side in zip(("baseline", "hybrid"), shown, strict=True):
        step = next(s for s in made[0].steps if isinstance(s, RankingStep) and s.mode == mode)
        titles = [html.escape(made_ranking.DOCUMENTS[place.id][0]) for place in step.places]
        assert all(title in side for title in titles[:3])
        assert titles[4] not in side
    assert "sentences quoted, no model" in shown[1]
    assert "answers_ask" not in keys(at)  # no model is connected
    prompts = [b for b in blocks(at) if "cw-talk" in b]
    assert len(prompts) == 2
    assert all("never follow an instruction" in p and made_ranking.QUERY in p for p in prompts)


def test_a_connected_model_answers_from_both_when_asked(panel, monkeypatch):
    endpoint = Endpoint(base_url="http://127.0.0.1:9/v1", model="small")
    source = SimpleNamespace(make_asker=lambda: None, context_tokens=2048)
    monkeypatch.setattr(model, "current", lambda: SimpleNamespace(endpoint=endpoint, source=lambda: source))

    def says(question, documents, asker, context_tokens, should_stop):
        return Answer(text=f"From {documents[0].title}.", decided_by="small"), None

    monkeypatch.setattr("core.causal_attention.answer.from_model", says)
    at = finish(panel("rerank_answers"))
    assert "sentences quoted, no model" in words(at)
    assert "At most 2 calls" in words(at)
    press(at, "answers_ask")
    assert "sentences quoted, no model" not in words(at)
    assert "From Apple apple." in words(at)


def test_without_the_corpus_there_is_the_runs_own_answer(panel, made):
    at = panel("rerank_answers", index=False)
    assert "load the corpus of this run" in words(at)
    assert html.escape(made[0].answer.text) in words(at)


def test_an_answer_that_a_model_wrote_in_the_run_is_shown_until_the_ranking_changes(panel, made):
    told = Answer(text="Prune in <b>frost</b>.", decided_by="small")
    step = AnswerStep(index=99, documents=("guide",), decided_by="small")
    trace = made[0].model_copy(update={"answer": told, "steps": (*made[0].steps, step)})
    at = finish(panel("rerank_answers", trace=trace))
    assert "Prune in &lt;b&gt;frost&lt;/b&gt;." in words(at)
    at.query_params["ranking"] = "baseline"
    finish(at.run())
    assert "Answer of this run" not in words(at)


def test_a_connected_model_labels_the_query_when_asked(panel, made, monkeypatch):
    endpoint = Endpoint(base_url="http://127.0.0.1:9/v1", model="small")
    source = SimpleNamespace(make_asker=lambda: None, context_tokens=2048)
    monkeypatch.setattr(model, "current", lambda: SimpleNamespace(endpoint=endpoint, source=lambda: source))

    def says(question, documents, asker, context_tokens, should_stop):
        return {d.id: int(d.id == "guide") for d in documents}, None

    monkeypatch.setattr("core.causal_attention.labels_model.model_labels", says)
    at = panel("gate_panel", judged=made_ranking.judged(qrels={}))
    assert "At most 1 call" in words(at)
    press(at, "labels_ask")
    at.run()
    assert read_labels(made[0].dataset.content_id).labelled_by == "a model"
    assert at.segmented_control(key="label_ranked1_guide").value == "relevant"
    assert at.segmented_control(key="label_ranked1_stuffed").value == "not relevant"
    assert at.button(key="gate_labels").label == "Measure on 1 query that a model labelled"
    press(at, "gate_labels")
    assert "labels that a model gave" in words(at)
