"""The retrieved neighbourhood as a graph page, with one frame for each line of the reasoning: it lights its triples.

What the reasoning cites is always drawn; of the rest, the nodes nearest to the topics, until the page is full.
"""

from __future__ import annotations

from collections.abc import Iterable

from core.figures.graph_view import Frame, GraphView, LegendEntry, ViewEdge, ViewNode
from core.figures.kerag.parts import parts_of
from core.figures.layout import spring_layout
from core.figures.words import count, relation_words
from core.kerag.steps import Line, RetrieveStep
from core.trace import Trace

MAX_NODES = 120
TOPIC, CITED, ANSWER, REST = "topic", "cited", "answer", "rest"
LEGEND = (
    LegendEntry(TOPIC, "topic", "current"),
    LegendEntry(CITED, "cited by the reasoning", "visited"),
    LegendEntry(ANSWER, "answer", "answer"),
    LegendEntry(REST, "retrieved", "idle"),
)


def kerag_view(trace: Trace, *, line: int | None = None, max_nodes: int = MAX_NODES) -> GraphView:
    """The view. line: the number of the line to open on; the last one by default. Empty before retrieval."""
    parts = parts_of(trace.steps)
    if parts.retrieved is None:
        return GraphView((), (), title="Neighbourhood")
    found, lines = parts.retrieved, parts.summary.lines if parts.summary else ()
    topics = {t.node.id for t in parts.topic.topics} if parts.topic else set()
    answers = {n.id for n in parts.summary.answers} if parts.summary else set()
    cited = _ends(found, (t for own in lines for t in own.triples))
    chosen = _chosen(found, topics, answers, cited, max_nodes)
    place = {node: i for i, node in enumerate(chosen)}
    edges, at = _edges(found, place)
    spots = spring_layout(len(chosen), [(e.source, e.target) for e in edges])
    nodes = []
    for i, node in enumerate(chosen):
        ref = found.nodes[node]
        group = TOPIC if ref.id in topics else ANSWER if ref.id in answers else CITED if node in cited else REST
        role = next(entry.role for entry in LEGEND if entry.group == group)
        pinned = group != REST
        nodes.append(
            ViewNode(
                ref.id, ref.name, ref.type, round(spots[i][0], 1), round(spots[i][1], 1), role, group, pinned=pinned
            )
        )
    own_answers = tuple(place[n] for n in chosen if found.nodes[n].id in answers)
    frames = tuple(_frame(found, one, place, at, own_answers if one is lines[-1] else (), len(lines)) for one in lines)
    start = next((i for i, frame in enumerate(frames) if frame.index == line), max(len(frames) - 1, 0))
    return GraphView(
        nodes=tuple(nodes),
        edges=edges,
        legend=LEGEND,
        frames=frames,
        start=start,
        all_agents=(0,) if frames else (),
        agents=(0,) if frames else (),
        total_nodes=len(found.nodes),
        title=f"Neighbourhood of {count(found.total, 'triple')}",
    )


def _chosen(found: RetrieveStep, topics: set[str], answers: set[str], cited: set[int], most: int) -> list[int]:
    """Places of the nodes to draw: topics, what is cited, answers, then the others by hops."""
    hop = dict.fromkeys(range(len(found.nodes)), 99)
    for head, _, tail, hops in found.triples:
        for end in (head, tail):
            hop[end] = min(hop[end], hops)

    def order(node: int) -> tuple[bool, bool, bool, int, int]:
        id_ = found.nodes[node].id
        return (id_ not in topics, node not in cited, id_ not in answers, hop[node], node)

    return sorted(hop, key=order)[:most]


def _ends(found: RetrieveStep, triples: Iterable[int]) -> set[int]:
    return {end for t in triples if t < len(found.triples) for end in (found.triples[t][0], found.triples[t][2])}


def _edges(found: RetrieveStep, place: dict[int, int]) -> tuple[tuple[ViewEdge, ...], dict[frozenset[int], int]]:
    """One line for each pair of drawn nodes, and where the line of a pair is."""
    types: dict[tuple[int, int], tuple[dict[str, None], dict[str, None]]] = {}
    for head, relation, tail, _ in found.triples:
        if head in place and tail in place and head != tail:
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
    answers: tuple[int, ...],
    lines: int,
) -> Frame:
    """A line of the reasoning: its triples as the path, their ends as what was walked."""
    ends = [n for n in sorted(_ends(found, line.triples)) if n in place]
    pairs = [
        frozenset((place[h], place[t]))
        for h, _, t, _ in (found.triples[x] for x in line.triples if x < len(found.triples))
        if h in place and t in place
    ]
    path = tuple(dict.fromkeys(at[pair] for pair in pairs if pair in at))
    return Frame(
        agent=0,
        index=line.number,
        kind="answer" if line.number == lines else "look",
        caption=f"{line.number}. {line.text}",
        detail=count(len(line.triples), "triple"),
        at=place[ends[0]] if ends else None,
        path=path,
        walked=tuple(place[n] for n in ends),
        appended=answers,
    )
