"""Probabilities and progress in words: nothing is rounded to certainty, and no session is in round 7 of 3."""

import pytest

from core.sgur.wording import percent, progress


@pytest.mark.parametrize(
    ("share", "words"),
    [
        (0.0, "0.00 %"),
        (0.00004, "under 0.01 %"),
        (0.00005, "0.01 %"),
        (0.9978, "99.78 %"),
        (0.99994, "99.99 %"),
        (0.99996, "over 99.99 %"),
        (1.0, "100.00 %"),
        (0.5, "50.00 %"),
    ],
)
def test_a_probability_is_certain_only_when_it_is(share: float, words: str) -> None:
    assert percent(share) == words


@pytest.mark.parametrize(
    ("number", "planned", "words"),
    [
        (1, 3, "Round 1 of 3"),
        (3, 3, "All 3 rounds that were planned are done"),
        (7, 3, "Round 7: 4 more than the 3 planned"),
        (1, 1, "The one round that was planned is done"),
        (2, 1, "Round 2: 1 more than the 1 planned"),
    ],
)
def test_a_session_may_go_on_beyond_its_plan(number: int, planned: int, words: str) -> None:
    assert progress(number, planned) == words
