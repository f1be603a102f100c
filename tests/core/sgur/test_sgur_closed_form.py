from __future__ import annotations

import math

import numpy as np
import pytest
from made_expert import drawn, small

from core.sgur.closed_form import closed_form, surprise
from core.sgur.engine import Engine
from core.sgur.evidence import ALIKE
from core.sgur.expert_graph import ExpertGraph
from core.sgur.query import Query
from core.sgur.similarity import common_information, lin
from core.sgur.steps import SgurConfig


def above(graph: ExpertGraph, o: int) -> set[int]:
    found = {o}
    for p in graph.parents[o].indices:
        found |= above(graph, int(p))
    return found


def information(graph: ExpertGraph) -> list[float]:
    implied = [
        set().union(*(above(graph, int(o)) for o in graph.reported[h].indices)) for h in range(graph.reported.shape[0])
    ]
    many = len(implied)
    return [-math.log(max(sum(o in i for i in implied), 0.5) / many) for o in range(len(graph.observations))]


def slow_lin(graph: ExpertGraph, a: int, b: int) -> float:
    if a == b:
        return 1.0
    ic = information(graph)
    shared = max((ic[c] for c in above(graph, a) & above(graph, b)), default=0.0)
    return min(2 * shared / (ic[a] + ic[b]), 1.0) if ic[a] + ic[b] > 0 else 0.0


@pytest.mark.parametrize("graph", [small(), drawn(12, 15, 3, 1)])
def test_similarity_is_lins_measure(graph: ExpertGraph) -> None:
    index = Engine(graph).index
    for a in range(len(graph.observations)):
        expected = [slow_lin(graph, a, b) for b in range(len(graph.observations))]
        assert lin(index, a) == pytest.approx(expected)


def test_without_a_hierarchy_only_the_same_is_alike() -> None:
    graph = small()
    index = Engine(graph).index
    fever = graph.observations.positions["S:fever"]
    assert lin(index, fever).tolist() == [float(i == fever) for i in range(len(graph.observations))]
    assert common_information(index, fever)[fever] == pytest.approx(math.log(6 / 2))


@pytest.mark.parametrize("seed", range(4))
def test_the_closed_form_is_what_its_formula_says(seed: int) -> None:
    graph = drawn(15, 14, 3, seed)
    engine, config = Engine(graph), SgurConfig(size_weight=0.3, no_weight=0.2)
    draw = np.random.default_rng(seed)
    told = draw.permutation(14)[:6].tolist()
    query = Query(tuple(told[:3]), tuple(told[3:]), frozenset(told[5:]))  # one of the three denials is an answer
    made = closed_form(engine.evidence, query, config)
    many = len(graph.hypotheses)
    df = [sum(o in graph.reported[h].indices for h in range(many)) for o in range(14)]
    w = [math.log((many + 1) / (d + 0.5)) for d in df]
    z = sum(w[b] for b in query.observed)
    for h in range(many):
        own = graph.reported[h].indices.tolist()
        often = dict(zip(own, np.nan_to_num(graph.reported[h].data, nan=0.5).tolist(), strict=True))
        s = sum(w[b] * max(slow_lin(graph, a, b) for a in own) ** 4 for b in query.observed)
        size = 0.3 * (1 - s / max(sum(w[a] for a in own), z))
        f = [max((often[a] for a in own if e in above(graph, a)), default=0.0) for e in told[3:5]]
        x = [math.log(1 - 0.95 * often) / math.log(0.05) for often in f]
        all_told = z + sum(w[e] for e in told[3:5])
        denied = 0.2 * sum(w[e] * share for e, share in zip(told[3:5], x, strict=True)) / all_told * z / all_told
        denied += 0.45 / 3 * any(told[5] in above(graph, a) for a in own)
        assert made.distance[h] == pytest.approx(1 - s / z + size + denied, abs=1e-5)
        assert made.sharing[h] == any(slow_lin(graph, a, b) >= ALIKE for a in own for b in query.observed)


def test_candidates_share_an_observation_and_a_place() -> None:
    graph = small()
    at = graph.observations.positions
    made = closed_form(Engine(graph).evidence, Query((at["S:headache"],)), SgurConfig())
    names = np.array(graph.hypotheses.names)
    assert set(names[made.same]) == {"flu", "cold", "twin of cold"}
    assert set(names[made.sharing]) == set(names[made.same])  # migraine is a headache, but Lin is 2 ln 1.5 / ln 9 = .37
    assert set(names[made.compatible]) == set(names[made.sharing])


def test_what_a_source_calls_absent_is_no_match() -> None:
    graph = small()
    at = graph.observations.positions
    seen = Engine(graph).evidence.seen(at["S:fever"])
    assert seen.best[graph.hypotheses.positions["D:eczema"]] == 0
    assert seen.best[graph.hypotheses.positions["D:flu"]] == 1


def test_taken_literally_every_sharing_hypothesis_is_at_distance_zero() -> None:
    graph = small()
    at = graph.observations.positions
    made = closed_form(Engine(graph).evidence, Query((at["S:cough"], at["S:rash"])), SgurConfig(literal=True))
    assert not made.distance.any()
    assert set(np.array(graph.hypotheses.names)[made.compatible]) == {
        "flu",
        "cold",
        "twin of cold",
        "measles",
        "eczema",
    }


def test_only_the_most_specific_is_weighed_and_the_broadest_denied() -> None:
    graph = small()
    index, at = Engine(graph).index, graph.observations.positions
    query = Query((at["S:head"], at["S:migraine"], at["S:fever"]), (at["S:dry cough"], at["S:chest"]))
    assert query.folded(index) == Query((at["S:migraine"], at["S:fever"]), (at["S:chest"],))


def test_a_broader_denial_unasked_takes_the_place_of_no_answer() -> None:
    graph = small()
    index, at = Engine(graph).index, graph.observations.positions
    answered = Query((at["S:fever"],)).answers(no=[at["S:dry cough"]]).told([], [at["S:chest"]])
    assert answered.folded(index) == answered
    asked = answered.answers(no=[at["S:chest"]])
    assert asked.folded(index) == Query((at["S:fever"],), (at["S:chest"],), frozenset({at["S:chest"]}))


def test_a_no_to_a_question_weighs_what_the_answer_model_says() -> None:
    engine = Engine(small())
    at, config = engine.graph.observations.positions, SgurConfig(aligned=0)
    before = Query((at["S:fever"], at["S:cough"]))
    rash = engine.index.implied[:, [at["S:rash"]]].toarray().ravel()
    a, b = config.p_implied, config.p_otherwise
    by_bayes = engine.look(before, config).probability * np.where(rash, 1 - a, 1 - b)
    after = engine.look(before.answers(no=[at["S:rash"]]), config).probability
    assert after == pytest.approx(by_bayes / by_bayes.sum(), rel=0.05)  # .45 / .15 is 3 nats, ln(.98 / .05) is 2.98
    unasked = engine.look(before.told([], [at["S:rash"]]), config).probability
    assert unasked[rash].sum() > after[rash].sum()


def test_what_half_of_the_cases_show_may_well_be_absent() -> None:
    assert surprise(np.array([0.0, 0.5, 1.0]), 0.95) == pytest.approx([0.0, math.log(0.525) / math.log(0.05), 1.0])


def test_what_is_said_last_holds_of_answers_too() -> None:
    query = Query((1,)).answers([2], [3]).told([3], [2])
    assert query == Query((1, 3), (2,))
    assert query.answers(no=[1]).without(1) == Query((3,), (2,))
