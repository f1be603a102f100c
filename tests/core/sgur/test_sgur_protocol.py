from __future__ import annotations

import numpy as np
import pytest
from made_expert import drawn, small

from core.errors import ConfigError, QuestionError
from core.sgur.ablations import NAMES, checked_names, method
from core.sgur.acquisition_run import STRATEGIES, run_acquisition
from core.sgur.belief import places
from core.sgur.engine import Engine
from core.sgur.patients import Patient, draw_patients
from core.sgur.peers import ensemble, ic_overlap, naive_bayes, pagerank, peer_distance, resnik, shared_terms
from core.sgur.protocol import ALL, query_of, run_protocol
from core.sgur.query import Query
from core.sgur.steps import SgurConfig
from core.sgur.tuning import FOLDS, cross_validated, folds

LN = np.log


def told(*names: str) -> tuple[Engine, Query, dict[str, int]]:
    graph = small()
    at = graph.observations.positions
    return (
        Engine(graph),
        Query(tuple(at[f"S:{n}"] for n in names)),
        {n: i for i, n in enumerate(graph.hypotheses.names)},
    )


def test_peers_by_hand() -> None:
    engine, query, at = told("headache", "fever")
    shared = shared_terms(engine, query)
    assert [shared[at[n]] for n in ("flu", "cold", "measles", "aura")] == [2, 1, 1, 0]
    # head and headache are implied by 4 of 6 (flu, the colds, aura), fever by 2.
    overlap = ic_overlap(engine, query)
    assert overlap[at["flu"]] == pytest.approx(2 * LN(6 / 4) + LN(6 / 2))
    assert overlap[at["aura"]] == pytest.approx(2 * LN(6 / 4))
    summed = resnik(engine, query)
    assert summed[at["flu"]] == pytest.approx(LN(6 / 4) + LN(6 / 2))
    assert summed[at["aura"]] == pytest.approx(LN(6 / 4))
    bayes = naive_bayes(engine, query)
    assert bayes[at["flu"]] == pytest.approx(LN(0.95 * 0.5 + 0.05 * 4 / 6) + LN(0.95 + 0.05 * 2 / 6), abs=1e-6)
    assert bayes[at["aura"]] == pytest.approx(LN(0.95 * 0.8 + 0.05 * 4 / 6) + LN(0.05 * 2 / 6), abs=1e-6)


def test_pagerank_is_what_walkers_do() -> None:
    engine, query, at = told("fever")
    graph = engine.graph
    o, h, l = len(graph.observations), len(graph.hypotheses), len(graph.localisations)
    links = np.zeros((o + h + l, o + h + l))
    links[o : o + h, :o] = graph.reported.astype(bool).toarray()
    links[:o, :o] = graph.parents.toarray()
    links[:o, o + h :] = graph.located.toarray()
    links = links + links.T
    move = links / np.maximum(links.sum(0), 1)
    start = np.zeros(len(links))
    start[query.observed[0]] = 1
    rank = start
    for _ in range(30):
        rank = 0.15 * start + 0.85 * move @ rank
    assert pagerank(engine, query) == pytest.approx(rank[o : o + h])
    assert pagerank(engine, query)[at["eczema"]] < pagerank(engine, query)[at["flu"]]


def test_equals_of_a_peer_go_to_the_smaller_and_twins_stay_equal() -> None:
    engine, query, at = told("cough")
    place = places(peer_distance(engine, shared_terms(engine, query)))
    assert place[at["cold"]] == place[at["twin of cold"]] == 1.5
    assert place[at["flu"]] == 3


def test_an_ensemble_sums_reciprocal_places() -> None:
    assert ensemble([np.array([1.0, 2.0]), np.array([3.0, 1.0])]).tolist() == [-(1 / 11 + 1 / 13), -(1 / 12 + 1 / 11)]


def test_every_method_gives_every_hypothesis_a_distance() -> None:
    engine, query, _ = told("cough", "fever")
    for name in NAMES:
        distance = method(name)(engine, query)
        assert distance.shape == (6,)
        assert not np.isnan(distance).any()
    with pytest.raises(ConfigError, match="unknown method"):
        method("magic")
    with pytest.raises(ConfigError, match="no method"):
        checked_names([" "])
    assert checked_names(["sgur", " sgur", "resnik"]) == ("sgur", "resnik")


def test_a_protocol_places_the_truth_round_by_round() -> None:
    engine, _, _ = told("cough")
    patient = Patient(
        id="1",
        observed=("S:cough", "S:fever", "S:headache"),
        excluded=("S:rash",),
        diagnosis="D:flu",
        diagnosis_name="flu",
    )
    stranger = Patient(id="2", observed=("S:cough",), diagnosis="D:unheard of")
    result = run_protocol(engine, [patient, stranger], {"sgur": method("sgur")}, (1, 2, ALL))
    assert result.patients == (patient,)
    assert result.places["sgur"].tolist() == [[3.0, 1.0, 1.0]]
    assert (result.seconds["sgur"] > 0).all()
    at = engine.graph.observations.positions
    assert query_of(engine, patient, 1, excluded=True) == Query((at["S:cough"],), (at["S:rash"],))
    with pytest.raises(QuestionError, match="no case has a diagnosis"):
        run_protocol(engine, [stranger], {"sgur": method("sgur")}, (1,))
    assert run_protocol(engine, [patient], {"sgur": method("sgur")}, (1,), should_stop=lambda: True).patients == ()


def test_answers_of_an_oracle_find_the_truth_the_better_the_more_are_asked() -> None:
    engine = Engine(drawn(80, 40, 5))
    patients = draw_patients(engine.graph, 25, seed=2)
    config = SgurConfig(batch=1, aligned=0)
    result = run_acquisition(engine, patients, config, (0, 6), told=1)
    assert set(result.places) == set(STRATEGIES)
    for found in result.places.values():
        assert found.shape == (25, 2)
        assert (1 / found[:, 1]).mean() > (1 / found[:, 0]).mean()
    again = run_acquisition(engine, patients, config, (0, 6), told=1)
    assert all((again.places[s] == result.places[s]).all() for s in STRATEGIES)
    with pytest.raises(ConfigError, match="unknown strategy"):
        run_acquisition(engine, patients, config, strategies=["luck"])


def test_settings_are_chosen_on_other_diseases() -> None:
    diagnoses = [f"d{i % 20}" for i in range(60)]
    fold = folds(diagnoses)
    assert set(fold.tolist()) == set(range(FOLDS))
    assert all(
        len({f for f, d in zip(fold.tolist(), diagnoses, strict=True) if d == one}) == 1 for one in set(diagnoses)
    )
    assert cross_validated([np.ones((2, 1)), np.ones((2, 1))], folds(["d", "d"]))[1] == [0] * FOLDS  # nothing elsewhere
    # The second settings are better everywhere but in fold 0, where the choice must not know it.
    first, second = np.full((60, 1), 5.0), np.full((60, 1), 2.0)
    first[fold == 0], second[fold == 0] = 1.0, 9.0
    picked, chosen = cross_validated([first, second], fold)
    assert chosen[0] == 1
    assert (picked[fold == 0] == 9.0).all()
