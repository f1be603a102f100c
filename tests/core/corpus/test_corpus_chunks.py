from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.corpus.chunks import OVERLAP, SIZE, chunk_count, chunks


@pytest.mark.parametrize(
    ("length", "count"),
    [(1, 1), (511, 1), (512, 1), (4_096, 1), (4_097, 2), (7_680, 2), (7_681, 3), (11_264, 3), (11_265, 4)],
)
def test_how_many(length: int, count: int) -> None:
    assert len(chunks("x" * length)) == chunk_count("x" * length) == count


def test_the_sizes_are_the_papers() -> None:
    assert (SIZE, OVERLAP) == (4_096, 512)


def test_a_blank_text_has_none() -> None:
    assert chunks("") == chunks(" \n\t") == []
    assert chunk_count(" \n") == 0


@given(st.integers(1, 30_000), st.integers(0, 10**6))
def test_chunks_cover_the_text_with_their_overlap(length: int, seed: int) -> None:
    text = "".join(chr(0x4E00 + (seed + i * 7919) % 20_000) for i in range(length))
    pieces = chunks(text)
    assert len(pieces) == chunk_count(text)
    assert all(len(piece) <= SIZE for piece in pieces)
    assert all(a[-OVERLAP:] == b[:OVERLAP] for a, b in zip(pieces, pieces[1:], strict=False))
    assert pieces[0] + "".join(piece[OVERLAP:] for piece in pieces[1:]) == text
    assert all(len(piece) > OVERLAP for piece in pieces[1:])  # each adds something
