"""Charts of a CARA run: fusion by agent, a hop's candidates, c against e, and how ranks shift under a what-if.

Each point carries the node's id as `customdata[0]`, so that choosing it selects the node. Names are text: what
plotly would read as markup is escaped. Not here: the numbers; they come from the trace and `core.cara`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.cara.steps import Assessment, AssessStep, NeighborsStep
from core.figures.charts import empty_chart, label, numbered
from core.figures.palette import PATTERNS, Theme, agent_colour, colours, plotly_template
from core.figures.tables import fused_lines
from core.figures.words import agent_name
from core.trace import NodeRef, Trace

if TYPE_CHECKING:
    import plotly.graph_objects as go

ROW = 26  # px a bar takes
EDGE = 96  # px around the bars: legend above, axis below
ROOM = 2.1  # times the longest bar: what stands beside it must fit into half a page


def fusion_bars(trace: Trace, theme: Theme = "light", *, top: int = 15, selected: str | None = None) -> go.Figure:
    """The fused list as stacked bars: what each agent contributes to RRF; at the right, the rank by count (CARA-7)."""
    import plotly.graph_objects as go

    lines = fused_lines(trace)[:top]
    if not lines:
        return empty_chart(theme, "No agent has put a node on its list.")
    c = colours(theme)
    names = numbered([line.node for line in lines])
    figure = go.Figure()
    for agent in trace.agents:
        parts = [line.fused.contributions.get(agent, 0.0) for line in lines]
        if not any(parts):
            continue
        figure.add_bar(
            y=names,
            x=parts,
            orientation="h",
            name=agent_name(agent),
            marker={
                "color": agent_colour(agent, theme),
                "line": {"color": c.background, "width": 1},
                "pattern": {
                    "shape": PATTERNS[agent % len(PATTERNS)],
                    "fillmode": "overlay",
                    "fgcolor": c.background,
                    "size": 6,
                    "solidity": 0.25,
                },
            },
            customdata=[[line.node.id, line.fused.ranks.get(agent, "none")] for line in lines],
            hovertemplate="%{y}<br>rank %{customdata[1]} with " + agent_name(agent) + ", adds %{x:.4f}<extra></extra>",
        )
    most = max(line.fused.score for line in lines)
    for name, line in zip(names, lines, strict=True):
        votes = "1 agent" if line.fused.votes == 1 else f"{line.fused.votes} agents"
        figure.add_annotation(
            x=most * 1.02,
            y=name,
            text=f"{line.fused.score:.4f}  by count {line.count_rank} ({votes})",
            showarrow=False,
            xanchor="left",
            font={"size": 12, "color": c.ink if line.node.id == selected else c.muted},
        )
    figure.update_layout(
        template=plotly_template(theme),
        barmode="stack",
        legend={"traceorder": "normal"},
        height=EDGE + ROW * len(lines),
        xaxis={"title": {"text": "RRF score"}, "range": [0, most * ROOM], "tickformat": ".3f", "nticks": 5},
        yaxis={"autorange": "reversed", "categoryorder": "array", "categoryarray": names},
        margin={"l": 8, "r": 8, "t": 36, "b": 44},
    )
    return figure


def candidate_bars(
    assess: AssessStep | None,
    neighbors: NeighborsStep,
    theme: Theme = "light",
    *,
    top: int = 20,
    selected: str | None = None,
) -> go.Figure:
    """A hop's candidates, best first: s as a bar, and c, e and p on it as marks. Without an assessment: BM25."""
    import plotly.graph_objects as go

    c = colours(theme)
    refs = {candidate.node.id: candidate.node for candidate in neighbors.candidates}
    if not refs:
        return empty_chart(theme, "No neighbour passed the filters.")
    if assess is None:
        candidates = sorted(neighbors.candidates, key=lambda n: -n.bm25)[:top]
        names = numbered([n.node for n in candidates])
        figure = go.Figure()
        figure.add_bar(
            y=names,
            x=[n.bm25 for n in candidates],
            orientation="h",
            marker={"color": [c.current if n.node.id == selected else c.visited for n in candidates]},
            customdata=[[n.node.id] for n in candidates],
            hovertemplate="%{y}<br>BM25 %{x:.2f}<extra></extra>",
            showlegend=False,
        )
        return _as_list(figure, theme, names, "BM25 of the subquery", None)
    rows = [a for a in assess.assessments if a.id in refs][:top]
    names = numbered([refs[a.id] for a in rows])
    ids = [[a.id, a.rationale and label(a.rationale, 90)] for a in rows]
    figure = go.Figure()
    figure.add_bar(
        y=names,
        x=[a.score for a in rows],
        orientation="h",
        name="s, the score",
        marker={
            "color": c.visited,
            "opacity": [1.0 if a.id == selected else 0.45 for a in rows] if selected in {a.id for a in rows} else 0.55,
        },
        customdata=ids,
        hovertemplate="%{y}<br>s = %{x:.2f}<br>%{customdata[1]}<extra></extra>",
    )
    marks = (
        ("c, consequentiality", "consequentiality", "triangle-up", c.attribute, 9),
        ("e, essentiality", "essentiality", "square-open", c.document, 13),  # open: it may lie on another mark
        ("p, path consistency", "path_consistency", "diamond", c.answer, 9),
    )
    for name, field, symbol, colour, size in marks:
        figure.add_scatter(
            y=names,
            x=[getattr(a, field) for a in rows],
            mode="markers",
            name=name,
            marker={
                "symbol": symbol,
                "size": size,
                "color": colour,
                "line": {"color": colour, "width": 2}
                if symbol.endswith("open")
                else {"color": c.background, "width": 1},
            },
            customdata=ids,
            hovertemplate="%{y}<br>" + name[0] + " = %{x:.2f}<extra></extra>",
        )
    return _as_list(figure, theme, names, "between 0 and 1", (0, 1.03))


