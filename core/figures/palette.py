"""Colours and shapes: one table for graph pages and charts, light and dark. No figure is drawn here.

The role colours were computed, not chosen by eye: contrast of at least 3:1 on both backgrounds, and the closest
pair stays apart under normal, protan, deutan and tritan vision. A shape doubles every colour.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    import plotly.graph_objects as go

Theme = Literal["light", "dark"]
Role = Literal["current", "visited", "document", "attribute", "answer", "idle"]
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif"


class RoleStyle(NamedTuple):
    """How a role looks. `shape` is vis-network's name, `marker` plotly's; `size` is a radius in px at zoom 1."""

    shape: str
    marker: str
    light: str
    dark: str
    size: int

    def colour(self, theme: Theme) -> str:
        return self.dark if theme == "dark" else self.light


ROLES: dict[Role, RoleStyle] = {
    "current": RoleStyle("star", "star", "#F3680F", "#EF6404", 17),
    "visited": RoleStyle("dot", "circle", "#337AEF", "#4E7FF9", 10),
    "document": RoleStyle("square", "square", "#814D0D", "#EADD8E", 9),
    "attribute": RoleStyle("triangle", "triangle-up", "#016440", "#8CE8C9", 9),
    "answer": RoleStyle("diamond", "diamond", "#4E054C", "#F695EE", 12),
    "idle": RoleStyle("dot", "circle", "#8A8F98", "#6B7280", 5),
}

# The roles that stand for one of several equals (an agent, a node type), in order of use. The star is the
# present step alone, and the small dot is what nobody looked at.
SERIES: tuple[Role, ...] = ("visited", "document", "attribute", "answer")
# Agents are told apart by pattern as well as by colour: fill patterns in charts, dashes in graphs.
PATTERNS: tuple[str, ...] = ("", "/", ".", "x", "-", "\\", "+", "|")
DASHES: tuple[tuple[int, ...], ...] = ((), (12, 6), (3, 5), (14, 5, 3, 5), (22, 6), (6, 3), (2, 8), (18, 4, 2, 4, 2, 4))


class Colours(NamedTuple):
    """The colours of one theme: the six roles, and the surfaces and inks around them."""

    current: str
    visited: str
    document: str
    attribute: str
    answer: str
    idle: str
    background: str
    panel: str
    ink: str
    muted: str
    rule: str
    faint: str  # links that nobody walked


_SURFACES: dict[Theme, dict[str, str]] = {
    "light": {
        "background": "#FFFFFF",
        "panel": "#F5F6F8",
        "ink": "#1B1F24",
        "muted": "#59626E",
        "rule": "#D3D8DF",
        "faint": "#E4E7EC",
    },
    "dark": {
        "background": "#0E1117",
        "panel": "#181C25",
        "ink": "#E8EBF0",
        "muted": "#A0A9B5",
        "rule": "#343B47",
        "faint": "#252B35",
    },
}


def colours(theme: Theme) -> Colours:
    """Every colour a figure may use under `theme`."""
    roles: dict[str, str] = {role: style.colour(theme) for role, style in ROLES.items()}
    return Colours(**roles, **_SURFACES[theme])


def agent_colour(agent: int, theme: Theme) -> str:
    """An agent's colour in charts; `PATTERNS[agent % 8]` doubles it."""
    return ROLES[SERIES[agent % len(SERIES)]].colour(theme)


def plotly_template(theme: Theme) -> go.layout.Template:
    """The look of every chart: transparent, readable sizes, rules instead of boxes, two decimals."""
    import plotly.graph_objects as go

    c = colours(theme)
    axis = {
        "gridcolor": c.faint,
        "linecolor": c.rule,
        "zerolinecolor": c.rule,
        "tickfont": {"size": 13, "color": c.ink},
        "title": {"font": {"size": 13, "color": c.muted}, "standoff": 12},
        "automargin": True,
        "ticklabelstandoff": 6,
        "ticks": "",
    }
    return go.layout.Template(
        layout={
            "paper_bgcolor": "rgba(0,0,0,0)",
            "plot_bgcolor": "rgba(0,0,0,0)",
            "font": {"family": FONT, "size": 14, "color": c.ink},
            "title": {"font": {"size": 15, "color": c.ink}, "x": 0, "xanchor": "left", "xref": "container"},
            "colorway": [*(ROLES[role].colour(theme) for role in SERIES), c.current, c.idle],
            "xaxis": axis,
            "yaxis": axis,
            "hoverlabel": {
                "bgcolor": c.panel,
                "bordercolor": c.rule,
                "font": {"family": FONT, "size": 13, "color": c.ink},
                "align": "left",
            },
            "legend": {
                "orientation": "h",
                "x": 0,
                "xanchor": "left",
                "y": 1.02,
                "yanchor": "bottom",
                "font": {"size": 13, "color": c.ink},
            },
            "margin": {"l": 8, "r": 16, "t": 48, "b": 40},
            "bargap": 0.35,
            "separators": ".,",
            "hovermode": "closest",
        }
    )
