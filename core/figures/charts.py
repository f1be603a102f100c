"""What every plotly chart here shares: labels that stay text, and a chart that says why it is empty."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.figures.palette import Theme, colours, plotly_template
from core.figures.words import cut, isolate
from core.trace import NodeRef

if TYPE_CHECKING:
    import plotly.graph_objects as go


def label(name: str, length: int = 32) -> str:
    """A name as plotly shows it literally: cut, on one line, its markup escaped."""
    return html.escape(isolate(cut(name, length)), quote=False) or "(no name)"


def numbered(nodes: Sequence[NodeRef]) -> list[str]:
    """A label for each node, its place behind it: plotly would draw namesakes on one line."""
    return [f"{label(node.name)}  {place}" for place, node in enumerate(nodes, 1)]


def empty_chart(theme: Theme, message: str) -> go.Figure:
    """A chart without data: one sentence instead of axes."""
    import plotly.graph_objects as go

    figure = go.Figure(layout={"template": plotly_template(theme), "height": 160})
    figure.update_xaxes(visible=False)
    figure.update_yaxes(visible=False)
    figure.add_annotation(text=message, showarrow=False, font={"color": colours(theme).muted, "size": 14})
    return figure
