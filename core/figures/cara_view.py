"""A CARA run as a graph that can be played step by step, from the trace alone.

Which nodes are drawn is settled here, by importance: what was walked through, what was put on a list, then
candidates by score. Not here: where nodes stand (`layout`), and what a page looks like (`graph_page`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from core.cara.steps import AppendStep, AssessStep, GlobalSearchStep, Hop, Link, NeighborsStep, ReadQuestion
from core.figures.captions import caption, kind_of, reason
from core.figures.graph_view import Frame, GraphView, LegendEntry, ViewEdge, ViewNode
from core.figures.hops import hop_of, in_order_of_arrival
from core.figures.layout import Tree, walk_layout
from core.figures.walks import WalkedPath
from core.figures.words import count, cut
from core.peers.steps import PeerSearchStep
from core.trace import NodeRef, Step, Trace

MAX_NODES = 300
LEGEND = (
    LegendEntry("current", "this step", "current"),
    LegendEntry("answer", "on a list", "answer"),
    LegendEntry("visited", "walked through", "visited"),
    LegendEntry("candidate", "candidate, filled by score", "visited", hollow=True),
    LegendEntry("found", "found by search", "attribute"),
    LegendEntry("idle", "not reached", "idle"),
)


@dataclass(slots=True)
class _Seen:
    """What the whole run has to say of one node."""

    ref: NodeRef
    order: int
    walked: bool = False
    anchor: bool = False
    appended: bool = False
    score: float | None = None  # the best s_i any hop gave it
    bm25: float = 0.0
    parent: str | None = None
    ghost: bool = False  # on the path of the run that this one is compared with

    def importance(self, selected: str | None) -> tuple[int, float, float, int]:
        """Sorts what must be drawn before what may be left out."""
        if self.walked or self.anchor or self.ghost:
            tier = 0
        elif self.appended:
            tier = 1
        elif self.ref.id == selected:
            tier = 2
        else:
            tier = 3 if self.score is not None else 4
        return (tier, -(self.score or 0.0), -self.bm25, self.order)


@dataclass(slots=True)
class _Run:
    """The nodes and links of a run, gathered in order of arrival."""

    seen: dict[str, _Seen] = field(default_factory=dict)
    links: dict[tuple[str, str], tuple[dict[str, None], dict[str, None]]] = field(default_factory=dict)

    def meet(self, ref: NodeRef) -> _Seen:
        return self.seen.setdefault(ref.id, _Seen(ref, len(self.seen)))

    def link(self, near: str, far: str, link: Link) -> None:
        """Note a link seen from `near`. The two directions between a pair of nodes are kept apart."""
        head, tail = (near, far) if link.direction == "out" else (far, near)
        if (tail, head) in self.links:
            self.links[tail, head][1][link.type] = None
        else:
            self.links.setdefault((head, tail), ({}, {}))[0][link.type] = None

    def hang(self, child: _Seen, parent: str) -> None:
        """Make `child` stand right of `parent`, unless it has its place already."""
        if child.parent is None and not child.anchor and child.ref.id != parent and not self._under(parent, child):
            child.parent = parent

    def _under(self, node: str, above: _Seen) -> bool:
        at: str | None = node
        while at is not None:
            if at == above.ref.id:
                return True
            at = self.seen[at].parent
        return False

    def walk(self, anchor: NodeRef, path: Sequence[Hop]) -> None:
        """Note the walk from `anchor` along `path`."""
        at = self.meet(anchor)
        if at.parent is None:
            at.anchor = True
        at.walked = True
        for hop in path:
            following = self.meet(hop.node)
            self.link(at.ref.id, hop.node.id, hop.link)
            self.hang(following, at.ref.id)
            following.walked = True
            at = following

    def take(self, step: Step) -> None:
        if isinstance(step, GlobalSearchStep | PeerSearchStep):
            for found in step.found:
                self.meet(found.node).bm25 = max(self.meet(found.node).bm25, found.score)
        elif isinstance(step, NeighborsStep):
            self.walk(step.anchor, step.path)
            at = self.meet(step.node)
            at.walked = True
            if at.parent is None:
                at.anchor = True
            for candidate in step.candidates:
                node = self.meet(candidate.node)
                node.bm25 = max(node.bm25, candidate.bm25)
                for link in candidate.links:
                    self.link(step.node.id, candidate.node.id, link)
                self.hang(node, step.node.id)
        elif isinstance(step, AssessStep):
            for a in step.assessments:
                if a.id in self.seen:
                    self.seen[a.id].score = max(self.seen[a.id].score or 0.0, a.score)
        elif isinstance(step, AppendStep):
            for appended in step.nodes:
                if appended.anchor is not None and appended.path:
                    self.walk(appended.anchor, appended.path[:-1])
                    before = appended.path[-2].node if len(appended.path) > 1 else appended.anchor
                    node = self.meet(appended.node)
                    self.link(before.id, appended.node.id, appended.path[-1].link)
                    self.hang(node, before.id)
                self.meet(appended.node).appended = True

    def haunt(self, path: WalkedPath) -> set[frozenset[str]]:
        """Add the other run's path, and return its links as pairs of ids. Nothing of it counts as walked here."""
        for ref in path.nodes:
            self.meet(ref).ghost = True
        for walked in path.links:
            self.link(walked.near.id, walked.far.id, Link(type=walked.type, direction=walked.direction))
            self.hang(self.meet(walked.far), walked.near.id)
        return {frozenset((walked.near.id, walked.far.id)) for walked in path.links}


