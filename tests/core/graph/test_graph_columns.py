"""Columns of strings: packing, cleaning, and fingerprints that tell columns apart."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.graph.columns import PackedColumn, clean, clean_column, fingerprint, pack

TEXTS = st.lists(st.text(st.characters(exclude_categories=["Cs"])))


@given(TEXTS)
def test_a_packed_column_unpacks_equal(texts: list[str]) -> None:
    packed = pack(texts)
    assert packed.unpack() == tuple(texts)
    assert len(packed.offsets) == len(texts) + 1


@given(TEXTS, TEXTS)
def test_fingerprints_are_equal_only_for_equal_columns(a: list[str], b: list[str]) -> None:
    assert (fingerprint(a) == fingerprint(b)) == (a == b)


@given(st.lists(st.text(st.characters())))
def test_cleaning_leaves_nothing_that_utf8_refuses(texts: list[str]) -> None:
    cleaned, count = clean_column(texts)
    assert count == sum(0xD800 <= ord(c) <= 0xDFFF for text in texts for c in text)
    assert [len(text) for text in cleaned] == [len(text) for text in texts]
    "".join(cleaned).encode("utf-8")


def test_a_surrogate_becomes_the_replacement_character() -> None:
    assert clean("a\ud83dz") == ("a\ufffdz", 1)
    assert clean("😀") == ("😀", 0)


@pytest.mark.parametrize("offsets", [[], [1, 3], [0, 2], [0, 2, 1, 3]])
def test_damaged_offsets_are_noticed(offsets: list[int]) -> None:
    data = np.frombuffer(b"abc", dtype=np.uint8)
    with pytest.raises(ValueError, match="do not fit"):
        PackedColumn(data, np.array(offsets, dtype=np.int64)).unpack()
