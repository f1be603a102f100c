"""Bootstrap intervals against a dumb loop with the same draws, and against what must hold."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.evaluation import intervals
from core.evaluation.intervals import bootstrap, bootstrap_means, paired_difference


def dumb_means(values, seed, draws):
    generator = np.random.default_rng(seed)
    means = []
    for _ in range(draws):
        drawn = [values[i] for i in generator.integers(0, len(values), size=len(values))]
        means.append(sum(drawn) / len(drawn))
    return means


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30), st.integers(0, 5))
def test_the_same_draws_as_a_loop(values, seed):
    assert bootstrap_means(values, seed, 40) == pytest.approx(dumb_means(values, seed, 40))


def test_blocks_change_nothing(monkeypatch):
    values = np.random.default_rng(1).random(50)
    whole = bootstrap_means(values, 3, 101)
    monkeypatch.setattr(intervals, "_CELLS", 200)
    assert np.array_equal(bootstrap_means(values, 3, 101), whole)
    assert len(whole) == 101


def test_the_interval_is_the_middle_of_the_loops_means():
    values = [1.0] * 70 + [0.0] * 30
    interval = bootstrap(values, seed=2, draws=400)
    ordered = sorted(dumb_means(values, 2, 400))
    assert interval.mean == 0.7
    assert ordered[9] <= interval.low <= ordered[10]
    assert ordered[389] <= interval.high <= ordered[390]
    assert 0.55 < interval.low < 0.7 < interval.high < 0.85  # the normal approximation says 0.61 to 0.79


def test_seeds_repeat_and_differ():
    values = np.random.default_rng(0).random(40)
    assert bootstrap(values, 1) == bootstrap(values, 1) != bootstrap(values, 2)


def test_equal_values_have_no_width():
    assert bootstrap([0.5] * 9) == (0.5, 0.5, 0.5)
    assert bootstrap([1.0]) == (1.0, 1.0, 1.0)


def test_pairs_that_always_differ_alike_have_a_sharp_difference():
    ours = np.random.default_rng(0).random(30)
    assert paired_difference(ours, ours - 0.05) == pytest.approx((0.05, 0.05, 0.05))
    # Unpaired, the same two samples would overlap: that is what pairing is for.
    assert bootstrap(ours).low < bootstrap(ours - 0.05).high


def test_what_cannot_be_resampled():
    with pytest.raises(ValueError, match="no value"):
        bootstrap([])
    with pytest.raises(ValueError, match="differ in shape"):
        paired_difference([1.0], [1.0, 2.0])
