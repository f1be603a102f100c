"""A protocol run (SGUR-9): patients whose diagnosis is known, and the place that each method gives it round by round.

Every method meets the same patients with the same observations. Not here: drawing patients (`patients`), means and
intervals (`core.evaluation.diagnosis`), and the acquisition of questions (`acquisition_run`).
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.errors import QuestionError
from core.retriever import OnProgress, ShouldStop
from core.sgur.ablations import Method
from core.sgur.belief import place_of
from core.sgur.engine import Engine
from core.sgur.expert_graph import Floats
from core.sgur.patients import Patient
from core.sgur.query import Query

ALL = 0  # a round that tells everything
CASE_ROUNDS = (2, 4, 6, ALL)  # terms that a published case has told


@dataclass(frozen=True, eq=False, slots=True)
class Places:
    """n patients, r rounds: (n, r) places of the true diagnosis and seconds it took, by method."""

    patients: tuple[Patient, ...]
    rounds: tuple[int, ...]
    places: dict[str, Floats]
    seconds: dict[str, Floats]


def run_protocol(
    engine: Engine,
    patients: Sequence[Patient],
    methods: Mapping[str, Method],
    rounds: Sequence[int],
    excluded: bool = False,
    on_progress: OnProgress | None = None,
    should_stop: ShouldStop | None = None,
) -> Places:
    """The places after so many terms (0: all of them). excluded: what a patient denied is told, too.

    When it is stopped, what was done is kept. QuestionError when no patient has a diagnosis that the graph knows.
    """
    known = [p for p in patients if p.diagnosis in engine.graph.hypotheses.positions]
    if not known:
        raise QuestionError("no case has a diagnosis that this data knows, so nothing can be scored")
    report = on_progress or (lambda message, share: None)
    places: dict[str, list[list[float]]] = {name: [] for name in methods}
    seconds: dict[str, list[list[float]]] = {name: [] for name in methods}
    done = []
    for number, patient in enumerate(known):
        if should_stop and should_stop():
            break
        report(f"Patient {number + 1:,} of {len(known):,}", number / len(known))
        truth = engine.graph.hypotheses.positions[patient.diagnosis]
        queries = [query_of(engine, patient, terms, excluded) for terms in rounds]
        for name, method in methods.items():
            times, found = [], []
            for query in queries:
                began = time.perf_counter()
                distance = method(engine, query)
                times.append(time.perf_counter() - began)
                found.append(place_of(distance, truth))
            places[name].append(found)
            seconds[name].append(times)
        done.append(patient)
    return Places(
        tuple(done),
        tuple(rounds),
        {name: np.array(rows).reshape(-1, len(rounds)) for name, rows in places.items()},
        {name: np.array(rows).reshape(-1, len(rounds)) for name, rows in seconds.items()},
    )


def query_of(engine: Engine, patient: Patient, terms: int, excluded: bool = False) -> Query:
    """What a patient has told after so many terms; 0 is all of them."""
    at = engine.graph.observations.positions
    told = patient.observed[: terms or None]
    denied = [at[o] for o in patient.excluded if o in at] if excluded else []
    return Query().told([], denied).told([at[o] for o in told if o in at])
