"""What the offline deciders know of a graph and of a question: lenses, needs, routes, and their c, e and p.

All here is a pure function of the graph, the question and the encoders, so what an earlier run asked
changes nothing, and agents may share it. Not here: a walk, or any state of one.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np

from core.cara.scores import candidate_score, causal_relevance
from core.cara.steps import Hop, Link
from core.graph.contracts import Graph, Relation
from core.linking.evidence import NodeStems, met, node_stems
from core.linking.lens import Lens, Needs
from core.linking.mentions import Mention, find_mentions, partial_mentions
from core.linking.question import Question, read_question
from core.linking.roles import Roles
from core.linking.routes import Codes, Route, RoutePlan, RouteTerms
from core.linking.similarity import Encoder, Floats

# Scales that turn the terms of a route into c, e and p. With lambda = alpha = 0.5 the score s is, but for a constant,
# (1.4 coverage + 0.93 (licence_mean + 0.5 licence_min) + 0.6 answer - 0.45 inversions - 0.5 back - 0.1 hops
# - 0.12 reverse) / 5.6.
MIN_SHARE = 0.5  # of the weakest hop's licence beside the mean
PATH_SCALE = 2.8
PATH_MIDDLE = 0.8  # p of a route whose terms cancel out; p then stays within [0, 1] for routes of 3 hops
ANSWER, INVERSION, BACK, HOP, REVERSE = 0.6, 0.45, 0.5, 0.1, 0.12
STEMS_KEPT = 100_000  # nodes whose stems are kept
OPEN_NEED = 0.5  # explained less than this by a route, a need is open: the candidate's own words may meet it
OWN_WORDS = 0.1  # added to c when the candidate's own words meet all open needs
PLAIN_COVERAGE, PLAIN_ANSWER, PLAIN_HOP = 1.4, 0.6, 0.1  # without the causal module


@dataclass(frozen=True, slots=True)
class Judgment:
    """c, e and p of a route (CARA-3), each in [0, 1]."""

    consequentiality: float
    essentiality: float
    path_consistency: float

    def score(self, lambda_: float, alpha: float) -> float:
        """s for these weights (CARA-4)."""
        causal = causal_relevance(self.consequentiality, self.essentiality, lambda_)
        return candidate_score(causal, self.path_consistency, alpha)


def essentiality(licence_mean: Any, licence_min: Any) -> Any:
    """e: how well each hop is licensed by a need that no other hop answers, on average and at the weakest hop."""
    return (licence_mean + MIN_SHARE * licence_min) / (1 + MIN_SHARE)


def path_consistency(answer: Any, inversions: Any, back: Any, hops: Any, reverse: Any) -> Any:
    """p: the order of the question kept, the expected answer reached, no going to and fro, few hops."""
    sum_of_terms = ANSWER * answer - INVERSION * inversions - BACK * back - HOP * hops - REVERSE * reverse
    return np.clip(PATH_MIDDLE + sum_of_terms / PATH_SCALE, 0.0, 1.0)


def judged_value(terms: RouteTerms) -> Floats:
    """(R,) s of routes with lambda = alpha = 0.5: by this the best way on is chosen, whatever the run's weights."""
    c = terms.coverage
    e = essentiality(terms.licence_mean, terms.licence_min)
    p = path_consistency(terms.answer, terms.inversions, terms.back, terms.hops, terms.reverse)
    return np.asarray(0.25 * c + 0.25 * e + 0.5 * p, dtype=np.float64)


def plain_value(terms: RouteTerms) -> Floats:
    """(R,) plain similarity for agents without the causal module: coverage, type of the answer, hops; in [0, 1]."""
    total = PLAIN_COVERAGE * terms.coverage + PLAIN_ANSWER * terms.answer - PLAIN_HOP * terms.hops
    return np.asarray(np.clip((total + 0.5) / 2.5, 0.0, 1.0), dtype=np.float64)


def judge(route: Route) -> Judgment:
    """c, e and p of one route."""
    p = path_consistency(route.answer, route.inversions, route.back, len(route.hops), route.reverse)
    e = essentiality(route.licence_mean, route.licence_min)
    return Judgment(round(min(route.coverage, 1.0), 6), round(float(e), 6), round(float(p), 6))


Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Recent(Generic[Key, Value]):
    """The last `limit` values made, by key. Two threads may make the same value; they are equal."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._values: OrderedDict[Key, Value] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Key) -> Value | None:
        with self._lock:
            value = self._values.get(key)
            if value is not None:
                self._values.move_to_end(key)
            return value

    def put(self, key: Key, value: Value) -> Value:
        """Keep the value, unless another thread was first: then that one. The kept one is returned."""
        with self._lock:
            value = self._values.setdefault(key, value)
            self._values.move_to_end(key)
            while len(self._values) > self._limit:
                self._values.popitem(last=False)
            return value


class GraphView:
    """A graph as the offline deciders see it: its roles, and where one can go from a node."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.schema = graph.schema()
        self.roles = Roles(self.schema)
        self._can: dict[int, frozenset[int]] = {}
        self._degree: dict[int, int] = {}
        self._codes: dict[tuple[str, str], int] = {}
        self._stems: dict[int, NodeStems] = {}

    def stems(self, position: int) -> NodeStems:
        """The stems of a node's own words."""
        known = self._stems.get(position)
        if known is None:
            node = self.graph.node(position)
            if len(self._stems) > STEMS_KEPT:
                self._stems = {}
            known = self._stems[position] = node_stems(node.name, node.type, node.text)
        return known

    def can(self, position: int) -> frozenset[int]:
        """The hop codes that leave a node."""
        known = self._can.get(position)
        if known is None:
            relations = self.graph.node(position).relations
            known = frozenset(self.code(r.type, r.direction) for r in relations)
            self._degree[position] = sum(r.edges for r in relations)
            self._can[position] = known  # last: who finds it finds the degree, too
        return known

    def degree(self, position: int) -> int:
        """Edge ends at a node."""
        self.can(position)
        return self._degree[position]

    def code(self, type_: str, direction: str) -> int:
        """The hop code of a link."""
        key = (type_, direction)
        code = self._codes.get(key)
        if code is None:
            code = self._codes[key] = self.roles.code(Relation(type_, "in" if direction == "in" else "out"))
        return code

    def fresh(self, anchor: str, path: Sequence[Hop], route: Codes, node: str, codes: Codes) -> Codes:
        """Of a candidate's links, those that do not retrace the path; none: it shows nothing new."""
        if node != anchor and (len(path) < 2 or path[-2].node.id != node):
            return codes
        return tuple(c for c in codes if not self.retraces(anchor, path, route, node, c))

    def codes(self, links: Iterable[Link]) -> Codes:
        return tuple(self.code(link.type, link.direction) for link in links)

    def retraces(self, anchor: str, path: Sequence[Hop], route: Codes, node: str, code: int) -> bool:
        """Whether a link leads back to the anchor, or over the very edge by which one came: it shows nothing new."""
        if node == anchor:
            return True
        if len(path) < 2:
            return False
        return path[-2].node.id == node and self.roles.goes_back(route[-1], code)

    def route(self, path: Sequence[Hop]) -> Codes:
        """The hop codes of a path walked."""
        return tuple(self.code(hop.link.type, hop.link.direction) for hop in path)


