"""The causal graph of retrieval drawn (CAR-6): what is known, what is asked, and which paths between them are open.

Not here: the graph and d-separation (core/causal_attention/dag.py).
"""

from __future__ import annotations

import itertools
from collections.abc import Collection
from typing import TYPE_CHECKING

from core.causal_attention.dag import EDGES, LATENT, NODES, Reply, explain
from core.figures.palette import Theme, colours, plotly_template
from core.figures.words import count

if TYPE_CHECKING:
    import plotly.graph_objects as go

PLACES = {"A": (0.24, 1.0), "B": (0.76, 1.0), "d": (0.5, 0.5), "q": (0.0, 0.0), "y": (1.0, 0.0)}
# A name stands where no arrow passes: above, below or beside its marker.
NAMES_AT = {"A": "top center", "B": "top center", "d": "bottom center", "q": "bottom center", "y": "bottom center"}
SIZE = 34


def dag_figure(x: str, y: str, given: Collection[str] = (), theme: Theme = "light") -> go.Figure:
    """The graph with the question "are x and y independent once `given` are known?" drawn into it.

    A star is asked about, a square is known, a circle is neither; hollow is what nobody observes. Arrows on an open
    path are thick. A point's `customdata[0]` is its variable. ConfigError as `explain`.
    """
    import plotly.graph_objects as go

    c = colours(theme)
    reply = explain(x, y, given)
    lit = {frozenset(pair) for nodes, is_open, _ in reply.paths if is_open for pair in itertools.pairwise(nodes)}
    figure = go.Figure()
    arrows = []
    for a, b in EDGES:
        opened = frozenset((a, b)) in lit
        (ax, ay), (bx, by) = _shortened(PLACES[a], PLACES[b])
        arrows.append(
            {
                **{"x": bx, "y": by, "ax": ax, "ay": ay, "xref": "x", "yref": "y", "axref": "x", "ayref": "y"},
                **{"text": "", "showarrow": True, "arrowhead": 2, "arrowsize": 1.0 if opened else 1.4},
                **{"arrowwidth": 4 if opened else 1.8, "arrowcolor": c.visited if opened else c.ink},
            }
        )
    for node, (px, py) in PLACES.items():
        known, asked = node in given, node in (x, y)
        colour = c.current if asked else c.document if known else c.ink
        symbol = "star" if asked else "square" if known else "circle"
        figure.add_scatter(
            x=[px],
            y=[py],
            mode="markers+text",
            text=[f"<b>{node}</b>  {_short(node)}" + (", known" if known else "")],
            textposition=NAMES_AT[node],
            textfont={"size": 13, "color": c.ink},
            marker={
                "size": SIZE if not asked else SIZE + 4,
                "symbol": f"{symbol}-open" if node in LATENT and not known else symbol,
                "color": colour,
                "line": {"width": 3, "color": colour},
            },
            customdata=[[node]],
            hovertemplate=f"{node}: {NODES[node]}<extra></extra>",
            selected={"marker": {"opacity": 1}},
            unselected={"marker": {"opacity": 1}, "textfont": {"color": c.ink}},
            showlegend=False,
            cliponaxis=False,
        )
    hidden = {"visible": False, "fixedrange": True}
    figure.update_layout(
        annotations=arrows,
        template=plotly_template(theme),
        height=380,
        xaxis={**hidden, "range": [-0.22, 1.22]},
        yaxis={**hidden, "range": [-0.3, 1.3]},
        margin={"l": 8, "r": 8, "t": 8, "b": 8},
        dragmode=False,
        clickmode="event+select",
    )
    return figure


def answer_in_words(x: str, y: str, given: Collection[str], reply: Reply) -> str:
    """The answer in a sentence."""
    open_paths = sum(is_open for _, is_open, _ in reply.paths)
    once = f", once {' and '.join(sorted(given))} {'is' if len(given) == 1 else 'are'} known" if given else ""
    if reply.separated:
        closed = "the one path between them is closed" if len(reply.paths) == 1 else "every path between them is closed"
        return f"{x} says nothing about {y}{once}: {closed}."
    verb = "is" if open_paths == 1 else "are"
    paths = count(len(reply.paths), "path")
    return f"{x} says something about {y}{once}: {open_paths} of {paths} between them {verb} open."


def _short(node: str) -> str:
    return {
        "A": "shared keywords",
        "B": "the other keywords",
        "d": "document",
        "q": "query",
        "y": "ideal answer",
    }[node]


def _shortened(
    a: tuple[float, float], b: tuple[float, float], room: float = 0.075
) -> tuple[tuple[float, float], tuple[float, float]]:
    """The ends of an arrow that leaves room for both markers."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    length = (dx * dx + dy * dy) ** 0.5
    ux, uy = dx / length * room, dy / length * room
    return (a[0] + ux, a[1] + 1.4 * uy), (b[0] - ux, b[1] - 1.4 * uy)
