"""Every operation by hand on a small neighbourhood, against a second, dumber evaluator, and without order."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_neighbourhood import TRIPLES, neighbourhood

from core.kerag.evaluator import DONT_KNOW, Outcome, evaluate, nodes_of
from core.kerag.program import Operation, Program, Way
from core.kerag.triples import TripleIndex

OUT, IN = "out", "in"


def op(do: str, *of: int, ways: Any = (), **more: Any) -> Operation:
    return Operation.model_validate(
        {"do": do, "of": of, "ways": [Way(relation=r, direction=d) for r, d in ways], **more}
    )


def start(*nodes: str) -> Operation:
    return op("start", nodes=nodes)


def run(*operations: Operation, triples: Any = TRIPLES, without: Any = ()) -> tuple[Outcome, list[str]]:
    found = neighbourhood(triples)
    outcome = evaluate(Program(operations=operations), TripleIndex(found, without))
    return outcome, [found.nodes[i].name for i in outcome.answers]


BRIDGES = (start("aare"), op("follow", 0, ways=[("crosses", IN)]))


def test_follow_cites_its_triples() -> None:
    outcome, names = run(*BRIDGES)
    assert set(names) == {"Old Bridge", "New Bridge", "Rail Bridge"}
    line = outcome.lines[0]
    assert line.operation == "follow"
    assert {TRIPLES[t] for t in line.triples} == {t for t in TRIPLES if t[1:] == ("crosses", "Aare")}
    assert line.text == "From Aare, 'crosses' backwards leads to Old Bridge, New Bridge and Rail Bridge."
    assert [own.number for own in outcome.lines] == [1, 2]


def test_nodes_that_more_paths_lead_to_come_first() -> None:
    _, names = run(*BRIDGES, op("follow", 1, ways=[("built by", OUT)]))
    assert names == ["Ada", "Bo"]


def test_follow_leaves_nodes_out_and_ends_where_nothing_is_left() -> None:
    _, names = run(start("old bridge"), op("follow", 0, ways=[("crosses", OUT)]),
                   op("follow", 1, ways=[("crosses", IN)], nodes=("old bridge",)))  # fmt: skip
    assert set(names) == {"New Bridge", "Rail Bridge"}
    outcome, names = run(start("rhine"), op("follow", 0, ways=[("stands in", OUT)]))
    assert (outcome.known, names) == (False, [])
    assert DONT_KNOW in outcome.lines[-1].text
    assert "No triple leads from Rhine by 'stands in'" in outcome.lines[-1].text


def test_a_topic_that_is_not_there() -> None:
    outcome, _ = run(start("Limmat"))
    assert not outcome.known


@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        (op("filter", 1, 2, ways=[("stands in", OUT)]), {"New Bridge", "Rail Bridge"}),
        (op("filter", 1, 2, ways=[("stands in", OUT)], negated=True), {"Old Bridge"}),
        (op("filter", 1, ways=[("opened in", OUT)], test="> 1800"), {"New Bridge", "Rail Bridge"}),
        (op("filter", 1, ways=[("is long", OUT)], test="at least 900 m"), {"Old Bridge", "New Bridge"}),
        (op("filter", 1, ways=[("cost", OUT)], negated=True), {"Rail Bridge"}),
        (op("filter", 1, ways=[("stands in", OUT), ("has", OUT)]), {"Old Bridge"}),
    ],
)
def test_filters(operation: Operation, expected: set[str]) -> None:
    _, names = run(*BRIDGES, start("thun"), operation)
    assert set(names) == expected


def test_a_bound_in_another_unit_is_not_known() -> None:
    outcome, _ = run(*BRIDGES, op("filter", 1, ways=[("is long", OUT)], test="> 90 minutes"))
    assert not outcome.known


def test_sets_meet_and_part() -> None:
    both = (*BRIDGES, start("thun"), op("follow", 2, ways=[("stands in", IN)]))
    outcome, names = run(*both, op("intersect", 1, 3))
    assert set(names) == {"New Bridge", "Rail Bridge"}
    assert outcome.lines[2].text == "In lines 1 and 2: New Bridge and Rail Bridge."
    _, names = run(*both, op("subtract", 1, 3))
    assert names == ["Old Bridge"]
    apart, _ = run(start("bern"), op("follow", 0, ways=[("stands in", IN)]), start("rhine"),
                   op("follow", 2, ways=[("crosses", IN)]), op("intersect", 1, 3))  # fmt: skip
    assert not apart.known


def test_counting_and_adding_up() -> None:
    outcome, names = run(*BRIDGES, op("count", 1))
    assert outcome.value == "3"
    assert len(names) == 3
    outcome, _ = run(*BRIDGES, op("sum", 1, ways=[("is long", OUT)]))
    assert outcome.value == "2,320 m"


@pytest.mark.parametrize("relation", ["opened in", "cost", "stands in"])
def test_what_cannot_be_added_up(relation: str) -> None:
    outcome, _ = run(*BRIDGES, op("sum", 1, ways=[(relation, OUT)]))
    assert not outcome.known


@pytest.mark.parametrize(
    ("do", "relation", "expected"),
    [("max", "is long", "Old Bridge"), ("min", "is long", "Rail Bridge"), ("min", "opened in", "Old Bridge"),
     ("max", "opened in", "Rail Bridge")],
)  # fmt: skip
def test_extremes_by_value(do: str, relation: str, expected: str) -> None:
    outcome, names = run(*BRIDGES, op(do, 1, ways=[(relation, OUT)]))
    assert names == [expected]
    assert {TRIPLES[t][1] for t in outcome.lines[1].triples} == {relation}


def test_units_that_differ_are_not_compared() -> None:
    outcome, _ = run(*BRIDGES, op("max", 1, ways=[("cost", OUT)]))
    assert not outcome.known
    assert "different kinds" in outcome.lines[-1].text


def test_an_extreme_says_who_has_no_value() -> None:
    outcome, names = run(*BRIDGES, op("max", 1, ways=[("cost", OUT)]), triples=[t for t in TRIPLES if t[2] != "€20"])
    assert names == ["Old Bridge"]
    assert "New Bridge and Rail Bridge without a value" in outcome.lines[1].text


def test_extremes_by_count_and_by_paths() -> None:
    towns = (start("bern", "thun"), op("max", 0, ways=[("stands in", IN)], measure="count"))
    outcome, names = run(*towns)
    assert (names, outcome.lines[0].value) == (["Thun"], "2")
    _, names = run(*BRIDGES, op("follow", 1, ways=[("built by", OUT)]), op("max", 2, measure="paths"))
    assert names == ["Ada"]
    _, names = run(*BRIDGES, op("follow", 1, ways=[("built by", OUT)]), op("min", 2, measure="paths"))
    assert names == ["Bo"]


def test_comparing_what_is_offered() -> None:
    offered = start("old bridge", "rail bridge")
    _, names = run(offered, op("compare", 0, ways=[("is long", OUT)], greatest=True))
    assert names == ["Old Bridge"]
    outcome, _ = run(offered, op("compare", 0, ways=[("cost", OUT)], greatest=True))
    assert not outcome.known  # one of them has no price: an extreme would leave it out, a comparison must not


@pytest.mark.parametrize(
    ("operations", "value"),
    [
        ((start("old bridge"), start("aare"), op("exists", 0, 1, ways=[("crosses", OUT)])), "yes"),
        ((start("old bridge"), start("rhine"), op("exists", 0, 1, ways=[("crosses", OUT)])), "no"),
        ((start("old bridge"), start("rhine"), op("exists", 0, 1, ways=[("crosses", OUT)], negated=True)), "yes"),
        ((start("rail bridge"), op("exists", 0, ways=[("cost", OUT)])), "no"),
        ((start("rail bridge"), op("exists", 0, ways=[("opened in", OUT)], test="before 1900")), "no"),
        ((start("rail bridge"), op("exists", 0, ways=[("opened in", OUT)], test="after 1900")), "yes"),
    ],
)
def test_yes_or_no(operations: tuple[Operation, ...], value: str) -> None:
    outcome, _ = run(*operations)
    assert (outcome.value, outcome.known) == (value, True)


def test_a_triple_that_was_taken_away_is_not_there() -> None:
    gone = [i for i, t in enumerate(TRIPLES) if t == ("New Bridge", "crosses", "Aare")]
    _, names = run(*BRIDGES, without=gone)
    assert set(names) == {"Old Bridge", "Rail Bridge"}


def test_an_empty_program_and_one_that_looks_ahead() -> None:
    assert not run()[0].known
    with pytest.raises(ValueError, match="later"):
        run(op("count", 3))
    with pytest.raises(ValueError, match="nodes"):
        run(*BRIDGES, op("count", 1), op("count", 2))


def dumb(triples: list[tuple[str, str, str]], begin: str, ways: list[tuple[str, str]]) -> set[str]:
    """The same walk, one triple at a time."""
    here = {begin}
    for relation, direction in ways:
        pairs = [(h, t) if direction == OUT else (t, h) for h, r, t in triples if r == relation]
        here = {there for at, there in pairs if at in here}
    return here


@settings(max_examples=60)
@given(
    st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from(["r", "s"]), st.sampled_from("abcd")), min_size=1),
    st.lists(st.tuples(st.sampled_from(["r", "s"]), st.sampled_from([OUT, IN])), min_size=1, max_size=3),
    st.randoms(),
)
def test_walks_equal_the_dumb_ones_in_any_order(
    triples: list[tuple[str, str, str]], ways: list[tuple[str, str]], draw: random.Random
) -> None:
    triples = list(dict.fromkeys(triples))
    program = (start("a"), *(op("follow", n, ways=[way]) for n, way in enumerate(ways)))
    shuffled = list(triples)
    draw.shuffle(shuffled)
    for order in (triples, shuffled):
        outcome, names = run(*program, triples=order)
        there = any("a" in (h, t) for h, _, t in triples)
        expected = dumb(triples, "a", ways) if there else set()
        assert set(names) == expected
        assert outcome.known == bool(expected)


def test_nodes_of_a_program_that_leads_nowhere() -> None:
    found = TripleIndex(neighbourhood())
    assert len(nodes_of(Program(operations=BRIDGES), found)) == 3
    assert not len(nodes_of(Program(operations=(start("nowhere"),)), found))
    assert not len(nodes_of(Program(), found))


def test_a_program_survives_json() -> None:
    program = Program(operations=(*BRIDGES, op("max", 1, ways=[("is long", OUT)], dimension="length")))
    assert Program.model_validate_json(program.model_dump_json()) == program
