"""One line for each ranking over a whole number, such as the number of probes or of stuffed documents.

Shapes and dashes double the colours. Not here: what the values mean (gate.py, stuffing.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from core.causal_attention.steps import Mode
from core.figures.causal_attention.ranking import TITLES
from core.figures.palette import ROLES, Role, Theme, colours, plotly_template

if TYPE_CHECKING:
    import plotly.graph_objects as go


class Look(NamedTuple):
    """How a ranking's line is drawn; `dash` is plotly's name."""

    role: Role
    dash: str


LOOKS: dict[Mode, Look] = {
    "baseline": Look("document", "solid"),
    "exact": Look("attribute", "dot"),
    "semantic": Look("visited", "solid"),
    "fallback": Look("visited", "dot"),
    "hybrid": Look("answer", "solid"),
    "maxsim": Look("attribute", "dash"),
    "cross-encoder": Look("answer", "dash"),
    "gated": Look("current", "dash"),
}
FAINT = 0.28


def mode_curves(
    x: Sequence[int],
    values: Mapping[Mode, Sequence[float]],
    theme: Theme = "light",
    *,
    x_title: str,
    y_title: str,
    y_range: tuple[float, float],
    at: int | None = None,
) -> go.Figure:
    """A line for each ranking. x: evenly spread labels, ascending. at: beyond it lines are faint; None: no such place.

    values: ranking -> one value for each of x.
    """
    import plotly.graph_objects as go

    c = colours(theme)
    cut = len(x) if at is None else sum(value <= at for value in x)
    figure = go.Figure()
    for mode, own in values.items():
        role, dash = LOOKS[mode]
        style = ROLES[role]
        for start, stop, opacity in ((0, cut, 1.0), (max(0, cut - 1), len(x), FAINT)):
            if stop - start < 1 or (opacity == FAINT and cut >= len(x)):
                continue
            shown = opacity == 1.0
            figure.add_scatter(
                x=list(range(start, stop)),
                y=list(own[start:stop]),
                mode="lines+markers" if shown else "lines",
                name=TITLES[mode],
                legendgroup=mode,
                showlegend=shown or cut == 0,
                opacity=opacity,
                line={"color": style.colour(theme), "width": 2.5, "dash": dash},
                marker={"symbol": style.marker, "size": 9, "color": style.colour(theme)},
                customdata=[[x[i]] for i in range(start, stop)],
                hovertemplate=f"{TITLES[mode]}: %{{y:.2f}} at %{{customdata[0]}}<extra></extra>",
                hoverinfo="all" if shown else "skip",
                cliponaxis=False,
            )
    if at is not None and cut:
        figure.add_vline(x=cut - 1, line={"color": c.muted, "width": 1, "dash": "dot"})
    figure.update_layout(
        template=plotly_template(theme),
        height=340,
        xaxis={
            "title": {"text": x_title},
            "tickvals": list(range(len(x))),
            "ticktext": [str(value) for value in x],
            "range": [-0.2, max(len(x) - 0.8, 0.2)],
            "zeroline": False,
            "fixedrange": True,
        },
        yaxis={"title": {"text": y_title}, "range": list(y_range), "tickformat": ".2f", "fixedrange": True},
        margin={"l": 8, "r": 16, "t": 40, "b": 48},
    )
    return figure