def _as_list(
    figure: go.Figure, theme: Theme, names: list[str], title: str, span: tuple[float, float] | None
) -> go.Figure:
    figure.update_layout(
        template=plotly_template(theme),
        height=EDGE + ROW * len(names),
        xaxis={"title": {"text": title}, "range": span, "nticks": 6},
        yaxis={"autorange": "reversed", "categoryorder": "array", "categoryarray": names},
        margin={"l": 8, "r": 8, "t": 36, "b": 44},
    )
    return figure


def scatter_c_e(
    assess: AssessStep | None,
    neighbors: NeighborsStep | None,
    theme: Theme = "light",
    *,
    selected: str | None = None,
    named: int = 6,
) -> go.Figure:
    """Consequentiality against essentiality; the size is path consistency, the lines are equal causal relevance.

    The `named` best by score carry their names; the selected candidate is the star.
    """
    import plotly.graph_objects as go

    if assess is None or not assess.assessments:
        return empty_chart(theme, "The causal module was not asked at this step.")
    c = colours(theme)
    known = {n.node.id: n.node.name for n in neighbors.candidates} if neighbors is not None else {}
    rows = assess.assessments
    figure = go.Figure()
    for level in (0.2, 0.4, 0.6, 0.8):
        ends = _equal_relevance(level, assess.lambda_)
        figure.add_scatter(
            x=[x for x, _ in ends],
            y=[y for _, y in ends],
            mode="lines",
            line={"color": c.rule, "width": 1, "dash": "dot"},
            hoverinfo="skip",
            showlegend=False,
        )
        x, y = ends[0]
        figure.add_annotation(
            x=x,
            y=y,
            text=f"cau {level:.1f}",
            showarrow=False,
            font={"size": 11, "color": c.muted},
            xanchor="left",
            yanchor="bottom",
        )
    written = _with_room([a for a in rows if a.id == selected] + list(rows[:named]))
    figure.add_scatter(
        x=[a.consequentiality for a in rows],
        y=[a.essentiality for a in rows],
        mode="markers+text",
        text=[label(known.get(a.id, ""), 22) if a.id in written else "" for a in rows],
        textposition="top center",
        textfont={"size": 12, "color": c.ink},
        marker={
            "size": [9 + 17 * a.path_consistency for a in rows],
            "color": [c.current if a.id == selected else c.visited for a in rows],
            "symbol": ["star" if a.id == selected else "circle" for a in rows],
            "opacity": 0.75,
            "line": {"color": c.background, "width": 1.5},
        },
        customdata=[[a.id, label(known.get(a.id, ""), 60), a.path_consistency, a.causal, a.score] for a in rows],
        hovertemplate="%{customdata[1]}<br>c = %{x:.2f}, e = %{y:.2f}, p = %{customdata[2]:.2f}"
        "<br>cau = %{customdata[3]:.2f}, s = %{customdata[4]:.2f}<extra></extra>",
        showlegend=False,
        cliponaxis=False,
    )
    axis = {"range": [-0.04, 1.06], "tickvals": [0, 0.25, 0.5, 0.75, 1], "tickformat": ".2f"}
    figure.update_layout(
        template=plotly_template(theme),
        height=400,
        xaxis={**axis, "title": {"text": "c, consequentiality: does adding it change the evidence?"}},
        yaxis={**axis, "title": {"text": "e, essentiality: would it be missed?"}},
        margin={"l": 8, "r": 16, "t": 16, "b": 48},
    )
    return figure


