from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from core.text.selection import best_positions


@given(st.lists(st.sampled_from([0.0, -1.0, 0.25, 0.5, 2.0]), max_size=40), st.integers(-1, 45))
def test_equals_a_plain_sort(scores: list[float], k: int) -> None:
    plain = sorted((i for i, s in enumerate(scores) if s != 0), key=lambda i: (-scores[i], i))[: max(k, 0)]
    assert best_positions(np.array(scores, np.float32), k).tolist() == plain
