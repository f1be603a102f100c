"""Triples taken away from a trace: the answer again, lines that lose their support, and what a model must be asked."""

from __future__ import annotations

import numpy as np
from small_neighbourhood import TRIPLES, neighbourhood

from core.kerag.evaluator import evaluate
from core.kerag.program import Operation, Program, Way
from core.kerag.steps import RetrieveStep, SummaryStep
from core.kerag.take_away import neighbourhood_of, take_away
from core.kerag.triples import TripleIndex
from core.trace import DatasetRef, Trace

DATASET = DatasetRef(content_id="sha256:x", name="x", size={"nodes": 1, "edges": 1})
LONGEST = Program(
    operations=(
        Operation(do="start", nodes=("aare",)),
        Operation(do="follow", of=(0,), ways=(Way(relation="crosses", direction="in"),)),
        Operation(do="max", of=(1,), ways=(Way(relation="is long"),)),
    )
)


def trace_of(program: Program | None = LONGEST, kept: int | None = None) -> Trace:
    found = neighbourhood()
    rows = zip(found.head.tolist(), found.relation.tolist(), found.tail.tolist(), [1] * len(found), strict=True)
    triples = tuple(rows)[:kept]
    step = RetrieveStep(nodes=found.nodes, relations=found.relations, triples=triples, total=len(found))
    outcome = evaluate(LONGEST, TripleIndex(found))
    summary = SummaryStep(lines=outcome.lines, answers=tuple(found.nodes[i] for i in outcome.answers), program=program)
    return Trace(method="kerag", question="?", dataset=DATASET, steps=(step, summary))


def place(*triple: str) -> int:
    return TRIPLES.index(tuple(triple))  # type: ignore[arg-type]


def test_the_next_best_stands_in() -> None:
    taken = take_away(trace_of(), [place("Old Bridge", "crosses", "Aare")])
    assert taken is not None
    assert taken.after is not None
    assert [n.name for n in taken.before.answers] == ["Old Bridge"]
    assert [n.name for n in taken.after.answers] == ["New Bridge"]
    assert (taken.change, taken.partial) == ("changed", False)
    assert taken.lines[0].support == "weakened"
    assert taken.lines[0].taken == 1


def test_the_answer_is_lost_with_all_that_carries_it() -> None:
    ways = [i for i, t in enumerate(TRIPLES) if t[1] == "crosses"]
    taken = take_away(trace_of(), ways)
    assert taken is not None
    assert taken.after is not None
    assert taken.change == "lost"
    assert not taken.after.known
    assert taken.lines[0].support == "lost"


def test_what_nothing_rests_on_changes_nothing() -> None:
    taken = take_away(trace_of(), [place("Bern", "has", "toll"), 10_000, -1])
    assert taken is not None
    assert taken.change == "same"
    assert {line.support for line in taken.lines} == {"stands"}


def test_a_models_answer_must_be_asked_for_again() -> None:
    taken = take_away(trace_of(None), [place("Old Bridge", "crosses", "Aare")])
    assert taken is not None
    assert (taken.after, taken.change) == (None, "")
    assert taken.lines[0].support == "weakened"


def test_a_trace_that_keeps_a_part_says_so() -> None:
    taken = take_away(trace_of(kept=15), [])
    assert taken is not None
    assert taken.partial


def test_a_trace_without_reasoning_has_nothing_to_lose() -> None:
    assert take_away(Trace(method="bm25", question="?", dataset=DATASET), [0]) is None


def test_it_survives_json_and_the_neighbourhood_is_whole() -> None:
    trace = Trace.from_json(trace_of().to_json())
    taken = take_away(trace, [place("Old Bridge", "crosses", "Aare")])
    assert taken is not None
    assert taken.change == "changed"
    step = trace.steps[0]
    assert isinstance(step, RetrieveStep)
    again, found = neighbourhood_of(step), neighbourhood()
    assert np.array_equal(again.head, found.head)
    assert np.array_equal(again.tail, found.tail)
    assert len(neighbourhood_of(RetrieveStep())) == 0
