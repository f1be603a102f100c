"""The page of diagnosis in rounds without a browser: every panel, patients, other settings, and what a link brings."""

import json
import re
import time

import made
import numpy as np
import pytest
from test_apptest_pages import THEMES, blocks, open_page, warm_server, words  # noqa: F401

from core.figures.tour import read_tour
from core.graph.readers import LoadedGraph
from core.graph.report import ReadReport
from core.sgur.ablations import method
from core.sgur.engine import Engine
from core.sgur.extraction import Extractor
from core.sgur.patients import NOISY, draw_patients
from core.sgur.protocol import run_protocol
from core.sgur.routing import settle
from core.sgur.session import Session
from core.sgur.sources.catalogue import load
from core.sgur.steps import AnswerStep, BeliefStep
from core.sgur.wording import percent
from core.store import Store
from core.text.embedding import get_encoder
from core.trace import DatasetRef
from pages.shared import datasets
from pages.shared.sgur import engines, patients, questions, readers, tell
from pages.shared.sgur.tabs import TABS
from pages.shared.sgur.what_if import changes_table

EXAMPLE = tell.EXAMPLES["devices"][0]
SEEN = ("Paper jams", "Pulls several sheets at once")


@pytest.fixture(scope="module")
def engine():
    return Engine(load("devices"))


@pytest.fixture
def stored(engine):
    """A session of two rounds in the store, as the command line leaves it; its id."""
    return Store().save(session_of(engine).trace(), run_id="told1")


def session_of(engine):
    names, ids = engine.graph.observations.names, engine.graph.observations.ids
    session = Session(engine).tell_ids([ids[names.index(SEEN[0])]])
    return session.answer({session.questions.asked[0].observation.id: "no"})


def ready(at):
    """The page once its expert graph is open."""
    for _ in range(60):
        if "sgur_watch" not in words(at) and any(b.key in ("sgur_read", "sgur_undo") for b in at.button):
            break
        at.run()
    assert not at.exception
    return at


def opened(**address):
    return ready(open_page("sgur", **address))


def beliefs(at):
    trace = Store().load(at.query_params["run"])
    return [s for s in trace.steps if isinstance(s, BeliefStep)]


@pytest.mark.parametrize("theme", THEMES)
def test_the_first_visit_opens_the_quickest_source_with_worked_examples(theme):
    at = ready(open_page("sgur", theme))
    assert engines.titles()["devices"] in words(at)
    assert EXAMPLE in words(at)
    assert at.button(key="sgur_example_0").label == "Try it"


def test_an_example_becomes_a_session_that_answers_and_undo_move():
    at = opened()
    at.button(key="sgur_example_0").click().run()
    ready(at.run())
    assert len(beliefs(at)) == 1
    run_id = at.query_params["run"]
    asked = next(b for b in at.button if b.key.startswith("sgur_unknown_"))
    asked.click().run()
    one, two = beliefs(at)
    assert one.entropy_bits == two.entropy_bits  # "don't know" is no information
    at.button(key="sgur_undo").click().run()
    assert len(beliefs(at)) == 1
    assert at.query_params["run"] == run_id  # one session, its last state in the store
    at.button(key="sgur_undo").click().run()
    assert "run" not in at.query_params


def test_what_another_tab_did_meanwhile_is_not_overwritten():
    at = opened()
    at.button(key="sgur_example_0").click().run()
    ready(at.run())
    run_id = at.query_params["run"]
    engine = Engine(load("devices"))
    elsewhere = Session.from_trace(engine, Store().load(run_id))
    elsewhere = elsewhere.answer({elsewhere.questions.asked[0].observation.id: "no"})
    Store().replace(run_id, elsewhere.trace(run_id))
    next(b for b in at.button if b.key.startswith("sgur_unknown_")).click().run()
    assert at.query_params["run"] != run_id
    assert "went on in another tab" in words(at)
    assert Store().load(run_id).same_content(elsewhere.trace(run_id))


def test_a_session_kept_before_a_setting_was_there_goes_on_as_itself():
    at = opened()
    at.button(key="sgur_example_0").click().run()
    ready(at.run())
    run_id = at.query_params["run"]
    before = Store().load(run_id)
    config = {name: value for name, value in before.config.items() if name != "answer_weight"}
    Store().replace(run_id, before.model_copy(update={"config": config}))
    next(b for b in at.button if b.key.startswith("sgur_unknown_")).click().run()
    assert at.query_params["run"] == run_id
    assert "another tab" not in words(at)


