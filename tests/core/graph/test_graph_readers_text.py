"""Bytes to text: marks, surrogates, binary, line ends."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InputError
from core.graph.readers.text import decode, split_lines


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\ufeff")))
def test_utf8_is_read_as_it_is(text: str) -> None:
    decoded = decode(text.encode(), "f")
    assert (decoded.text, decoded.encoding, decoded.surrogates, decoded.guessed) == (text, "utf-8", 0, False)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32", "utf-16-le", "utf-16-be"])
def test_the_other_unicode_encodings(encoding: str) -> None:
    assert decode("id,name\nZoë,日本 😀\n".encode(encoding), "f").text == "id,name\nZoë,日本 😀\n"


def test_lone_surrogates_in_utf8_and_utf16() -> None:
    eight = decode(b"a\xed\xa0\x80b", "f")
    assert (eight.text, eight.encoding, eight.surrogates) == ("a\ufffdb", "utf-8", 1)
    sixteen = decode(b"\xff\xfea\0\x00\xd8b\0", "f")
    assert (sixteen.text, sixteen.surrogates) == ("a\ufffdb", 1)
    pair = decode(b"\xed\xa0\xbd\xed\xb8\x80", "f")  # one character, written as two surrogates
    assert (pair.text, pair.surrogates) == ("😀", 0)


@pytest.mark.parametrize(
    "data",
    [bytes(range(256)) * 4, b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", b"\xff\xfe\0\0\0\0\0\xff", b"abc\0def"],
    ids=["all bytes", "png", "bad utf-32", "a zero"],
)
def test_binary_is_refused(data: bytes) -> None:
    with pytest.raises(InputError) as caught:
        decode(data, "thing.csv")
    assert caught.value.where == "thing.csv"


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", []),
        ("a", ["a"]),
        ("a\nb\n", ["a", "b"]),
        ("a\r\nb\r\n", ["a", "b"]),
        ("a\rb\r", ["a", "b"]),
        ("a\u2028b\x85c\x0bd\n", ["a\u2028b\x85c\x0bd"]),
        ("\na\n\n", ["", "a", ""]),
        ("a\rb\nc", ["a\rb", "c"]),
    ],
)
def test_lines_end_where_files_end_them(text: str, lines: list[str]) -> None:
    assert split_lines(text) == lines
