"""Numbers, dates and quantities read from text, by table; order and units; and what is refused."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.kerag.values import compare, in_words, meets, parse_value, unify, values_in


@pytest.mark.parametrize(
    ("text", "dimension", "low"),
    [
        ("88 minutes", "duration", 5280.0),
        ("1 h 30 min", "duration", 5400.0),
        ("2 hours and 5 minutes", "duration", 7500.0),
        ("45-minute", "duration", 2700.0),
        ("1,234 km", "length", 1_234_000.0),
        ("12 000", "number", 12_000.0),
        ("5'000", "number", 5000.0),
        ("1.5 million", "number", 1.5e6),
        ("-5", "number", -5.0),
        ("12.5kg", "mass", 12.5),
        ("90 %", "share", 90.0),
        ("1,300 pages", "in page", 1300.0),
        ("about_30_minutes", "duration", 1800.0),
        ("$3.2 million", "money:usd", 3.2e6),
        ("€20", "money:eur", 20.0),
        ("20 EUR", "money:eur", 20.0),
    ],
)
def test_quantities(text: str, dimension: str, low: float) -> None:
    value = parse_value(text)
    assert value is not None
    assert (value.dimension, value.low, value.high) == (dimension, pytest.approx(low), pytest.approx(low))


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("1954", (1954, 1, 1), (1954, 12, 31)),
        ("1990s", (1990, 1, 1), (1999, 12, 31)),
        ("May 1990", (1990, 5, 1), (1990, 5, 31)),
        ("1990-05", (1990, 5, 1), (1990, 5, 31)),
        ("1990-05-03", (1990, 5, 3), (1990, 5, 3)),
        ("3 May 1990", (1990, 5, 3), (1990, 5, 3)),
        ("3rd of May, 1990", (1990, 5, 3), (1990, 5, 3)),
        ("May 3, 1990", (1990, 5, 3), (1990, 5, 3)),
        ("03.05.1990", (1990, 5, 3), (1990, 5, 3)),
        ("25/12/2020", (2020, 12, 25), (2020, 12, 25)),
        ("3/4/2020", (2020, 3, 4), (2020, 4, 3)),  # either order
    ],
)
def test_dates(text: str, first: tuple[int, int, int], last: tuple[int, int, int]) -> None:
    value = parse_value(text)
    assert value is not None
    assert value.dimension == "date"
    assert (value.low, value.high) == (date(*first).toordinal(), date(*last).toordinal())


@pytest.mark.parametrize(
    "text", ["BM25", "Blade Runner 2049", "Alien", "", "2011 space odyssey", "1,5", "30.02.2020 was"]
)
def test_what_is_no_single_value(text: str) -> None:
    assert parse_value(text) is None


def test_a_year_before_our_era_comes_first() -> None:
    old, new = parse_value("44 BC"), parse_value("14")
    assert old is not None
    assert old.dimension == "date"
    assert new is not None
    later = parse_value("1066")
    assert later is not None
    assert compare(old, later) == -1


def test_all_values_of_a_text() -> None:
    found = values_in("Built from 3 May 1882 to 1926 at a cost of 1,200,000 dollars, it is 172.5 m tall.")
    assert [(v.text, v.dimension) for v in found] == [
        ("3 May 1882", "date"), ("1926", "date"), ("1,200,000 dollars", "money:usd"), ("172.5 m", "length"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("a", "b", "order"),
    [
        ("90 min", "1.5 h", 0),
        ("90 min", "1.4 h", 1),
        ("1000 m", "2 km", -1),
        ("1954", "3 May 1955", -1),
        ("1954", "3 May 1954", 0),  # the day lies in the year: they cannot be told apart
        ("90 min", "90 km", None),
        ("$20", "€20", None),
    ],
)
def test_order(a: str, b: str, order: int | None) -> None:
    one, other = parse_value(a), parse_value(b)
    assert one is not None
    assert other is not None
    assert compare(one, other) == order
    assert compare(other, one) == (None if order is None else -order)


def test_bare_years_among_numbers_are_numbers() -> None:
    values = [parse_value(t) for t in ("1500", "25000")]
    known = unify([v for v in values if v is not None])
    assert [v.dimension for v in known] == ["number", "number"]
    assert compare(*known) == -1
    dates = [v for t in ("3 May 1990", "7") if (v := parse_value(t)) is not None]
    assert {v.dimension for v in unify(dates)} == {"date", "number"}


@pytest.mark.parametrize(
    ("text", "test", "passes"),
    [
        ("1990", "> 1989", True),
        ("1990", "> 1990", False),
        ("3 May 1990", "in 1990", True),
        ("1990", "< 1990", False),
        ("1990", ">= 1990", True),
        ("95 min", "> 1.5 hours", True),
        ("95 min", "at most 95 minutes", True),
        ("95 min", "> 90 km", None),
        ("95 min", "no test", None),
    ],
)
def test_bounds(text: str, test: str, passes: bool | None) -> None:
    value = parse_value(text)
    assert value is not None
    assert meets(value, test) is passes


@given(st.integers(0, 10**12))
def test_separators_and_scales_do_not_change_a_number(number: int) -> None:
    plain, grouped = parse_value(f"{number} km"), parse_value(f"{number:,} km")
    assert plain is not None
    assert grouped is not None
    assert plain.low == grouped.low == number * 1000


@given(st.dates(date(1000, 1, 1), date(2099, 12, 31)))
def test_a_day_is_the_same_day_in_every_form(day: date) -> None:
    forms = [day.isoformat(), f"{day.day} {day:%B} {day.year}", f"{day:%B} {day.day}, {day.year}",
             f"{day.day:02}.{day.month:02}.{day.year}"]  # fmt: skip
    read = [parse_value(form) for form in forms]
    assert {(v.low, v.high) for v in read if v is not None} == {(day.toordinal(), day.toordinal())}
    assert None not in read


def test_sums_in_words() -> None:
    assert in_words(5400, "duration") == "90 minutes"
    assert in_words(45, "duration") == "45 seconds"
    assert in_words(1_234_567, "number") == "1,234,567"
    assert in_words(2.5, "mass") == "2.50 kg"
    assert in_words(1300, "in page") == "1,300 pages"
    assert in_words(1e6, "money:usd") == "1,000,000 USD"