@dataclass(frozen=True, eq=False)
class About:
    """A question read around one anchor: its parse, its needs, and the plan of routes from there."""

    mention: Mention | None
    question: Question
    needs: Needs
    plan: RoutePlan

    def way(self, path: Codes, links: Sequence[int], view: GraphView, position: int) -> Route:
        """The best route that goes by `path` and one of `links` to the node at `position`, and on from there."""
        best: Route | None = None
        for code in links:
            route = self.plan.best_from((*path, code))
            if len(route.hops) > len(path) + 1:  # only a way that goes on depends on the node's own links
                route = self.plan.best_from((*path, code), view.can(position))
            if best is None or self.plan.better(route, best):
                best = route
        if best is None:
            raise ValueError("a candidate has at least one link")
        return best

    def own_words(self, route: Route, view: GraphView, position: int) -> tuple[float, tuple[str, ...]]:
        """Share of the needs left open by the route that the node's own words meet, in [0, 1], and those needs."""
        texts = self.needs.texts
        open_needs = [t for t, value in zip(texts, route.explained, strict=True) if value < OPEN_NEED]
        if not open_needs:
            return 0.0, ()
        values = met(open_needs, view.stems(position))
        return sum(values) / len(values), tuple(t for t, value in zip(open_needs, values, strict=True) if value)


class Reading:
    """One question through one lens, around any anchor."""

    def __init__(self, view: GraphView, lens: Lens, question: str) -> None:
        self.view = view
        self.lens = lens
        self.question = question
        self._about: dict[tuple[int, bool], About] = {}

    def mention(self, position: int, name: str) -> Mention | None:
        """Where the question names this node, if it does."""
        found = find_mentions(self.question, [(position, name)])
        found = found or partial_mentions(self.question, [(position, name)])
        return found[0] if found else None

    def about(self, position: int, assess: bool = True) -> About:
        """The question around the node at `position`. assess False: routes are compared by plain similarity."""
        key = (position, assess)
        known = self._about.get(key)
        if known is None:
            mention = self.mention(position, self.view.graph.node(position).name)
            parsed = read_question(self.question, mention)
            needs = self.lens.needs(parsed)
            first = sorted(self.view.can(position))
            value = judged_value if assess else plain_value
            plan = RoutePlan(self.view.roles, needs, first, value)
            known = About(mention, parsed, needs, plan)
            known = self._about.setdefault(key, known)
        return known


class Readings:
    """The lenses of recent graphs and the readings of recent questions, shared by agents and threads."""

    def __init__(self, graphs: int = 3, questions: int = 64) -> None:
        self._views: Recent[str, GraphView] = Recent(graphs)
        self._lenses: Recent[tuple[str, str], Lens] = Recent(3 * graphs)
        self._readings: Recent[tuple[str, str, str], Reading] = Recent(questions)
        self._making = threading.Lock()

    def view(self, graph: Graph) -> GraphView:
        key = graph.dataset.content_id
        view = self._views.get(key)
        if view is None:
            with self._making:
                view = self._views.get(key) or self._views.put(key, GraphView(graph))
        return view

    def lens(self, graph: Graph, encoders: Sequence[Encoder]) -> Lens:
        """The graph's schema through these encoders. EncoderError when one of them cannot be loaded."""
        key = (graph.dataset.content_id, "+".join(e.version for e in encoders))
        lens = self._lenses.get(key)
        if lens is None:
            view = self.view(graph)
            with self._making:
                lens = self._lenses.get(key) or self._lenses.put(key, Lens(view.schema, encoders, view.roles))
        return lens

    def reading(self, graph: Graph, encoders: Sequence[Encoder], question: str) -> Reading:
        """The question on the graph through these encoders."""
        key = (graph.dataset.content_id, "+".join(e.version for e in encoders), question)
        reading = self._readings.get(key)
        if reading is None:
            reading = self._readings.put(key, Reading(self.view(graph), self.lens(graph, encoders), question))
        return reading
