"""The retrieved neighbourhood as a graph page, with one frame for each line of the reasoning: it lights its triples.

What the reasoning cites is always drawn; of the rest, the nodes nearest to the topics, until the page is full.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from core.figures.graph_view import Frame, GraphView, LegendEntry, ViewEdge, ViewNode
from core.figures.kerag.parts import parts_of
from core.figures.layout import spring_layout
from core.figures.palette import Role
from core.figures.words import count, relation_words
from core.kerag.steps import Line, RetrieveStep
from core.trace import Trace

MAX_NODES = 120
LANE = "Reasoning"
# The groups are those that the player gives nodes, frame by frame (assets/graph_state.js).
LEGEND = (
    LegendEntry("current", "start", "current"),
    LegendEntry("visited", "cited", "visited"),
    LegendEntry("answer", "answer", "answer"),
    LegendEntry("idle", "retrieved", "idle"),
)


def kerag_view(
    trace: Trace, *, line: int | None = None, without: Collection[int] = (), max_nodes: int = MAX_NODES
) -> GraphView:
    """The view; empty before retrieval.

    line: the number of the line to open on; the first one by default. without: places of triples that are not drawn.
    """
    parts = parts_of(trace.steps)
    if parts.retrieved is None:
        return GraphView((), (), title="Neighbourhood")
    found, lines = parts.retrieved, parts.summary.lines if parts.summary else ()
    topics = {t.node.id for t in parts.topic.topics} if parts.topic else set()
    answers = {n.id for n in parts.summary.answers} if parts.summary else set()
    cited = _ends(found, (t for own in lines for t in own.triples))
    chosen = _chosen(found, topics, answers, cited, max_nodes)
    place = {node: i for i, node in enumerate(chosen)}
    edges, at = _edges(found, place, without)
    spots = spring_layout(len(chosen), [(e.source, e.target) for e in edges])
    nodes = []
    for i, node in enumerate(chosen):
        ref = found.nodes[node]
        pinned = ref.id in topics or ref.id in answers or node in cited
        role: Role = "current" if ref.id in topics and not lines else "idle"
        x, y = (round(value, 1) for value in spots[i])
        nodes.append(ViewNode(ref.id, ref.name, ref.type, x, y, role, role, pinned=pinned))
    own_answers = tuple(place[n] for n in chosen if found.nodes[n].id in answers)
    starts = {place[n] for n in chosen if found.nodes[n].id in topics}
    frames = tuple(
        _frame(found, one, place, at, starts, own_answers if one is lines[-1] else (), without) for one in lines
    )
    start = next((i for i, frame in enumerate(frames) if frame.index == line), 0)
    lanes = (0,) if frames else ()
    return GraphView(
        nodes=tuple(nodes),
        edges=edges,
        legend=LEGEND,
        frames=frames,
        start=start,
        all_agents=lanes,
        agents=lanes,
        lane_names=(LANE,) if frames else (),
        total_nodes=len(found.nodes),
        title=f"Neighbourhood of {count(found.total, 'triple')}",
    )


def _chosen(found: RetrieveStep, topics: set[str], answers: set[str], cited: set[int], most: int) -> list[int]:
    """Places of the nodes to draw: topics, answers, what is cited, then the others by hops."""
    hop = dict.fromkeys(range(len(found.nodes)), 99)
    for head, _, tail, hops in found.triples:
        for end in (head, tail):
            hop[end] = min(hop[end], hops)

    def order(node: int) -> tuple[bool, bool, bool, int, int]:
        id_ = found.nodes[node].id
        return (id_ not in topics, id_ not in answers, node not in cited, hop[node], node)

    return sorted(hop, key=order)[:most]


def _ends(found: RetrieveStep, triples: Iterable[int]) -> set[int]:
    return {end for t in triples if t < len(found.triples) for end in (found.triples[t][0], found.triples[t][2])}


def _edges(
    found: RetrieveStep, place: dict[int, int], without: Collection[int]
) -> tuple[tuple[ViewEdge, ...], dict[frozenset[int], int]]:
    """One line for each pair of drawn nodes, and where the line of a pair is."""
    types: dict[tuple[int, int], tuple[dict[str, None], dict[str, None]]] = {}
    for number, (head, relation, tail, _) in enumerate(found.triples):
        if number not in without and head in place and tail in place and head != tail:
            a, b = place[head], place[tail]
            name = relation_words(found.relations[relation])
            if (b, a) in types:
                types[b, a][1][name] = None
            else:
                types.setdefault((a, b), ({}, {}))[0][name] = None
    edges = tuple(ViewEdge(a, b, tuple(forward), tuple(back)) for (a, b), (forward, back) in types.items())
    return edges, {frozenset((e.source, e.target)): i for i, e in enumerate(edges)}


def _frame(
    found: RetrieveStep,
    line: Line,
    place: dict[int, int],
    at: dict[frozenset[int], int],
    starts: Collection[int],
    answers: tuple[int, ...],
    without: Collection[int],
) -> Frame:
    """A line of the reasoning: its triples as the path, their ends as what was walked."""
    triples = [t for t in line.triples if t not in without]
    ends = [place[n] for n in sorted(_ends(found, triples)) if n in place]
    kept = [found.triples[t] for t in triples if t < len(found.triples)]
    pairs = [frozenset((place[h], place[t])) for h, _, t, _ in kept if h in place and t in place]
    taken = len(line.triples) - len(triples)
    return Frame(
        agent=0,
        index=line.number,
        kind="answer" if answers else "look",
        caption=f"{line.number}. {line.text}",
        detail=count(len(line.triples), "triple") + (f", {taken:,} taken away" if taken else ""),
        at=next((end for end in ends if end in starts), min(starts, default=None) if not ends else None),
        path=tuple(dict.fromkeys(at[pair] for pair in pairs if pair in at)),
        walked=tuple(ends),
        appended=answers,
    )
