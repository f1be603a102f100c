"""Charts of what a graph is made of: degrees, and counts by type or relation. Not here: graph pages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from core.figures.charts import label
from core.figures.palette import Theme, colours, plotly_template
from core.figures.type_legend import NO_TYPE

if TYPE_CHECKING:
    import plotly.graph_objects as go


def _from(low: int, high: int) -> str:
    """What stands below a bar: the least of its numbers of links, in units of 1,024 where it is long."""
    short = f"{low:,}" if low < 1024 else f"{low // 1024:,}k" if low < 1 << 20 else f"{low >> 20:,}M"
    return short if high - low <= 1 else f"{short}+"


def _range(low: int, high: int) -> str:
    """All of a bar's numbers of links, for its tooltip."""
    return f"{low:,}" if high - low <= 1 else f"{low:,} to {high - 1:,}"


def degree_histogram(degrees: Iterable[int], theme: Theme = "light") -> go.Figure:
    """How many nodes have how many links: bars of doubling width, so that a few hubs do not flatten the rest."""
    import plotly.graph_objects as go

    c = colours(theme)
    values = np.asarray(list(degrees) if not isinstance(degrees, np.ndarray) else degrees, dtype=np.int64)
    edges = [0, 1]
    while values.size and edges[-1] <= values.max():
        edges.append(edges[-1] * 2)
    bounds = [*edges, edges[-1] * 2]
    tally = np.histogram(values, bins=bounds)[0] if values.size else np.zeros(len(edges))
    bars = [(_from(a, b), int(n), _range(a, b)) for (a, b), n in zip(pairwise(bounds), tally, strict=True)]
    while len(bars) > 1 and bars[-1][1] == 0:
        bars.pop()
    if len(bars) > 1 and bars[0][1] == 0:
        bars = bars[1:]
    figure = go.Figure()
    figure.add_bar(
        x=[name for name, _, _ in bars],
        y=[n for _, n, _ in bars],
        marker={"color": c.visited},
        text=[f"{n:,}" for _, n, _ in bars],
        textposition="outside",
        textfont={"size": 12, "color": c.muted},
        customdata=[[words] for _, _, words in bars],
        hovertemplate="%{y:,} nodes with %{customdata[0]} links<extra></extra>",
        cliponaxis=False,
    )
    figure.update_layout(
        template=plotly_template(theme),
        height=280,
        xaxis={"title": {"text": "links of a node (from)"}, "type": "category"},
        yaxis={"title": {"text": "nodes"}, "tickformat": ",", "rangemode": "tozero"},
        margin={"l": 8, "r": 8, "t": 24, "b": 44},
    )
    return figure


def type_bars(counts: Mapping[str, int], theme: Theme = "light", *, noun: str = "nodes", top: int = 20) -> go.Figure:
    """Counts by type or relation, most frequent first; what is beyond the first `top` is one bar."""
    import plotly.graph_objects as go

    c = colours(theme)
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    shown = [(label(name) if name else NO_TYPE, name, n) for name, n in ordered[:top]]
    if len(ordered) > top:
        shown.append((f"{len(ordered) - top:,} more", "", sum(n for _, n in ordered[top:])))
    figure = go.Figure()
    figure.add_bar(
        y=[name for name, _, _ in shown],
        x=[n for _, _, n in shown],
        orientation="h",
        marker={"color": c.visited},
        text=[f"{n:,}" for _, _, n in shown],
        textposition="outside",
        textfont={"size": 12, "color": c.muted},
        customdata=[[key] for _, key, _ in shown],
        hovertemplate="%{y}: %{x:,} " + noun + "<extra></extra>",
        cliponaxis=False,
    )
    most = max((n for _, _, n in shown), default=1)
    figure.update_layout(
        template=plotly_template(theme),
        height=max(120, 56 + 24 * len(shown)),
        xaxis={"title": {"text": noun}, "tickformat": ",", "range": [0, most * 1.15 or 1], "nticks": 5},
        yaxis={"autorange": "reversed", "type": "category"},
        margin={"l": 8, "r": 8, "t": 8, "b": 44},
    )
    return figure
