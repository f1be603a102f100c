from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_expert import drawn, small

from core.sgur.acquisition import TOO_ALIKE, askable, batch, gains
from core.sgur.belief import EXACT_REST, entropy_bits, exponent, in_bands, place_of, places, probabilities
from core.sgur.engine import Engine
from core.sgur.query import Query
from core.sgur.steps import SgurConfig

DISTANCES = st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0, math.inf]), min_size=1, max_size=12).filter(
    lambda d: min(d) < math.inf
)


@given(DISTANCES)
def test_places_of_equals_are_their_mean(distances: list[float]) -> None:
    d = np.array(distances)
    expected = [sum(x < y for x in distances) + (sum(x == y for x in distances) + 1) / 2 for y in distances]
    assert places(d).tolist() == expected
    assert [place_of(d, i) for i in range(len(d))] == expected


@given(DISTANCES, st.floats(0.1, 50))
def test_a_belief_is_the_softmax_of_distances(distances: list[float], x: float) -> None:
    p = probabilities(np.array(distances), x)
    raw = [math.exp(-x * (d - min(distances))) if d < math.inf else 0.0 for d in distances]
    assert p.tolist() == pytest.approx([r / sum(raw) for r in raw])
    assert entropy_bits(p) == pytest.approx(-sum(q * math.log2(q) for q in p if q > 0), abs=1e-12)


def test_the_exponent_grows_with_the_evidence_and_not_in_the_papers_words() -> None:
    assert exponent(4, 0.5, literal=False) == 8
    assert exponent(0, 0.5, literal=False) == 2
    assert exponent(4, 0.5, literal=True) == 2


def test_bands_keep_the_count_and_nearly_the_weight() -> None:
    d = np.sort(np.random.default_rng(0).random(5000))
    bands = in_bands(np.append(d, np.inf))
    assert sum(n for _, n in bands) == 5000
    assert [b for b, _ in bands[:EXACT_REST]] == pytest.approx(d[:EXACT_REST], abs=1e-7)
    weight = sum(n * math.exp(-20 * x) for x, n in bands)
    assert weight == pytest.approx(np.exp(-20 * d).sum(), rel=1e-4)


@pytest.mark.parametrize("seed", range(4))
def test_the_gain_is_the_entropy_that_an_answer_is_expected_to_save(seed: int) -> None:
    engine, config = Engine(drawn(30, 20, 4, seed)), SgurConfig(kappa=4, aligned=6)
    look = engine.look(Query((3, 7)), config)
    found = gains(engine, look)
    p = look.probability
    assert len(found.observation)
    for i, s in enumerate(found.observation.tolist()):
        yes = np.array([0.95 if s in engine.index.implied[h].indices else 0.02 for h in range(30)])
        p_yes = float((p * yes).sum())
        after = [entropy_bits(p * a / (p * a).sum()) for a in (yes, 1 - yes)]
        assert found.p_yes[i] == pytest.approx(p_yes)
        assert (found.entropy_yes[i], found.entropy_no[i]) == pytest.approx(tuple(after), abs=1e-9)
        assert found.eig[i] == pytest.approx(entropy_bits(p) - p_yes * after[0] - (1 - p_yes) * after[1], abs=1e-9)
    assert (np.diff(found.eig) <= 1e-12).all()


def test_nothing_is_asked_whose_answer_follows() -> None:
    graph = small()
    engine, at = Engine(graph), graph.observations.positions
    look = engine.look(Query((at["S:dry cough"],), (at["S:headache"],)), SgurConfig(kappa=6))
    asked = {graph.observations.names[o] for o in askable(engine, look)}
    assert asked == {"rash", "fever"}  # cough is implied, and a migraine is a headache
    skip = frozenset({at["S:rash"]})
    assert {graph.observations.names[o] for o in askable(engine, look, skip)} == {"fever"}


def test_a_batch_has_no_near_duplicates() -> None:
    graph = small()
    engine, at = Engine(graph), graph.observations.positions
    order = np.array([at[f"S:{n}"] for n in ("cough", "dry cough", "fever", "rash")])
    chosen, like = batch(engine, order, 2)
    assert [graph.observations.names[o] for o in chosen] == ["cough", "fever"]
    assert like == {at["S:dry cough"]: at["S:cough"]}
    assert 0 < TOO_ALIKE < 1
