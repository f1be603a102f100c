"""Traces: round trip, identity, and refusals that say where."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import core.cara.steps as cara
from core.errors import TraceError
from core.trace import (
    Answer,
    Claim,
    DatasetRef,
    Evidence,
    NodeRef,
    Price,
    Ranked,
    Trace,
    Usage,
    register_step,
    step_from_json,
)

FILM = NodeRef(id="n1", name="Film", type="film")
PERSON = NodeRef(id="n2", name="Person")


def example(question="who made it?", at=0.0, order=(0, 1)):
    by = cara.Candidate(node=PERSON, bm25=1.5, links=(cara.Link(type="by", direction="out"),))
    claim = Claim(text="Person.", evidence=(Evidence(node=PERSON, quote="Person"),))
    steps = [
        cara.NeighborsStep(
            agent=0,
            index=1,
            at=at,
            node=FILM,
            anchor=FILM,
            subquery="made",
            k=20,
            total=1,
            candidates=(by,),
        ),
        cara.AppendStep(agent=1, index=1, at=at + 1, nodes=(cara.Appended(node=PERSON, source=1),)),
    ]
    return Trace(
        run_id=f"run-{at}", method="cara", question=question, dataset=DatasetRef(content_id="sha256:0", name="tiny"),
        steps=tuple(steps[i] for i in order), started_at=str(at), seconds=at,
        ranked=(Ranked(id="n2", name="Person", score=0.5, ranks={0: 1, 1: 2}),),
        answer=Answer(text="Person.", claims=(claim,)),
    )  # fmt: skip


def test_json_round_trip_is_equal():
    trace = example()
    assert Trace.from_json(trace.to_json()) == trace
    assert trace.answer.citations == ("n2",)


@given(st.text())
def test_any_question_survives_the_round_trip(question):
    question = question.encode("utf-8", "replace").decode()
    trace = example(question)
    assert Trace.from_json(trace.to_json()).question == question


def test_identity_leaves_out_clocks_run_ids_and_arrival_order():
    first, later = example(), example(at=9.0, order=(1, 0))
    assert first != later
    assert first.same_content(later)


def test_identity_sees_decisions():
    trace = example()
    other = trace.model_copy(update={"ranked": ()})
    assert not trace.same_content(other)
    fewer = trace.model_copy(update={"steps": trace.steps[:1]})
    assert not trace.same_content(fewer)


def test_identity_leaves_out_prices_and_traces_without_one_still_load():
    trace = example()
    priced = trace.model_copy(update={"usage": Usage(price=Price(prompt=2.0))})
    assert trace.same_content(priced)
    assert Trace.from_json(priced.to_json()).usage.price == Price(prompt=2.0)
    body = json.loads(trace.to_json())
    del body["usage"]["price"]
    assert Trace.from_json(json.dumps(body)) == trace


def test_agents_and_their_steps_in_order():
    trace = example(order=(1, 0))
    assert trace.agents == (0, 1)
    assert [s.kind for s in trace.steps_of(1)] == ["cara.append"]


@pytest.mark.parametrize(
    ("text", "what", "where"),
    [
        ("{", "not valid JSON", ""),
        ("[]", "not a Causeway trace", ""),
        ('{"format": "causeway.trace/99"}', "causeway.trace/99", ""),
        ('{"format": "causeway.trace/1", "method": 3}', "not valid", "method"),
    ],
)
def test_a_broken_file_is_refused_in_words(text, what, where):
    with pytest.raises(TraceError) as error:
        Trace.from_json(text)
    assert what in error.value.what
    assert where in error.value.where


def test_a_broken_step_is_named_by_its_number():
    body = json.loads(example().to_json())
    body["steps"][1]["nodes"] = "none"
    with pytest.raises(TraceError) as error:
        Trace.from_json(json.dumps(body))
    assert error.value.where.startswith("step 2")
    body["steps"][1] = {"kind": "later.method"}
    with pytest.raises(TraceError, match=r"later\.method"):
        Trace.from_json(json.dumps(body))


def test_deep_nesting_is_refused_not_crashed():
    with pytest.raises(TraceError):
        Trace.from_json("[" * 100_000)


def test_one_tag_one_step_type():
    class Twin(cara.CaraStep):
        kind: str = "cara.append"

    with pytest.raises(TypeError, match="already taken"):
        register_step(Twin)


def test_every_cara_step_reads_back():
    for cls in (cara.ReadQuestion, cara.FinishStep, cara.AppendStep):
        step = cls(reason="because", source=3)
        assert step_from_json(step.model_dump_json()) == step


@pytest.mark.parametrize("tag", [[], {}, None, 3])
def test_a_tag_that_is_no_text_is_refused(tag):
    body = json.loads(example().to_json())
    body["steps"][0]["kind"] = tag
    with pytest.raises(TraceError, match="unknown step type"):
        Trace.from_json(json.dumps(body))


@pytest.mark.parametrize(("name", "value"), [("agent", -1), ("agent", 10**30), ("index", 10**30), ("index", -1)])
def test_agents_and_steps_are_numbered_within_bounds(name, value):
    body = json.loads(example().to_json())
    body["steps"][0][name] = value
    with pytest.raises(TraceError):
        Trace.from_json(json.dumps(body))
