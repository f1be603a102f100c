"""A graph view as one self-contained HTML page: no request, no script from data, positions fixed beforehand.

pyvis holds the node and edge data and brings vis-network along; the page is our own template, because the one
that pyvis ships loads parts from other servers and turns titles into markup. What a page may run is fenced by a
Content-Security-Policy that names our scripts by their hash. Not here: what the view contains.

Messages. In a frame, the page tells its parent (same origin only) `{causeway: "node", id}` when a node is chosen,
`{causeway: "step", agent, index}` when a step is, `{causeway: "ready"}` once, and a large page `{causeway: "leave"}`
on Escape; it obeys `{causeway: "show", node,
step: [agent, index]}`. Scripts of the page find `window.causeway` (see assets/player.js).
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Set
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from core.figures.graph_view import GraphView, ViewNode
from core.figures.palette import DASHES, FONT, ROLES, Theme, colours
from core.figures.words import LABEL, agent_name, cut, listed, relation_words

ASSETS = Path(__file__).resolve().parents[2] / "assets"
VIS = "templates/lib/vis-9.1.2/vis-network.min.js"
PLAYER = ("graph_state.js", "graph_look.js", "graph_labels.js", "graph_camera.js", "graph_timeline.js", "player.js")
FULL_NAME = 600  # characters of a name that a tooltip shows


def graph_page(
    view: GraphView, *, theme: Theme = "light", height: int = 664, standalone: bool = False, large: bool = False
) -> str:
    """The page. `height` (px) is that of the whole page, controls included: give the frame the same height.

    standalone: a file to be opened by itself; it fills the window and carries its title as a heading.
    large: large type, and neither legend nor search: for showing it to a room.
    """
    page = script("graph_page.js")
    return (
        environment()
        .get_template("graph.html")
        .render(
            **look(theme),
            csp=policy(vis(), player(), page),
            vis=vis(),
            player=player(),
            page=page,
            data={**page_data(view, theme), "large": large},
            large=large,
            title=view.title,
            height=int(height),
            standalone=standalone,
        )
    )


def look(theme: Theme) -> dict[str, Any]:
    """What the style sheet of every page needs."""
    return {"theme": theme, "c": colours(theme)._asdict(), "font": Markup(FONT), "style": style("graph.css")}


@cache
def environment() -> jinja2.Environment:
    """Templates of assets/, everything escaped, an unknown name an error."""
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(ASSETS), autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True
    )


@cache
def script(name: str) -> Markup:
    """The text of one of our scripts, unchanged: `policy` names it by its hash."""
    return Markup((ASSETS / name).read_text(encoding="utf-8"))


@cache
def player() -> Markup:
    """The scripts that draw and play a view, as one."""
    return Markup("\n").join(script(name) for name in PLAYER)


@cache
def vis() -> Markup:
    """vis-network out of the installed pyvis package."""
    import pyvis

    return Markup((Path(pyvis.__file__).parent / VIS).read_text(encoding="utf-8"))


@cache
def style(name: str) -> Markup:
    """The text of one of our style sheets."""
    return Markup((ASSETS / name).read_text(encoding="utf-8"))


def policy(*scripts: str) -> str:
    """A Content-Security-Policy under which these scripts run and nothing else is run, loaded or sent."""
    hashes = (base64.b64encode(hashlib.sha256(s.encode()).digest()).decode() for s in scripts)
    ours = " ".join(f"'sha256-{h}'" for h in hashes)
    rest = "style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
    return f"default-src 'none'; script-src {ours}; {rest}"


def page_data(view: GraphView, theme: Theme) -> dict[str, Any]:
    """The view as the player reads it. Node ids in vis are positions: an id of the data is never a key."""
    from pyvis.network import Network

    net = Network(directed=True)
    legend = {entry.group: entry for entry in view.legend}
    namesakes: dict[str, set[str]] = {}
    for node in view.nodes:
        namesakes.setdefault(node.name, set()).add(node.type)
    for position, node in enumerate(view.nodes):
        style = ROLES[node.role]
        entry = legend.get(node.group)
        net.add_node(
            position,
            label=" ",  # labels are drawn by the player, where they do not cover each other
            shape=entry.shape if entry is not None and entry.shape else style.shape,
            color=style.colour(theme),
            size=round(style.size * node.size, 1),
            x=node.x,
            y=node.y,
        )
    for position, edge in enumerate(view.edges):
        arrows = ", ".join(end for end, types in (("to", edge.forward), ("from", edge.backward)) if types)
        net.add_edge(edge.source, edge.target, id=position, arrows=arrows)
    return {
        "nodes": net.nodes,
        "edges": net.edges,
        "facts": [
            {
                "id": node.id,
                "name": cut(node.name, FULL_NAME),
                "label": _label(node, namesakes),
                "type": cut(node.type, 80),
                "note": cut(node.note, FULL_NAME),
                "group": node.group,
                "role": node.role,
                "pinned": node.pinned,
                "ghost": node.ghost,
            }
            for node in view.nodes
        ],
        "links": [[[cut(t, 80) for t in e.forward], [cut(t, 80) for t in e.backward]] for e in view.edges],
        "ghosts": [position for position, edge in enumerate(view.edges) if edge.ghost == "other"],
        "words": [cut(listed([relation_words(t) for t in (*e.forward, *e.backward)], 2), 40) for e in view.edges],
        "frames": [asdict(frame) for frame in view.frames],
        "legend": [
            {
                "group": entry.group,
                "label": cut(entry.label, 48),
                "role": entry.role,
                "shape": entry.shape or ROLES[entry.role].shape,
                "hollow": entry.hollow,
            }
            for entry in view.legend
        ],
        "agents": [
            {"id": agent, "name": cut(name, 40), "note": cut(note, 40), "shown": agent in view.agents}
            for agent, name, note in zip(
                view.all_agents,
                view.lane_names or tuple(agent_name(agent) for agent in view.all_agents),
                view.agent_notes or ("",) * len(view.all_agents),
                strict=True,
            )
        ],
        "start": view.start,
        "selected": view.selected,
        "shown": view.shown_words,
        "colours": colours(theme)._asdict(),
        "roles": {role: {"shape": style.shape, "size": style.size} for role, style in ROLES.items()},
        "dashes": DASHES,
    }


def _label(node: ViewNode, namesakes: Mapping[str, Set[str]]) -> str:
    """What stands beside the node: its name, and its type where another type has a node of that name."""
    if node.type and len(namesakes[node.name]) > 1:
        kind = cut(node.type, LABEL // 2)
        return f"{cut(node.name, LABEL - len(kind) - 3)} ({kind})"
    return cut(node.name, LABEL) or "(no name)"
