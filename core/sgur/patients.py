"""Patients whose diagnosis is known: drawn from an expert graph by a protocol, and able to answer questions.

A draw depends on the seed and on the hypothesis alone, so every method, and every number of patients, meets the
same ones. Not here: patients out of files (`core.sgur.case_files`), and how well a method does on them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from core.errors import ConfigError
from core.sgur.expert_graph import ExpertGraph
from core.trace import Frozen

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Regime = Literal["simple", "complex"]
ROUNDS = 3
BATCH: dict[Regime, int] = {"simple": 4, "complex": 2}
FEWEST = 3  # [ours]: with fewer observations a disease has nothing new to tell after the first round


class Patient(Frozen):
    """Someone to be diagnosed; all are ids of the graph. `diagnosis` "" where it is not known.

    observed: in the order in which they are told. truth: all that the patient has, for answering questions; where
    it is empty, what was observed and excluded is all that is known. unknown: ids that the graph does not have.
    source: where the case comes from, in words.
    """

    id: str
    observed: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    diagnosis: str = ""
    diagnosis_name: str = ""
    truth: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    source: str = ""

    def after(self, terms: int) -> Patient:
        """The same patient when only so many observations have been told, and nothing has been excluded."""
        return self.model_copy(update={"observed": self.observed[:terms], "excluded": ()})


class Disturbance(Frozen):
    """How what is told differs from what is true [ours].

    noise: share of the terms told that are replaced by any term, drawn as often as hypotheses have it; imprecision:
    share of the others that are told as a directly broader term. by_frequency: whether the patient has each
    observation only as often as the graph says (those of unknown frequency always).
    """

    noise: float = Field(0.0, ge=0.0, le=1.0)
    imprecision: float = Field(0.0, ge=0.0, le=1.0)
    by_frequency: bool = False


EXACT = Disturbance()
NOISY = Disturbance(noise=0.2, imprecision=0.3)


def simulate(
    graph: ExpertGraph, hypothesis: int, terms: int, disturbance: Disturbance = EXACT, seed: int = 0, batch: int = 0
) -> Patient:
    """A patient with the hypothesis at that position who tells `terms` observations.

    They come in one random order; when all are told, they are told again in another (SGUR-9), without repeating one
    within a batch if there are enough. ConfigError when the hypothesis has no observation.
    """
    draw = np.random.default_rng((seed, hypothesis))
    own = graph.reported.indices[graph.reported.indptr[hypothesis] : graph.reported.indptr[hypothesis + 1]]
    shares = graph.reported.data[graph.reported.indptr[hypothesis] : graph.reported.indptr[hypothesis + 1]]
    name = graph.hypotheses.names[hypothesis]
    if not len(own):
        raise ConfigError(f"{name} has no observation, so nobody can be simulated", hint="Choose another one.")
    order = draw.permutation(own)
    if disturbance.by_frequency:
        luck = draw.random(len(own))
        share_of = dict(zip(own.tolist(), np.nan_to_num(shares, nan=1.0).tolist(), strict=True))
        has = np.array([share_of[o] > x for o, x in zip(order.tolist(), luck, strict=True)])
        order = order[has] if has.any() else order[:1]
    told = [o for o, _ in zip(_again(order, draw, batch), range(terms), strict=False)]
    if disturbance.noise or disturbance.imprecision:
        told = _disturbed(graph, told, disturbance, draw)
    ids = graph.observations.ids
    return Patient(
        id=f"{graph.hypotheses.ids[hypothesis]} #{seed}",
        observed=tuple(ids[o] for o in told),
        diagnosis=graph.hypotheses.ids[hypothesis],
        diagnosis_name=name,
        truth=tuple(ids[o] for o in sorted(order.tolist())),
        source=f"simulated from {name}, seed {seed}",
    )


def draw_patients(
    graph: ExpertGraph, n: int, regime: Regime = "complex", disturbance: Disturbance = EXACT, seed: int = 0
) -> tuple[Patient, ...]:
    """The paper's protocol (SGUR-9): n diseases drawn uniformly, each told in one order over three rounds of b terms.

    Drawn from those with `FEWEST` observations. The regimes' diseases are disjoint as long as both fit: one takes
    them from the front of the same shuffled list, the other from its end. ConfigError when there are fewer than n.
    """
    pool = np.flatnonzero(np.diff(graph.reported.indptr) >= FEWEST)
    if not 1 <= n <= len(pool):
        raise ConfigError(f"{n} patients cannot be drawn", hint=f"Choose a number from 1 to {len(pool):,}.")
    shuffled = np.random.default_rng(seed).permutation(pool)
    chosen = shuffled[:n] if regime == "complex" else shuffled[::-1][:n]
    batch = BATCH[regime]
    return tuple(simulate(graph, int(h), ROUNDS * batch, disturbance, seed, batch) for h in chosen)


def reply_of(graph: ExpertGraph, patient: Patient, observation: str) -> Literal["yes", "no", "unknown"]:
    """What the patient answers: yes to all they have and to all that is broader, no to anything else.

    Of a patient out of a file only what the file tells is known: no to what was excluded and all that is narrower,
    else "unknown".
    """
    place = graph.observations.positions
    if observation not in place:
        return "unknown"
    has = {place[o] for o in (patient.truth or patient.observed) if o in place}
    above = climb(graph.parents, has)
    if place[observation] in above:
        return "yes"
    if patient.truth:
        return "no"
    denied = {place[o] for o in patient.excluded if o in place}
    return "no" if climb(graph.parents, {place[observation]}) & denied else "unknown"


def climb(parents: csr_matrix, starts: set[int]) -> set[int]:
    """The observations themselves and all that are broader. parents: (O, O) bool csr."""
    found: set[int] = set()
    waiting = list(starts)
    while waiting:
        one = waiting.pop()
        if one not in found:
            found.add(one)
            waiting += parents.indices[parents.indptr[one] : parents.indptr[one + 1]].tolist()
    return found


def _again(order: NDArray[np.int32], draw: np.random.Generator, batch: int) -> Iterator[int]:
    """The observations in their order, then again and again in new ones; not twice within a batch if avoidable."""
    told: list[int] = []
    queue = order.tolist()
    while True:
        this_batch = set(told[len(told) - len(told) % batch :]) if batch else set()
        fresh = [o for o in queue if o not in this_batch]
        if not queue or (not fresh and len(this_batch) < len(order)):
            queue += draw.permutation(order).tolist()
            continue
        one = (fresh or queue)[0]
        queue.remove(one)
        told.append(one)
        yield one


def _disturbed(graph: ExpertGraph, told: list[int], how: Disturbance, draw: np.random.Generator) -> list[int]:
    often = np.bincount(graph.reported.indices, minlength=len(graph.observations)).cumsum()
    heard = []
    for one in told:
        luck, place, step = draw.random(3)
        broader = graph.parents.indices[graph.parents.indptr[one] : graph.parents.indptr[one + 1]]
        if luck < how.noise:
            heard.append(int(np.searchsorted(often, place * often[-1], side="right")))
        elif luck < how.noise + (1 - how.noise) * how.imprecision and len(broader):
            heard.append(int(broader[int(step * len(broader))]))
        else:
            heard.append(one)
    return heard


def in_drawn_order(patients: Sequence[Patient], seed: int = 0) -> tuple[Patient, ...]:
    """The same cases, each telling what was observed in a drawn order: a file lists it by organ."""
    return tuple(_shuffled(patient, np.random.default_rng(seed + i)) for i, patient in enumerate(patients))


def _shuffled(patient: Patient, draw: np.random.Generator) -> Patient:
    order = draw.permutation(len(patient.observed))
    return patient.model_copy(update={"observed": tuple(patient.observed[i] for i in order)})
