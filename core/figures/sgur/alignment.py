"""The query graph beside a candidate's graph with the transport plan between them, as links and as a heat map.

Observations stand in the inner columns, localisations in the outer ones and below, so no link crosses a name.
Not here: the plan (core/sgur/alignment.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.figures.charts import empty_chart, label
from core.figures.palette import ROLES, Theme, colours, plotly_template
from core.figures.tables import Cell, Table
from core.sgur.steps import Alignment, AlignmentStep, GraphNode

if TYPE_CHECKING:
    import plotly.graph_objects as go

ROW = 52  # px a node takes
COLUMNS = {("query", "localisation"): 0.0, ("query", "observation"): 1.0}
COLUMNS |= {("candidate", "observation"): 2.0, ("candidate", "localisation"): 3.0}
Point = tuple[float, float]
MOST = 24  # nodes of a side that are drawn, the heaviest first
SAME = 1e-9


def alignment_of(step: AlignmentStep | None, hypothesis: str) -> Alignment | None:
    """The alignment with that hypothesis; None when it was not among the few that a trace keeps."""
    return next((a for a in step.alignments if a.hypothesis.id == hypothesis), None) if step is not None else None


def alignment_picture(step: AlignmentStep | None, alignment: Alignment | None, theme: Theme = "light") -> go.Figure:
    """Both graphs. A link between them is mass that moved: its width the mass, dashed where the nodes differ."""
    import plotly.graph_objects as go

    if step is None or alignment is None or not alignment.plan:
        return empty_chart(theme, "There is no plan: nothing was observed, or this candidate was not aligned.")
    c = colours(theme)
    band = max(sum(n.layer == "observation" for n in nodes) for nodes in (step.query, alignment.nodes))
    query = _places(step.query, "query", min(band, MOST))
    own = _places(alignment.nodes, "candidate", min(band, MOST))
    figure = go.Figure()
    for links, at in ((step.links, query), (alignment.links, own)):
        for a, b, weight in links:
            if a in at and b in at:
                _line(figure, at[a], at[b], c.rule, 1.0 + weight, "solid", "")
    most = max(m.mass for m in alignment.plan)
    for m in alignment.plan:
        if m.source in query and m.target in own:
            said = f"{_name(step.query, m.source)} → {_name(alignment.nodes, m.target)}"
            words = f"{said}<br>mass {m.mass:.3f}, cost {m.cost:.2f}"
            colour, dash = (c.visited, "solid") if m.cost <= SAME else (c.current, "dash")
            _line(figure, query[m.source], own[m.target], colour, 1.5 + 6 * m.mass / most, dash, words)
    _nodes(figure, step.query, query, theme)
    _nodes(figure, alignment.nodes, own, theme)
    lowest = min(y for _, y in (*query.values(), *own.values()))
    heads = (("Query: where", 0.0), ("Query: what", 1.0), ("Candidate: what", 2.0), ("Candidate: where", 3.0))
    for words, x in heads:
        figure.add_annotation(x=x, y=0.9, text=words, showarrow=False, font={"size": 13, "color": c.muted})
    figure.update_layout(
        template=plotly_template(theme),
        height=round(70 + ROW * (1.6 - lowest)),
        showlegend=False,
        xaxis={"visible": False, "range": [-0.5, 3.5], "fixedrange": True},
        yaxis={"visible": False, "range": [lowest - 0.5, 1.2], "fixedrange": True},
        margin={"l": 8, "r": 8, "t": 8, "b": 8},
    )
    return figure


def alignment_heat_map(step: AlignmentStep | None, alignment: Alignment | None, theme: Theme = "light") -> go.Figure:
    """The plan as a matrix: rows the query's nodes, columns those of the candidate that received mass."""
    import plotly.graph_objects as go

    if step is None or alignment is None or not alignment.plan:
        return empty_chart(theme, "There is no plan to show.")
    c = colours(theme)
    rows = [f"{label(n.node.name, 30)}{_mark(n)}" for n in step.query]
    columns = [f"{label(n.node.name, 26)}{_mark(n)}" for n in alignment.nodes]
    mass: list[list[float | None]] = [[None] * len(columns) for _ in rows]
    cost = [[0.0] * len(columns) for _ in rows]
    for m in alignment.plan:
        mass[m.source][m.target] = m.mass
        cost[m.source][m.target] = m.cost
    figure = go.Figure(
        go.Heatmap(
            z=mass,
            x=list(range(len(columns))),
            y=list(range(len(rows))),
            customdata=[[[rows[i], columns[j], cost[i][j]] for j in range(len(columns))] for i in range(len(rows))],
            text=[["" if v is None else f"{v:.2f}" for v in line] for line in mass],
            texttemplate="%{text}",
            colorscale=[[0, c.faint], [1, c.visited]],
            xgap=2,
            ygap=2,
            hoverongaps=False,
            colorbar={"title": {"text": "mass"}, "thickness": 12, "outlinewidth": 0},
            hovertemplate="%{customdata[0]} → %{customdata[1]}<br>mass %{z:.3f}, cost %{customdata[2]:.2f}"
            "<extra></extra>",
        )
    )
    figure.update_layout(
        template=plotly_template(theme),
        height=150 + 34 * len(rows) + 60,
        xaxis={
            "tickvals": list(range(len(columns))),
            "ticktext": columns,
            "tickangle": -35,
            "showgrid": False,
            "zeroline": False,
        },
        yaxis={
            "tickvals": list(range(len(rows))),
            "ticktext": rows,
            "autorange": "reversed",
            "showgrid": False,
            "zeroline": False,
        },
        margin={"l": 8, "r": 8, "t": 16, "b": 8},
    )
    return figure


