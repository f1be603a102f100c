from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.text.tokens import tokenise


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []),
        ("It", ["it"]),
        ("The Who", ["the", "who"]),
        ("2001: A Space Odyssey", ["2001", "a", "space", "odyssey"]),
        ("has_written-by", ["has", "written", "by"]),
        ("O'Brien's", ["o", "brien", "s"]),
        ("Straße", ["strasse"]),
        ("Amélie", ["amélie"]),
        (unicodedata.normalize("NFD", "Amélie"), ["amélie"]),
        ("İstanbul", ["istanbul"]),
        ("中文Python教程", ["中", "文", "python", "教", "程"]),
        ("ひらがな", ["ひらがな"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("中हिन्दी文", ["中", "हिन्दी", "文"]),
        ("❤️ 1️⃣ 🎬", ["1"]),
        ("a\ud800b", ["a", "b"]),
        ("é\ud800b", ["é", "b"]),
        ("مرحبا بالعالم", ["مرحبا", "بالعالم"]),
        ("R2-D2", ["r2", "d2"]),
    ],
)
def test_words(text: str, words: list[str]) -> None:
    assert tokenise(text) == words


@given(st.text())
def test_words_are_stable_and_can_be_saved(text: str) -> None:
    words = tokenise(text)
    assert all(word and "\n" not in word and word.encode() for word in words)
    assert tokenise(" ".join(words)) == words


@given(st.text(alphabet=st.characters(max_codepoint=127)))
def test_the_short_way_for_ascii_gives_the_same_words(text: str) -> None:
    # One letter beyond ASCII, set apart, sends the text the long way.
    assert tokenise(text + " é") == [*tokenise(text), "é"]
