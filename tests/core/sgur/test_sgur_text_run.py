"""Patients who speak: their sentences, what is read from them, and the ceiling."""

from __future__ import annotations

import numpy as np
import pytest
from made_expert import small

from core.errors import ModelError
from core.sgur.ablations import method
from core.sgur.engine import Engine
from core.sgur.expert_graph import Layer
from core.sgur.extraction import Extractor
from core.sgur.patients import Patient, draw_patients
from core.sgur.protocol import run_protocol
from core.sgur.steps import Reading
from core.sgur.telling import sentence
from core.sgur.text_run import IDS, Extraction, run_texts

SIGNS = Layer("sign", ("a", "b", "c"), ("Fever", "EEG change", "Rash"), (("High temperature", "Hot"), (), ()))


def test_a_sentence_says_each_term_by_a_name_that_it_has() -> None:
    said = {sentence(SIGNS, [0, 1, 2], (seed, 1)) for seed in range(40)}
    assert all(s.endswith(", EEG change and rash.") for s in said)
    assert all(any(name in s for s in said) for name in ("fever", "high temperature", "hot"))
    assert sentence(SIGNS, [0, 1, 2], (3, 1)) == sentence(SIGNS, [0, 1, 2], (3, 1))
    assert sentence(SIGNS, [1], (0,)).endswith(" EEG change.")
    assert sentence(SIGNS, [], (0,)) == ""


class Deaf:
    """Reads nothing."""

    decided_by = "nobody"

    def read(self, message: str) -> Reading:
        return Reading(words=message)


def patients(engine: Engine) -> tuple[Patient, ...]:
    return draw_patients(engine.graph, 2, "complex", seed=1)


def test_ids_are_the_protocol_itself_and_the_deaf_know_nothing() -> None:
    engine = Engine(small())
    result, read = run_texts(engine, patients(engine), {IDS: None, "deaf": Deaf()}, (2, 4, 6))
    same = run_protocol(engine, patients(engine), {"sgur": method("sgur")}, (2, 4, 6))
    assert np.array_equal(result.places[IDS], same.places["sgur"])
    assert (result.places["deaf"] == 3.5).all()  # all six are equal
    assert read["deaf"].scores == {"precision": None, "recall": 0.0, "f1": 0.0}
    assert set(read) == {"deaf"}


def test_a_reader_of_words_finds_the_terms_again() -> None:
    engine = Engine(small())
    result, read = run_texts(engine, patients(engine), {IDS: None, "sgur": Extractor(engine.graph)}, (2, 4, 6))
    assert read["sgur"].scores == {"precision": 1.0, "recall": 1.0, "f1": 1.0}
    assert np.array_equal(result.places[IDS], result.places["sgur"])
    assert (result.seconds["sgur"] > 0).all()


def test_scores_are_counted_over_all_patients() -> None:
    found = Extraction().plus({1, 2, 3}, {2, 3, 4, 5}).plus({1}, set())
    assert found == Extraction(told=4, read=4, right=2)
    assert found.scores == pytest.approx({"precision": 0.5, "recall": 0.5, "f1": 0.5})


class Gone(Deaf):
    """Its server answers for one patient."""

    def __init__(self) -> None:
        self.left = 3

    def read(self, message: str) -> Reading:
        self.left -= 1
        if self.left < 0:
            raise ModelError("nobody answers")
        return Reading(words=message)


def test_a_reader_whose_server_is_gone_ends_the_run_with_what_was_done() -> None:
    engine = Engine(small())
    reader = Gone()
    result, read = run_texts(engine, patients(engine), {"deaf": Deaf(), "gone": reader}, (2, 4, 6))
    assert [len(result.places[name]) for name in ("deaf", "gone")] == [1, 1]
    assert read["deaf"].told == read["gone"].told == 3
    with pytest.raises(ModelError, match="nobody answers"):
        run_texts(engine, patients(engine), {"gone": reader}, (2, 4, 6))


def test_a_stop_keeps_what_was_done() -> None:
    engine = Engine(small())
    asked = iter([False, True])
    result, read = run_texts(engine, patients(engine), {"deaf": Deaf()}, (2, 4, 6), should_stop=lambda: next(asked))
    assert len(result.patients) == len(result.places["deaf"]) == 1
    assert read["deaf"].told == 3
