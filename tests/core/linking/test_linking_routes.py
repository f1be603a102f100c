"""Terms of routes against a slow implementation; the best way on against all ways."""

import itertools

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.linking import routes as routes_module
from core.linking.lens import Needs
from core.linking.mentions import Mention
from core.linking.question import Question, read_question
from core.linking.routes import (
    APPOSITION_SHARE,
    CUE_LICENCE,
    KIND_LICENCE,
    NEXT_NEED,
    ORDER_MARGIN,
    SECOND_NEED,
    TWICE,
    RoutePlan,
    RouteScorer,
)

T = 3  # relations of the toy role graph
HOPS = 2 * T


class ToyRoles:
    """Relation t leads from class t to class t + 1 and everything may follow everything but 0 after 0."""

    relations = ("r0", "r1", "r2")
    hops = HOPS
    canonical = np.arange(HOPS)
    kept = np.ones(HOPS, dtype=bool)
    follows = np.ones((HOPS, HOPS), dtype=bool)
    frequency = np.array([1.0, 2.0, 3.0])


ToyRoles.follows[0, 0] = False


def question(cue=False, strong=False, target=None, apposition=None, n=3):
    words = read_question("alpha beta gamma delta [X]".replace("[X]", "Xx"), Mention(23, 25, "Xx", (0,), 0)).words
    return Question("", words, tuple(range(n)), tuple(map(float, range(n, 0, -1))), (), (), "", False, False, False,
                    cue, strong, target, apposition)  # fmt: skip


def make_needs(seed, n=3, kind="", **parts):
    rng = np.random.default_rng(seed)
    edge, arrival, anchor = (rng.choice([0.0, 0.3, 0.6, 1.0], size=(HOPS, n)) for _ in range(3))
    edge[1::2] = edge[0::2]
    return Needs(
        question=question(n=n, **parts),
        texts=("alpha", "beta", "gamma", "delta")[:n],
        edge=edge,
        arrival=arrival,
        anchor=anchor,
        weight=rng.uniform(0.05, 1, n),
        distance=np.arange(n, 0, -1.0),
        adjacent=np.array([i + 1 < n for i in range(n)], dtype=bool),
        fit=rng.choice([0.0, 0.5, 1.0], size=HOPS),
        head=0 if n else None,
        kind=kind,
    )


def slow(needs, route, first):
    """One route's terms, by loops over needs and all assignments."""
    n, h = len(needs.weight), len(route)
    q = needs.question
    given = [0.0] * n
    if q.apposition is not None:
        given[q.apposition] = max(needs.anchor[f, q.apposition] for f in first)
    explained = list(given)
    for table in (needs.arrival, needs.edge):
        for hop in route:
            says = table[hop]
            if n and says.max() > 0:
                worth = [says[i] * needs.weight[i] * (explained[i] < says[i]) for i in range(n)]
                best = int(np.argmax(worth))
                gain = [SECOND_NEED * says[i] for i in range(n)]
                gain[best] = says[best]
                for i in (best - 1, best + 1):
                    if 0 <= i < n and needs.adjacent[min(i, best)]:
                        gain[i] = max(gain[i], NEXT_NEED * says[i])
                explained = [max(a, b) for a, b in zip(explained, gain, strict=True)]
    coverage = sum(w * e for w, e in zip(needs.weight, explained, strict=True)) / max(needs.weight.sum(), 1e-6)
    answer = needs.fit[route[-1]] if needs.answer_known else 0.0
    distance = [*needs.distance, max(needs.distance, default=0.0) + 1]

    def licence(k, need):
        if need == n:
            return KIND_LICENCE * answer if needs.kind and k == h - 1 else 0.0
        return max(needs.edge[route[k], need], needs.arrival[route[k], need]) * (1 - APPOSITION_SHARE * given[need])

    best_total, chosen = -9.0, None
    for assigned in itertools.product(range(n + 1), repeat=h):
        if len(set(assigned)) < h:
            continue
        total = sum(licence(k, a) for k, a in enumerate(assigned))
        total -= ORDER_MARGIN * sum(distance[a] > distance[b] for a, b in itertools.pairwise(assigned))
        if total > best_total + 1e-9:
            best_total, chosen = total, assigned
    return coverage, best_total, chosen, explained


def row(terms, i):
    return {f: getattr(terms, f)[i] for f in ("coverage", "answer", "hops", "reverse", "back", "inversions")}


@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize("hops", [1, 2, 3])
def test_terms_against_the_slow_implementation(seed, hops):
    needs = make_needs(seed, kind="person" if seed % 2 else "", apposition=1 if seed % 3 == 0 else None)
    first = (0, 2)
    scorer = RouteScorer(ToyRoles(), needs, first)
    routes = np.array(list(itertools.product(range(HOPS), repeat=hops)))[:: 1 if hops < 3 else 5]
    terms = scorer.terms(routes)
    for i, route in enumerate(routes.tolist()):
        coverage, best_total, _, explained = slow(needs, route, first)
        assert terms.coverage[i] == pytest.approx(coverage)
        assert terms.explained[i] == pytest.approx(explained)
        assert terms.answer[i] == needs.fit[route[-1]]
        distance = [*needs.distance, max(needs.distance) + 1]
        order = sum(distance[a] > distance[b] for a, b in itertools.pairwise(terms.licensed_by[i].tolist()))
        if len(set(terms.licensed_by[i].tolist())) == hops:
            assert terms.licences[i].sum() - ORDER_MARGIN * order == pytest.approx(best_total)
        assert terms.licence_mean[i] == pytest.approx(terms.licences[i].mean())
        assert terms.licence_min[i] == pytest.approx(terms.licences[i].min())
        assert terms.hops[i] == hops
        support = needs.arrival.max(axis=1)
        assert terms.reverse[i] == pytest.approx(sum(1 - support[h] for h in route if h & 1))


