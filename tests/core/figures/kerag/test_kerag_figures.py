"""A KERAG run drawn from its trace: parts, graph, tables, and the file to hand on."""

from __future__ import annotations

import re

import pytest

from core.figures.kerag.parts import DONT_KNOW, depths, far_end, headline, in_words, parts_of, triple_words
from core.figures.kerag.predict import choices, right_one
from core.figures.kerag.report import kerag_html
from core.figures.kerag.tables import all_tables, plan_table, triples_table
from core.figures.kerag.view import LANE, kerag_view
from core.kerag.steps import Line, RetrieveStep, SchemaStep, SeenRelation, SummaryStep, Topic, TopicStep
from core.trace import DatasetRef, NodeRef, Trace

HOSTILE = "<img src=x onerror=alert(1)>"
PRIZE, ONE, TWO = (NodeRef(id=f"n{i}", name=n) for i, n in enumerate(("Prize", "One Film", HOSTILE)))
TOPIC = TopicStep(index=1, topics=(Topic(node=PRIZE, start=0, end=5),), question_kind="count")
SEEN = SeenRelation(relation="won", direction="in", edges=2, relevance=0.9, covers=("won",), reason="named")
SCHEMA = SchemaStep(index=2, hop=1, frontier=1, relations=(SEEN,), enough=True)
FOUND = RetrieveStep(
    index=3, nodes=(PRIZE, ONE, TWO), relations=("won",), triples=((1, 0, 0, 1), (2, 0, 0, 1)), total=2
)
LINES = (
    Line(number=1, text="Two films lead there.", operation="follow", triples=(1, 0)),
    Line(number=2, text="Counted: 2.", operation="count", triples=(1, 0), value="2"),
)
SUMMARY = SummaryStep(index=4, lines=LINES, answers=(ONE, TWO), value="2")


def trace_of(*steps) -> Trace:
    dataset = DatasetRef(content_id="sha256:x", name="films", size={"nodes": 3, "edges": 2})
    return Trace(method="kerag", question="How many films won?", dataset=dataset, steps=steps, status="finished")


TRACE = trace_of(TOPIC, SCHEMA, FOUND, SUMMARY)


def test_triples_are_numbered_in_the_order_in_which_they_are_cited() -> None:
    parts = parts_of(TRACE.steps)
    assert parts.numbers == {1: 1, 0: 2}
    assert triple_words(FOUND, 0) == "One Film won Prize"
    assert far_end(FOUND, 0, depths(parts)) == ONE  # and not the topic, though the triple points to it


def test_the_answer_heads_itself() -> None:
    assert headline(SUMMARY)[0] == "2"
    names = SUMMARY.model_copy(update={"value": ""})
    assert in_words(names).startswith("One Film and ")
    unknown = SummaryStep(
        index=4, known=False, lines=(Line(number=1, text="No triple is left. So the answer is: I don't know."),)
    )
    assert headline(unknown) == ("I don't know", "No triple is left.")
    assert headline(None) == ("", "")
    namesakes = SUMMARY.model_copy(
        update={"answers": (ONE,) * 3 + tuple(NodeRef(id=str(i), name=f"N{i}") for i in range(20))}
    )
    assert headline(namesakes)[1].endswith("N10 and 9 more")  # 23 nodes, of which 14 bear the names shown


def test_each_line_is_a_frame_that_lights_its_triples() -> None:
    view = kerag_view(TRACE)
    assert [frame.index for frame in view.frames] == [1, 2]
    assert all(len(frame.path) == 2 for frame in view.frames)
    assert view.lane_names == (LANE,)
    assert {view.nodes[i].name for i in view.frames[-1].appended} == {"One Film", HOSTILE}
    assert view.nodes[view.frames[0].at].name == "Prize"


def test_what_was_taken_away_is_not_drawn() -> None:
    view = kerag_view(TRACE, without={1})
    assert len(view.edges) == 1
    assert view.frames[0].detail == "2 triples, 1 taken away"
    assert kerag_view(TRACE, without={0, 1}).frames[0].at is not None


@pytest.mark.parametrize("steps", [(), (TOPIC,), (TOPIC, SCHEMA), (TOPIC, SCHEMA, FOUND)])
def test_a_run_that_was_cut_short_can_be_drawn_and_handed_on(steps) -> None:
    trace = trace_of(*steps)
    assert kerag_view(trace).frames == ()
    assert [t.name for t in all_tables(trace)] == ["Answer", "Plan", "Triples", "Reasoning", "Cost"]
    assert "ended before it answered" in kerag_html(trace)


def test_the_tables_hold_what_the_figures_show() -> None:
    parts = parts_of(TRACE.steps)
    assert plan_table(parts).rows[0]["Direction"] == "backwards"
    rows = triples_table(parts, {1}).rows
    assert [row["Number"] for row in rows] == [1, 2]
    assert [row["Taken away"] for row in rows] == ["yes", ""]
    assert rows[1]["Cited in lines"] == "1, 2"


def test_the_file_asks_for_nothing_and_runs_nothing_of_the_data() -> None:
    html = kerag_html(TRACE, theme="dark", without={1})
    assert HOSTILE not in html
    assert not re.search(r"<(?:script|link|img)\b[^>]*https?://", html)
    assert "Without what was taken away" in html


@pytest.mark.parametrize("value", ["2", "yes", ""])
def test_the_right_answer_is_among_the_choices_once(value) -> None:
    parts = parts_of(trace_of(TOPIC, SCHEMA, FOUND, SUMMARY.model_copy(update={"value": value})).steps)
    offered = choices(parts, "How many?")
    assert offered.count(right_one(parts)) == 1
    assert DONT_KNOW in offered
    assert len(set(offered)) == len(offered) > 1
    assert offered == choices(parts, "How many?")
    assert choices(parts_of((TOPIC,)), "How many?") == ()
