"""The protocol on words: patients speak in sentences, and what is read from them is diagnosed (SGUR-10).

Each round's terms are told once, in words that are the same for all readers; `sgur-ids`, which is given the terms
themselves, is the ceiling. Not here: the sentences (`telling`), and how a message is read (`extraction`).
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from core.errors import ModelError
from core.retriever import OnProgress, ShouldStop
from core.sgur.belief import place_of
from core.sgur.engine import Engine
from core.sgur.extraction import Reads
from core.sgur.patients import Patient
from core.sgur.protocol import Places
from core.sgur.query import Query
from core.sgur.steps import SgurConfig
from core.sgur.telling import sentence

IDS = "sgur-ids"


@dataclass(frozen=True, slots=True)
class Extraction:
    """Terms over all patients: how many were told, read, and both; one that was read as denied was not read."""

    told: int = 0
    read: int = 0
    right: int = 0

    def plus(self, told: set[int], read: set[int]) -> Extraction:
        """With one patient more."""
        return Extraction(self.told + len(told), self.read + len(read), self.right + len(told & read))

    @property
    def scores(self) -> dict[str, float | None]:
        """Precision, recall and F1; None where nothing was read, or told."""
        precision = self.right / self.read if self.read else None
        recall = self.right / self.told if self.told else None
        both = self.told + self.read
        return {"precision": precision, "recall": recall, "f1": 2 * self.right / both if both else None}


def run_texts(
    engine: Engine,
    patients: Sequence[Patient],
    readers: Mapping[str, Reads | None],
    rounds: Sequence[int],
    seed: int = 0,
    on_progress: OnProgress | None = None,
    should_stop: ShouldStop | None = None,
) -> tuple[Places, dict[str, Extraction]]:
    """The places after so many terms, by reader (None: given the ids), and what each read in all rounds together.

    Patients are drawn ones: their terms and diagnosis are the graph's. The seconds of a round hold the reading of its
    sentence, and the diagnosis. When it is stopped, or a reader's server does not answer any more, what was done is
    kept. ModelError when that is nothing.
    """
    report = on_progress or (lambda message, share: None)
    config = SgurConfig()
    places: dict[str, list[list[float]]] = {name: [] for name in readers}
    seconds: dict[str, list[list[float]]] = {name: [] for name in readers}
    read = {name: Extraction() for name, reader in readers.items() if reader is not None}
    done: list[Patient] = []
    for number, patient in enumerate(patients):
        if should_stop and should_stop():
            break
        report(f"Patient {number + 1:,} of {len(patients):,}", number / len(patients))
        truth = engine.graph.hypotheses.positions[patient.diagnosis]
        told = [engine.graph.observations.positions[o] for o in patient.observed]
        batches = [told[a:b] for a, b in zip((0, *rounds), rounds, strict=False)]
        said = [sentence(engine.graph.observations, terms, (seed, truth, n)) for n, terms in enumerate(batches)]
        try:
            heard = {name: _interview(engine, reader, batches, said, truth, config) for name, reader in readers.items()}
        except ModelError:
            if not done:
                raise
            break
        for name, one in heard.items():
            if name in read:
                read[name] = read[name].plus({*told[: rounds[-1]]}, {*one.query.observed})
            places[name].append(one.places)
            seconds[name].append(one.seconds)
        done.append(patient)
    shape = (-1, len(rounds))
    return Places(
        tuple(done),
        tuple(rounds),
        {name: np.array(rows).reshape(shape) for name, rows in places.items()},
        {name: np.array(rows).reshape(shape) for name, rows in seconds.items()},
    ), read


class _Heard(NamedTuple):
    """One patient by one reader: what is held at the end, and by round the place of the truth and the seconds."""

    query: Query
    places: list[float]
    seconds: list[float]


def _interview(
    engine: Engine, reader: Reads | None, batches: list[list[int]], said: list[str], truth: int, config: SgurConfig
) -> _Heard:
    heard = _Heard(Query(), [], [])
    for terms, message in zip(batches, said, strict=True):
        began = time.perf_counter()
        query = heard.query.told(terms) if reader is None else _after(engine, heard.query, reader, message)
        distance = engine.look(query, config).distance
        heard.seconds.append(time.perf_counter() - began)
        heard.places.append(place_of(distance, truth))
        heard = heard._replace(query=query)
    return heard


def _after(engine: Engine, query: Query, reader: Reads, message: str) -> Query:
    at = engine.graph.observations.positions
    reading = reader.read(message)
    return query.told(
        [at[m.observation.id] for m in reading.observed], [at[m.observation.id] for m in reading.excluded]
    )