def test_going_back_costs_unless_a_cue_asks_for_it():
    plain = RouteScorer(ToyRoles(), make_needs(1, n=1), (0,)).terms(np.array([[2, 3], [2, 4]]))
    assert plain.back.tolist() == [1.0, 0.0]
    cued = RouteScorer(ToyRoles(), make_needs(1, n=1, cue=True), (0,)).terms(np.array([[2, 3], [2, 4]]))
    assert cued.back.tolist() == [-1.0, 0.0]
    strong = RouteScorer(ToyRoles(), make_needs(1, n=1, cue=True, strong=True), (0,))
    assert strong.terms(np.array([[2, 3], [2, 4]])).back.tolist() == [-1.0, 1.0]
    assert strong.terms(np.array([[2]])).back.tolist() == [1.0]


def test_a_cue_points_at_the_turn_that_is_meant():
    needs = make_needs(1, n=1, cue=True, strong=True, target=0)
    needs.edge[:] = 0.0
    needs.arrival[:] = 0.0
    needs.edge[2:4, 0] = 1.0
    terms = RouteScorer(ToyRoles(), needs, (0,)).terms(np.array([[2, 3], [4, 5]]))
    assert terms.back.tolist() == [-1.0, 1.0]
    assert terms.licences[0].tolist() == [1.0, CUE_LICENCE]


def test_two_needs_for_one_relation_excuse_going_back():
    needs = make_needs(1, n=2)
    needs.edge[2:4] = TWICE + 0.1
    assert RouteScorer(ToyRoles(), needs, (0,)).terms(np.array([[2, 3]])).back.tolist() == [0.0]


def value(terms):
    return terms.coverage + terms.licence_mean + 0.5 * terms.answer - 0.1 * terms.hops - 0.3 * terms.back


def every_route(first):
    for length in (1, 2, 3):
        for route in itertools.product(range(HOPS), repeat=length):
            if route[0] in first and not any(p == (0, 0) for p in itertools.pairwise(route)):
                yield route


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(0, 10_000), st.sets(st.integers(0, HOPS - 1), min_size=1), st.sets(st.integers(0, HOPS - 1)))
def test_the_best_way_on_is_the_best_of_all_ways(seed, first, can):
    plan = RoutePlan(ToyRoles(), make_needs(seed), sorted(first), value)
    routes = {route: plan.route(route) for route in every_route(first)}  # 258 at most: nothing is pruned
    rank = {route: plan.rank(r) for route, r in routes.items()}
    best = plan.best()
    assert best is not None
    assert best.hops == min(rank, key=rank.get)
    for beginning in list(routes)[::7]:
        ways = [r for r in routes if r[: len(beginning)] == beginning]
        assert plan.best_from(beginning).hops == min(ways, key=rank.get)
        n = len(beginning)
        allowed = [r for r in ways if len(r) == n or r[n] in can]
        assert plan.best_from(beginning, can).hops == min(allowed, key=rank.get)
    assert [r.hops for r in plan.ranked()] == sorted(rank, key=rank.get)


def test_asking_beyond_what_was_explored_changes_nothing():
    one = RoutePlan(ToyRoles(), make_needs(3), [2], value)
    other = RoutePlan(ToyRoles(), make_needs(3), [2], value)
    beyond = other.best_from((4, 1))  # no route from here begins so
    assert beyond.hops[:2] == (4, 1)
    other.best_from((0, 1, 2, 3))
    assert [r.hops for r in one.ranked()] == [r.hops for r in other.ranked()]
    assert one.best_from((2,)) == other.best_from((2,))
    assert one.best_from((4, 1)) == beyond


def test_equal_values_go_to_the_shorter_then_the_more_usual():
    needs = make_needs(5, n=1)
    for table in (needs.edge, needs.arrival):
        table[:] = 0.0
    plan = RoutePlan(ToyRoles(), needs, range(HOPS), lambda terms: np.zeros(len(terms.hops)))
    assert plan.ranked()[0].hops == (4,)
    assert [len(r.hops) for r in plan.ranked()[:HOPS]] == [1] * HOPS


def test_nowhere_to_go():
    plan = RoutePlan(ToyRoles(), make_needs(5), [], value)
    assert plan.best() is None
    assert plan.ranked() == []


def test_many_needs_are_assigned_in_parts(monkeypatch):
    needs = make_needs(7, n=4)
    routes = np.array(list(itertools.product(range(HOPS), repeat=3)))
    whole = RouteScorer(ToyRoles(), needs, (0,)).terms(routes)
    monkeypatch.setattr(routes_module, "ASSIGNED_AT_ONCE", 1_000)
    parts = RouteScorer(ToyRoles(), needs, (0,)).terms(routes)
    assert np.array_equal(whole.licences, parts.licences)
    assert np.array_equal(whole.licensed_by, parts.licensed_by)


def test_longer_routes_are_scored_too():
    terms = RouteScorer(ToyRoles(), make_needs(3), (0,)).terms(np.array([[2, 4, 1, 5, 3]]))
    assert terms.hops.tolist() == [5.0]
    assert terms.licence_mean[0] == pytest.approx(terms.licences[0].mean())
    assert 0 <= terms.coverage[0] <= 1
