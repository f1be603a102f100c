"""The table of a diagnostic corpus drawn (CAR-8): where the target and the stuffed documents of each theme stand.

The sentence counts what came out, the themes that the method does not help named. Nothing is left out of the mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.causal_attention.diagnostic import Theme as DiagnosticTheme
from core.causal_attention.diagnostic import means
from core.causal_attention.steps import Mode
from core.figures.causal_attention.ranking import TITLES
from core.figures.charts import empty_chart, label
from core.figures.palette import Theme, colours, plotly_template
from core.figures.tables import Cell, Table
from core.figures.words import count, listed

if TYPE_CHECKING:
    import plotly.graph_objects as go

ROW = 30


def themes_chart(themes: Sequence[DiagnosticTheme], mode: Mode, theme: Theme = "light") -> go.Figure:
    """For each theme the places by similarity (hollow) and by `mode` (filled): circles targets, squares stuffed."""
    import plotly.graph_objects as go

    if not themes:
        return empty_chart(theme, "There is no theme.")
    c = colours(theme)
    figure = go.Figure()
    names = [f"{label(t.name)} ({t.language})" for t in themes]
    looks = (("target", "circle", c.visited, -0.16), ("stuffed", "square", c.document, 0.16))
    for what, symbol, colour, offset in looks:
        ends = [(getattr(t.ranks["baseline"], what), getattr(t.ranks[mode], what)) for t in themes]
        at = [i + offset for i in range(len(themes))]
        for (a, b), y in zip(ends, at, strict=True):
            figure.add_scatter(
                x=[a, b], y=[y, y], mode="lines", line={"color": colour, "width": 2}, hoverinfo="skip", showlegend=False
            )  # fmt: skip
        noun = "target" if what == "target" else "stuffed documents, mean"
        for hollow, side in ((True, 0), (False, 1)):
            by = "similarity" if hollow else TITLES[mode].lower()
            figure.add_scatter(
                x=[pair[side] for pair in ends],
                y=at,
                mode="markers",
                name=f"{noun}, by {by}",
                marker={
                    "symbol": f"{symbol}-open" if hollow else symbol,
                    "size": 11,
                    "color": colour,
                    "line": {"width": 2, "color": colour},
                },
                customdata=[[name] for name in names],
                hovertemplate=f"%{{customdata[0]}}: {noun} at place %{{x:.3~g}} by {by}<extra></extra>",
                cliponaxis=False,
            )
    figure.update_layout(
        template=plotly_template(theme),
        height=110 + ROW * len(themes),
        xaxis={"title": {"text": "place among the theme's documents (1 is best)"}, "dtick": 1, "range": [0.6, 8.4]},
        yaxis={
            "tickvals": list(range(len(themes))),
            "ticktext": names,
            "range": [len(themes) - 0.5, -0.5],
            "fixedrange": True,
        },
        margin={"l": 8, "r": 16, "t": 64, "b": 48},
    )
    return figure


def themes_table(themes: Sequence[DiagnosticTheme], *, stuffed: bool = False) -> Table:
    """A row a theme: the target's place in each ranking (or the stuffed documents' mean place), and the means."""
    modes: list[Mode] = [m for m in TITLES if all(m in t.ranks for t in themes)] if themes else []
    what = "stuffed" if stuffed else "target"
    rows: list[dict[str, Cell]] = [
        {"Theme": t.name, "Query": t.query, **{TITLES[m]: getattr(t.ranks[m], what) for m in modes}} for t in themes
    ]
    keys = [t.name for t in themes]
    for language in sorted({t.language for t in themes}):
        own = means([t for t in themes if t.language == language])
        values: dict[str, Cell] = {TITLES[m]: round(getattr(own[m], what), 2) for m in modes}
        rows.append({"Theme": f"Mean ({language})", "Query": "", **values})
        keys.append(f"mean {language}")
    name = "Themes, stuffed documents" if stuffed else "Themes, targets"
    return Table(name, ("Theme", "Query", *(TITLES[m] for m in modes)), tuple(rows), tuple(keys))


def themes_in_words(themes: Sequence[DiagnosticTheme], mode: Mode) -> str:
    """On how many themes the target stands higher than by similarity, and which themes `mode` does not help."""
    better = [t for t in themes if t.ranks[mode].target < t.ranks["baseline"].target]
    worse = [t.name for t in themes if t.ranks[mode].target > t.ranks["baseline"].target]
    first = [t.name for t in themes if t.ranks[mode].target == t.ranks["baseline"].target == 1]
    same = [t.name for t in themes if t.ranks[mode].target == t.ranks["baseline"].target > 1]
    parts = [f"{TITLES[mode]} puts the target higher on {len(better)} of {count(len(themes), 'theme')}."]
    if worse:
        parts.append(f"It does harm on {listed(worse, 20)}.")
    if same:
        parts.append(f"It does not help on {listed(same, 20)}.")
    if first:
        parts.append(f"On {listed(first, 20)} the target was first already.")
    return " ".join(parts)