def test_words_are_read_corrected_and_told():
    at = opened()
    at.text_area(key="sgur_words_0").input(f"{SEEN[0]}, but no blank pages come out. Purple elephants.").run()
    at.button(key="sgur_read").click().run()
    assert SEEN[0] in words(at)
    assert "Not understood" in words(at)
    at.button(key="sgur_tell").click().run()
    (belief,) = beliefs(at)
    assert [n.name for n in belief.observed] == [SEEN[0]]
    assert [n.name for n in belief.excluded] == ["Blank pages come out"]


def test_what_means_nothing_cannot_be_told():
    at = opened()
    at.text_area(key="sgur_words_0").input("Purple elephants").run()
    at.button(key="sgur_read").click().run()
    assert "Nothing was recognised" in words(at)
    assert at.button(key="sgur_tell").disabled


def test_an_observation_is_found_by_letters_and_added():
    at = opened()
    at.text_input(key="sgur_search_0").input("paper j").run()
    at.selectbox(key="sgur_found_0").select(SEEN[0]).run()
    at.button(key="sgur_add").click().run()
    at.run()
    at.button(key="sgur_tell").click().run()
    assert [n.name for n in beliefs(at)[0].observed] == [SEEN[0]]


@pytest.mark.parametrize("tab", TABS)
def test_every_tab_opens_by_link(stored, tab):
    at = opened(run=stored, show=tab)
    assert "cw-message" not in words(at)
    assert SEEN[0] in words(at)


def test_a_link_brings_round_and_hypothesis_back(stored, engine):
    second = session_of(engine).belief.beliefs[1].hypothesis
    at = opened(run=stored, round="1", hypothesis=second.id)
    assert at.selectbox(key="sgur_hypothesis").value == second.id
    assert f"<div class='cw-name'>{second.name}" in words(at)
    assert not [b for b in at.button if b.key.startswith("sgur_yes_")]  # a round that is over is looked at only
    assert "These were the questions after this round" in words(at)


def test_answering_somebody_elses_session_leaves_it_as_it_is(stored):
    at = opened(run=stored)
    before = Store().load(stored)
    next(b for b in at.button if b.key.startswith("sgur_yes_")).click().run()
    assert at.query_params["run"] != stored
    assert Store().load(stored).same_content(before)
    assert len(beliefs(at)) == 3


def test_a_preview_keeps_nothing_until_it_is_given(stored):
    at = opened(run=stored)
    next(b for b in at.button if b.key.startswith("sgur_if_yes_")).click().run()
    assert "Preview" in words(at)
    assert at.query_params["run"] == stored
    at.button(key="sgur_give").click().run()
    assert len(beliefs(at)) == 3


def test_other_settings_make_the_round_anew_and_can_be_used(stored, engine):
    at = opened(run=stored, show="What if")
    at.slider(key="sgur_if_beta").set_value(0.5).run()
    then = session_of(engine).what_if(beta=0.5)
    now = session_of(engine)
    assert f"{now.belief.entropy_bits:.2f} → {then.belief.entropy_bits:.2f} bits" in words(at)
    at.button(key="sgur_use").click().run()
    assert Store().load(at.query_params["run"]).config["beta"] == 0.5
    assert beliefs(at)[-1].entropy_bits == pytest.approx(then.belief.entropy_bits)


def test_what_would_change_it_is_what_a_whole_session_would_say(stored, engine):
    at = opened(run=stored, show="What would change it")
    at.button(key="sgur_changes").click().run()
    from core.sgur.topple import changes

    session = session_of(engine)
    found = tuple(changes(session))
    assert f"of {len(found)} changes" in words(at) or f"these {len(found)} changes" in words(at)
    for one in found[:6]:
        after = session.answer({one.observation.id: one.change}).belief
        assert one.probability == pytest.approx(after.beliefs[0].probability)
        assert one.topples == (after.beliefs[0].hypothesis != session.belief.beliefs[0].hypothesis)
    table = changes_table(found)
    assert [r["Changes its mind"] for r in table.rows] == sorted(
        (r["Changes its mind"] for r in table.rows), reverse=True
    )


def test_a_simulated_patient_answers_and_keeps_a_score(engine):
    at = opened()
    at.text_input(key="sgur_diagnosis").input("worn pick").run()
    next(b for b in at.button if b.key.startswith("sgur_sim_")).click().run()
    ready(at.run())
    assert patients.Sim(engine.graph.hypotheses.names.index("Worn pick-up roller"), 0, False) == patients._named(
        at.query_params["patient"]
    )
    assert "diagnosis hidden" in words(at)
    at.button(key="sgur_patient_answers").click().run()
    given = [s for s in Store().load(at.query_params["run"]).steps if isinstance(s, AnswerStep)]
    assert {g.reply for g in given[0].answers} <= {"yes", "no"}
    at.button(key="sgur_reveal").click().run()
    assert "Worn pick-up roller" in words(at)
    assert "It stands at place 1 of 65 after 2 rounds" in words(at)


