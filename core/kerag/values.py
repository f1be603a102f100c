"""Numbers, dates and quantities read from text, so that they can be compared, summed and filtered (KERAG-3).

A value is an interval in a base unit of its dimension: 1954 as a date spans a year, "1 h 30 min" is 5,400 seconds.
Two values of different dimensions are not compared; a unit that is not known here ("300 pages") is its own. English
forms only; limits: no currencies are converted, a two-digit year is no year, and "3/4/2020" is a date of unknown order,
which spans both readings.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

from core.linking.words import singular

MONTHS = {
    name[:3]: number
    for number, name in enumerate(
        "january february march april may june july august september october november december".split(), 1
    )
}
# unit -> (dimension, how many base units)
_UNITS: dict[str, tuple[str, float]] = {}
for _dimension, _table in {
    "duration": {  # seconds
        1.0: "s sec secs second seconds", 60.0: "min mins minute minutes", 3600.0: "h hr hrs hour hours",
        86400.0: "d day days", 604800.0: "week weeks", 2629800.0: "month months", 31557600.0: "yr yrs year years",
        1e-3: "ms millisecond milliseconds",
    },
    "length": {  # metres
        1e-3: "mm millimetre millimetres millimeter millimeters", 1e-2: "cm centimetre centimetres centimeter"
        " centimeters", 1.0: "m metre metres meter meters", 1e3: "km kilometre kilometres kilometer kilometers",
        0.0254: "inch inches", 0.3048: "ft foot feet", 1609.344: "mile miles mi",
    },
    "mass": {  # kilograms
        1e-6: "mg milligram milligrams", 1e-3: "g gram grams", 1.0: "kg kilo kilos kilogram kilograms",
        1e3: "t tonne tonnes", 0.45359237: "lb lbs pound pounds",
    },
    "area": {1.0: "m² m2 sqm", 1e6: "km² km2", 1e4: "ha hectare hectares"},
    "volume": {1e-3: "ml millilitre millilitres", 1.0: "l litre litres liter liters"},
    "temperature": {1.0: "°c celsius"},
    "share": {1.0: "% percent"},
    "data": {1e3: "kb", 1e6: "mb", 1e9: "gb", 1e12: "tb"},
}.items():  # fmt: skip
    for _factor, _names in _table.items():
        _UNITS.update(dict.fromkeys(_names.split(), (_dimension, _factor)))
_CURRENCIES = {"$": "usd", "€": "eur", "£": "gbp", "¥": "jpy", "usd": "usd", "eur": "eur", "gbp": "gbp", "jpy": "jpy"}
_CURRENCY_WORDS = {"dollar": "usd", "dollars": "usd", "euro": "eur", "euros": "eur"}
_SCALES = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "mn": 1e6, "bn": 1e9}

_NUMBER = r"[+\-−]?(?:\d{1,3}(?:[,  ’' ]\d{3})+(?![\d,])|\d+)(?:\.\d+)?"
_QUANTITY = re.compile(
    rf"(?P<pre>[$€£¥]|\b(?:usd|eur|gbp|jpy)\s)?\s*(?P<number>{_NUMBER})"
    r"(?:\s*(?P<scale>thousand|million|billion|trillion|mn|bn)\b)?\s*-?(?P<unit>%|°c|[a-zµ²€$£¥]+[²2]?)?",
    re.IGNORECASE,
)
_OTHER_UNIT = re.compile(rf"(?P<pre>)(?P<number>{_NUMBER})(?P<scale>)\s+(?P<unit>[^\W\d_]{{2,20}})")  # "300 pages"
_ISO = re.compile(r"(?<![\d-])(\d{4})-(\d{2})(?:-(\d{2}))?(?![\d-])")
_DAY_MONTH = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th)?\.?\s+(?:of\s+)?([a-z]{3,9})\.?,?\s+(\d{4})\b", re.IGNORECASE)
_MONTH_DAY = re.compile(r"\b([a-z]{3,9})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})\b", re.IGNORECASE)
_MONTH_YEAR = re.compile(r"\b([a-z]{3,9})\.?,?\s+(\d{4})\b", re.IGNORECASE)
_DOTTED = re.compile(r"\b(\d{1,2})([./])(\d{1,2})\2(\d{4})\b")
_DECADE = re.compile(r"\b(\d{3}0)s\b")
_YEAR = re.compile(r"(?<![\d.,$€£¥+-])(1\d{3}|20\d{2}|2100)(?![\d,.]*\d)(?!-?[a-z]|\s*[%°])", re.IGNORECASE)
_BC = re.compile(r"\b(\d{1,4})\s*(?:bce|bc)\b", re.IGNORECASE)


class Value(NamedTuple):
    """A value in `text`: the interval [low, high] in base units of its dimension; "number" has no unit."""

    low: float
    high: float
    dimension: str
    text: str

    @property
    def middle(self) -> float:
        """The one number that stands for it in a sum."""
        return (self.low + self.high) / 2


def compare(a: Value, b: Value) -> int | None:
    """-1, 0 or 1 as a is less than, indistinguishable from or greater than b; None for different dimensions."""
    if a.dimension != b.dimension:
        return None
    if a.high < b.low:
        return -1
    if a.low > b.high:
        return 1
    if (a.low, a.high) == (b.low, b.high) or a.dimension == "date":
        return 0
    return (a.middle > b.middle) - (a.middle < b.middle)


def unify(values: Sequence[Value]) -> tuple[Value, ...]:
    """The values, where bare years stand among plain numbers ("1500" beside "2500"), all read as numbers."""
    if {value.dimension for value in values} != {"date", "number"}:
        return tuple(values)
    bare = [
        v._replace(low=float(v.text), high=float(v.text), dimension="number") if v.text.isdigit() else v for v in values
    ]
    return tuple(bare) if all(v.dimension == "number" for v in bare) else tuple(values)


def parse_value(text: str) -> Value | None:
    """The value that the text is; None where it holds more than a value, or none. Underscores count as blanks."""
    cleaned = " ".join(text.replace("_", " ").split())
    found = values_in(cleaned)
    if len(found) != 1:
        return None
    other = _OTHER_UNIT.fullmatch(cleaned)
    if other and found[0].text != cleaned and found[0].dimension in ("number", "date"):
        number = _quantity(other).low
        return Value(number, number, f"in {singular(other['unit'].casefold())}", cleaned)
    rest = cleaned.replace(found[0].text, "", 1).strip(" .,:;()~≈")
    return found[0] if not rest or rest.casefold() in ("about", "c", "ca", "circa", "approx", "in", "the") else None


def values_in(text: str) -> tuple[Value, ...]:
    """All values in a text, in its order: dates first taken, then quantities with units, then plain numbers."""
    taken: list[tuple[int, int]] = []
    found: list[tuple[int, Value]] = []
    for pattern, read in _DATES:
        for match in pattern.finditer(text):
            if _free(match.span(), taken) and (value := read(match)) is not None:
                taken.append(match.span())
                found.append((match.start(), value))
    pending: tuple[int, int, Value] | None = None  # "1 h" may go on with "30 min"
    for match in _QUANTITY.finditer(text):
        if not _free(match.span("number"), taken) or _inside_a_word(text, match.start("number")):
            continue
        quantity = _quantity(match)
        start, end = match.start(), match.end()
        if quantity.dimension == "number":
            end = match.end("scale") if match["scale"] else match.end("number")
        if quantity.dimension == "duration" and pending and text[pending[1] : start].strip(" ,") in ("", "and"):
            both = Value(
                pending[2].low + quantity.low,
                pending[2].high + quantity.high,
                "duration",
                text[pending[0] : end].strip(),
            )
            found.pop()
            found.append((pending[0], both))
            pending = (pending[0], end, both)
            continue
        start += len(text[start:end]) - len(text[start:end].lstrip())
        quantity = quantity._replace(text=text[start:end].strip())
        found.append((start, quantity))
        pending = (start, end, quantity) if quantity.dimension == "duration" else None
    return tuple(value for _, value in sorted(found, key=lambda pair: pair[0]))


def in_words(value: float, dimension: str) -> str:
    """A sum in words, in the unit that people would use; a plain number has thousands separators."""
    if dimension == "duration":
        for size, unit in ((31557600.0, "years"), (86400.0, "days"), (3600.0, "hours"), (60.0, "minutes")):
            if value >= 2 * size:
                return f"{_short(value / size)} {unit}"
        return f"{_short(value)} seconds"
    units = {"length": " m", "mass": " kg", "area": " m²", "volume": " l", "share": " %", "temperature": " °C"}
    if dimension.startswith("money"):
        return f"{_short(value)} {dimension.split(':')[-1].upper()}"
    if dimension.startswith("in "):
        return f"{_short(value)} {dimension[3:]}{'' if value == 1 else 's'}"
    return _short(value) + units.get(dimension, "")


def meets(value: Value, test: str) -> bool | None:
    """Whether a value passes a test such as ">= 1960", "before 3 May 1990" or "= 88 minutes"; None: not comparable."""
    match = re.match(r"\s*(>=|<=|>|<|=|after|before|since|until|in|over|under|at least|at most)\s*(.+)$", test)
    wanted = parse_value(match[2]) if match else None
    if match is None or wanted is None:
        return None
    value, wanted = unify((value, wanted))
    if value.dimension != wanted.dimension:
        return None
    sign = match[1]
    if sign in (">", "after", "over"):
        return value.low > wanted.high
    if sign in ("<", "before", "under"):
        return value.high < wanted.low
    if sign in (">=", "since", "at least"):
        return value.low >= wanted.low
    if sign in ("<=", "until", "at most"):
        return value.high <= wanted.high
    return wanted.low <= value.low and value.high <= wanted.high


# --- how each form is read ------------------------------------------------------------------------------------------


def _span(first: date, last: date, text: str) -> Value:
    return Value(float(first.toordinal()), float(last.toordinal()), "date", text)


def _day(year: int, month: int, day: int, text: str) -> Value | None:
    try:
        at = date(year, month, day)
    except ValueError:
        return None
    return _span(at, at, text)


def _month(year: int, month: int, text: str) -> Value | None:
    if not 1 <= month <= 12 or not 1 <= year <= 9998:
        return None
    after = date(year + month // 12, month % 12 + 1, 1)
    return _span(date(year, month, 1), date.fromordinal(after.toordinal() - 1), text)


def _years(first: int, last: int, text: str) -> Value | None:
    if not 1 <= first <= last <= 9999:
        return None
    return _span(date(first, 1, 1), date(last, 12, 31), text)


def _iso(match: re.Match[str]) -> Value | None:
    year, month, day = match.groups()
    if day is None:
        return _month(int(year), int(month), match.group())
    return _day(int(year), int(month), int(day), match.group())


def _named(day: str | None, month: str, year: str, text: str) -> Value | None:
    number = MONTHS.get(month[:3].casefold())
    names = "january february march april may june july august september october november december sept".split()
    if number is None or not any(name.startswith(month.casefold()) for name in names):
        return None
    return _month(int(year), number, text) if day is None else _day(int(year), number, int(day), text)


def _dotted(match: re.Match[str]) -> Value | None:
    """Dots put the day first; a slash leaves the order open unless one number cannot be a month."""
    first, mark, second, year = int(match[1]), match[2], int(match[3]), int(match[4])
    readings = [_day(year, second, first, match.group())]
    if mark == "/":
        readings.append(_day(year, first, second, match.group()))
    known = [r for r in readings if r is not None]
    if not known:
        return None
    return Value(min(r.low for r in known), max(r.high for r in known), "date", match.group())


def _has_a_unit(match: re.Match[str]) -> bool:
    """Whether a unit follows: "1500 km" is no year."""
    following = match.string[match.end() :].split(maxsplit=1)
    return bool(following) and following[0].strip(".,;:!?)").casefold() in {*_UNITS, *_SCALES, *_CURRENCY_WORDS}


def _bc(match: re.Match[str]) -> Value:
    """Years before our era, as days before the year 1 (365.2425 a year)."""
    year = int(match[1])
    return Value(-year * 365.2425, -(year - 1) * 365.2425 - 1, "date", match.group())


_DATES = (
    (_ISO, _iso),
    (_DAY_MONTH, lambda m: _named(m[1], m[2], m[3], m.group())),
    (_MONTH_DAY, lambda m: _named(m[2], m[1], m[3], m.group())),
    (_DOTTED, _dotted),
    (_MONTH_YEAR, lambda m: _named(None, m[1], m[2], m.group())),
    (_DECADE, lambda m: _years(int(m[1]), int(m[1]) + 9, m.group())),
    (_BC, _bc),
    (_YEAR, lambda m: None if _has_a_unit(m) else _years(int(m[1]), int(m[1]), m.group())),
)


def _quantity(match: re.Match[str]) -> Value:
    number = float(re.sub(r"[,  ’' ]", "", match["number"]).replace("−", "-"))
    number *= _SCALES.get((match["scale"] or "").casefold(), 1.0)
    unit = (match["unit"] or "").casefold()
    currency = _CURRENCIES.get((match["pre"] or unit).strip().casefold()) or _CURRENCY_WORDS.get(unit)
    if currency:
        return Value(number, number, f"money:{currency}", match.group())
    dimension, factor = _UNITS.get(unit, ("number", 1.0))
    return Value(number * factor, number * factor, dimension, match.group())


def _free(span: tuple[int, int], taken: list[tuple[int, int]]) -> bool:
    return all(span[1] <= start or span[0] >= end for start, end in taken)


def _inside_a_word(text: str, at: int) -> bool:
    """A digit glued to a letter before it ("BM25", "B2B") is part of a name."""
    return at > 0 and (text[at - 1].isalpha() or (text[at - 1] == "-" and at > 1 and text[at - 2].isalpha()))


def _short(number: float) -> str:
    return f"{number:,.0f}" if number == int(number) else f"{number:,.2f}"
