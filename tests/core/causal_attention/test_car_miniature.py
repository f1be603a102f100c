import math

import numpy as np
import pytest

from core.causal_attention.miniature import (
    ANGLES,
    MOST_REPEATS,
    QUERY,
    STUFFED,
    TAU,
    PlaneEncoder,
    documents,
    gains,
    miniature,
    residual,
)
from core.causal_attention.rescore import rescore
from core.causal_attention.steps import RankingStep, Retrieved, SplitStep
from core.text.keywords import terms


def places(trace, mode):
    step = next(s for s in trace.steps if isinstance(s, RankingStep) and s.mode == mode)
    return {place.id: place.rank for place in step.places}


def split_of(trace, id_):
    step = next(s for s in trace.steps if isinstance(s, SplitStep) and s.how == "semantic")
    return next(d for d in step.documents if d.id == id_)


def test_a_text_is_the_mean_of_its_words():
    encoder = PlaneEncoder()
    cough, both, nothing = encoder.encode(["cough", "cough remedy", "unheard of"])
    assert cough == pytest.approx([math.cos(math.radians(12)), math.sin(math.radians(12))], abs=1e-6)
    assert math.degrees(math.atan2(both[1], both[0])) == pytest.approx(6, abs=1e-3)
    assert nothing.tolist() == [0, 0]
    assert encoder.encode([]).shape == (0, 2)
    assert encoder.unknown_share(["cough unheard"]) == 0.5


@pytest.mark.parametrize("repeats", [0, 4, MOST_REPEATS])
def test_every_word_of_this_world_has_a_direction(repeats):
    assert all(word in ANGLES for d in documents(repeats) for word in terms(d.content))
    assert set(terms(QUERY)) <= set(ANGLES)


def test_stuffing_turns_the_quiz_towards_the_query():
    def cosine(repeats):
        step = next(s for s in miniature(repeats)[0].steps if isinstance(s, Retrieved))
        return next(c.score for c in step.candidates if c.document.id == STUFFED)

    found = [cosine(n) for n in range(MOST_REPEATS + 1)]
    assert found == sorted(found)
    assert found[0] < 0 < found[-1]


def test_the_story_that_the_lessons_tell():
    trace, _ = miniature()
    assert places(trace, "baseline")[STUFFED] < places(trace, "baseline")["drinks"]
    for mode in ("exact", "semantic", "hybrid"):
        assert places(trace, mode)["drinks"] < places(trace, mode)[STUFFED], mode
    assert split_of(trace, "words").empty == "all absorbed"
    assert places(trace, "semantic")["words"] == 4
    assert split_of(trace, STUFFED).score < 0
    assert "throat" in split_of(trace, "drinks").rest
    assert "throat" in split_of(rescore(trace, tau=TAU - 0.05), "drinks").shared


@pytest.mark.parametrize("tau", [0.3, 0.6, TAU, 1.0])
@pytest.mark.parametrize("id_", ["drinks", STUFFED, "words", "weekly"])
def test_the_arrow_that_is_drawn_is_the_one_that_was_scored(tau, id_):
    made, index = miniature()
    trace = rescore(made, tau=tau)
    rest, own = residual(trace, index, id_), split_of(trace, id_)
    assert (rest is None) == (own.empty == "all absorbed")
    if rest is not None:
        query = index.encoder.encode([QUERY])[0]
        assert float(query @ rest / np.linalg.norm(rest)) == pytest.approx(own.score, abs=1e-5)


def test_gains_have_their_mean_and_stay_within_a_metrics_bounds():
    assert gains(0.05, 0.1).mean() == pytest.approx(0.05)
    assert abs(gains(0.2, 5.0)).max() == 1.0
    assert gains(0.05, 0.1).tolist() == gains(0.05, 0.1).tolist()
    assert gains(0.0, 0.1, seed=1).tolist() != gains(0.0, 0.1).tolist()
