"""Ways from a topic, as a program may take them: planned over the schema, and looked at in the triples.

A way is planned from what nodes of the topic's kind may have, not from what this one has: so a question whose premise
fails ("who composed .." of a film without music) finds its way empty instead of another one. Not here: what the ends
are used for (`programs`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from core.graph.contracts import Graph, Relation
from core.kerag.evaluator import Places, TripleIndex
from core.kerag.program import Way
from core.kerag.question_kind import Span, masked
from core.kerag.reading import COVERAGE, route_value
from core.kerag.steps import Topic
from core.kerag.values import parse_value
from core.linking.lens import Lens, Needs
from core.linking.mentions import Mention
from core.linking.question import read_question
from core.linking.roles import Roles
from core.linking.routes import Codes, Route, RoutePlan

EMPTY_MARGIN = 0.12  # how far behind an empty way a full one may lie to be taken for what was meant
LOOKED_AT = 60  # routes from a topic that are looked at
VALUE_SHARE = 0.5  # of a role's examples that must be values of a dimension
SAMPLED = 40  # names of a role that are read as values
NUMERIC = ("date", "duration", "length", "mass", "money", "share", "area", "volume", "temperature", "data", "number")


def family(dimension: str) -> str:
    """Currencies are one family, though they are not compared with each other."""
    return dimension.split(":")[0]


class SchemaValues:
    """Which roles of a schema are played by numbers, dates or quantities."""

    def __init__(self, graph: Graph) -> None:
        self._roles = graph.schema().roles
        self._known: dict[int, str] = {}

    def dimension(self, role: int) -> str:
        """The dimension that most examples of a role have; "" where they are no values."""
        if role not in self._known:
            examples = self._roles[role].examples[:SAMPLED]
            read = [family(v.dimension) for v in map(parse_value, examples) if v is not None]
            best = max(set(read), key=lambda d: (read.count(d), d)) if read else ""
            self._known[role] = best if read and len(read) >= VALUE_SHARE * len(examples) else ""
        return self._known[role]


@dataclass(frozen=True, eq=False)
class Around:
    """The question read around one topic: its needs, and the plan of routes from nodes of its kind."""

    topic: Topic
    place: int
    needs: Needs
    plan: RoutePlan

    @cached_property
    def routes(self) -> list[Route]:
        """The best routes, best first, then whatever single hops are left."""
        ranked = self.plan.ranked()
        return ranked[:LOOKED_AT] + [r for r in ranked[LOOKED_AT:] if len(r.hops) == 1]


class Ways:
    """The ways of one question over one neighbourhood."""

    def __init__(
        self, graph: Graph, lens: Lens, values: SchemaValues, question: str, index: TripleIndex, max_hops: int = 3
    ) -> None:
        self.lens = lens
        self.roles: Roles = lens.roles
        self.index = index
        self.values = values
        self._graph = graph
        self._question = question
        self._max_hops = max_hops

    # --- plans --------------------------------------------------------------------------------------

    def around(self, topic: Topic, others: Iterable[Topic] = (), hidden: Sequence[Span] = ()) -> Around | None:
        """The question around a topic; other topics' names and `hidden` spans are no needs. None: not retrieved."""
        place = self.index.place(topic.node.id)
        if place is None:
            return None
        spans = [(o.start, o.end) for o in others if (o.start, o.end) != (topic.start, topic.end)]
        text = masked(self._question, [*spans, *hidden])
        mention = None
        if topic.end > topic.start:
            mention = Mention(topic.start, topic.end, self._question[topic.start : topic.end], (place,), 0)
        needs = self.lens.needs(read_question(text, mention))
        plan = RoutePlan(self.roles, needs, sorted(self.may_leave(place)), route_value, self._max_hops)
        return Around(topic, place, needs, plan)

    def leaving(self, place: int) -> frozenset[int]:
        """The hop codes that leave a node of the neighbourhood, in the whole graph."""
        node = self._graph.node(int(self.index.found.positions[place]))
        return frozenset(self.roles.code(Relation(r.type, r.direction)) for r in node.relations)

    def may_leave(self, place: int) -> frozenset[int]:
        """The hop codes that may leave a node of its kind: by its type, or else by the classes of its roles."""
        own = self.leaving(place)
        node_type = self.index.found.nodes[place].type
        hops = range(self.roles.hops)
        if node_type:
            return own | {h for h in hops if node_type in self.roles.types[h]}
        classes = {int(self.roles.class_of[h]) for h in own}
        return own | {h for h in hops if int(self.roles.class_of[h]) in classes}

    # --- in the triples -----------------------------------------------------------------------------

    def ways(self, hops: Codes) -> tuple[Way, ...]:
        """Hop codes as the program names them."""
        found = (self.roles.relation(hop) for hop in hops)
        return tuple(Way(relation=r.type, direction=r.direction) for r in found)

    def ends(self, start: Places, hops: Codes, without: Collection[int] = ()) -> Places:
        """The nodes that the hops lead to; those of `without` are not among them."""
        nodes = start
        for way in self.ways(hops):
            nodes = np.unique(self.index.hop(nodes, way)[1])
            nodes = nodes[~np.isin(nodes, list(without))] if len(without) else nodes
        return nodes

    def full(self, around: Around, route: Route) -> bool:
        """Whether a route leads anywhere from its topic."""
        start = np.array([around.place], dtype=np.int64)
        return bool(len(self.ends(start, route.hops, (around.place,))))

    def choose(self, around: Around, routes: Sequence[Route] | None = None) -> Route | None:
        """The best route, unless it is empty and one that is nearly as good is not."""
        routes = around.routes if routes is None else routes
        if not routes:
            return None
        best = routes[0]
        for route in routes:
            if route.value < best.value - EMPTY_MARGIN:
                break
            if self.full(around, route):
                return route
        return best

    # --- together -----------------------------------------------------------------------------------

    def meet(self, one: Route, other: Route) -> bool:
        """Whether two routes end in nodes of one kind."""
        a, b = one.hops[-1] ^ 1, other.hops[-1] ^ 1
        if self.roles.class_of[a] == self.roles.class_of[b]:
            return True
        types = set(filter(None, self.roles.types[a][:1]))
        return bool(types & set(self.roles.types[b][:1]))

    def together(self, one: Around, other: Around, *, alike: bool = False) -> tuple[Route, Route] | None:
        """The pair of routes from two topics to nodes of one kind that explains most of the question together.

        alike: the same route from both, where there is one.
        """
        weight = one.needs.weight
        total = max(float(weight.sum()), 1e-6)
        if len(other.needs.weight) != len(weight):
            return None
        if alike and (same := self._same(one, other)) is not None:
            return same
        best: tuple[float, Route, Route] | None = None
        explained = {id(r): np.array(r.explained) for around in (one, other) for r in around.routes}
        for a in one.routes:
            for b in other.routes:
                if not self.meet(a, b):
                    continue
                both = float(np.maximum(explained[id(a)], explained[id(b)]) @ weight) / total
                rest = (a.value - COVERAGE * a.coverage + b.value - COVERAGE * b.coverage) / 2
                value = round(COVERAGE * both + rest, 4)
                if best is None or value > best[0]:
                    best = (value, a, b)
        return best[1:] if best else None

    def _same(self, one: Around, other: Around) -> tuple[Route, Route] | None:
        of_other = {r.hops: r for r in other.routes}
        pairs = [(r, of_other[r.hops]) for r in one.routes if r.hops in of_other]
        return max(pairs, key=lambda p: round(p[0].value + p[1].value, 4), default=None)
