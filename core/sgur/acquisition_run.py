"""Does asking well pay? Patients who tell two terms and then answer questions, chosen in several ways (SGUR-9).

The paper's protocol reveals terms in an order of its own and never asks. Here an oracle answers yes to all that the
true hypothesis implies, and no to anything else. Not here: the gain of a question (`acquisition`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, get_args

import numpy as np

from core.errors import ConfigError
from core.retriever import OnProgress, ShouldStop
from core.sgur.acquisition import askable, batch, gains
from core.sgur.belief import place_of
from core.sgur.engine import Engine, Look
from core.sgur.index import Ints
from core.sgur.patients import Patient, reply_of
from core.sgur.protocol import Places, query_of
from core.sgur.steps import SgurConfig

Strategy = Literal["eig", "random", "rarest"]
STRATEGIES: tuple[Strategy, ...] = get_args(Strategy)
Chooser = Callable[[Engine, Look, frozenset[int], np.random.Generator], Ints]


def by_gain(engine: Engine, look: Look, skip: frozenset[int], draw: np.random.Generator) -> Ints:
    """The most informative first."""
    return gains(engine, look, skip).observation


def at_random(engine: Engine, look: Look, skip: frozenset[int], draw: np.random.Generator) -> Ints:
    """Any observation of the same candidates."""
    return np.asarray(draw.permutation(askable(engine, look, skip)), np.int64)


def rarest_of_leader(engine: Engine, look: Look, skip: frozenset[int], draw: np.random.Generator) -> Ints:
    """The leader's observations, the rarest first; then those of the next."""
    asked = askable(engine, look, skip)
    own = [np.isin(asked, engine.index.observations_of(int(h))) for h in look.order[: look.config.kappa]]
    first = np.argmax(np.array(own), axis=0) if len(asked) else np.zeros(0)
    return np.asarray(asked[np.lexsort((asked, -engine.index.idf[asked], first))], np.int64)


CHOOSERS: dict[Strategy, Chooser] = {"eig": by_gain, "random": at_random, "rarest": rarest_of_leader}


def run_acquisition(
    engine: Engine,
    patients: Sequence[Patient],
    config: SgurConfig,
    questions: Sequence[int] = (0, 4, 10),
    told: int = 2,
    strategies: Sequence[str] = STRATEGIES,
    seed: int = 0,
    on_progress: OnProgress | None = None,
    should_stop: ShouldStop | None = None,
) -> Places:
    """The place of the truth after so many questions, by strategy; `config.batch` questions are asked at a time.

    ConfigError for an unknown strategy.
    """
    unknown = [s for s in strategies if s not in CHOOSERS]
    if unknown:
        raise ConfigError(f"unknown strategy {unknown[0]!r}", hint=f"Known: {', '.join(STRATEGIES)}.")
    report = on_progress or (lambda message, share: None)
    places: dict[str, list[list[float]]] = {name: [] for name in strategies}
    done = []
    for number, patient in enumerate(patients):
        if should_stop and should_stop():
            break
        report(f"Patient {number + 1:,} of {len(patients):,}", number / len(patients))
        for name in strategies:
            draw = np.random.default_rng((seed, number))
            choose = CHOOSERS[name]  # type: ignore[index]
            places[name].append(_interview(engine, patient, config, questions, told, choose, draw))
        done.append(patient)
    found = {name: np.array(rows).reshape(-1, len(questions)) for name, rows in places.items()}
    return Places(tuple(done), tuple(questions), found, {name: np.zeros_like(rows) for name, rows in found.items()})


def _interview(
    engine: Engine,
    patient: Patient,
    config: SgurConfig,
    stops: Sequence[int],
    told: int,
    choose: Chooser,
    draw: np.random.Generator,
) -> list[float]:
    truth = engine.graph.hypotheses.positions[patient.diagnosis]
    query, asked = query_of(engine, patient, told), 0
    skip: frozenset[int] = frozenset()
    look = engine.look(query, config)
    found = []
    for stop in stops:
        while asked < stop:
            chosen, _ = batch(engine, choose(engine, look, skip, draw), min(config.batch, stop - asked))
            if not chosen:
                break  # everything of the leaders is known
            replies = {s: reply_of(engine.graph, patient, engine.graph.observations.ids[s]) for s in chosen}
            query = query.answers(
                [s for s, reply in replies.items() if reply == "yes"],
                [s for s, reply in replies.items() if reply == "no"],
            )
            skip |= {*chosen}
            asked += len(chosen)
            look = engine.look(query, config)
        found.append(place_of(look.distance, truth))
    return found
