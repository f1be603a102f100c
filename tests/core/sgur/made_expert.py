"""Made expert graphs for tests of the engine: a small one whose every number can be followed, and drawn ones."""

from __future__ import annotations

import numpy as np

from core.sgur.building import Draft, layer
from core.sgur.expert_graph import ExpertGraph

# observation: broader ones, localisations
TREE = {
    "head": ((), ("upper",)),
    "headache": (("head",), ("upper",)),
    "migraine": (("headache",), ("upper",)),
    "chest": ((), ("middle",)),
    "cough": (("chest",), ("middle",)),
    "dry cough": (("cough",), ("middle",)),
    "rash": ((), ("skin", "upper")),
    "fever": ((), ()),
}
DISEASES = {
    "flu": {"headache": 0.5, "cough": 0.9, "fever": 1.0},
    "cold": {"cough": 0.6, "headache": np.nan},
    "twin of cold": {"cough": 0.6, "headache": np.nan},
    "measles": {"rash": 1.0, "fever": 0.9, "dry cough": 0.3},
    "aura": {"migraine": 0.8},
    "eczema": {"rash": np.nan},
}


def small() -> ExpertGraph:
    """Six diseases, two of them twins."""
    names = list(TREE)
    places = sorted({place for _, where in TREE.values() for place in where})
    at = {name: i for i, name in enumerate(names)}
    diseases = list(DISEASES)
    return Draft(
        name="made",
        source="a test",
        observations=layer("symptom", [f"S:{n}" for n in names], names),
        localisations=layer("place", [f"L:{n}" for n in places], places),
        hypotheses=layer("disease", [f"D:{n}" for n in diseases], diseases),
        treatments=layer("drug", ["T:rest"], ["rest"]),
        reported={(i, at[s]): f for i, d in enumerate(diseases) for s, f in DISEASES[d].items()},
        absent=[(diseases.index("eczema"), at["fever"])],
        parents=[(at[n], at[p]) for n, (above, _) in TREE.items() for p in above],
        located=[(at[n], places.index(p)) for n, (_, where) in TREE.items() for p in where],
        treated=[(0, 0)],
        replaced={"S:old cough": "S:cough"},
        notices=("made up",),
    ).finish()


def drawn(hypotheses: int = 60, observations: int = 40, localisations: int = 5, seed: int = 0) -> ExpertGraph:
    """Any graph of that size; the parents of an observation come before it, so there is no circle."""
    draw = np.random.default_rng(seed)
    reported = {
        (h, int(o)): float(draw.choice([np.nan, 0.3, 0.9]))
        for h in range(hypotheses)
        for o in draw.choice(observations, draw.integers(1, 9), replace=False)
    }
    return Draft(
        name="drawn",
        source="a test",
        observations=layer("o", [f"o{i}" for i in range(observations)], [f"sign {i}" for i in range(observations)]),
        localisations=layer("l", [f"l{i}" for i in range(localisations)], [f"part {i}" for i in range(localisations)]),
        hypotheses=layer("h", [f"h{i}" for i in range(hypotheses)], [f"fault {i}" for i in range(hypotheses)]),
        reported=reported,
        parents=[(o, int(draw.integers(o))) for o in range(3, observations) for _ in range(draw.integers(0, 3))],
        located=[
            (o, int(draw.integers(localisations))) for o in range(observations) for _ in range(draw.integers(0, 3))
        ],
    ).finish()