@pytest.mark.parametrize("named", ["x", "1.2", "99999.0.0", "1.2.3.4", "-1.0.0"])
def test_a_patient_that_is_none_is_left_out(stored, named):
    assert "Simulated patient" not in words(opened(run=stored, patient=named))


def test_a_case_file_begins_a_session(engine):
    ids = engine.graph.observations.ids
    case = {"id": "one", "observed": list(ids[:4]), "excluded": [ids[9]], "disease_id": engine.graph.hypotheses.ids[0]}
    at = opened()
    at.file_uploader(key="sgur_cases_file").upload("cases.json", json.dumps([case]).encode(), "application/json").run()
    at.selectbox(key="sgur_case_terms").select("The first 3").run()
    at.button(key="sgur_case_begin").click().run()
    ready(at.run())
    assert len(beliefs(at)[0].observed) == 3
    assert "Case one" in words(at)


def test_a_broken_case_file_is_a_message():
    at = opened()
    at.file_uploader(key="sgur_cases_file").upload("cases.json", b"{", "application/json").run()
    at.run()
    assert "It is not JSON" in words(at)


def test_guessing_hides_the_belief_until_it_is_made(engine):
    names, ids = engine.graph.observations.names, engine.graph.observations.ids
    told = (*SEEN, "Says the tray is empty although it is full")
    session = Session(engine).tell_ids(ids[names.index(name)] for name in told)
    leader = session.belief.beliefs[0].hypothesis
    assert session.stop.rule == "confident"
    assert leader.name in session.stop.reason
    at = opened(run=Store().save(session.trace()))
    at.button(key="sgur_guess").click().run()
    assert "sgur_hypothesis" not in [s.key for s in at.selectbox]
    assert leader.name not in words(at)  # nor is it told by the rule that would end the session
    at.button(key=f"guess_{leader.id}").click().run()
    assert "You are right" in words(at)
    assert "1 of 1 right" in words(at)
    at.button(key="guess_leave").click().run()
    assert at.selectbox(key="sgur_hypothesis").value == leader.id


def test_a_session_on_data_that_is_not_here_is_shown_all_the_same(engine):
    strange = DatasetRef(content_id="sha256:0", name="Somebody's own", kind="expert graph")
    trace = session_of(engine).trace().model_copy(update={"dataset": strange})
    Store().save(trace, run_id="strange")
    at = open_page("sgur", run="strange")
    assert SEEN[0] in words(at)
    assert not [b for b in at.button if b.key.startswith("sgur_yes_")]


@pytest.fixture
def own(monkeypatch):
    """A graph whose types have names that say nothing, loaded by this person; its key."""
    nodes = [
        ("a", "Rust", "x", ""),
        ("b", "Frost", "x", ""),
        ("s", "Brown spots", "y", ""),
        ("t", "Black tips", "y", ""),
    ]
    edges = [("a", "comes with", "s"), ("b", "comes with", "t")]
    graph = made.graph(nodes, edges, name="garden")
    loaded = LoadedGraph(graph=graph, report=ReadReport(format="made"))
    dataset = datasets.Dataset(graph.content_id, "garden", loaded, is_sample=False)
    monkeypatch.setattr(datasets, "titles", lambda: {dataset.key: "garden"})
    monkeypatch.setattr(datasets, "open_dataset", lambda key: dataset if key == dataset.key else None)
    return dataset.key


def test_a_graph_of_ones_own_is_mapped_to_the_layers_by_hand(own):
    at = open_page("sgur", data=own)
    assert "can be diagnosed once the type of the observations is chosen" in words(at)
    at.selectbox(key="sgur_type_observation").select("y")
    at.selectbox(key="sgur_type_hypothesis").select("x")
    at.multiselect(key="sgur_links_reported").select("comes with")
    at.button(key="sgur_use_layers").click().run()
    ready(at)
    at.text_input(key="sgur_search_0").input("brown").run()
    at.selectbox(key="sgur_found_0").select("Brown spots").run()
    at.button(key="sgur_add").click().run()
    at.run()
    at.button(key="sgur_tell").click().run()
    assert beliefs(at)[0].beliefs[0].hypothesis.name == "Rust"


def edited(trace, leave_out):
    """The trace as an edited file has it."""
    return trace.model_copy(update={"steps": tuple(s for s in trace.steps if not leave_out(s))})


