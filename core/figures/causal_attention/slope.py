"""The slope chart of a ranking, as the values that assets/slope.js draws: a line for each document, a column for
each ranking, similarity at the left and the chosen one at the right. Not here: what a document is made of.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from core.causal_attention.steps import Mode
from core.figures.causal_attention.ranking import MEANINGS, TITLES, Line, Ranking, note, sentence
from core.figures.palette import Theme, colours
from core.figures.words import count, cut, isolate

ROWS = 20  # places that are drawn, unless more are asked for
NAME = 120  # characters of a title


def columns_of(ranking: Ranking, between: Sequence[Mode] = ()) -> list[Mode]:
    """The rankings of a chart from left to right; those the trace does not hold are left out."""
    middle = [m for m in TITLES if m in between and m in ranking.modes and m not in ("baseline", ranking.mode)]
    return ["baseline", *middle, ranking.mode]


def slope_data(
    ranking: Ranking,
    theme: Theme = "light",
    *,
    between: Sequence[Mode] = (),
    selected: str = "",
    judged: Mapping[str, int] | None = None,
    rows: int = ROWS,
) -> dict[str, Any]:
    """What the chart shows: the documents of S1 among the first `rows` places of the left or the right ranking."""
    modes = columns_of(ranking, between)
    inside = [line for line in ranking.lines if line.inside]
    drawn = [line for line in inside if min(line.places["baseline"], line.places[ranking.mode]) <= rows]
    return {
        "columns": [{"mode": mode, "title": TITLES[mode], "meaning": MEANINGS[mode]} for mode in modes],
        "rows": min(rows, len(inside)),
        "lines": [_line(line, ranking, modes, judged) for line in drawn],
        "selected": selected,
        "judged": judged is not None,
        "shown": shown_words(ranking, len(drawn)),
        "colours": colours(theme)._asdict(),
    }


def shown_words(ranking: Ranking, drawn: int) -> str:
    """How much is drawn, and how much is not."""
    said = (
        f"{drawn} of {count(ranking.size, 'document')} that were ranked again"
        if drawn < ranking.size
        else (f"{count(drawn, 'document')} ranked again")
    )
    beyond = len(ranking.lines) - ranking.size
    if not beyond:
        return f"{said}."
    return f"{said}; {beyond} more {'is known and keeps its' if beyond == 1 else 'are known and keep their'} order."


def _line(line: Line, ranking: Ranking, modes: Sequence[Mode], judged: Mapping[str, int] | None) -> dict[str, Any]:
    grade = judged.get(line.id, 0) if judged else 0
    return {
        "id": line.id,
        "name": isolate(cut(line.name, NAME)) or "(no title)",
        "places": [line.places[mode] for mode in modes],
        "shift": line.shift(ranking.mode),
        "note": note(line, ranking),
        "why": sentence(line, ranking),
        "absorbed": round(line.absorbed, 4) if ranking.splits and line.empty != "no keywords" else None,
        "judged": grade,
    }
