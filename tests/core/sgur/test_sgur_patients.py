"""Simulated patients: the paper's protocol, noise, answers; all repeatable."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import ConfigError
from core.sgur.building import Draft, layer
from core.sgur.expert_graph import ExpertGraph
from core.sgur.patients import (
    BATCH,
    FEWEST,
    NOISY,
    Disturbance,
    Patient,
    climb,
    draw_patients,
    in_drawn_order,
    reply_of,
    simulate,
)


def made(hypotheses: int = 12) -> ExpertGraph:
    """Hypothesis h has the observations 0 .. h; the odd ones have frequency .5; 2n + 1 is narrower than 2n."""
    names = [f"o{n}" for n in range(20)]
    return Draft(
        name="made",
        source="a test",
        observations=layer("sign", names, [n.upper() for n in names]),
        hypotheses=layer("fault", [f"h{n}" for n in range(hypotheses)], [f"Fault {n}" for n in range(hypotheses)]),
        reported={(h, o): 0.5 if o % 2 else 1.0 for h in range(hypotheses) for o in range(h + 1)},
        parents=[(o, o - 1) for o in range(1, 20, 2)],
    ).finish()


GRAPH = made()


@given(hypothesis=st.integers(0, 11), batch=st.integers(1, 4), seed=st.integers(0, 5))
def test_all_is_told_once_before_anything_is_told_again(hypothesis: int, batch: int, seed: int) -> None:
    patient = simulate(GRAPH, hypothesis, 3 * batch, seed=seed, batch=batch)
    own = hypothesis + 1
    assert len(patient.observed) == 3 * batch
    assert len(set(patient.observed[:own])) == min(own, 3 * batch)
    assert set(patient.observed) <= {f"o{n}" for n in range(own)} == set(patient.truth)
    for start in range(0, 3 * batch, batch):
        assert len(set(patient.observed[start : start + batch])) == min(batch, own)


def test_a_patient_depends_on_seed_and_hypothesis_alone() -> None:
    few, many = (draw_patients(GRAPH, n, "complex", NOISY, seed=3) for n in (3, 9))
    assert many[:3] == few
    assert simulate(GRAPH, 9, 6, seed=0) == simulate(GRAPH, 9, 6, seed=0)
    assert simulate(GRAPH, 9, 6, seed=0).observed != simulate(GRAPH, 9, 6, seed=1).observed
    longer = simulate(GRAPH, 9, 9, seed=0)
    assert longer.observed[:4] == simulate(GRAPH, 9, 4, seed=0).observed == longer.after(4).observed


def test_regimes_draw_disjoint_diseases() -> None:
    complex_, simple = (draw_patients(GRAPH, 5, regime) for regime in ("complex", "simple"))
    assert not {p.diagnosis for p in complex_} & {p.diagnosis for p in simple}
    assert {len(p.observed) for p in complex_} == {3 * BATCH["complex"]}
    assert {len(p.observed) for p in simple} == {3 * BATCH["simple"]}


def test_diseases_with_too_little_to_tell_are_not_drawn() -> None:
    possible = len(GRAPH.hypotheses) - FEWEST + 1
    assert {p.diagnosis for p in draw_patients(GRAPH, possible)} == {f"h{n}" for n in range(FEWEST - 1, 12)}
    with pytest.raises(ConfigError, match="cannot be drawn"):
        draw_patients(GRAPH, possible + 1)


def test_noise_and_imprecision_have_their_shares() -> None:
    graph = made(20)
    counts: Counter[str] = Counter()
    for seed in range(400):
        patient = simulate(graph, 19, 10, Disturbance(imprecision=0.3), seed=seed)
        order = simulate(graph, 19, 10, seed=seed).observed
        for true, told in zip(order, patient.observed, strict=True):
            counts["same" if true == told else "broader" if int(true[1:]) - 1 == int(told[1:]) else "other"] += 1
    assert counts["other"] == 0
    assert counts["broader"] / 4000 == pytest.approx(0.15, abs=0.02)  # half of the observations have a broader one
    replaced = 0
    heard: Counter[str] = Counter()
    for seed in range(400):
        noisy = simulate(graph, 19, 10, Disturbance(noise=0.2), seed=seed)
        order = simulate(graph, 19, 10, seed=seed).observed
        replaced += sum(a != b for a, b in zip(order, noisy.observed, strict=True))
        heard.update(b for a, b in zip(order, noisy.observed, strict=True) if a != b)
    assert replaced / 4000 == pytest.approx(0.2 * 0.95, abs=0.03)
    assert heard["o0"] > heard["o19"]  # twenty hypotheses have the one, one has the other


def test_by_frequency_the_rare_ones_are_often_missing() -> None:
    truths = [simulate(GRAPH, 11, 4, Disturbance(by_frequency=True), seed=seed).truth for seed in range(200)]
    share = np.mean([("o1" in t) for t in truths])
    assert all({"o0", "o2", "o10"} <= set(t) for t in truths)
    assert share == pytest.approx(0.5, abs=0.1)


def test_a_simulated_patient_answers_yes_to_what_they_have_and_all_broader() -> None:
    patient = Patient(id="p", observed=("o3",), truth=("o3",))
    assert [reply_of(GRAPH, patient, o) for o in ("o3", "o2", "o1", "zz")] == ["yes", "yes", "no", "unknown"]


def test_a_patient_of_a_file_does_not_know_what_the_file_does_not_tell() -> None:
    patient = Patient(id="p", observed=("o3",), excluded=("o4",))
    replies = [reply_of(GRAPH, patient, o) for o in ("o2", "o4", "o5", "o1")]
    assert replies == ["yes", "no", "no", "unknown"]  # o5 is narrower than o4


def test_climbing_a_hierarchy() -> None:
    assert climb(GRAPH.parents, {3, 8}) == {2, 3, 8}


def test_nobody_is_simulated_without_observations() -> None:
    graph = Draft(
        name="made",
        source="",
        observations=layer("sign", ["o"], ["O"]),
        hypotheses=layer("fault", ["a", "b"], ["A", "B"]),
        reported={(0, 0): 1.0},
    ).finish()
    with pytest.raises(ConfigError, match="B has no observation"):
        simulate(graph, 1, 2)


def test_a_case_tells_in_a_drawn_order_what_it_holds() -> None:
    case = Patient(id="a", observed=tuple(f"o{n}" for n in range(9)), diagnosis="h1")
    (told,), (again,), (other,) = (in_drawn_order([case], seed) for seed in (0, 0, 1))
    assert sorted(told.observed) == sorted(case.observed)
    assert told == again
    assert len({case.observed, told.observed, other.observed}) == 3
