"""Compare, predict, present and the tour without a browser."""

import made
import pytest
from test_apptest_pages import open_page, warm_server, words  # noqa: F401

from core.figures.hops import in_order_of_arrival
from core.store import Store


@pytest.fixture
def two():
    """A run with the causal module, one without, and one of another question; their ids."""
    store = Store()
    store.save(made.trace(), run_id="one")
    store.save(made.trace(assess=False, agents=1), run_id="two")
    store.save(made.trace().model_copy(update={"question": "Something else?"}), run_id="three")


def keys(at):
    return [b.key for b in at.button]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_link_with_another_run_compares_them(two, theme):
    at = open_page("cara", theme, run="one", other="two", tab="Compare")
    assert "Agent 1 makes" in words(at) or "goes the same way" in words(at) or "They never part" in words(at)
    assert "only CARA without C" in at.get("iframe")[0].proto.srcdoc
    assert {"cite_0_1", "cite_1_1"} <= set(keys(at))
    at.button(key="cite_1_1").click().run()
    assert at.query_params["node"] == "p2"
    assert at.query_params["other"] == "two"  # a choice in the run keeps the comparison
    at.button(key="no_other").click().run()
    assert "other" not in at.query_params
    assert "only CARA without C" not in at.get("iframe")[0].proto.srcdoc


def test_a_run_of_another_question_is_not_compared(two):
    at = open_page("cara", run="one", other="three", tab="Compare")
    assert "other" not in at.query_params
    assert "another question" in words(at)


def test_a_run_that_is_not_there_is_said_and_dropped(two):
    at = open_page("cara", run="one", other="nowhere", tab="Compare")
    assert "other" not in at.query_params
    assert "there is no run nowhere" in words(at).lower()


def test_a_hop_is_guessed_before_it_is_shown(two):
    at = open_page("cara", run="one", tab="Predict")
    assert "No guess yet." in words(at)
    at.button(key="predict_0").click().run()
    assert at.query_params["predict"] == "0"
    assert "cw-answer" not in words(at)
    assert "Ivo Brandt" not in words(at) + at.get("iframe")[0].proto.srcdoc
    assert "tab" not in keys(at)
    at.button(key="guess_3_f1").click().run()
    assert "Right. The agent followed The Long Tide" in words(at)
    assert "1 of 1 right" in words(at)
    while "predict_next" in keys(at):
        at.button(key="predict_next").click().run()
        guesses = [k for k in keys(at) if k.startswith("guess_")]
        if guesses:
            at.button(key=guesses[0]).click().run()
    at.button(key="predict_leave").click().run()
    assert "predict" not in at.query_params
    assert "Ivo Brandt" in words(at)


def test_the_presenters_view_shows_the_answer_at_the_end(two):
    at = open_page("cara", run="one", present="1")
    assert "cw-asked" in words(at)
    assert "cw-presented" not in words(at)
    assert "q" not in [t.key for t in at.text_input]
    last = in_order_of_arrival(Store().load("one"))[-1]
    at = open_page("cara", run="one", present="1", agent=str(last.agent), step=str(last.index))
    assert "cw-presented" in words(at)
    at.button(key="present_leave").click().run()
    assert "present" not in at.query_params
    assert "q" in [t.key for t in at.text_input]


def test_the_bar_of_a_tour_and_its_absence(two):
    at = open_page("cara", run="one", tour="3")
    assert "Tour, 3 of" in words(at)
    assert "Tour," not in words(open_page("cara", run="one"))
    at = open_page("home", tour="99")
    assert "Tour," not in words(at)
    assert "tour" not in at.query_params