def test_a_session_with_steps_missing_says_so_and_is_not_gone_on_with(engine):
    trace = edited(session_of(engine).trace(), lambda s: s.kind == "sgur.questions" and s.round == 2)
    Store().save(trace, run_id="edited")
    at = open_page("sgur", run="edited")
    at.run()
    assert "This session is not whole: round 2 lacks its questions" in words(at)
    assert SEEN[0] in words(at)  # what there is of it is drawn
    assert not [b for b in at.button if b.key.startswith(("sgur_yes_", "sgur_undo", "sgur_patient"))]
    assert "not whole" not in words(opened(run=Store().save(session_of(engine).trace())))


@pytest.mark.parametrize(
    ("address", "what", "instead"),
    [
        ({"round": "99"}, "There is no round 99 in this session", "The last one, round 2, is shown"),
        ({"round": "two"}, "There is no round two in this session", "The last one, round 2, is shown"),
        ({"hypothesis": "nobody"}, "names a hypothesis that its round does not list", "The leader is shown"),
        ({"show": "Magic"}, "There is no part “Magic” of this page", "The part “Why” is shown"),
        ({"patient": "99999.0.0"}, "names a simulated patient that there is not", "shown without one"),
        ({"patient": "x"}, "names a simulated patient that there is not", "shown without one"),
    ],
)
def test_a_link_to_what_there_is_not_says_so_and_what_is_shown(stored, address, what, instead):
    at = opened(run=stored, **address)
    assert what in words(at)
    assert instead in words(at)
    assert not set(address) & set(at.query_params)
    assert SEEN[0] in words(at)


def test_a_link_that_is_right_brings_no_message(stored, engine):
    second = session_of(engine).belief.beliefs[1].hypothesis.id
    at = opened(run=stored, round="1", hypothesis=second, show="Rounds", patient="0.0.0")
    assert "cw-message" not in words(at)


def test_a_link_to_a_session_that_is_not_here_names_no_button_of_another_page():
    at = opened(run="nowhere")
    assert "There is no run nowhere" in words(at)
    assert "Press Run" not in words(at)
    assert "Tell the complaint again" in words(at)


def test_many_rounds_without_news_are_said_sensibly(engine):
    session = session_of(engine)
    while session.round < 7:
        session = session.answer({engine.graph.observations.ids[session.round]: "unknown"})
    at = opened(run=Store().save(session.trace()))
    assert "Round 7: 4 more than the 3 planned." in words(at)
    assert "Round 7 of 3" not in words(at)


def test_a_place_says_of_how_many_and_what_was_counted(stored, engine):
    leader = session_of(engine).belief.beliefs[0]
    at = opened(run=stored)
    total = len(engine.graph.hypotheses)
    assert f"Place 1 of {total}; probability {percent(leader.probability)}." in words(at)
    assert f"In the data, {leader.observations} observations are reported with it." in words(at)


def test_a_case_file_of_another_source_leads_there():
    case = {"id": "one", "observed": ["HP:0001250", "HP:0001263"]}
    at = opened()
    at.file_uploader(key="sgur_cases_file").upload("cases.json", json.dumps([case]).encode(), "application/json").run()
    assert "These are ids of Human Phenotype Ontology" in words(at)
    assert at.button(key="sgur_case_switch").label.replace("\\", "") == "Open Human Phenotype Ontology"


def test_words_of_a_link_are_told_once(engine):
    at = ready(open_page("sgur", data="devices", q=EXAMPLE, go="1"))
    run_id = at.query_params["run"]
    assert len(beliefs(at)) == 1
    assert not {"go", "q"} & set(at.query_params)
    at.query_params.clear()
    for name, value in {"data": "devices", "q": EXAMPLE, "go": "1"}.items():
        at.query_params[name] = value
    ready(at.run())
    assert at.query_params["run"] == run_id  # the same link, the same session
    at = ready(open_page("sgur", data="devices", q="Purple elephants", go="1"))
    assert "run" not in at.query_params
    assert "Nothing of what this link tells is an observation of Device troubleshooting" in words(at)


def test_what_was_read_and_what_was_not_stays_on_the_page(engine):
    at = ready(open_page("sgur", data="devices", q=f"{SEEN[0]}. Purple elephants.", go="1"))
    assert "Not understood, and left out: “Purple elephants" in words(at)


def test_an_answer_that_contradicts_says_so(engine):
    session = session_of(engine)
    asked = next(s for s in session.steps if isinstance(s, AnswerStep)).answers[0]
    session = session.answer({asked.observation.id: "yes"})
    at = opened(run=Store().save(session.trace()))
    assert [b for b in blocks(at) if "cw-lead" in b and "what was said last holds" in b]  # beside what is held