def alignment_table(step: AlignmentStep, alignment: Alignment) -> Table:
    """The plan as rows, the largest masses first."""
    rows: list[dict[str, Cell]] = []
    moved = sorted(alignment.plan, key=lambda m: -m.mass)
    for m in moved:
        rows.append(
            {
                "Of the query": _name(step.query, m.source),
                "Of the candidate": _name(alignment.nodes, m.target),
                "Layer": step.query[m.source].layer,
                "Mass": round(m.mass, 6),
                "Cost": round(m.cost, 6),
                "Adds": round(m.mass * m.cost, 6),
            }
        )
    columns = ("Of the query", "Of the candidate", "Layer", "Mass", "Cost", "Adds")
    return Table("Alignment", columns, tuple(rows), tuple(step.query[m.source].node.id for m in moved))


def _places(nodes: Sequence[GraphNode], side: str, band: int) -> dict[int, Point]:
    """Where the heaviest nodes of a side stand: observations from the top, localisations from the row `band`."""
    heaviest = sorted(range(len(nodes)), key=lambda i: -nodes[i].mass)[:MOST]
    at: dict[int, Point] = {}
    for layer, offset in (("observation", 0.0), ("localisation", band + 0.3)):
        own = [i for i in sorted(heaviest) if nodes[i].layer == layer]
        for row, i in enumerate(own):
            at[i] = (COLUMNS[side, layer], -(row + offset))
    return at


def _line(figure: go.Figure, a: Point, b: Point, colour: str, width: float, dash: str, words: str) -> None:
    middle = ((a[0] + b[0]) / 2, (a[1] + b[1]) / 2)
    figure.add_scatter(
        x=[a[0], middle[0], b[0]],
        y=[a[1], middle[1], b[1]],
        mode="lines",
        line={"color": colour, "width": width, "dash": dash},
        opacity=0.75 if words else 1.0,
        hoverinfo="skip" if not words else "text",
        text=[words] * 3 if words else None,
    )


def _nodes(figure: go.Figure, nodes: Sequence[GraphNode], at: dict[int, Point], theme: Theme) -> None:
    c = colours(theme)
    for layer, role in (("observation", "visited"), ("localisation", "attribute")):
        own = [i for i in at if nodes[i].layer == layer]
        style = ROLES["visited" if role == "visited" else "attribute"]
        figure.add_scatter(
            x=[at[i][0] for i in own],
            y=[at[i][1] for i in own],
            mode="markers+text",
            marker={
                "symbol": style.marker,
                "size": [10 + 14 * min(nodes[i].mass, 1.0) ** 0.5 for i in own],
                "color": style.colour(theme),
                "line": {"color": c.background, "width": 1.5},
            },
            text=[label(nodes[i].node.name, 34) for i in own],
            textposition="top center",
            textfont={"size": 12, "color": c.ink},
            cliponaxis=False,
            customdata=[[nodes[i].node.id] for i in own],
            hovertext=[f"{label(nodes[i].node.name, 80)}<br>{layer}, mass {nodes[i].mass:.3f}" for i in own],
            hoverinfo="text",
        )


def _name(nodes: Sequence[GraphNode], place: int) -> str:
    return nodes[place].node.name


def _mark(node: GraphNode) -> str:
    return " ▲" if node.layer == "localisation" else ""
