"""What a graph page shows, as plain values: nodes with positions, links, and the frames of a replay.

A view is made from a trace or a graph and drawn by `graph_page`. Not here: layout, colours, HTML.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from core.figures.palette import Role

# In a comparison: not part of the other run's path, on it alone, or on the paths of both.
Ghost = Literal["", "other", "both"]
FrameKind = Literal["read", "search", "look", "weigh", "append", "finish", "answer", "failed"]


@dataclass(frozen=True, slots=True)
class ViewNode:
    """A node at (x, y), in px at zoom 1.

    `group` is the legend entry it belongs to in a view without frames (with frames, roles change by step).
    `pinned` nodes keep a label where others may lose theirs.
    """

    id: str
    name: str
    type: str = ""
    x: float = 0.0
    y: float = 0.0
    role: Role = "idle"
    group: str = ""
    note: str = ""
    size: float = 1.0  # times the size of its role
    pinned: bool = False
    ghost: Ghost = ""


@dataclass(frozen=True, slots=True)
class ViewEdge:
    """All links between two nodes as one line. `source` and `target` are positions in the view's nodes.

    `forward` are the edge types from source to target, `backward` those the other way.
    """

    source: int
    target: int
    forward: tuple[str, ...] = ()
    backward: tuple[str, ...] = ()
    ghost: Ghost = ""


@dataclass(frozen=True, slots=True)
class Frame:
    """One step of a replay: only what this step adds, by positions in the view's nodes and edges.

    at: the node stood on. path and walked: links and nodes from the anchor to it. candidates: the hop's, with
    their scores s_i once they are assessed (else empty). found: by GlobalSearch. appended: put on the list.
    """

    agent: int
    index: int
    kind: FrameKind
    caption: str
    detail: str = ""
    at: int | None = None
    path: tuple[int, ...] = ()
    walked: tuple[int, ...] = ()
    candidates: tuple[int, ...] = ()
    scores: tuple[float, ...] = ()
    found: tuple[int, ...] = ()
    appended: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """A line of the legend; clicking it hides and shows its nodes."""

    group: str
    label: str
    role: Role
    shape: str = ""  # vis-network's name, when it is not the role's own
    hollow: bool = False


@dataclass(frozen=True, slots=True)
class GraphView:
    """A graph page's content. `start` is the frame to open on; `agents` are those shown at first."""

    nodes: tuple[ViewNode, ...]
    edges: tuple[ViewEdge, ...]
    legend: tuple[LegendEntry, ...] = ()
    frames: tuple[Frame, ...] = ()
    start: int = 0
    all_agents: tuple[int, ...] = ()
    agents: tuple[int, ...] = ()
    agent_notes: tuple[str, ...] = ()  # for each of all_agents, e.g. its encoder
    lane_names: tuple[str, ...] = ()  # for each of all_agents, where they are no agents
    selected: str | None = None
    total_nodes: int = 0  # how many there are, drawn or not
    title: str = "Graph"

    @property
    def hidden(self) -> int:
        """How many nodes were left out."""
        return max(0, self.total_nodes - len(self.nodes))

    @property
    def shown_words(self) -> str:
        """How much of the whole is drawn, in words."""
        if self.hidden:
            return f"{len(self.nodes):,} of {self.total_nodes:,} nodes shown"
        return f"{len(self.nodes):,} node{'' if len(self.nodes) == 1 else 's'}"