def _with_room(rows: Sequence[Assessment]) -> set[str]:
    """The ids of those whose names can be written without running into one written before."""
    kept: list[Assessment] = []
    for a in rows:
        near = (
            abs(a.essentiality - b.essentiality) < 0.07 and abs(a.consequentiality - b.consequentiality) < 0.3
            for b in kept
        )
        if not any(near):
            kept.append(a)
    return {a.id for a in kept}


def _equal_relevance(level: float, lambda_: float) -> list[tuple[float, float]]:
    """Two ends, within the unit square, of the line lambda * c + (1 - lambda) * e = level; highest e first."""
    rest = 1.0 - lambda_
    if rest < 1e-9:
        return [(level, 1.0), (level, 0.0)]
    if lambda_ < 1e-9:
        return [(0.0, level), (1.0, level)]
    high = min(1.0, level / rest)
    low = max(0.0, (level - lambda_) / rest)
    return [((level - rest * e) / lambda_, e) for e in (high, low)]


def rank_shift(
    before: Sequence[NodeRef],
    after: Sequence[NodeRef],
    theme: Theme = "light",
    *,
    top: int = 15,
    names: tuple[str, str] = ("as run", "what if"),
    selected: str | None = None,
) -> go.Figure:
    """A slope chart of two rankings of the same nodes: who rises, who falls, who stays.

    Drawn are the nodes among the first `top` of either ranking; a node beyond is held at the bottom line.
    """
    import plotly.graph_objects as go

    c = colours(theme)
    old = {node.id: rank for rank, node in enumerate(before, 1)}
    new = {node.id: rank for rank, node in enumerate(after, 1)}
    shown = [n for n in before if n.id in new and min(old[n.id], new[n.id]) <= top]
    if not shown:
        return empty_chart(theme, "There is nothing to rank.")
    bottom = min(top + 1, max(len(before), len(after)))
    figure = go.Figure()
    for node in shown:
        a, b = old[node.id], new[node.id]
        rises, falls = b < a, b > a
        chosen = node.id == selected
        colour = c.current if chosen else c.visited if rises else c.document if falls else c.idle
        word = "rises" if rises else "falls" if falls else "stays"
        text = label(node.name, 26)
        figure.add_scatter(
            x=[0, 1],
            y=[min(a, bottom), min(b, bottom)],
            mode="lines+markers+text",
            text=[f"{text}  {a}", f"{b}  {text}"],
            textposition=["middle left", "middle right"],
            textfont={"size": 12, "color": c.ink if rises or falls or chosen else c.muted},
            line={
                "color": colour,
                "width": 3 if chosen or rises else 2 if falls else 1,
                "dash": "dash" if falls else "solid",
            },
            marker={
                "size": 8,
                "color": colour,
                "symbol": "triangle-up" if rises else "triangle-down" if falls else "circle",
            },
            customdata=[[node.id]] * 2,
            hovertemplate=f"{text} {word}: {a} to {b}<extra></extra>",
            showlegend=False,
            cliponaxis=False,
        )
    moved = sum(old[n.id] != new[n.id] for n in shown)
    figure.update_layout(
        template=plotly_template(theme),
        height=EDGE + ROW * min(len(shown), bottom),
        title={"text": f"{moved} of {len(shown)} candidates change rank" if moved else "no candidate changes rank"},
        xaxis={
            "range": [-0.75, 1.75],
            "tickvals": [0, 1],
            "ticktext": list(names),
            "side": "top",
            "showgrid": False,
            "zeroline": False,
            "fixedrange": True,
        },
        yaxis={"range": [bottom + 0.6, 0.4], "visible": False, "fixedrange": True},
        margin={"l": 8, "r": 8, "t": 72, "b": 8},
    )
    return figure


def ranking(assess: AssessStep, neighbors: NeighborsStep | None) -> list[NodeRef]:
    """The candidates of an assessment in its order, named: what `rank_shift` compares."""
    known = {n.node.id: n.node for n in neighbors.candidates} if neighbors is not None else {}
    return [known.get(a.id, NodeRef(id=a.id, name="")) for a in assess.assessments]
