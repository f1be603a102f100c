from __future__ import annotations

import numpy as np
import pytest

from core.evaluation.diagnosis import retention


def test_retention_is_a_share_of_each_hit_by_round() -> None:
    large = np.array([[4.0, 1.0], [9.0, 1.0], [20.0, 2.0]])
    small = np.array([[30.0, 1.0], [9.0, 5.0], [20.0, 2.0]])
    kept = retention(large, small)
    assert kept["hit@1"] == [None, 0.5]  # nobody was first in the first round
    assert kept["hit@2"][1] == pytest.approx(2 / 3)
    assert kept["hit@10"] == [0.5, 1.0]
