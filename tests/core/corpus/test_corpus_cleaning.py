from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.corpus.cleaning import _cleaned, clean_pages, clean_text
from core.corpus.report import cleaning_in_words


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("1 Introduction .................... 3\nnext", "1 Introduction\nnext"),
        ("2 Methods . . . . . . . . 7", "2 Methods"),
        ("第一章 总则……………………1", "第一章 总则"),
        ("Annex ____________ xii", "Annex"),
        ("Preface ················ iv", "Preface"),
        ("Summary ............", "Summary"),
        ("and so on ...", "and so on ..."),
        ("it went on.... until 1990", "it went on.... until 1990"),
        ("version 1.2.3.4", "version 1.2.3.4"),
        ("a pause …", "a pause …"),
    ],
)
def test_dot_leaders(text: str, clean: str) -> None:
    assert clean_text(text).text == clean


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("See https://example.org/a?b=c&d=e.", "See ."),
        ("(http://a.b/c) and www.x.org, too", "() and , too"),
        ("见https://a.cn/路径。后文", "见路径。后文"),
        ("HTTP://A.B x", "x"),
        ("a@b.org stays, and so does www alone", "a@b.org stays, and so does www alone"),
    ],
)
def test_addresses(text: str, clean: str) -> None:
    assert clean_text(text).text == clean


@pytest.mark.parametrize(
    ("text", "clean", "count"),
    [
        ("a hyphen-\nated word", "a hyphenated word", 1),
        ("a well-known man, well-\nknown", "a well-known man, well-known", 1),
        ("Anglo-\nSaxon", "Anglo-\nSaxon", 0),
        ("pages 3-\n4", "pages 3-\n4", 0),
        ("soft\u00adhyphen", "softhyphen", 0),
        ("A-\n nnex", "Annex", 1),
    ],
)
def test_cut_words(text: str, clean: str, count: int) -> None:
    cleaned = clean_text(text)
    assert (cleaned.text, cleaned.counts["joined words"]) == (clean, count)


def test_counts_and_spaces() -> None:
    cleaned = clean_text("a\u200b\x00b\u00a0 c\r\n\r\n\r\n\r\nd  \u3000e\t\t\nhttp://x.y\nT ..... 2")
    assert cleaned.text == "ab c\n\nd e\n\nT"
    assert cleaned.counts == {"control characters": 2, "addresses": 1, "dot leaders": 1}


def test_headers_footers_and_page_numbers() -> None:
    pages = [f"Harbour report 2024\n{word} stands here.\nMore of it.\nAnd more.\nThe end.\nPage {n} of 4" for n, word in
             enumerate(("Tide", "Silt", "Rope", "Buoy"), 1)]  # fmt: skip
    cleaned = clean_pages(pages)
    assert "Harbour report" not in cleaned.text
    assert "Page" not in cleaned.text
    assert all(word in cleaned.text for word in ("Tide stands", "Silt stands", "Rope stands", "Buoy stands"))
    assert cleaned.counts["repeated lines"] >= 8


def test_what_only_two_pages_say_stays() -> None:
    cleaned = clean_pages(["Harbour report\nTides are high.", "Harbour report\nRopes are wet."])
    assert cleaned.text.count("Harbour report") == 2
    assert not cleaned.counts


def test_a_lone_page_number_goes_and_a_number_in_the_text_stays() -> None:
    cleaned = clean_pages(["first\n12\nlast\nand on\nand on\n- 7 -"])
    assert cleaned.text == "first\n12\nlast\nand on\nand on"
    assert cleaned.counts == {"page numbers": 1}


@given(st.text(alphabet=st.sampled_from("ab-\n .…_1\t\u00adhtp:/w"), max_size=60))
def test_no_letter_is_lost_but_in_addresses(text: str) -> None:
    if "://" in text or "www." in text:
        return
    letters = [c for c in text if c in "ab"]
    assert [c for c in clean_text(text).text if c in "ab"] == letters


@given(st.text(alphabet=st.sampled_from("abW-\n .…_1\t·\u2010\u00ad\u00a0\u3000\u2028\r中htp:/w.. "), max_size=40))
def test_the_quick_way_finds_the_same(text: str) -> None:
    assert clean_text(text) == _cleaned(text)


@pytest.mark.parametrize("unit", [". ", ".", "…", "_", " ", "-\n", "a-\nb ", "http://", "\t", "1", "·x"])
def test_a_megabyte_of_one_thing_is_no_trap(unit: str) -> None:
    text = unit * (1_000_000 // len(unit)) + " z"
    assert clean_text(text).text.endswith("z")


def test_what_was_taken_out_is_said_in_words() -> None:
    counts = {"addresses": 1, "dot leaders": 1_200, "joined words": 1, "page numbers": 0}
    assert cleaning_in_words(counts) == "1 address, 1,200 dot leaders, 1 joined word"
    assert cleaning_in_words({}) == ""
