"""The KERAG page without a browser: runs on a small graph, read by letters, drawn from their traces."""

import kerag_made
from streamlit.testing.v1 import AppTest

from core.figures.kerag.parts import parts_of
from core.kerag.settings import Overrule
from core.kerag.steps import KeragFailedStep, RetrieveStep, SchemaStep, SummaryStep
from pages.shared.kerag import asking, result

TRACE = kerag_made.trace()


def script():
    """The result alone, on a run that the test puts into the session."""
    import streamlit as st

    from pages.shared.kerag import result

    result.draw(st.session_state["trace"], can_run=True)


def opened(trace=TRACE, **address) -> AppTest:
    at = AppTest.from_function(script, default_timeout=120)
    at.session_state["trace"] = trace
    for name, value in address.items():
        at.query_params[name] = str(value)
    at.run()
    assert not at.exception
    return at


def words(at):
    return "\n".join(e.proto.body for e in at.get("html"))


def test_answer_plan_and_reasoning_are_drawn():
    told = words(opened())
    assert "Ada Holm" in told
    assert "About <b dir='auto'>The Salt Road</b>" in told
    assert "relevance" in told


def test_a_triple_taken_away_takes_the_answer_along_and_can_be_given_back():
    at = opened()
    place = next(t for line in summary(TRACE).lines for t in line.triples)
    at.button(f"kerag_take_{place}").click().run()
    assert at.query_params["without"] == str(place)
    assert "I don&#x27;t know" in words(at)
    assert "Support lost" in words(at)
    at.button("kerag_give_back").click().run()
    assert "without" not in at.query_params
    assert "Support lost" not in words(at)


def test_a_citation_marks_its_triple_and_selects_what_it_leads_to():
    at = opened()
    line = next(one for one in summary(TRACE).lines if one.triples)
    at.button(f"kerag_cite_{line.number}_{line.triples[0]}").click().run()
    assert "cw-cited" in words(at)
    assert at.query_params["node"] == "p1"


def test_a_relation_that_is_overruled_asks_for_a_run_without_it():
    at = opened()
    seen = next(r for s in TRACE.steps if isinstance(s, SchemaStep) for r in s.relations if r.kept)
    at.toggle(f"kerag_turn_{TRACE.run_id}_1_{seen.direction}_{seen.relation}").set_value(False).run()
    run_id, config = at.session_state[asking.AGAIN]
    assert run_id == TRACE.run_id
    assert config["overrules"] == [{"hop": 1, "relation": seen.relation, "direction": seen.direction, "kept": False}]


def test_what_was_overruled_is_said_and_can_be_undone():
    by_hand = Overrule(hop=1, relation="written by", direction="out", kept=False)
    at = opened(kerag_made.trace(overrules=[by_hand.model_dump()]))
    assert "By hand, hop 1: → written by left out." in words(at)
    at.button("kerag_undo_0").click().run()
    assert at.session_state[asking.AGAIN][1]["overrules"] == []


def test_an_address_that_means_nothing_does_no_harm():
    told = words(opened(step="99", triple="999999", without="a.99999.-1", node="nobody"))
    assert "Without:" not in told


def test_the_answer_is_hidden_until_it_is_guessed():
    at = opened(guess=1)
    assert "What will the answer be?" in words(at)
    assert "So the answer is" not in words(at)
    offered = [b for b in at.button if b.key.startswith("kerag_guess_") and b.key != "kerag_guess_leave"]
    next(b for b in offered if b.label == "Ada Holm").click().run()
    assert "You guessed as the run answers." in words(at)
    assert "1 of 1 guess in this session" in words(at)
    assert "So the answer is" in words(at)


def summary(trace):
    return next(s for s in trace.steps if isinstance(s, SummaryStep))


def test_a_run_that_is_on_says_what_is_being_decided():
    steps = TRACE.steps
    said = [result.doing(parts_of(steps[:n])) for n in (0, 1, 1 + sum(isinstance(s, SchemaStep) for s in steps) + 1)]
    assert said == [
        "looking for what the question names",
        "looking at the relations at hop 1",
        "retrieving the triples, and reasoning over them",
    ]


def test_a_run_that_failed_says_so_once_and_waits_for_nothing():
    fault = "tiny: no usable reply"
    steps = (KeragFailedStep(action="find the topic entities", error=fault),)
    update = {"status": "failed", "error": fault, "steps": steps, "answer": None, "ranked": ()}
    at = opened(TRACE.model_copy(update=update))
    told = words(at)
    assert told.count(fault) == 1
    assert "Waits for" not in told
    assert "Looking for" not in told
    assert "Nothing was planned." in told
    assert "Nothing was retrieved." in told
    assert "Nothing was concluded." in told


def test_what_was_dropped_of_a_models_reply_is_said():
    steps = tuple(
        s.model_copy(update={"reason": "a citation was <b>dropped</b>"}) if isinstance(s, SummaryStep) else s
        for s in TRACE.steps
    )
    assert "⚠ A citation was &lt;b&gt;dropped&lt;/b&gt;." in words(opened(TRACE.model_copy(update={"steps": steps})))


def test_of_a_large_neighbourhood_all_nodes_are_counted_not_those_that_the_run_keeps():
    steps = tuple(
        s.model_copy(update={"total": 16_001, "among": 16_002}) if isinstance(s, RetrieveStep) else s
        for s in TRACE.steps
    )
    told = words(opened(TRACE.model_copy(update={"steps": steps})))
    assert "<b class='cw-num'>16,001</b> triples between <b class='cw-num'>16,002</b> nodes.</p>" in told
