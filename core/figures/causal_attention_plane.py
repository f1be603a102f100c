"""The miniature world drawn: words around a half circle, texts as arrows, absorption as a wedge around a query word.

Not here: the world (core/causal_attention/miniature.py).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from core.figures.charts import label
from core.figures.palette import ROLES, Role, Theme, colours, plotly_template

if TYPE_CHECKING:
    import plotly.graph_objects as go

Side = Literal["A", "B", ""]
LENGTHS = (0.94, 0.82, 0.7, 0.58)  # of arrows that point almost the same way: their names stay apart
# A word of A is a square, one of B a dot, another a small grey dot.
WORDS: dict[Side, Role] = {"A": "document", "B": "visited", "": "idle"}
NAMES: dict[Side, str] = {"A": "A, taken out", "B": "B, scored", "": "not in this text"}


class Arrow(NamedTuple):
    """A text as a vector; `strong` ones are thick."""

    name: str
    vector: tuple[float, float]
    role: Role
    strong: bool = False


def plane_figure(
    words: Mapping[str, float],
    arrows: Sequence[Arrow],
    sides: Mapping[str, Side] | None = None,
    tau: float | None = None,
    centres: Sequence[str] = (),
    theme: Theme = "light",
) -> go.Figure:
    """Words by their angle in degrees, and arrows. tau, centres: the wedges within which a word is absorbed."""
    import plotly.graph_objects as go

    c = colours(theme)
    figure = go.Figure()
    for name in centres if tau is not None else ():
        xs, ys = _wedge(words[name], math.degrees(math.acos(max(-1.0, min(1.0, tau or 0.0)))))
        figure.add_scatter(
            x=xs, y=ys, mode="lines", fill="toself", fillcolor=c.document, opacity=0.14, line={"width": 0},
            hoverinfo="skip", showlegend=False,
        )  # fmt: skip
    arc = [math.radians(a) for a in range(-20, 181, 2)]
    figure.add_scatter(
        x=[math.cos(a) for a in arc], y=[math.sin(a) for a in arc], mode="lines",
        line={"color": c.rule, "width": 1}, hoverinfo="skip", showlegend=False,
    )  # fmt: skip
    for side, role in WORDS.items():
        own = [name for name in words if sides is None or sides.get(name, "") == side]
        if sides is None and side:
            continue
        if own:
            _points(figure, own, words, role, theme, NAMES[side] if sides is not None else "")
    for arrow, length in zip(arrows, LENGTHS * len(arrows), strict=False):
        _arrow(figure, arrow, length, theme)
    hidden = {"visible": False, "fixedrange": True}
    figure.update_layout(
        template=plotly_template(theme),
        height=340,
        xaxis={**hidden, "range": [-1.35, 1.35]},
        yaxis={**hidden, "range": [-0.36, 1.2], "scaleanchor": "x"},
        margin={"l": 0, "r": 0, "t": 36 if sides is not None else 8, "b": 0},
        dragmode=False,
    )
    return figure


def _points(
    figure: go.Figure, own: Sequence[str], words: Mapping[str, float], role: Role, theme: Theme, name: str
) -> None:
    style = ROLES[role]
    angles = [math.radians(words[word]) for word in own]
    figure.add_scatter(
        x=[math.cos(a) for a in angles],
        y=[math.sin(a) for a in angles],
        mode="markers+text",
        text=[f" {label(word)} " for word in own],
        textposition=["middle right" if math.cos(a) >= 0 else "middle left" for a in angles],
        textfont={"size": 13, "color": colours(theme).ink},
        marker={"symbol": style.marker, "size": 6 if role == "idle" else 11, "color": style.colour(theme)},
        name=name,
        showlegend=bool(name),
        hovertemplate="%{text}<extra></extra>",
        cliponaxis=False,
    )


def _arrow(figure: go.Figure, arrow: Arrow, length: float, theme: Theme) -> None:
    norm = math.hypot(*arrow.vector)
    if norm < 1e-9:  # a text of which nothing is known points nowhere
        return
    x, y = (part / norm * length for part in arrow.vector)
    colour = ROLES[arrow.role].colour(theme)
    figure.add_annotation(
        x=x, y=y, ax=0, ay=0, xref="x", yref="y", axref="x", ayref="y", text="", showarrow=True, arrowhead=2,
        arrowwidth=4 if arrow.strong else 2, arrowcolor=colour,
    )  # fmt: skip
    figure.add_annotation(
        x=x, y=y, text=label(arrow.name), showarrow=False, font={"size": 13, "color": colour},
        xanchor="right" if x >= 0 else "left", yanchor="bottom", xshift=-12 if x >= 0 else 12, yshift=2,
        bgcolor=colours(theme).background, borderpad=1,
    )  # fmt: skip


def _wedge(middle: float, half: float) -> tuple[list[float], list[float]]:
    """The outline of a wedge of the unit circle; angles in degrees."""
    steps = [math.radians(middle - half + 2 * half * i / 40) for i in range(41)]
    return [0.0, *(math.cos(a) for a in steps), 0.0], [0.0, *(math.sin(a) for a in steps), 0.0]
