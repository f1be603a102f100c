from __future__ import annotations

import itertools

import pytest

from core.causal_attention.dag import ASSUMPTIONS, EDGES, NODES, STATEMENTS, d_separated, explain, write_path
from core.errors import ConfigError


@pytest.mark.parametrize("statement", STATEMENTS, ids=lambda s: s.formula)
def test_the_five_statements(statement: object) -> None:
    assert d_separated(statement.x, statement.y, statement.given) is statement.separated  # type: ignore[attr-defined]


def test_there_are_five_statements_and_four_assumptions() -> None:
    assert [s.formula for s in STATEMENTS] == ["q ⊥ B", "q ⊥̸ B | d", "q ⊥ d | A", "d ⊥ y | A, B", "q ⊥ B | A, d"]
    assert len(ASSUMPTIONS) == 4


def everything() -> list[tuple[str, str, tuple[str, ...]]]:
    cases = []
    for x, y in itertools.combinations(NODES, 2):
        others = [n for n in NODES if n not in (x, y)]
        for size in range(len(others) + 1):
            cases += [(x, y, given) for given in itertools.combinations(others, size)]
    return cases


def moral(x: str, y: str, given: tuple[str, ...]) -> bool:
    """d-separation by the ancestral moral graph, with sets alone."""
    wanted = {x, y, *given}
    while True:
        more = wanted | {a for a, b in EDGES if b in wanted}
        if more == wanted:
            break
        wanted = more
    links = {frozenset((a, b)) for a, b in EDGES if a in wanted and b in wanted}
    for child in wanted:
        parents = [a for a, b in EDGES if b == child and a in wanted]
        links |= {frozenset(pair) for pair in itertools.combinations(parents, 2)}
    reached, rest = {x}, True
    while rest:
        more = {n for link in links for n in link if link & reached and n not in given} | reached
        rest = more != reached
        reached = more
    return y not in reached


@pytest.mark.parametrize(("x", "y", "given_"), everything())
def test_any_conditioning_set_against_the_moral_graph_and_the_paths(x: str, y: str, given_: tuple[str, ...]) -> None:
    reply = explain(x, y, given_)
    assert reply.separated == moral(x, y, given_) == d_separated(y, x, given_)
    assert reply.separated == (not any(is_open for _, is_open, _ in reply.paths))


def test_paths_are_written_with_their_arrows_and_reasons() -> None:
    reply = explain("q", "B", ["d"])
    told = {write_path(path): (is_open, why) for path, is_open, why in reply.paths}
    assert told == {
        "q -> y <- B": (False, "closed at the collider y"),
        "q <- A -> d <- B": (True, "open: the collider d is known"),
    }


def test_questions_that_make_no_sense() -> None:
    for x, y, given_ in (("q", "q", ()), ("q", "B", ("q",)), ("q", "Z", ()), ("q", "B", ("Z",))):
        with pytest.raises(ConfigError):
            d_separated(x, y, given_)
