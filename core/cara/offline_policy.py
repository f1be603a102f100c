"""The agent, offline: which action comes next, from what the walk has shown (CARA-5).

It searches for the nodes that the question names, looks around one of them, and follows the candidates that
the causal module puts first (without the module: those of the plainest similarity). One node of a hop is looked around
first; when the list shows where to go on, the other nodes of that hop are looked around too. What a way ends in is
appended; then come the next best ways, while they are close or little was found. Not here: scores (`offline_reading`),
the loop (`agent`).
"""

from __future__ import annotations

import zlib
from collections.abc import Generator
from dataclasses import dataclass, field

from core.cara.contracts import Action, AgentState, Append, CaraConfig, Finish, GlobalSearch, Neighbors, Pick
from core.cara.offline_reading import About, Reading, judge
from core.cara.steps import (
    AssessStep,
    CaraStep,
    Exchange,
    GlobalSearchStep,
    Hop,
    NeighborsStep,
    ReadQuestion,
    Span,
)
from core.linking.mentions import Mention, find_mentions, subqueries
from core.linking.question import read_question
from core.linking.routes import Codes, Route
from core.trace import NodeRef

DECIDED_BY = "offline policy"
ENOUGH = 25  # distinct nodes at the end of a way, after which no further node of the hop before is looked around
SWEEP = 45  # nodes of one hop that are looked around at most
FILL = 20  # nodes appended, below which a further way may be walked
FILL_MARGIN, CLOSE_MARGIN = (
    0.08,
    0.01,
)  # how far behind the best way (in s) one may lie to be walked: to fill up, or always
FURTHER_WAYS = 4  # walked at most after the best one
APPENDED = 100  # nodes of one way that are appended at most
PROBED_TYPES = 3  # relations by which a node of many neighbours is looked around first
MENTION_MARGIN = 0.1  # how far behind the best anchor's way another mention's may lie

Steps = Generator[Action, None, None]


@dataclass(slots=True)
class Arrival:
    """A node reached by a route: by which path first, from which list, and by how many paths in all."""

    position: int
    node: NodeRef
    path: tuple[Hop, ...]
    source: int | None
    score: float
    paths: int


@dataclass(slots=True)
class Entry:
    """A candidate in a list: the link that is taken to it (hop code), and its score."""

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
        """Whether every neighbour by this relation is in it (or as many as one list can hold)."""
        return (self.complete and (not self.types or type_ in self.types)) or self.types == (type_,)


@dataclass(slots=True)
class Stand:
    """The nodes that one route led to, and what looking around them showed."""

    route: Codes
    nodes: dict[int, Arrival]
    lists: dict[int, Listing] = field(default_factory=dict)


@dataclass(slots=True)
class Option:
    """A way that may be walked: from the nodes of `stand` by hop `code`; None: append these nodes."""

    stand: Stand
    code: int | None
    score: float
    way: Route


