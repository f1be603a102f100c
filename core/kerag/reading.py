"""A question against a graph, as KERAG reads it offline: the lens on the schema, and what leads on from a topic.

All here is a pure function of graph, encoders and question.
Not here: any decision (`planner`, `programs`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from core.graph.contracts import Graph, Relation
from core.linking.lens import Lens, Needs
from core.linking.mentions import Mention
from core.linking.question import Question, read_question
from core.linking.roles import Roles
from core.linking.routes import Codes, Route, RoutePlan, RouteTerms
from core.linking.similarity import Floats

# Weights of a route's terms: the need that it explains, how well each hop is licensed by a word of its own, whether
# it arrives at what is asked for; against it: the question's order reversed, to and fro, length, hops backwards.
COVERAGE, LICENCE, LEAST_LICENCE, ANSWER = 1.4, 0.93, 0.465, 0.6
INVERSION, BACK, HOP, REVERSE = 0.45, 0.5, 0.1, 0.12


def route_value(terms: RouteTerms) -> Floats:
    """(R,) how well routes explain the question; about 0 for one that explains nothing, 3.4 at best."""
    for_it = COVERAGE * terms.coverage + LICENCE * terms.licence_mean + LEAST_LICENCE * terms.licence_min
    against = INVERSION * terms.inversions + BACK * terms.back + HOP * terms.hops + REVERSE * terms.reverse
    return np.asarray(for_it + ANSWER * terms.answer - against, dtype=np.float64)


@dataclass(frozen=True, eq=False)
class About:
    """A question read around one topic: its parse, its needs, and the routes that lead on from there."""

    mention: Mention | None
    question: Question
    needs: Needs
    plan: RoutePlan

    @property
    def promise(self) -> float:
        """The value of the best route; -1 where none leads on."""
        best = self.plan.best()
        return best.value if best else -1.0

    def routes(self, most: int) -> list[Route]:
        """The best routes, best first."""
        return self.plan.ranked()[:most]


class Reading:
    """One question through one lens, around any node of the graph."""

    def __init__(self, graph: Graph, lens: Lens, question: str) -> None:
        self.graph = graph
        self.lens = lens
        self.question = question
        self._about: dict[tuple[int, Mention | None, tuple[Mention, ...]], About] = {}

    @property
    def roles(self) -> Roles:
        """The role graph of the schema."""
        return self.lens.roles

    def about(self, position: int, mention: Mention | None, others: Iterable[Mention] = ()) -> About:
        """The question around the node at `position`, which `mention` names; the words of `others` are no needs."""
        hidden = tuple(m for m in others if m != mention)
        key = (position, mention, hidden)
        known = self._about.get(key)
        if known is None:
            parsed = read_question(without(self.question, hidden), mention)
            needs = self.lens.needs(parsed)
            known = self._about[key] = About(
                mention, parsed, needs, RoutePlan(self.roles, needs, sorted(self.leaving(position)), route_value)
            )
        return known

    def leaving(self, position: int) -> frozenset[int]:
        """The hop codes that leave a node."""
        return frozenset(self.code(Relation(r.type, r.direction)) for r in self.graph.node(position).relations)

    def code(self, relation: Relation) -> int:
        """The hop code of a relation in a direction. KeyError for one the schema lacks."""
        return self.roles.code(relation)

    def relations(self, hops: Codes) -> tuple[Relation, ...]:
        """Hop codes as relations."""
        return tuple(self.roles.relation(hop) for hop in hops)


def without(question: str, mentions: Sequence[Mention]) -> str:
    """The question with other names blotted out by a word that asks for nothing, so that places stay as they are."""
    for m in mentions:
        length = m.end - m.start
        question = question[: m.start] + "it"[:length].ljust(length) + question[m.end :]
    return question
