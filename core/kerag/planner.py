"""The planner, offline: topics by their names, relations by what they say of the question (KERAG-1).

A relation stays when a word of the question speaks of it or of where it leads, when a promising route through the
schema takes it at this hop, or when it leads to values that the question compares; where there is room, it stays
unless it is plainly irrelevant. It is enough when the best route has been followed to its end and no part of the
question is left that a relation ahead speaks of. Not here: the walk (`neighbourhood`), the reasoning (`summariser`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.graph.contracts import Relation
from core.kerag.contracts import KeragConfig, Topics
from core.kerag.question_kind import Form, form_of
from core.kerag.reading import About, Reading
from core.kerag.steps import SchemaStep, SeenRelation, TopicStep
from core.kerag.topics import Named, TopicFinder
from core.linking.mentions import Mention
from core.linking.routes import Codes, Route
from core.linking.similarity import Floats
from core.llm.exchange import Exchange

Flags = NDArray[np.bool_]

DECIDED_BY = "offline planner"
ROUTE_MARGIN = 0.5  # how far behind the best route's value one may lie whose relations stay
ROUTES_READ = 40  # routes of a topic that are looked at
SPEAKS_OF = 0.5  # similarity from which a relation speaks of a part of the question
RIVAL = 0.75  # share of the best explanation of a part, below which a hop does not speak of it
ROOM = 200  # edges of a relation up to which there is room for one that is not plainly irrelevant
ANYTHING = 0.25  # similarity below which a relation is plainly irrelevant even so
AHEAD = 0.2  # similarity of the relation nearest to an open part, from which it is worth another hop
LEAST = 0.35  # similarity below which a relation off every promising route is plainly irrelevant
NEED_OF_WEIGHT = 0.3  # weight from which a part of the question is waited for
VALUES = 0.5  # share of values among a relation's neighbours, from which it leads to values


@dataclass(frozen=True, eq=False)
class _Topic:
    """A topic as the planner reads the question around it: its best routes, best first, by hop codes."""

    about: About
    routes: tuple[Route, ...]
    best: float
    both: Floats  # (2T, n) how well a hop explains each need, by its relation or by where it leads
    says: Floats  # (2T, n) the same, but 0 where another hop explains the need far better

    def share(self, beginning: Codes) -> float:
        """How near the best route that begins so comes to the best of all, in [0, 1]; 0: none within the margin."""
        for route in self.routes:
            if route.hops[: len(beginning)] == beginning:
                return max(0.0, 1 - max(0.0, self.best - route.value) / (2 * ROUTE_MARGIN))
        return 0.0


class OfflinePlanner:
    """Plans for one question."""

    decided_by = DECIDED_BY
    exchange: Exchange | None = None

    def __init__(self, reading: Reading, config: KeragConfig) -> None:
        self._reading = reading
        self._config = config
        self._topics: list[_Topic] = []
        self._form = Form("lookup")

    # --- step 1 -------------------------------------------------------------------------------------

    def topics(self) -> Topics:
        """The entities that the question names; the domain is the type they belong to."""
        named = TopicFinder(self._reading).find()
        self._take(named.positions, named.mentions)
        step = TopicStep(
            topics=named.topics,
            domain=next((t.node.type for t in named.topics if t.node.type), ""),
            question_kind=self._form.kind,
            reason=_topic_reason(named),
        )
        return Topics(step, named.positions)

    def resume(self, topics: Topics) -> None:
        """Read the question around topics that were found before."""
        question = self._reading.question
        mentions = [
            Mention(t.start, t.end, question[t.start : t.end], (position,), 0)
            for t, position in zip(topics.step.topics, topics.positions, strict=True)
        ]
        self._take(topics.positions, mentions)

    def _take(self, positions: Sequence[int], mentions: Sequence[Mention]) -> None:
        self._topics = [self._topic(p, m, mentions) for p, m in zip(positions, mentions, strict=True)]
        self._form = form_of(self._reading.question, [(m.start, m.end) for m in mentions])

    def _topic(self, position: int, mention: Mention, mentions: Sequence[Mention]) -> _Topic:
        about = self._reading.about(position, mention, mentions)
        routes = about.routes(ROUTES_READ)
        best = routes[0].value if routes else 0.0
        both = np.maximum(about.needs.edge, about.needs.arrival)
        says = np.where(both >= RIVAL * both.max(axis=0, initial=0.0), both, 0.0)
        return _Topic(about, tuple(r for r in routes if r.value >= best - ROUTE_MARGIN), best, both, says)

    # --- steps 3 and 4 ------------------------------------------------------------------------------

    def judge(self, hop: int, frontier: int, seen: Sequence[SeenRelation], earlier: Sequence[SchemaStep]) -> SchemaStep:
        """What stays at a hop, and whether it is enough."""
        before = self._followed(earlier)
        judged = tuple(self._judged(s, before) for s in seen)
        if not self._config.drop_relations:
            judged = tuple(
                s
                if s.kept or s.by == "hand"
                else s.model_copy(update={"kept": True, "reason": "nothing is left out in this run"})
                for s in judged
            )
        kept = frozenset(self._code(s) for s in judged if s.kept)
        covered, uncovered = self._parts(before, kept)
        more = self._further(before, kept, uncovered)
        return SchemaStep(
            hop=hop,
            frontier=frontier,
            relations=judged,
            covered=covered,
            uncovered=uncovered,
            enough=not more,
            decided_by=self.decided_by,
            reason=more or _enough_reason(uncovered, kept),
        )

    def _judged(self, seen: SeenRelation, before: Sequence[frozenset[int]]) -> SeenRelation:
        """One relation in view, with what speaks for it."""
        code = self._code(seen)
        direct, covers = self._speaks(code)
        share = max((self._route_share(topic, before, code) for topic in self._topics), default=0.0)
        left_open, what = self._left_open(code)
        relevance = max(direct, share)
        if seen.by == "hand":
            kept, reason = seen.kept, seen.reason
        elif not self._reading.roles.kept[code]:
            kept, reason = False, "says the same as another relation, backwards"
        elif share > 0:
            kept, reason = True, f"speaks of {_listed(covers)}" if covers else "lies on a way that fits the question"
        elif left_open >= (LEAST if seen.edges > ROOM else AHEAD):
            kept, reason = True, f"may speak of {_listed(what)}"
        elif seen.edges <= ROOM and (near := self._nearest(code))[0] >= ANYTHING:
            kept, reason = True, f"may speak of {_listed(near[1])}, and there is room for it"
        elif before and self._wants_values and self._reading.roles.numeric[code ^ 1] >= VALUES:
            kept, reason = True, "leads to values that can be compared"
        else:
            kept, reason = False, _beside(covers)
        return seen.model_copy(
            update={
                "relevance": round(relevance, 4),
                "covers": covers,
                "kept": kept,
                "reason": reason,
            }
        )

    def _speaks(self, code: int) -> tuple[float, tuple[str, ...]]:
        """How surely a part of the question speaks of this hop or of where it leads, and which parts do.

        A part that another hop explains far better says nothing of this one.
        """
        best, words = 0.0, dict[str, None]()
        for topic in self._topics:
            for text, value in zip(topic.about.needs.texts, topic.says[code].tolist(), strict=True):
                best = max(best, value)
                if value >= SPEAKS_OF:
                    words.setdefault(text)
        return best, tuple(words)

    def _nearest(self, code: int) -> tuple[float, tuple[str, ...]]:
        """The part of the question that is nearest to a hop, whatever explains it better."""
        found = [
            (value, text)
            for topic in self._topics
            for text, value in zip(topic.about.needs.texts, topic.both[code].tolist(), strict=True)
        ]
        best, text = max(found, default=(0.0, ""))
        return best, (text,)

    def _left_open(self, code: int) -> tuple[float, tuple[str, ...]]:
        """The same for the parts that the best route leaves unexplained: what speaks of other hops is met there."""
        found = [
            (value, text)
            for topic in self._topics
            for n, (text, value) in enumerate(zip(topic.about.needs.texts, topic.says[code].tolist(), strict=True))
            if not topic.routes or topic.routes[0].explained[n] < SPEAKS_OF
        ]
        best, text = max(found, default=(0.0, ""))
        return best, (text,) if text else ()

    def _route_share(self, topic: _Topic, before: Sequence[frozenset[int]], code: int) -> float:
        """How good the best promising route is that was followed so far and goes on by this hop."""
        hop = len(before)
        for route in topic.routes:
            followed = len(route.hops) > hop and route.hops[hop] == code
            if followed and all(c in kept for c, kept in zip(route.hops, before, strict=False)):
                return topic.share(route.hops)
        return 0.0

    # --- is it enough -------------------------------------------------------------------------------

    def _parts(self, before: Sequence[frozenset[int]], now: frozenset[int]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Parts of the question that kept relations speak of, and those that matter and are still open.

        A part that the best route explains later on is open until then, whatever else sounds like it.
        """
        followed = [*before, now]
        covered: dict[str, None] = {}
        missing: dict[str, None] = {}
        for topic in self._topics:
            needs = topic.about.needs
            reached = frozenset().union(*followed)
            codes = sorted(reached)
            spoken = topic.says[codes].max(axis=0, initial=0.0) if codes else np.zeros(len(needs.texts))
            later = self._explained_later(topic, followed)
            for n, text in enumerate(needs.texts):
                if spoken[n] >= SPEAKS_OF and n not in later:
                    covered.setdefault(text)
                elif needs.weight[n] >= NEED_OF_WEIGHT and topic.about.plan.scorer.given[n] < SPEAKS_OF:
                    missing.setdefault(text)
        return tuple(covered), tuple(text for text in missing if text not in covered)

    def _explained_later(self, topic: _Topic, followed: Sequence[frozenset[int]]) -> frozenset[int]:
        """Needs that license a hop of the best route that has not been followed yet."""
        best = self._best_following(topic, followed)
        if best is None:
            return frozenset()
        return frozenset(best.licensed_by[len(followed) :]) - {len(topic.about.needs.texts)}

    def _best_following(self, topic: _Topic, followed: Sequence[frozenset[int]]) -> Route | None:
        """The best promising route whose hops so far were kept."""
        for route in topic.routes:
            if all(code in kept for code, kept in zip(route.hops, followed, strict=False)):
                return route
        return None

    def _further(self, before: Sequence[frozenset[int]], now: frozenset[int], uncovered: Sequence[str]) -> str:
        """Why another hop is needed; "" when this is enough."""
        if not now:
            return ""
        followed = [*before, now]
        for topic in self._topics:
            best = self._best_following(topic, followed)
            if best is not None and len(best.hops) > len(followed):
                ahead = self._reading.roles.relation(best.hops[len(followed)])
                return f"'{ahead.type}' is still ahead" + (f" for {_listed(uncovered)}" if uncovered else "")
        ahead_of: Flags = np.asarray(self._reading.roles.follows[sorted(now)].any(axis=0), dtype=np.bool_)
        for topic in self._topics:
            for n, text in enumerate(topic.about.needs.texts):
                if text in uncovered and (topic.says[ahead_of, n] >= AHEAD).any():
                    return f"“{text}” is still open, and a relation further on speaks of it"
        if self._wants_values and not self._values_met(followed) and self._values_ahead(ahead_of):
            return "values to compare lie one hop further"
        return ""

    @property
    def _wants_values(self) -> bool:
        """Whether values are to be compared with each other or with a bound."""
        return bool(self._form.tests or (self._form.extreme and self._form.extreme.dimensions))

    def _values_met(self, followed: Sequence[frozenset[int]]) -> bool:
        return any(self._reading.roles.numeric[code ^ 1] >= VALUES for kept in followed for code in kept)

    def _values_ahead(self, ahead_of: Flags) -> bool:
        return bool((self._reading.roles.numeric[np.flatnonzero(ahead_of) ^ 1] >= VALUES).any())

    def _followed(self, earlier: Sequence[SchemaStep]) -> list[frozenset[int]]:
        """The hop codes that were kept at each hop so far."""
        return [frozenset(self._code(s) for s in step.relations if s.kept) for step in earlier]

    def _code(self, seen: SeenRelation) -> int:
        return self._reading.code(Relation(seen.relation, seen.direction))


def _topic_reason(named: Named) -> str:
    unknown = f"the graph has no node called {_listed(named.unknown)}" if named.unknown else ""
    if not named.topics:
        return unknown or "the question names no node of the graph"
    name = "the question names it" if len(named.topics) == 1 else "the question names them"
    return "; ".join(part for part in (name, *named.why, unknown) if part)


def _enough_reason(uncovered: Sequence[str], kept: frozenset[int]) -> str:
    if not kept:
        return "nothing in view speaks of the question"
    if uncovered:
        return f"no relation further on speaks of {_listed(uncovered)}"
    return "every part of the question that the graph can speak of is covered"


def _beside(covers: Sequence[str]) -> str:
    """Why a relation is plainly irrelevant here."""
    if covers:
        return f"at this hop no way that fits the question takes it, though {_listed(covers)} speaks of it"
    return "no part of the question speaks of it"


def _listed(words: Sequence[str]) -> str:
    return ", ".join(f"“{word}”" for word in words)
