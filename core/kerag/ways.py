"""Ways from a topic, as a program may take them: planned over the schema, and looked at in the triples.

A way is planned from what nodes of the topic's kind may have, not from what this one has: so a question whose premise
fails ("who composed .." of a film without music) finds its way empty instead of another one. Not here: what the ends
are used for (`programs`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from core.graph.contracts import Graph, Relation
from core.kerag.program import Way
from core.kerag.question_kind import Span, masked
from core.kerag.reading import COVERAGE, route_value
from core.kerag.steps import Topic
from core.kerag.triples import Places, TripleIndex
from core.kerag.values import parse_value, values_in
from core.linking.lens import Lens, Needs
from core.linking.mentions import Mention
from core.linking.question import read_question
from core.linking.roles import Roles
from core.linking.routes import Codes, Route, RoutePlan
from core.linking.similarity import label_text, label_variants
from core.linking.words import singular, stem

EMPTY_MARGIN = 0.12  # how far behind an empty way a full one may lie to be taken for what was meant
RANKED_AGAIN = 150  # routes from a topic whose plausibility is looked at
LOOKED_AT = 60  # of them, that may be taken
GAP = 0.4  # cost of going on by a relation that hardly any node reached by the hop before has
COMMON = 0.5  # share of the smaller role's nodes that play both, from which going on costs nothing
RARE = 0.15  # cost of going on by a relation that hardly any of the nodes there have, of RARE_SHARE of them none
RARE_SHARE = 0.3
TO_AND_FRO = 0.2  # cost of coming back by a relation that the question does not name twice, without a cue
NOT_ITS_OWN = 0.2  # cost of beginning with a relation that the topic itself lacks
BY_NAME = 0.3  # what it is worth when a relation has the very words of the needs, and is not only near to them
WHOLE_WORD = 5  # letters of a relation's word that may end a longer word
VALUE_SHARE = 0.5  # of a role's examples that must be values of a dimension
TEXTS_READ, TEXT_READ = 200, 2_000  # nodes whose texts are read for values, and characters of each
SAMPLED = 40  # names of a role that are read as values
NUMERIC = (
    "date",
    "duration",
    "length",
    "mass",
    "money",
    "share",
    "area",
    "volume",
    "temperature",
    "data",
    "number",
    "amount",
)


def family(dimension: str) -> str:
    """Currencies are one family, and so are units that are not known, though unlike ones are not compared."""
    return "amount" if dimension.startswith("in ") else dimension.split(":")[0]


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
    own: frozenset[int]  # the hop codes that leave the topic itself
    roles: Roles
    barred: frozenset[int] = frozenset()  # hop codes that no route may take

    @cached_property
    def routes(self) -> list[Route]:
        """The best routes, best first: the plan's value, less what makes a route implausible."""
        ranked = [r for r in self.plan.ranked() if self.barred.isdisjoint(r.hops)]
        ranked = ranked[:RANKED_AGAIN] + [r for r in ranked[RANKED_AGAIN:] if len(r.hops) == 1]
        again = [replace(r, value=round(r.value + self._plausibility(r.hops), 4)) for r in ranked]
        again.sort(key=lambda r: -r.value)  # stable: equals stay in the plan's order
        return again[:LOOKED_AT] + [r for r in again[LOOKED_AT:] if len(r.hops) == 1]

    def _plausibility(self, hops: Codes) -> float:
        needs = self.needs
        together = [self._common(hop ^ 1, then) for hop, then in pairwise(hops)]
        cost = GAP * (1 - min(1.0, min(together, default=1.0) / COMMON))
        # either end of a relation between like nodes: that more are cited than cite tells nothing of which is meant
        shares = [max(self._share(hop ^ 1, end) for end in (then, then ^ 1)) for hop, then in pairwise(hops)]
        cost += RARE * (1 - min(1.0, min(shares, default=1.0) / RARE_SHARE))
        cost += NOT_ITS_OWN * (hops[0] not in self.own)
        if not needs.question.cue:
            backs = [then for hop, then in pairwise(hops) if self.roles.goes_back(hop, then)]
            cost += TO_AND_FRO * any(int(self._named[then].sum()) < 2 for then in backs)
        total = max(float(needs.weight.sum()), 1e-6)
        named = float(self._named[list(hops)].max(axis=0, initial=0.0) @ needs.weight) / total
        return BY_NAME * named - cost

    @cached_property
    def _named(self) -> NDArray[np.bool_]:
        """(2T, n) whether a need has the relation's own word in it, at its end at least ("co-author" of "author")."""
        of_relation = [label_variants(label_text(name)) for name in self.roles.relations]
        words = [singular(text) for text in self.needs.texts]
        rows = [
            [
                any(stem(form) == stem(w) or (len(form) >= WHOLE_WORD and w.endswith(form)) for form in forms)
                for w in words
            ]
            for forms in of_relation
        ]
        return np.repeat(np.array(rows, dtype=bool).reshape(len(of_relation), len(words)), 2, axis=0)

    def _share(self, role: int, other: int) -> float:
        """Share of the nodes of a role that play another one, too."""
        return float(self.roles.overlap[role, other]) / max(int(self.roles.sizes[role]), 1)

    def _common(self, role: int, other: int) -> float:
        """Share of the smaller role's nodes that play both."""
        smaller = max(int(min(self.roles.sizes[role], self.roles.sizes[other])), 1)
        return float(self.roles.overlap[role, other]) / smaller


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

    def around(
        self,
        topic: Topic,
        others: Iterable[Topic] = (),
        hidden: Sequence[Span] = (),
        barred: frozenset[int] = frozenset(),
    ) -> Around | None:
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
        return Around(topic, place, needs, plan, self.leaving(place), self.roles, barred)

    def hops_to_values(self, dimensions: Collection[str]) -> frozenset[int]:
        """The hops that arrive at values of these dimensions: what nodes are compared by is no way to them."""
        if not dimensions:
            return frozenset()
        return frozenset(h for h in range(self.roles.hops) if self.values.dimension(h ^ 1) in dimensions)

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

    def values_read(self, nodes: Places, dimensions: Sequence[str]) -> dict[str, str]:
        """node id -> the one value of the likeliest dimension that its own text holds; nodes with none are left out."""
        found: dict[str, dict[str, str]] = {}
        for place in nodes[:TEXTS_READ].tolist():
            node = self._graph.node(int(self.index.found.positions[place]))
            for dimension in dimensions:
                own = [v.text for v in values_in(node.text[:TEXT_READ]) if family(v.dimension) == dimension]
                if len(own) == 1:  # of several, nothing says which is meant
                    found.setdefault(dimension, {})[node.id] = own[0]
        return next((found[d] for d in dimensions if d in found and len(found[d]) >= VALUE_SHARE * len(nodes)), {})

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

    def choose(self, around: Around) -> Route | None:
        """The best route, unless it is empty and one that is nearly as good is not."""
        routes = around.routes
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