def cara_view(
    trace: Trace,
    *,
    agents: Iterable[int] | None = None,
    max_nodes: int = MAX_NODES,
    selected: str | None = None,
    step: tuple[int, int] | None = None,
    ghost: WalkedPath | None = None,
    ghost_name: str = "",
) -> GraphView:
    """The run as a graph with one frame per step, the agents' steps interleaved in order of arrival.

    agents: those shown at first (all by default; the others can be switched on). max_nodes: how many nodes are
    drawn at most. selected: id of the node marked as selected. step: (agent, index) of the step to open on; the
    last one by default, so that the whole walk is seen at once. ghost: the path of another run of the question,
    called `ghost_name`: what of it this run did not visit is drawn hollow and dashed, what both visited is marked.
    """
    steps = in_order_of_arrival(trace)
    run = _Run()
    for each in steps:
        run.take(each)
    unknown = not run.seen  # another method's steps: what it ranked is shown as found at its end
    if unknown:
        for line in trace.ranked:
            run.meet(NodeRef(id=line.id, name=line.name, type=line.type)).bm25 = line.score
    mine = {frozenset(pair) for pair in _walked_pairs(steps)} if ghost is not None else set()
    pairs = run.haunt(ghost) if ghost is not None else set()
    kept = sorted(run.seen.values(), key=lambda s: s.importance(selected))[: max(1, max_nodes)]
    kept.sort(key=lambda s: s.order)
    position = {s.ref.id: i for i, s in enumerate(kept)}
    places = walk_layout(_tree(kept, selected))
    nodes = tuple(_node(s, places[s.ref.id]) for s in kept)
    edges, between = _edges(run, position)
    edges = tuple(_haunted(e, nodes, pairs, mine) for e in edges) if pairs else edges
    frames = _frames(trace, steps, position, between)
    if unknown and frames:
        own = tuple(position[line.id] for line in trace.ranked if line.id in position)
        frames = (*frames[:-1], replace(frames[-1], found=own))
    opened = next((i for i, f in enumerate(frames) if (f.agent, f.index) == step), len(frames) - 1)
    shown = trace.agents if agents is None else tuple(a for a in trace.agents if a in set(agents))
    return GraphView(
        nodes=nodes,
        edges=edges,
        legend=LEGEND if ghost is None else (*LEGEND, _ghost_entry(ghost_name)),
        frames=frames,
        start=max(0, opened),
        all_agents=trace.agents,
        agents=shown or trace.agents,
        agent_notes=tuple(_encoder(trace, agent) for agent in trace.agents),
        selected=selected if selected in position else None,
        total_nodes=len(run.seen),
        title=f"Walk of {count(len(trace.agents), 'agent')}, {count(len(frames), 'step')}",
    )


def _node(seen: _Seen, place: tuple[float, float]) -> ViewNode:
    return ViewNode(
        id=seen.ref.id,
        name=seen.ref.name,
        type=seen.ref.type,
        x=round(place[0], 1),
        y=round(place[1], 1),
        role="answer" if seen.appended else "visited" if seen.walked else "idle",
        pinned=seen.walked or seen.appended,
        ghost="" if not seen.ghost else "both" if seen.walked or seen.appended else "other",
    )


def _ghost_entry(name: str) -> LegendEntry:
    return LegendEntry("ghost", f"only {cut(name, 40)}" if name else "only the other run", "idle", hollow=True)


def _walked_pairs(steps: Iterable[Step]) -> Iterable[tuple[str, str]]:
    """The pairs of nodes between which these steps walked."""
    for step in steps:
        if isinstance(step, NeighborsStep):
            yield from _pairs_along(step.anchor, step.path)
        elif isinstance(step, AppendStep):
            for a in step.nodes:
                if a.anchor is not None:
                    yield from _pairs_along(a.anchor, a.path)


