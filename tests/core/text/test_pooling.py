from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.text.pooling import pool, unit_rows, windows


@given(st.text(alphabet="ab  中", max_size=300), st.integers(1, 40))
def test_windows_lose_no_letter_and_keep_the_limit(text: str, limit: int) -> None:
    pieces = windows(text, limit)
    assert "".join("".join(pieces).split()) == "".join(text.split())
    assert all(0 < len(piece) <= limit for piece in pieces)


def test_windows_are_cut_at_spaces_and_of_like_length() -> None:
    pieces = windows("word " * 100, 300)
    assert len(pieces) == 2
    assert all(set(piece.split()) == {"word"} for piece in pieces)
    assert abs(len(pieces[0]) - len(pieces[1])) < 20


def test_pooling_by_hand() -> None:
    vectors = np.array([[1, 0], [0, 1], [0.6, 0.8]], np.float32)
    half = 0.5**0.5
    assert pool(vectors, [2, 0, 1]).tolist() == [
        pytest.approx([half, half], abs=1e-6),
        [0.0, 0.0],
        pytest.approx([0.6, 0.8], abs=1e-6),
    ]


def test_a_zero_row_stays_zero() -> None:
    assert unit_rows(np.array([[0, 0], [3, 4]], np.float32)).tolist() == [[0, 0], pytest.approx([0.6, 0.8])]
