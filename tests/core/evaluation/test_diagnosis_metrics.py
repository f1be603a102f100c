from __future__ import annotations

import numpy as np
import pytest

from core.evaluation.diagnosis import difference, hit_at, summary, turns_to_confidence

PLACES = np.array([[4.0, 2.0, 1.0], [1.5, 1.0, 1.0], [20.0, 11.0, 4.0], [3.0, 5.0, 2.0]])


def test_hits_and_turns_by_hand() -> None:
    assert hit_at(PLACES, 1).mean(axis=0).tolist() == [0, 0.25, 0.5]
    assert hit_at(PLACES, 3).mean(axis=0).tolist() == [0.5, 0.5, 0.75]
    assert turns_to_confidence(PLACES).tolist() == [2, 1, 4, 1]


def test_a_summary_holds_what_the_command_promises() -> None:
    made = summary(PLACES, np.full_like(PLACES, 0.5))
    assert made["hit@10"] == [0.75, 0.75, 1.0]
    assert made["mrr"] == pytest.approx((1 + 1 + 0.25 + 0.5) / 4)
    assert (made["mttc"], made["seconds_per_round"]) == (2.0, 0.5)
    low, high = made["intervals"]["hit@3"][2]
    assert low <= 0.75 <= high


def test_a_difference_is_paired() -> None:
    made = difference(PLACES, PLACES + 1)
    assert made["hit@1"][2][0] == 0.5
    assert made["mttc"][0] == pytest.approx((2 + 1 + 4 + 1) / 4 - (2 + 1 + 4 + 3) / 4)
    assert difference(PLACES, PLACES)["hit@3"] == [[0, 0, 0]] * 3
