"""The outlook from one topic: what each part of the question says of each hop, and which routes promise to answer it.

A pure reading of one topic; what follows for the plan, the planner says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.kerag.reading import About
from core.linking.routes import Route
from core.linking.similarity import Floats
from core.linking.words import MEASURES

ROUTE_MARGIN = 0.5  # how far behind the best route's value one may lie that promises to answer
ROUTES_READ = 40  # routes that are looked at
RIVAL = 0.75  # share of the best explanation of a part, below which a hop does not speak of it
SPEAKS_OF = 0.5  # similarity from which a hop speaks of a part of the question
EXPLAINS = 0.1  # share of the question from which a route explains any of it
NEED_OF_WEIGHT = 0.3  # weight from which a part of the question is waited for

Followed = Sequence[frozenset[int]]  # the hop codes that were kept at each hop


@dataclass(frozen=True, eq=False)
class Outlook:
    """T relations, n parts (needs) of the question. routes: the promising ones, best first.

    both (2T, n): how well a hop explains each part, by its relation or by where it leads. says (2T, n): the same, but 0
    where another hop explains the part far better.
    """

    about: About
    routes: tuple[Route, ...]
    both: Floats
    says: Floats

    @classmethod
    def of(cls, about: About) -> Outlook:
        """The outlook of a question read around a topic."""
        routes = about.routes(ROUTES_READ)
        near = tuple(r for r in routes if r.value >= routes[0].value - ROUTE_MARGIN)
        both = np.maximum(about.needs.edge, about.needs.arrival)
        return cls(about, near, both, np.where(both >= RIVAL * both.max(axis=0, initial=0.0), both, 0.0))

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts of the question, as words."""
        return self.about.needs.texts

    def spoken_by(self, code: int) -> tuple[str, ...]:
        """The parts that speak of a hop or of where it leads, and of no other hop far better."""
        return tuple(t for t, value in zip(self.parts, self.says[code].tolist(), strict=True) if value >= SPEAKS_OF)

    def nearest(self, code: int) -> tuple[float, str]:
        """The part that is nearest to a hop, whatever explains it better, and how near."""
        return max(zip(self.both[code].tolist(), self.parts, strict=True), default=(0.0, ""))

    def left_open(self, code: int) -> tuple[float, str]:
        """The same of the parts that the best route leaves unexplained: the others are met elsewhere."""
        explained = self.routes[0].explained if self.routes else (0.0,) * len(self.parts)
        found = zip(self.says[code].tolist(), self.parts, explained, strict=True)
        return max(((value, part) for value, part, by_route in found if by_route < SPEAKS_OF), default=(0.0, ""))

    def share(self, before: Followed, code: int) -> float:
        """How near the best of all the best promising route comes that was followed so far and goes on by this hop.

        In [0.5, 1]; 0 where none does.
        """
        hop = len(before)
        for route in self.routes:
            if len(route.hops) > hop and route.hops[hop] == code and _kept(route, before):
                return 1 - (self.routes[0].value - route.value) / (2 * ROUTE_MARGIN)
        return 0.0

    @property
    def mute(self) -> bool:
        """Whether no promising route explains anything of the question: then none is better than another."""
        return max((route.coverage for route in self.routes), default=0.0) < EXPLAINS

    def following(self, followed: Followed) -> Route | None:
        """The best promising route whose hops so far were kept."""
        return next((route for route in self.routes if _kept(route, followed)), None)

    def awaits(self, n: int, extreme: tuple[int, int]) -> bool:
        """Whether part n must be covered: it has weight, the topic does not meet it, and it is no mere measure.

        extreme: where the question says "most", "oldest" and the like, which no relation speaks of.
        """
        needs = self.about.needs
        word = needs.question.words[needs.question.needs[n]]
        if word.text in MEASURES or extreme[0] <= word.start < extreme[1]:
            return False
        return bool(needs.weight[n] >= NEED_OF_WEIGHT and self.about.plan.scorer.given[n] < SPEAKS_OF)


def _kept(route: Route, followed: Followed) -> bool:
    """Whether the hops of a route were kept, as far as both go."""
    return all(code in kept for code, kept in zip(route.hops, followed, strict=False))
