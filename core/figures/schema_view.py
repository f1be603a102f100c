"""A graph's schema as a graph: types (or classes) as nodes, relations as links. Not here: its counting."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from core.figures.graph_view import GraphView, LegendEntry, ViewEdge, ViewNode
from core.figures.layout import spring_layout
from core.figures.type_legend import NO_TYPE, OTHER, STYLES
from core.figures.words import count, cut, listed, relation_words
from core.graph.contracts import Schema


def schema_graph(schema: Schema) -> GraphView:
    """Types as nodes, relations as links. Where nodes have no type, classes stand in for types.

    A class is a set of roles (ends of relations) that the same nodes play: roles whose overlap is half or more of
    the smaller one belong together. Its name is that of the relations that lead to it.
    """
    typed = [t for t in schema.node_types if t]
    if typed:
        members = {t: [i for i, role in enumerate(schema.roles) if t in role.node_types] for t in schema.node_types}
        labels = {t: t or NO_TYPE for t in members}
        sizes = dict(schema.node_types)
        kind = "type"
    else:
        classes = role_classes(schema)
        members = {str(i): roles for i, roles in enumerate(classes)}
        labels = {key: _class_name(schema, roles) for key, roles in members.items()}
        sizes = {key: max((schema.roles[i].size for i in roles), default=0) for key, roles in members.items()}
        kind = "class"
    home = _homes(schema, members)
    keys = sorted(members, key=lambda k: (-sizes[k], labels[k]))
    place = {key: i for i, key in enumerate(keys)}
    links: dict[tuple[int, int], list[str]] = {}
    loops: dict[str, list[str]] = {}
    for code, edge_type in enumerate(schema.edge_types):
        if _is_twin(schema, edge_type):
            continue
        for head in home[2 * code]:
            for tail in home[2 * code + 1]:
                if head == tail:
                    loops.setdefault(head, []).append(edge_type)
                else:
                    links.setdefault((place[head], place[tail]), []).append(edge_type)
    merged: dict[tuple[int, int], ViewEdge] = {}
    for (a, b), types in links.items():
        if (b, a) in merged:
            merged[b, a] = ViewEdge(b, a, merged[b, a].forward, tuple(types))
        else:
            merged[a, b] = ViewEdge(a, b, tuple(types))
    edges = tuple(merged.values())
    spots = spring_layout(len(keys), [(e.source, e.target) for e in edges], spacing=170.0)
    most = max(sizes.values(), default=1) or 1
    nodes = tuple(
        ViewNode(
            id=key,
            name=f"{labels[key]} ({sizes[key]:,})",
            type=kind,
            x=round(spots[i][0], 1),
            y=round(spots[i][1], 1),
            role=STYLES[i % len(STYLES)][0],
            group=f"type {i}" if i < len(STYLES) else OTHER,
            note=_schema_note(schema, members[key], loops.get(key, [])),
            size=round(0.9 + 1.3 * math.sqrt(sizes[key] / most), 2),
            pinned=True,
        )
        for i, key in enumerate(keys)
    )
    legend = [
        LegendEntry(f"type {i}", cut(labels[k], 24), role, shape)
        for i, (k, (role, shape)) in enumerate(zip(keys, STYLES, strict=False))
    ]
    if len(keys) > len(STYLES):
        nodes = nodes[: len(STYLES)] + tuple(_as_other(n) for n in nodes[len(STYLES) :])
        legend.append(LegendEntry(OTHER, f"other {kind}{'es' if kind == 'class' else 's'}", "idle"))
    title = (
        f"{count(len(keys), kind, 'classes' if kind == 'class' else '')}, {count(len(schema.edge_types), 'relation')}"
    )
    return GraphView(nodes=nodes, edges=edges, legend=tuple(legend), total_nodes=len(nodes), title=title)


def _as_other(node: ViewNode) -> ViewNode:
    return ViewNode(node.id, node.name, node.type, node.x, node.y, "idle", OTHER, node.note, node.size * 1.6, True)


def _schema_note(schema: Schema, roles: Sequence[int], loops: Sequence[str]) -> str:
    examples = list(dict.fromkeys(name for i in roles for name in schema.roles[i].examples[:3]))[:4]
    parts = [f"for example {listed([cut(e, 32) for e in examples], 4)}"] if examples else []
    if loops:
        parts.append(f"among themselves: {listed([relation_words(t) for t in loops], 4)}")
    return "; ".join(parts)


def role_classes(schema: Schema) -> list[list[int]]:
    """Roles in groups by `core.linking`: two belong together when half of the smaller one's nodes play both."""
    from core.linking.roles import Roles

    groups: dict[int, list[int]] = {}
    for role, first in enumerate(Roles(schema).class_of.tolist()):
        if schema.roles[role].size:
            groups.setdefault(first, []).append(role)
    return list(groups.values())


def _is_twin(schema: Schema, edge_type: str) -> bool:
    """Whether another relation, which is drawn, states the same links the other way."""
    other = schema.inverse_of.get(edge_type)
    return other is not None and not (schema.inverse_of.get(other) == edge_type and edge_type < other)


def _class_name(schema: Schema, roles: Sequence[int]) -> str:
    """What leads to the class, else what leads away from it: the largest role speaks for it."""
    into = sorted((i for i in roles if schema.roles[i].side == "tail"), key=lambda i: -schema.roles[i].size)
    if into:
        return listed([relation_words(schema.roles[i].edge_type) for i in into], 2)
    largest = max(roles, key=lambda i: schema.roles[i].size)
    return f"has {relation_words(schema.roles[largest].edge_type)}"


def _homes(schema: Schema, members: Mapping[str, Sequence[int]]) -> list[list[str]]:
    """For each role, the types (or the class) whose nodes play it."""
    homes: list[list[str]] = [[] for _ in schema.roles]
    for key, roles in members.items():
        for role in roles:
            homes[role].append(key)
    return homes
