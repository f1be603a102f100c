"""One exploration of an offline agent: from an anchor along the ways that promise most, hop by hop.

One node of a hop is looked around first; when its list shows where to go on, the other nodes of that hop are looked
around too. What a way ends in is handed to the policy (`Way`). It acts only on what its steps have shown; which links
a node has, its own card says. Not here: the search for anchors and appending (`offline_policy`), scores
(`offline_reading`).
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, field

from core.cara.contracts import AgentState, CaraConfig, Neighbors
from core.cara.offline_reading import OPEN_NEED, OWN_WORDS, About, Reading, judge
from core.cara.steps import AssessStep, CaraStep, Hop, NeighborsStep
from core.linking.routes import Codes, Route
from core.trace import NodeRef

ENOUGH = 25  # distinct nodes at the end of a way, after which no further node of the hop before is looked around
SWEEP = 45  # nodes of one hop that are looked around at most
FILL = 20  # nodes found, below which a further way may be walked
FILL_MARGIN, CLOSE_MARGIN = (
    0.08,
    0.01,
)  # how far behind the best way (in s) one may lie to be walked: to fill up, or always
PROBED_TYPES = 3  # relations by which a node of many neighbours is looked around first


@dataclass(slots=True)
class Arrival:
    """A node reached by a route: by which path first, from which list, and by how many paths in all.

    score: its own as a candidate of the last hop; walked: the sum of the scores along its best path.
    """

    position: int
    node: NodeRef
    path: tuple[Hop, ...]
    source: int | None
    score: float
    walked: float
    paths: int


@dataclass(slots=True)
class Entry:
    """A candidate in a list: the link that is taken to it (hop code), its score, and the way on."""

    position: int
    code: int
    score: float
    hop: Hop
    way: Route
    retraces: bool


@dataclass(slots=True)
class Listing:
    """What looking around a node showed, best first. `source`: index of the step that holds the list."""

    source: int
    entries: list[Entry]
    complete: bool
    types: tuple[str, ...]

    def shows(self, type_: str) -> bool:
        """Whether every neighbour by this relation is in it, or as many as one list can hold."""
        return (self.complete and (not self.types or type_ in self.types)) or self.types == (type_,)


@dataclass(slots=True)
class Stand:
    """The nodes that one route led to, and what looking around them showed."""

    route: Codes
    nodes: dict[int, Arrival]
    lists: dict[int, Listing] = field(default_factory=dict)


@dataclass(slots=True)
class Option:
    """A way that may be walked: from the nodes of `stand` by hop `code`; None: it ends in these nodes."""

    stand: Stand
    code: int | None
    score: float
    way: Route


@dataclass(slots=True)
class Way:
    """A way walked to its end: the nodes it ends in, and s of ending there."""

    anchor: int
    route: Codes
    arrivals: list[Arrival]
    score: float


class Exploration:
    """Explores from one anchor. `now` gives the trajectory as it is when asked."""

    def __init__(
        self, reading: Reading, config: CaraConfig, anchor: int, now: Callable[[], AgentState], further_ways: int
    ) -> None:
        self._view = reading.view
        self._about: About = reading.about(anchor, config.assess)
        self._config = config
        self._anchor = anchor
        self._now = now
        self._further_ways = further_ways
        self._agenda: list[Option] = []
        self._found: set[int] = set()
        self._best: float | None = None
        self._ways = 0

    def walk(self) -> Generator[Neighbors | Way, None, None]:
        """Neighbors actions to carry out, and ways as they end, best first."""
        node = self._view.graph.node(self._anchor)
        ref = NodeRef(id=node.id, name=node.name, type=node.type)
        yield from self._probe(Stand((), {self._anchor: Arrival(self._anchor, ref, (), None, 0.0, 0.0, 1)}))
        while self._agenda and self._now().steps_left > 0:
            option = min(self._agenda, key=lambda o: (-round(o.score, 4), self._about.plan.rank(o.way)))
            if not self._worth(option):
                break
            self._agenda.remove(option)
            if option.code is None:
                yield self._end(option.stand, option.score)
            else:
                yield from self._follow(option.stand, option.code)

    def _worth(self, option: Option) -> bool:
        """Whether a way is worth its steps: the first is; later ones while close to it, or while little was found."""
        if self._best is None:
            return True
        if self._ways > self._further_ways:
            return False
        behind = self._best - option.score
        return behind <= CLOSE_MARGIN or (len(self._found) < FILL and behind <= FILL_MARGIN)

    def _end(self, stand: Stand, score: float) -> Way:
        self._ways += 1
        if self._best is None:
            self._best = score
        self._found.update(stand.nodes)
        return Way(self._anchor, stand.route, list(stand.nodes.values()), score)

    # --- one hop ------------------------------------------------------------------------------------

    def _follow(self, stand: Stand, code: int) -> Generator[Neighbors | Way, None, None]:
        """Look around the nodes one stands on for a hop, and gather where it leads."""
        plan = self._about.plan
        type_ = self._view.roles.relations[code >> 1]
        route = (*stand.route, code)
        ends = len(plan.best_from(route).hops) == len(route)
        reached = Stand(route, {})
        back: dict[int, Arrival] = {}  # what leads back: kept only if nothing else is reached
        looked = 0
        for arrival in list(stand.nodes.values()):
            if code not in self._view.can(arrival.position):
                continue
            listing = stand.lists.get(arrival.position)
            if listing is None or not listing.shows(type_):
                spent = self._now().steps_left <= 1 or looked >= SWEEP
                if spent or (ends and len(reached.nodes) >= ENOUGH):
                    break
                looked += 1
                yield self._neighbors(stand, arrival, (type_,), f"the way by {said(type_, code)} promises most")
                listing = self._listing(stand.route)
                if listing is None:
                    continue
                stand.lists[arrival.position] = listing
            for entry in listing.entries:
                if entry.code == code:
                    _reach(back if entry.retraces else reached.nodes, entry, arrival, listing.source)
        if not reached.nodes:
            reached.nodes.update(back)
        if not reached.nodes:
            return
        here = plan.route(route)
        if ends or self._now().steps_left <= 1 or len(plan.best_from(route, self._can(reached)).hops) == len(route):
            yield self._end(reached, self._score(here))
        else:
            self._agenda.append(Option(reached, None, self._score(here), here))
            yield from self._probe(reached)

    def _can(self, stand: Stand) -> frozenset[int]:
        return frozenset().union(*(self._view.can(position) for position in stand.nodes))

    def _probe(self, stand: Stand) -> Generator[Neighbors, None, None]:
        """Look around one node of a stand, and put the ways that lead on from there on the agenda."""
        plan = self._about.plan
        can = self._can(stand)
        wanted = None
        if stand.route:
            way = plan.best_from(stand.route, can)
            wanted = way.hops[len(stand.route)] if len(way.hops) > len(stand.route) else None
        one = next((a for a in stand.nodes.values() if wanted is None or wanted in self._view.can(a.position)), None)
        if one is None or self._now().steps_left <= 1:  # the last step is kept for appending
            return
        many = self._view.degree(one.position) > self._config.neighbors_k
        types = self._plausible(stand.route, one.position) if many else ()
        reason = "one of them shows where to go on" if stand.route else "look around the node that the question names"
        yield self._neighbors(stand, one, types, reason)
        listing = self._listing(stand.route)
        if listing is None:
            return
        stand.lists[one.position] = listing
        shown: dict[int, Entry] = {}
        for entry in listing.entries:
            if not entry.retraces:
                shown.setdefault(entry.code, entry)
        if len(stand.nodes) == 1:
            self._agenda.extend(Option(stand, code, entry.score, entry.way) for code, entry in shown.items())
            return
        for code in sorted(can):  # the others of the hop may lead where this one does not
            if self._view.roles.kept[code]:
                way = plan.best_from((*stand.route, code))
                self._agenda.append(Option(stand, code, self._score(way), way))

    def _plausible(self, route: Codes, position: int) -> tuple[str, ...]:
        """The relations of a node that promise most."""
        roles = self._view.roles
        codes = [code for code in self._view.can(position) if roles.kept[code]]
        ways = sorted(codes, key=lambda code: (-self._about.plan.best_from((*route, code)).value, code))
        return tuple(dict.fromkeys(roles.relations[code >> 1] for code in ways))[:PROBED_TYPES]

    def _neighbors(self, stand: Stand, arrival: Arrival, types: tuple[str, ...], reason: str) -> Neighbors:
        return Neighbors(
            arrival.position,
            self._subquery(stand.route),
            self._anchor,
            path=arrival.path,
            edge_types=types,
            source=arrival.source,
            reason=reason,
        )

    def _subquery(self, route: Codes) -> str:
        """The needs that the route so far does not explain; all of them when none is left."""
        texts = self._about.needs.texts
        if not route:
            return " ".join(texts)
        explained = self._about.plan.route(route).explained
        return " ".join([t for t, value in zip(texts, explained, strict=True) if value < OPEN_NEED] or texts)

    def _listing(self, route: Codes) -> Listing | None:
        """The list that the last step holds, in order of the module's scores, or of plain similarity without it."""
        state, view = self._now(), self._view
        last = state.last
        assess = last if isinstance(last, AssessStep) else None
        hop: CaraStep | None = state.steps[assess.source - 1] if assess and assess.source else last
        if not isinstance(hop, NeighborsStep):
            return None
        scores = {a.id: a.score for a in assess.assessments[: assess.kept]} if assess else None
        entries = []
        for candidate in hop.candidates:
            position = state.positions[candidate.node.id]
            codes = view.codes(candidate.links)
            fresh = view.fresh(hop.anchor.id, hop.path, route, candidate.node.id, codes)
            way = self._about.way(route, fresh or codes, view, position)
            if scores is None:
                score: float | None = way.value + OWN_WORDS * self._about.own_words(way, view, position)[0]
            else:
                score = scores.get(candidate.node.id)
            if score is None:  # cut by r of CARA-4, or not judged
                continue
            code = way.hops[len(route)]
            taken = Hop.model_construct(link=candidate.links[codes.index(code)], node=candidate.node)
            entries.append(Entry(position, code, score, taken, way, not fresh))
        entries.sort(key=lambda e: -round(e.score, 9))
        return Listing(assess.index if assess else hop.index, entries, hop.total <= hop.k, hop.edge_types)

    def _score(self, route: Route) -> float:
        """s of a route for the run's weights; its plain value without the module."""
        if not self._config.assess:
            return route.value
        return judge(route).score(self._config.lambda_, self._config.alpha)


def _reach(nodes: dict[int, Arrival], entry: Entry, through: Arrival, source: int) -> None:
    known = nodes.get(entry.position)
    walked = through.walked + entry.score
    if known is None:
        path = (*through.path, entry.hop)
        nodes[entry.position] = Arrival(
            entry.position, entry.hop.node, path, source, entry.score, walked, through.paths
        )
    else:
        known.paths += through.paths
        known.score = max(known.score, entry.score)
        known.walked = max(known.walked, walked)


def said(type_: str, code: int) -> str:
    """A hop in words."""
    return f"'{type_}' backwards" if code & 1 else f"'{type_}'"