def test_each_stop_of_the_tour_here_is_a_session_of_an_example():
    stops = [stop for stop in read_tour() if stop.page == "sgur"]
    assert stops
    for stop in stops:
        at = ready(open_page("sgur", **stop.query))
        assert stop.query["q"] == EXAMPLE
        assert len(beliefs(at)) == 1
        assert at.query_params.get("show", "") == stop.query.get("show", "")
        assert "cw-message" not in words(at)


def protocol_of(at):
    """The rows of the protocol that was run."""
    return next(t.value for t in at.dataframe if "MTTC, rounds" in t.value.columns)


def finished_protocol(at):
    for _ in range(100):
        at.run()
        if "job_sgur_protocol" not in words(at) and "stop_sgur_protocol" not in [b.key for b in at.button]:
            break
        time.sleep(0.1)
    assert not at.exception
    return at


def test_a_protocol_runs_on_the_page_with_every_method_beside_the_first(stored, engine):
    at = opened(run=stored, show="How well it works")
    at.session_state["sgur_protocol_here"] = True
    at.run()
    at.number_input(key="sgur_protocol_n").set_value(6).run()
    at.button(key="sgur_protocol_run").click().run()
    finished_protocol(at)
    rows = protocol_of(at)
    assert list(rows["Method"]) == [
        "SGUR, partial alignment",
        "shared terms",
        "IC overlap",
        "naive Bayes with frequencies",
    ]
    assert "6 patients." in words(at)
    patients = draw_patients(engine.graph, 6, "complex", NOISY, 0)
    result = run_protocol(engine, patients, {"sgur": method("sgur")}, [2, 4, 6])
    assert rows["Hit@3 after 6 terms, %"][0] == pytest.approx(
        100 * (result.places["sgur"][:, -1] <= 3).mean(), abs=0.01
    )


def test_the_cases_of_a_file_are_scored_on_the_page(stored, engine):
    ids, graph = engine.graph.observations.ids, engine.graph
    case = {"id": "one", "observed": [ids[o] for o in graph.reported[0].indices], "disease_id": graph.hypotheses.ids[0]}
    at = opened(run=stored, show="How well it works")
    at.session_state["sgur_protocol_here"] = True
    at.run()
    at.segmented_control(key="sgur_protocol_kind").set_value("Cases of a file").run()
    assert at.button(key="sgur_protocol_run").disabled
    file = at.file_uploader(key="sgur_protocol_file")
    file.upload("cases.json", json.dumps([case]).encode(), "application/json").run()
    at.multiselect(key="sgur_protocol_methods").set_value(["sgur"]).run()
    at.button(key="sgur_protocol_run").click().run()
    finished_protocol(at)
    rows = protocol_of(at)
    assert rows["Hit@3 after all terms, %"][0] == 100
    at.file_uploader(key="sgur_protocol_file").upload("cases.json", b"{", "application/json").run()
    assert "It is not JSON" in words(at)


def test_the_sum_of_a_question_tells_never_reported_from_reported_without_a_share(engine):
    step = session_of(engine).questions
    question = next(q for q in step.questions if len({e.p_yes for e in q.expectations}) > 1)
    said = questions.sum_written_out(step, question)
    for e in question.expectations:
        row = said.split(f"<td>{e.hypothesis.name}</td>")[1].split("</tr>")[0]
        assert ("never" in row) == (e.p_yes < 0.5)
        assert ("how often is not known" in row) == (e.p_yes > 0.5)
    share = question.expectations[0].model_copy(update={"frequency": 0.25})
    known = question.model_copy(update={"expectations": (share,)})
    assert "in 25 % of cases" in questions.sum_written_out(step, known)


def test_words_are_routed_first_when_that_is_chosen(monkeypatch):
    def opened_at_once(graph, encoder="", routed=False, on_progress=None):
        reader = Extractor(graph, get_encoder("letters") if not encoder else None)
        reader.prepare(on_progress)
        if routed:
            reader.routing = settle(reader.vectors.names, np.arange(len(graph.observations)) % 16, "made by hand")
        return reader

    monkeypatch.setattr("core.sgur.readers.open_extractor", opened_at_once)
    at = opened()
    at.segmented_control(key="sgur_reader").set_value(readers.BY_ROUTED).run()
    for _ in range(100):
        if "made by hand" in words(at):
            break
        time.sleep(0.1)
        at.run()
    assert "Routing layer L0: made by hand: 16 clusters." in words(at)
    at.text_area(key="sgur_words_0").input(SEEN[0]).run()
    at.button(key="sgur_read").click().run()
    assert re.search(r"Matched with the \d+ observations of the shortlist", words(at))