class OfflinePolicy:
    """One agent's policy on one question."""

    decided_by = DECIDED_BY
    exchange: Exchange | None = None

    def __init__(self, reading: Reading, config: CaraConfig, agent: int, encoder: str) -> None:
        self._reading = reading
        self._view = reading.view
        self._config = config
        self._agent = agent
        self._encoder = encoder
        self._state: AgentState | None = None
        self._walk: Steps | None = None
        self._names: dict[int, str] = {}
        self._appended: set[int] = set()
        self._best: float | None = None
        self._ways = 0

    # --- the contract -------------------------------------------------------------------------------

    def read(self, state: AgentState) -> ReadQuestion:
        """How the question is understood before any search: names, needs, and what is asked for."""
        named = next((q.text for q in subqueries(state.question) if q.sure), "")
        start = state.question.find(named) if named else -1
        mention = Mention(start, start + len(named), named, (), 0) if start >= 0 else None
        parsed = read_question(state.question, mention)
        needs = self._reading.lens.needs(parsed)
        spans = []
        if mention:
            spans.append(Span(start=mention.start, end=mention.end, text=mention.text, role="mention"))
        for n, i in enumerate(parsed.needs):
            word = parsed.words[i]
            weight = round(float(needs.weight[n]), 4)
            spans.append(
                Span(
                    start=word.start,
                    end=word.end,
                    text=state.question[word.start : word.end],
                    role="need",
                    weight=weight,
                )
            )
        for word in parsed.words:
            if word.part == "cue":
                spans.append(
                    Span(start=word.start, end=word.end, text=state.question[word.start : word.end], role="cue")
                )
        spans.sort(key=lambda s: s.start)
        head = needs.texts[needs.head] if needs.head is not None else ""
        return ReadQuestion(
            encoder=self._encoder,
            spans=tuple(spans),
            expects=_expectation(needs.kind, head),
            reason="read by closed word classes and by similarity to the graph's relations and types",
        )

    def next_action(self, state: AgentState) -> Action:
        """The next action of the walk."""
        self._state = state
        if self._walk is None:
            self._walk = self._steps()
        return next(self._walk, Finish("nothing is left to do"))

    # --- the walk -----------------------------------------------------------------------------------

    @property
    def _now(self) -> AgentState:
        if self._state is None:
            raise RuntimeError("the walk has not begun")
        return self._state

    def _steps(self) -> Steps:
        yield from self._search()
        anchors = self._anchors()
        for anchor in anchors:
            yield from self._explore(anchor)
        if not self._appended and anchors and self._now.steps_left > 0:
            # No way from the anchors led anywhere else.
            yield Append(
                tuple(Pick(a) for a in anchors), "no way leads on, so the node that the question names is kept"
            )
        if not self._appended and not anchors:
            yield from self._append_hits()
        if self._appended:
            yield Finish(f"{len(self._appended)} nodes appended; no further way is worth its steps")
        yield Finish("nothing that the graph holds matches the question")

    def _search(self) -> Steps:
        """Search until the question's names are found: every sure subquery, the others only while none is."""
        for query in subqueries(self._now.question):
            found = self._mentions()
            if any(query.text in m.text for m in found) or (found and not query.sure):
                continue
            if self._now.steps_left <= 1:
                return
            why = "written like a name" if query.sure else "no name found yet"
            yield GlobalSearch(query.text, reason=why)

    def _mentions(self) -> tuple[Mention, ...]:
        names = [
            (self._now.positions[f.node.id], f.node.name)
            for step in self._now.steps
            if isinstance(step, GlobalSearchStep)
            for f in step.found
        ]
        return find_mentions(self._now.question, names)

    def _anchors(self) -> list[int]:
        """The nodes to start from: those of the surest mentions, the agent's own first.

        Of nodes of one name, and of several mentions, those that lead to a good way are taken.
        """
        mentions = self._mentions()
        if not mentions:
            return []
        surest = [m for m in mentions if m.tier == mentions[0].tier]
        rated: list[list[tuple[float, int]]] = []
        for mention in surest:
            of = [(self._promise(position), position) for position in mention.nodes]
            rated.append(sorted(of, key=lambda x: -x[0]))
        best = max(of[0][0] for of in rated)
        rated = [of for of in rated if of[0][0] >= best - MENTION_MARGIN]
        first = self._agent % len(rated)
        rated = rated[first:] + rated[:first]
        return [of[0][1] for of in rated]

    def _promise(self, position: int) -> float:
        """The value of the best route from a node; below every other for a node without links."""
        ways = self._about(position).plan.ranked()
        return ways[0].value if ways else -1.0

    def _about(self, position: int) -> About:
        return self._reading.about(position, self._config.assess)

    def _append_hits(self) -> Steps:
        """Without any name in the question, what the searches found is the evidence, best first."""
        picks: dict[int, Pick] = {}
        for step in self._now.steps:
            if isinstance(step, GlobalSearchStep):
                for found in step.found:
                    position = self._now.positions[found.node.id]
                    picks.setdefault(position, Pick(position, source=step.index, score=found.score))
        if picks and self._now.steps_left > 0:
            self._appended.update(picks)
            yield Append(
                tuple(picks.values())[:FILL], "the question names no node of the graph; these match its words best"
            )

    # --- from one anchor ----------------------------------------------------------------------------

    def _explore(self, anchor: int) -> Steps:
        """Walk the best way from the anchor, then further ones, best first."""
        node = self._view.graph.node(anchor)
        origin = Arrival(anchor, NodeRef(id=node.id, name=node.name, type=node.type), (), None, 0.0, 1)
        agenda: list[Option] = []
        yield from self._probe(anchor, Stand((), {anchor: origin}), agenda)
        while agenda and self._now.steps_left > 0:
            option = min(agenda, key=lambda o: (-round(o.score, 4), self._about(anchor).plan.rank(o.way)))
            if not self._worth(option):
                break
            agenda.remove(option)
            if option.code is None:
                yield from self._append(anchor, option.stand, option.score)
            else:
                yield from self._follow(anchor, option, agenda)

    def _worth(self, option: Option) -> bool:
        if self._best is None:
            return True
        if self._ways > FURTHER_WAYS:
            return False
        behind = self._best - option.score
        return behind <= CLOSE_MARGIN or (len(self._appended) < FILL and behind <= FILL_MARGIN)

    def _follow(self, anchor: int, option: Option, agenda: list[Option]) -> Steps:
        """Look around the nodes one stands on for a hop, and gather where it leads."""
        stand, code = option.stand, option.code
        assert code is not None
        type_ = self._view.roles.relations[code >> 1]
        about = self._about(anchor)
        route = (*stand.route, code)
        last = len(about.plan.best_from(route).hops) == len(route)
        reached = Stand(route, {})
        again: dict[int, Arrival] = {}  # what leads back: kept only if nothing else is reached
        looked = 0
        for arrival in list(stand.nodes.values()):
            if code not in self._view.can(arrival.position):
                continue
            listing = stand.lists.get(arrival.position)
            if listing is None or not listing.shows(type_):
                if self._now.steps_left <= 1 or looked >= SWEEP or (last and len(reached.nodes) >= ENOUGH):
                    break
                looked += 1
                yield self._neighbors(
                    anchor, arrival, about, stand.route, (type_,), f"{_said(type_, code)} is the way that promises most"
                )
                listing = self._listing(anchor, arrival, about, stand.route)
                if listing is None:
                    continue
                stand.lists[arrival.position] = listing
            for entry in listing.entries:
                if entry.code == code:
                    _reach(again if entry.retraces else reached.nodes, entry, arrival, listing.source)
        if not reached.nodes:
            reached.nodes.update(again)
        if not reached.nodes:
            return
        can = frozenset().union(*(self._view.can(p) for p in reached.nodes)) if not last else frozenset()
        way = about.plan.best_from(route, can)
        here = about.plan.route(route)
        if len(way.hops) == len(route) or self._now.steps_left <= 1:
            yield from self._append(anchor, reached, self._score(here))
        else:
            agenda.append(Option(reached, None, self._score(here), here))
            yield from self._probe(anchor, reached, agenda)

    def _probe(self, anchor: int, stand: Stand, agenda: list[Option]) -> Steps:
        """Look around one node of a stand, to see which ways lead on from there."""
        about = self._about(anchor)
        union = frozenset().union(*(self._view.can(p) for p in stand.nodes))
        way = about.plan.best_from(stand.route, union) if stand.route else None
        wanted = way.hops[len(stand.route)] if way and len(way.hops) > len(stand.route) else None
        arrival = next(
            (a for a in stand.nodes.values() if wanted is None or wanted in self._view.can(a.position)), None
        )
        if arrival is None or self._now.steps_left <= 0:
            return
        types: tuple[str, ...] = ()
        if self._view.degree(arrival.position) > self._config.neighbors_k:
            types = self._plausible(about, stand.route, arrival.position)
        where = (
            "look around the node that the question names" if not stand.route else "one of them shows where to go on"
        )
        yield self._neighbors(anchor, arrival, about, stand.route, types, where)
        listing = self._listing(anchor, arrival, about, stand.route)
        if listing is None:
            return
        stand.lists[arrival.position] = listing
        shown: dict[int, Entry] = {}
        for entry in listing.entries:
            if not entry.retraces:
                shown.setdefault(entry.code, entry)
        if len(stand.nodes) == 1:
            agenda.extend(Option(stand, code, entry.score, entry.way) for code, entry in shown.items())
            return
        # The others of the hop may lead where this one does not.
        for code in sorted(union | set(shown)):
            if code in shown or self._view.roles.kept[code]:
                way = about.plan.best_from((*stand.route, code))
                agenda.append(Option(stand, code, self._score(way), way))

    def _plausible(self, about: About, route: Codes, position: int) -> tuple[str, ...]:
        """The relations of a node that promise most."""
        codes = [c for c in self._view.can(position) if self._view.roles.kept[c]]
        ways = sorted(codes, key=lambda c: (-about.plan.best_from((*route, c)).value, c))
        types = dict.fromkeys(self._view.roles.relations[c >> 1] for c in ways)
        return tuple(types)[:PROBED_TYPES]

    def _neighbors(
        self, anchor: int, arrival: Arrival, about: About, route: Codes, types: tuple[str, ...], reason: str
    ) -> Neighbors:
        return Neighbors(
            arrival.position,
            self._subquery(about, route),
            anchor,
            path=arrival.path,
            edge_types=types,
            source=arrival.source,
            reason=reason,
        )

    def _subquery(self, about: About, route: Codes) -> str:
        """The needs that the route so far does not explain; all of them when none is left."""
        texts = about.needs.texts
        if route:
            explained = about.plan.route(route).explained
            open_needs = [t for t, value in zip(texts, explained, strict=True) if value < 0.5]
            return " ".join(open_needs or texts)
        return " ".join(texts)

    def _listing(self, anchor: int, arrival: Arrival, about: About, route: Codes) -> Listing | None:
        """The list that the last step holds, in order of the module's scores, or of plain similarity without it."""
        last = self._now.last
        assess = last if isinstance(last, AssessStep) else None
        steps = self._now.steps
        hop: CaraStep | None = steps[assess.source - 1] if assess and assess.source else last
        if not isinstance(hop, NeighborsStep):
            return None
        view = self._view
        entries = []
        scores = {a.id: a.score for a in assess.assessments[: assess.kept]} if assess else None
        for candidate in hop.candidates:
            position = self._now.positions[candidate.node.id]
            codes = view.codes(candidate.links)
            fresh = view.fresh(hop.anchor.id, hop.path, route, candidate.node.id, codes)
            way = about.way(route, fresh or codes, view, position)
            code = way.hops[len(route)]
            if scores is None:
                score = way.value
            elif candidate.node.id in scores:
                score = scores[candidate.node.id]
            else:
                continue
            link = candidate.links[codes.index(code)]
            entries.append(
                Entry(position, code, score, Hop.model_construct(link=link, node=candidate.node), way, not fresh)
            )
        entries.sort(key=lambda e: -round(e.score, 9))
        source = assess.index if assess else hop.index
        return Listing(source, entries, hop.total <= hop.k, hop.edge_types)

    def _score(self, route: Route) -> float:
        """s of stopping at the end of a route, for the run's weights."""
        if not self._config.assess:
            return route.value
        return judge(route).score(self._config.lambda_, self._config.alpha)

    def _append(self, anchor: int, stand: Stand, score: float) -> Steps:
        """Append the nodes of a stand: higher scores first, then those that more paths lead to."""
        new = [a for a in stand.nodes.values() if a.position not in self._appended]
        self._ways += 1
        if self._best is None:
            self._best = score
        if not new or self._now.steps_left <= 0:
            return
        new.sort(key=lambda a: (-round(a.score, 6), -a.paths, self._tie(a.node.id)))
        picks = [Pick(a.position, a.source, anchor, a.path, a.score) for a in new[:APPENDED]]
        self._appended.update(p.node for p in picks)
        way = " > ".join(_said(self._view.roles.relations[c >> 1], c) for c in stand.route)
        yield Append(tuple(picks), f"they end the way {way}")

    def _tie(self, id_: str) -> int:
        """An order among equals that differs by agent and seed."""
        return zlib.crc32(f"{self._config.seed}/{self._agent}/{id_}".encode())


def _reach(nodes: dict[int, Arrival], entry: Entry, through: Arrival, source: int) -> None:
    known = nodes.get(entry.position)
    if known is None:
        path = (*through.path, entry.hop)
        nodes[entry.position] = Arrival(entry.position, entry.hop.node, path, source, entry.score, through.paths)
    else:
        known.paths += through.paths
        known.score = max(known.score, entry.score)


def _said(type_: str, code: int) -> str:
    return f"'{type_}' backwards" if code & 1 else f"'{type_}'"


def _expectation(kind: str, head: str) -> str:
    """What the question looks for, in words."""
    article = f"a {kind}" if kind else ""
    if article and head:
        return f"{article}, named by {head!r}"
    return article or (f"what {head!r} names" if head else "")
