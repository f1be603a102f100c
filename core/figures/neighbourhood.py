"""A node's neighbourhood as a graph page, grown centre by centre on the Data page.

Only the four calls of the Graph contract are used, so a remote graph is drawn like one in memory.
"""

from __future__ import annotations

from collections.abc import Sequence

from core.figures.graph_view import GraphView, LegendEntry, ViewEdge, ViewNode
from core.figures.layout import radial_layout, spring_layout
from core.figures.type_legend import type_legend
from core.figures.words import count, cut, listed
from core.graph.contracts import Graph, Node, Relation

CHOSEN = "chosen"


def neighbourhood_view(
    graph: Graph, centers: Sequence[int], *, max_nodes: int = 60, selected: str | None = None
) -> GraphView:
    """The nodes at `centers` (positions) and what is one hop around them, at most `max_nodes` nodes in all.

    Each centre gets an equal share, spread over its relations, so that a hub's rare relations are seen too.
    IndexError for a position outside the graph.
    """
    centers = list(dict.fromkeys(centers))[: max(1, max_nodes)]
    if not centers:
        return GraphView((), (), title="Neighbourhood")
    nodes: dict[int, Node] = {c: graph.node(c) for c in centers}
    links: dict[tuple[int, int], tuple[list[str], list[str]]] = {}
    by_relation: dict[str, list[int]] = {}
    total = 0
    share = max(1, (max_nodes - len(centers)) // len(centers))
    for center in centers:
        found, around = _around(graph, nodes[center], share)
        total += around
        for position, relations in found:
            if position not in nodes:
                if len(nodes) >= max_nodes:
                    continue
                nodes[position] = graph.node(position)
                by_relation.setdefault(relations[0].type, []).append(position)
            for relation in relations:
                head, tail = (center, position) if relation.direction == "out" else (position, center)
                side = 0
                if (tail, head) in links:
                    head, tail, side = tail, head, 1
                types = links.setdefault((head, tail), ([], []))[side]
                if relation.type not in types:
                    types.append(relation.type)
    place = {position: i for i, position in enumerate(nodes)}
    edges = tuple(ViewEdge(place[a], place[b], tuple(f), tuple(r)) for (a, b), (f, r) in links.items())
    if len(centers) == 1:
        spots = radial_layout([[place[p] for p in group] for group in by_relation.values()], len(nodes))
    else:
        spots = spring_layout(len(nodes), [(e.source, e.target) for e in edges])
    legend, group_of = type_legend(node.type for position, node in nodes.items() if position not in centers)
    style = {entry.group: entry.role for entry in legend}
    view_nodes = tuple(
        ViewNode(
            id=node.id,
            name=node.name,
            type=node.type,
            x=round(spots[i][0], 1),
            y=round(spots[i][1], 1),
            role="current" if position in centers else style[group_of[node.type]],
            group=CHOSEN if position in centers else group_of[node.type],
            note=_note(node),
            pinned=position in centers,
        )
        for i, (position, node) in enumerate(nodes.items())
    )
    names = listed([cut(nodes[c].name, 40) for c in centers])
    return GraphView(
        nodes=view_nodes,
        edges=edges,
        legend=(LegendEntry(CHOSEN, CHOSEN, "current"), *legend),
        selected=selected if any(n.id == selected for n in view_nodes) else None,
        total_nodes=max(len(nodes), total + len(centers)),
        title=f"Around {names}",
    )


def _around(graph: Graph, center: Node, share: int) -> tuple[list[tuple[int, tuple[Relation, ...]]], int]:
    """At most `share` neighbours of `center` in turns over its relations, and how many there are."""
    whole = graph.neighbors(center.position, "", k=share)
    found = {n.position: n.relations for n in whole.neighbors}
    if whole.total <= share:
        return list(found.items()), whole.total
    types = list(dict.fromkeys(r.type for r in center.relations))
    queues = [list(graph.neighbors(center.position, "", edge_types=(t,), k=share).neighbors) for t in types[:share]]
    chosen: dict[int, tuple[Relation, ...]] = {}
    while len(chosen) < share and any(queues):
        for queue in queues:
            if queue and len(chosen) < share:
                neighbor = queue.pop(0)
                chosen[neighbor.position] = tuple(
                    dict.fromkeys((*chosen.get(neighbor.position, ()), *neighbor.relations))
                )
    return list(chosen.items()), whole.total


def _note(node: Node) -> str:
    """What a tooltip adds: the number of links, and where the text begins."""
    degree = sum(r.edges for r in node.relations)
    return f"{count(degree, 'link')}. {cut(node.text, 200)}" if node.text != node.name else count(degree, "link")
