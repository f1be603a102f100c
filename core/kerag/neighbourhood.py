"""Retrieval (KERAG-2): the neighbourhood of the topics, gathered hop by hop along the relations that were kept.

`Gathering` alternates with the planner: it says which relations are in view from where it stands, and follows those
that stay, all of them and not one path. It uses a graph's four calls alone. Not here: which relations stay.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from core.graph.contracts import Graph, Node, Relation, RelationCount
from core.kerag.beyond import PlacedTriple, left_beyond
from core.kerag.steps import LeftOut, SeenRelation
from core.kerag.subgraph import Neighbourhood
from core.trace import NodeRef

EXAMPLES = 4  # names of neighbours that are shown for a relation
LOOKED_AT = 3  # nodes of the frontier whose neighbours give the examples of a relation
TYPES_SHOWN = 3
EVERY = 1_000_000  # neighbours asked for when all are wanted
MOST_ASKED = 1_000  # the same, for examples

Taken = Collection[tuple[str, str, str]]  # triples taken away: head id, relation, tail id


@dataclass(slots=True)
class _Frontier:
    """Nodes to go on from, and what leads on. leads: (relation, direction) -> the edges; first: the first nodes."""

    nodes: list[int]
    leads: Counter[Relation]
    first: dict[Relation, list[int]]


class Gathering:
    """A neighbourhood as it grows. The graph's errors, and StoppedError, pass through; what was gathered stays whole.

    budget: triples at most. without: triples that are passed over, as if the graph did not hold them.
    """

    def __init__(
        self, graph: Graph, topics: Sequence[int], budget: int, question: str = "", without: Taken = ()
    ) -> None:
        self._graph = graph
        self._budget = budget
        self._question = question
        self._without = frozenset(without)
        self._place: dict[int, int] = {}
        self._refs: list[NodeRef] = []
        self._hop = array("i")
        self._relations: dict[str, int] = {}
        self._heads, self._kinds, self._tails = array("q"), array("q"), array("q")
        self._known: set[tuple[int, int, int]] = set()
        self._leads: dict[int, tuple[RelationCount, ...]] = {}  # of the frontier's nodes
        self._interned: dict[tuple[RelationCount, ...], tuple[RelationCount, ...]] = {}
        self._beyond = 0  # triples in scope that the budget cut off, at least
        self._looked_past: set[PlacedTriple] = set()  # of this hop: met one by one when the budget was full
        self._taken: set[tuple[str, str, str]] = set()
        self.hops = 0
        self.left_out: list[LeftOut] = []
        for position in topics:
            self._add(position, 0)
        self._topics = tuple(range(len(self._place)))
        self._frontier = self._stand(list(self._place))

    # --- what is in view ----------------------------------------------------------------------------

    @property
    def frontier(self) -> tuple[int, ...]:
        """Positions of the nodes that the next hop starts from."""
        return tuple(self._frontier.nodes)

    @property
    def leading(self) -> dict[Relation, int]:
        """The relations that leave the frontier, and by how many edges."""
        return dict(self._frontier.leads)

    def in_view(self) -> tuple[SeenRelation, ...]:
        """The schema one hop out (KERAG-1, step 2): relations by their edges, with neighbours as examples."""
        schema = self._graph.schema()
        ends = {(role.edge_type, role.side): role.node_types for role in schema.roles}
        return tuple(
            SeenRelation(
                relation=relation.type,
                direction=relation.direction,
                edges=edges,
                node_types=tuple(
                    t for t in ends.get((relation.type, "tail" if relation.direction == "out" else "head"), ()) if t
                )[:TYPES_SHOWN],
                examples=self._examples(relation),
            )
            for relation, edges in sorted(self._frontier.leads.items(), key=lambda item: (-item[1], item[0]))
        )

    def _examples(self, relation: Relation) -> tuple[str, ...]:
        names: dict[str, None] = {}
        for node in self._frontier.first[relation]:
            both_ways = sum(r.edges for r in self._leads[node] if r.type == relation.type)
            around = self._graph.neighbors(node, "", edge_types=(relation.type,), k=min(max(both_ways, 1), MOST_ASKED))
            found = (n.position for n in around.neighbors if relation in n.relations)
            for position in found:
                if len(names) == EXAMPLES:
                    return tuple(names)
                names.setdefault(self._graph.node(position).name)
        return tuple(names)

    # --- one hop ------------------------------------------------------------------------------------

    def follow(self, kept: Collection[Relation]) -> int:
        """Retrieve one hop along the relations that stay; how many triples it brought.

        When more lie there than the budget allows, nodes of few edges come first, and of a node's neighbours those
        whose words are nearest to the question's.
        """
        self.hops += 1
        wanted = frozenset(kept)
        before = len(self._heads)
        reached: dict[int, None] = {}
        asked = {
            node: edges
            for node in self._frontier.nodes
            if (edges := sum(r.edges for r in self._leads[node] if _relation(r) in wanted))
        }
        planned = sum(asked.values())
        short = planned > self._budget - len(self._heads)
        passed: list[int] = []
        for node in sorted(asked, key=lambda n: (asked[n], self._place[n])) if short else asked:
            room = self._budget - len(self._heads)
            if room > 0:
                self._around(node, wanted, asked[node], room, reached)
            else:
                passed.append(node)
        brought = len(self._heads) - before
        self._count_beyond(passed, wanted)
        self._frontier = self._stand(list(reached))
        return brought

    def _around(self, node: int, wanted: frozenset[Relation], edges: int, room: int, reached: dict[int, None]) -> None:
        """Follow the wanted relations of one node, as far as there is room."""
        own = [r for r in self._leads[node] if _relation(r) in wanted]
        types = tuple(dict.fromkeys(r.type for r in own))
        everywhere = sum(r.edges for r in self._leads[node] if r.type in types)
        few = edges > room
        around = self._graph.neighbors(
            node, self._question if few else "", edge_types=types, k=max(everywhere, 1) if not few else EVERY
        )
        for neighbor in around.neighbors:
            for relation in neighbor.relations:
                if relation not in wanted:
                    continue
                if len(self._heads) >= self._budget and not self._is_known(node, relation, neighbor.position):
                    self._look_past(node, relation, neighbor.position)
                elif self._triple(node, relation, neighbor.position):
                    reached.setdefault(neighbor.position)

    def _triple(self, node: int, relation: Relation, neighbor: int) -> bool:
        """Keep a triple; False for one that was taken away. A triple that is known already leads on all the same."""
        if self._without and self._is_taken(node, relation, neighbor):
            return False
        self._add(neighbor, self.hops)
        head, tail = (node, neighbor) if relation.direction == "out" else (neighbor, node)
        kind = self._relations.setdefault(relation.type, len(self._relations))
        key = (self._place[head], kind, self._place[tail])
        if key not in self._known:
            self._known.add(key)
            self._heads.append(key[0])
            self._kinds.append(kind)
            self._tails.append(key[2])
        return True

    def _is_known(self, node: int, relation: Relation, neighbor: int) -> bool:
        """Whether this triple was gathered before, from its other end."""
        if neighbor not in self._place or relation.type not in self._relations:
            return False
        one, other = self._place[node], self._place[neighbor]
        head, tail = (one, other) if relation.direction == "out" else (other, one)
        return (head, self._relations[relation.type], tail) in self._known

    def _look_past(self, node: int, relation: Relation, neighbor: int) -> None:
        """Note a triple that the budget has no room for."""
        if self._without and self._is_taken(node, relation, neighbor):
            return
        one, other = self._place[node], self._place.get(neighbor, -1 - neighbor)
        head, tail = (one, other) if relation.direction == "out" else (other, one)
        self._looked_past.add((head, relation.type, tail))

    def _count_beyond(self, passed: Sequence[int], wanted: frozenset[Relation]) -> None:
        """Count what this hop left beyond the budget: never too much, and none only if there is none.

        Hops may meet the same triples: the largest count holds.
        """
        if not passed and not self._looked_past:
            return
        place_of = {ref.id: place for place, ref in enumerate(self._refs)}
        names = tuple(self._relations)
        known = [(h, names[k], t) for h, k, t in zip(self._heads, self._kinds, self._tails, strict=True)]
        known += [(place_of.get(h, -1), r, place_of.get(t, -1)) for h, r, t in self._without]
        around = {self._place[node]: self._leads[node] for node in passed}
        least, doubtful = left_beyond(around, wanted, [*known, *self._looked_past])
        least += len(self._looked_past)
        self._looked_past.clear()
        if not least and doubtful:
            positions = tuple(self._place)
            least = int(any(self._leads_beyond(positions[place], wanted) for place in doubtful))
        if least > self._beyond:
            self._beyond = least
            self._tell_cut()

    def _leads_beyond(self, node: int, wanted: frozenset[Relation]) -> bool:
        """Whether a node has a triple in scope that was not gathered."""
        types = tuple(dict.fromkeys(r.type for r in self._leads[node] if _relation(r) in wanted))
        around = self._graph.neighbors(node, "", edge_types=types, k=EVERY)
        return any(
            relation in wanted
            and not self._is_known(node, relation, near.position)
            and not (self._without and self._is_taken(node, relation, near.position))
            for near in around.neighbors
            for relation in near.relations
        )

    def _is_taken(self, node: int, relation: Relation, neighbor: int) -> bool:
        one, other = self._graph.node(node).id, self._graph.node(neighbor).id
        head, tail = (one, other) if relation.direction == "out" else (other, one)
        triple = (head, relation.type, tail)
        if triple not in self._without:
            return False
        self._taken.add(triple)
        return True

    def _add(self, position: int, hop: int) -> None:
        if position in self._place:
            return
        node = self._graph.node(position)
        self._place[position] = len(self._refs)
        # model_construct: the parts come from the graph and are valid; a neighbourhood may have 100,000 nodes
        self._refs.append(NodeRef.model_construct(id=node.id, name=node.name, type=node.type))
        self._hop.append(hop)
        self._leads[position] = self._interned_leads(node)

    def _interned_leads(self, node: Node) -> tuple[RelationCount, ...]:
        return self._interned.setdefault(node.relations, node.relations)

    def _stand(self, nodes: list[int]) -> _Frontier:
        leads: Counter[Relation] = Counter()
        first: dict[Relation, list[int]] = {}
        for node in nodes:
            for count in self._leads[node]:
                relation = _relation(count)
                leads[relation] += count.edges
                if len(known := first.setdefault(relation, [])) < LOOKED_AT:
                    known.append(node)
        return _Frontier(nodes, leads, first)

    # --- what came of it ----------------------------------------------------------------------------

    def leave_out(self, hop: int, relations: Iterable[SeenRelation]) -> None:
        """Say which relations in view were not followed at a hop, and why."""
        for seen in relations:
            way = "" if seen.direction == "out" else " backwards"
            self.left_out.append(
                LeftOut(what=f"'{seen.relation}'{way} at hop {hop}", triples=seen.edges, why=seen.reason)
            )

    def _tell_cut(self) -> None:
        why = f"the budget of {self._budget:,} triples was reached; nodes of few edges came first"
        self.left_out = [left for left in self.left_out if not left.why.startswith("the budget of")]
        self.left_out.append(LeftOut(what="triples beyond the budget, at least", triples=self._beyond, why=why))

    @property
    def taken(self) -> int:
        """How many triples in scope were taken away by hand."""
        return len(self._taken)

    def neighbourhood(self) -> Neighbourhood:
        """What was gathered so far. `total` counts it, and the triples beyond the budget as `_count_beyond` does."""
        return Neighbourhood(
            nodes=tuple(self._refs),
            positions=np.fromiter(self._place, dtype=np.int64, count=len(self._place)),
            hop=np.array(self._hop, dtype=np.int16),
            relations=tuple(self._relations),
            head=np.array(self._heads, dtype=np.int64),
            relation=np.array(self._kinds, dtype=np.int64),
            tail=np.array(self._tails, dtype=np.int64),
            topics=self._topics,
            total=len(self._heads) + self._beyond,
        )


def _relation(count: RelationCount) -> Relation:
    return Relation(count.type, count.direction)
