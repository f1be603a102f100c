"""Labels, their variants, and one scale for any encoder."""

import numpy as np
import pytest

from core.linking.similarity import (
    Z_SAME,
    LabelSpace,
    everyday_vectors,
    forms_of,
    label_text,
    label_variants,
    ramp,
    similarity,
)
from core.text.embedding import get_encoder

LABELS = ["painted by", "colour of paint", "weight", "built in year"]


@pytest.fixture(scope="module")
def encoder():
    return get_encoder("letters")


@pytest.fixture(scope="module")
def space(encoder):
    return LabelSpace(LABELS, [encoder, encoder])


def vectors_of(encoder, text):
    return {form: [encoder.encode([form])[0]] * 2 for form in forms_of(text)}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("place_of_birth", "place of birth"),
        ("people.person.place_of_birth", "place of birth"),
        ("ns__isPartOf", "is part of"),
        ("foaf:knows", "knows"),
        ("http://xmlns.com/foaf/0.1/workInfoHomepage", "work info homepage"),
        ("http://www.w3.org/2000/01/rdf-schema#label", "label"),
        ("made_by_inverse", "made by"),
        ("inverse of makes", "makes"),
        ("HAS-PART", "has part"),
        ("v1.2 of the plan", "v1 2 of the plan"),
        ("__", "__"),
    ],
)
def test_label_text(name, text):
    assert label_text(name) == text


def test_variants_carry_weights():
    variants = label_variants("painted by")
    assert variants["painted by"] == variants["painted"] == variants["painter"] == variants["paint"] == 1.0
    several = label_variants("built in years")
    assert several["built in years"] == several["built years"] == 1.0
    assert several["year"] == several["build"] == 0.92
    assert "builder" not in several


def test_a_word_of_the_label_is_full(space, encoder):
    z = space.z("painters", vectors_of(encoder, "painters"))
    assert z[0] >= Z_SAME
    assert similarity(z)[0] == 1.0
    assert similarity(z)[2] < 1.0


def test_a_part_and_a_root_count_less_than_the_whole(space, encoder):
    whole = space.z("weights", vectors_of(encoder, "weights"))[2]
    part = space.z("year", vectors_of(encoder, "year"))[3]
    assert whole >= Z_SAME
    assert part >= 0.9 * Z_SAME
    root = space.z("builders", vectors_of(encoder, "builders"))
    assert root[3] >= 0.85 * 0.9 * Z_SAME
    assert root[2] < 0.85 * 0.9 * Z_SAME


def test_z_against_a_second_implementation(encoder):
    space = LabelSpace(["weight", "height of tower"], [encoder])
    text = "heavier"
    got = space.z(text, {text: [encoder.encode([text])[0]]})

    def best(word, label):
        rows = encoder.encode([word, *label_variants(label)])
        return max(float(rows[0] @ row) * w for row, w in zip(rows[1:], label_variants(label).values(), strict=True))

    from core.linking.words import EVERYDAY_WORDS

    every = np.array([[best(w, label) for label in space.texts] for w in EVERYDAY_WORDS])
    centre = (every.mean(0) + every.mean()) / 2
    spread = np.maximum(every.std(0), 0.5 * every.std())
    spread = (spread + spread.mean()) / 2
    expected = (np.array([best(text, label) for label in space.texts]) - centre) / spread
    assert got == pytest.approx(expected, abs=2e-4)


def test_whole_labels_have_no_stems(encoder):
    space = LabelSpace(["painted by, weight"], [encoder], parts=False)
    assert space.named("painted") == frozenset()
    assert LabelSpace(LABELS, [encoder]).named("paint") == {0, 1}


def test_no_labels(encoder):
    assert LabelSpace([], [encoder]).z("word", {}).shape == (0,)


def test_everyday_vectors_are_computed_once(encoder):
    assert everyday_vectors(encoder) is everyday_vectors(encoder)


def test_ramp():
    assert ramp(np.array([0.0, 1.0, 2.0, 9.0]), 1.0, 3.0).tolist() == [0.0, 0.0, 0.5, 1.0]