def _pairs_along(anchor: NodeRef, path: Sequence[Hop]) -> Iterable[tuple[str, str]]:
    ids = [anchor.id, *(hop.node.id for hop in path)]
    return zip(ids, ids[1:], strict=False)


def _haunted(
    edge: ViewEdge, nodes: Sequence[ViewNode], pairs: set[frozenset[str]], mine: set[frozenset[str]]
) -> ViewEdge:
    pair = frozenset((nodes[edge.source].id, nodes[edge.target].id))
    return replace(edge, ghost="both" if pair in mine else "other") if pair in pairs else edge


def _tree(kept: Sequence[_Seen], selected: str | None) -> Tree:
    """The forest to lay out; a node whose parent is not drawn stands with those found by search."""
    drawn = {s.ref.id for s in kept}
    parents = {s.parent for s in kept}
    children: dict[str, list[_Seen]] = {}
    roots, loose = [], []
    for seen in kept:
        if seen.parent in drawn and seen.parent is not None:
            children.setdefault(seen.parent, []).append(seen)
        elif seen.anchor or seen.walked or seen.ref.id in parents:
            roots.append(seen.ref.id)
        else:
            loose.append(seen)
    ordered = {
        parent: [c.ref.id for c in sorted(own, key=lambda s: (s.walked, *s.importance(selected)))]
        for parent, own in children.items()
    }
    loose.sort(key=lambda s: s.importance(selected))
    return Tree(roots, ordered, [s.ref.id for s in loose])


def _edges(run: _Run, position: dict[str, int]) -> tuple[tuple[ViewEdge, ...], dict[tuple[int, int], int]]:
    """The links between drawn nodes, and where to find the one between two positions (in either order)."""
    edges: list[ViewEdge] = []
    between: dict[tuple[int, int], int] = {}
    for (head, tail), (forward, backward) in run.links.items():
        if head in position and tail in position and head != tail:
            a, b = position[head], position[tail]
            between[a, b] = between[b, a] = len(edges)
            edges.append(ViewEdge(a, b, tuple(forward), tuple(backward)))
    return tuple(edges), between


def _frames(
    trace: Trace, steps: Sequence[Step], position: dict[str, int], between: dict[tuple[int, int], int]
) -> tuple[Frame, ...]:
    frames: list[Frame] = []
    on_list: dict[int, set[str]] = {}
    for step in steps:
        hop = hop_of(trace, step) if isinstance(step, AssessStep) else step if isinstance(step, NeighborsStep) else None
        own = on_list.setdefault(step.agent, set())
        at: int | None = None
        walked: list[int] = []
        candidates: list[int] = []
        scores: list[float] = []
        found: list[int] = []
        appended: list[int] = []
        path: list[int] = []
        if hop is not None:
            at = position.get(hop.node.id)
            walked = _positions([hop.anchor, *(h.node for h in hop.path), hop.node], position)
            path = _along(walked, between)
            candidates = _positions([c.node for c in hop.candidates], position)
        if isinstance(step, AssessStep):
            drawn = [a for a in step.assessments if a.id in position]
            candidates, scores = [position[a.id] for a in drawn], [round(a.score, 4) for a in drawn]
        elif isinstance(step, GlobalSearchStep | PeerSearchStep):
            found = _positions([f.node for f in step.found], position)
        elif isinstance(step, AppendStep):
            own |= {a.node.id for a in step.nodes}
            appended = _positions([a.node for a in step.nodes], position)
            for a in step.nodes:
                if a.anchor is not None:
                    line = _positions([a.anchor, *(h.node for h in a.path)], position)
                    path += [e for e in _along(line, between) if e not in path]
                    walked += [n for n in line if n not in walked and n not in appended]
        frames.append(
            Frame(
                agent=step.agent,
                index=step.index,
                kind=kind_of(step),
                caption=caption(step, hop, len(own)),
                detail=reason(step),
                at=at,
                path=tuple(path),
                walked=tuple(walked),
                candidates=tuple(candidates),
                scores=tuple(scores),
                found=tuple(found),
                appended=tuple(appended),
            )
        )
    return tuple(frames)


def _positions(refs: Iterable[NodeRef], position: dict[str, int]) -> list[int]:
    return list(dict.fromkeys(position[ref.id] for ref in refs if ref.id in position))


def _along(line: Sequence[int], between: dict[tuple[int, int], int]) -> list[int]:
    return [between[pair] for pair in zip(line, line[1:], strict=False) if pair in between]


def _encoder(trace: Trace, agent: int) -> str:
    """The agent's encoder, short enough for its lane: no remarks in brackets, and USE by its initials."""
    read = next((s.encoder for s in trace.steps_of(agent) if isinstance(s, ReadQuestion)), "")
    return re.sub(r"\s*\([^)]*\)", "", read).replace("Universal Sentence Encoder", "USE")
