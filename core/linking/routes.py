"""Routes: sequences of hops over the role graph of a schema, and how well each explains a question.

A route is a tuple of hop codes (see `roles`). All terms of many routes are computed at once. `RoutePlan`
explores the routes that may start at a node and answers what the best way on is from any beginning of one.
Not here: nodes; a route is a plan, which a walk over the graph then meets or not.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.linking.lens import Needs
from core.linking.roles import Roles
from core.linking.similarity import Floats

Codes = tuple[int, ...]

MAX_HOPS = 3  # how far ahead a route is planned
BEAM = 60  # routes kept for lengthening
SECOND_NEED = 0.6  # share of a further need that the same hop explains
NEXT_NEED = 0.9  # the same, when it stands beside the first
KIND_LICENCE = 0.6  # share of the answer fit by which the question word licenses the last hop
ORDER_MARGIN = 0.25  # what an assignment against the order costs when needs are given out
APPOSITION_SHARE = 0.5  # by which a need that the mention's class explains loses its power to license
CUE_LICENCE = 0.8  # of the first hop's licence, for coming back by the same relation where a cue asks for it
CUE_CONFIDENCE = 0.3  # similarity from which the need that a cue points at tells which turn is meant
TWICE = 0.5  # similarity from which two needs ask for the same relation twice
ASSIGNED_AT_ONCE = 2_000_000  # assignments compared in one array: 16 MB
SPEAKING = 16  # needs that may license hops, the clearest ones
FAINT = 0.02  # a need that no hop explains better than this licenses none


@dataclass(frozen=True, eq=False)
class RouteTerms:
    """Terms of R routes, (R,) each, in [0, 1] but for `back`, `hops` and `reverse`.

    coverage: share of the need explained; licence_mean, licence_min: how well each hop is licensed by a need of
    its own; inversions: share of consecutive hops against the question's order; answer: fit of the last arrival;
    back: going back by the same relation, uncalled for (+1) or asked for (-1), and a strong cue unmet (+1);
    hops; reverse: how many hops go against their relation into no class that is spoken of.
    explained (R, n): how far each need is explained. licensed_by (R, h): the need assigned to each hop, n: none.
    """

    coverage: Floats
    licence_mean: Floats
    licence_min: Floats
    inversions: Floats
    answer: Floats
    back: Floats
    hops: Floats
    reverse: Floats
    explained: Floats
    licensed_by: NDArray[np.int64]
    licences: Floats


class RouteScorer:
    """Computes the terms of routes for one question from one node's place in the schema."""

    def __init__(self, roles: Roles, needs: Needs, first_hops: Collection[int] = ()) -> None:
        self.roles = roles
        self.needs = needs
        n = len(needs.weight)
        self.total = max(float(needs.weight.sum()), 1e-6)
        self.class_support = needs.arrival.max(axis=1, initial=0.0)
        # What the anchor itself explains: a word before its name that names its class.
        self.given = np.zeros(n)
        appositive = needs.question.apposition
        if appositive is not None and first_hops:
            self.given[appositive] = float(needs.anchor[list(first_hops), appositive].max())
        both = np.maximum(needs.edge, needs.arrival)
        licence = both * (1 - APPOSITION_SHARE * self.given)
        clearest = licence.max(axis=0, initial=0.0)
        speaking = np.flatnonzero(clearest > FAINT)
        self._speaking = np.sort(speaking[np.argsort(-clearest[speaking], kind="stable")[:SPEAKING]])
        self._licence = licence[:, self._speaking]
        # distances of the needs that can license, then of the question word, which is farthest
        self._distance = np.append(needs.distance[self._speaking], needs.distance.max(initial=0.0) + 1.0)
        self._against = self._distance[:, None] > self._distance[None, :]
        self._back = roles.canonical ^ 1
        self._called_for = self._cue_strength()

    def _cue_strength(self) -> Floats:
        """(2T,) how far a cue calls for going out by each hop and back: by the need that it points at.

        Where no hop explains that need, the cue may mean any.
        """
        needs = self.needs
        target = needs.question.cue_target
        if target is None:
            return np.ones(self.roles.hops)
        strength = np.maximum(needs.edge[:, target], needs.arrival[:, target])
        best = float(strength.max(initial=0.0))
        return strength / best if best >= CUE_CONFIDENCE else np.ones(self.roles.hops)

    def terms(self, routes: NDArray[np.int64]) -> RouteTerms:
        """All terms of (R, h) routes of h hops each."""
        needs = self.needs
        count, hops = routes.shape
        explained = self._explained(routes)
        answer = needs.fit[routes[:, -1]] if needs.answer_known else np.zeros(count)
        licences, assigned = self._assign(routes, answer)
        turns = (
            self.roles.canonical[routes[:, 1:]] == self._back[routes[:, :-1]]
            if hops > 1
            else np.zeros((count, 0), bool)
        )
        back = np.zeros(count)
        met = np.zeros(count)  # how far the route does what a cue asks for
        if hops > 1:
            if needs.question.cue:
                called_for = turns * self._called_for[routes[:, :-1]]  # (R, h - 1) how far the cue means this turn
                for k in range(1, hops):
                    called = CUE_LICENCE * licences[:, k - 1] * called_for[:, k - 1]
                    licences[:, k] = np.maximum(licences[:, k], called)
                met = called_for.max(axis=1)
                back -= met
            else:
                twice = (needs.edge > TWICE).sum(axis=1) >= 2
                back += (turns & ~twice[routes[:, 1:]]).any(axis=1)
        if needs.question.strong_cue:
            back += 1 - met
        inversions = np.zeros(count)
        if hops > 1:
            both = (licences[:, :-1] > 0) & (licences[:, 1:] > 0)
            inversions = (self._against[assigned[:, :-1], assigned[:, 1:]] & both).sum(axis=1) / (hops - 1)
        backwards = (routes & 1) * (1 - self.class_support[routes])
        names = np.append(self._speaking, len(needs.weight))
        return RouteTerms(
            coverage=explained @ needs.weight / self.total,
            licence_mean=licences.mean(axis=1),
            licence_min=licences.min(axis=1),
            inversions=inversions,
            answer=answer,
            back=back,
            hops=np.full(count, float(hops)),
            reverse=backwards.sum(axis=1),
            explained=explained,
            licensed_by=names[assigned],
            licences=licences,
        )

    def _explained(self, routes: NDArray[np.int64]) -> Floats:
        """(R, n): each hop explains one need in full by its relation and one by the class it arrives in.

        Further needs count less, so that a route must spend hops to explain different words.
        """
        needs = self.needs
        rows = np.arange(len(routes))
        explained = np.tile(self.given, (len(routes), 1))
        if not explained.shape[1]:
            return explained
        beside = np.flatnonzero(needs.adjacent)
        # Arrivals first: a word that names the class reached must not use up what the relation has to say.
        for table in (needs.arrival, needs.edge):
            for k in range(routes.shape[1]):
                says = table[routes[:, k]]
                first = np.argmax(says * needs.weight * (explained < says), axis=1)
                gain = says * SECOND_NEED
                gain[rows, first] = says[rows, first]
                for i in beside:
                    for one, other in ((i, i + 1), (i + 1, i)):
                        near = first == one
                        gain[near, other] = np.maximum(gain[near, other], NEXT_NEED * says[near, other])
                explained = np.maximum(explained, gain)
        return explained

    def _assign(self, routes: NDArray[np.int64], answer: Floats) -> tuple[Floats, NDArray[np.int64]]:
        """(R, h) licences and the needs they come from: the best one-to-one assignment of hops to needs.

        The question word is one more need, for the last hop only. Up to 3 hops all assignments are compared
        at once, and one against the question's order costs a little; longer routes are assigned by licence alone.
        """
        count, hops = routes.shape
        needs = len(self._distance)
        part = max(1, ASSIGNED_AT_ONCE // max(needs, hops) ** hops)
        if count > part:
            pieces = [self._assign(routes[i : i + part], answer[i : i + part]) for i in range(0, count, part)]
            return np.concatenate([p[0] for p in pieces]), np.concatenate([p[1] for p in pieces])
        m = max(needs, hops)  # with fewer needs than hops, a hop may get none
        table = np.zeros((count, hops, m))
        table[:, :, : needs - 1] = self._licence[routes]
        if self.needs.kind:
            table[:, -1, needs - 1] = KIND_LICENCE * answer
        cost = np.zeros((m, m))
        cost[:needs, :needs] = ORDER_MARGIN * self._against
        diagonal = np.arange(m)
        if hops == 1:
            assigned = table[:, 0].argmax(axis=1)[:, None]
        elif hops == 2:
            total = table[:, 0, :, None] + table[:, 1, None, :] - cost
            total[:, diagonal, diagonal] = -4.0
            assigned = np.stack(np.unravel_index(total.reshape(count, -1).argmax(axis=1), (m, m)), axis=1)
        elif hops == 3:
            pair = table[:, 0, :, None] + table[:, 1, None, :] - cost  # (R, first, second)
            pair[:, diagonal, diagonal] = -4.0
            last = table[:, 2, None, :] - cost  # (R, second, third)
            last[:, diagonal, diagonal] = -4.0
            triple = pair[:, :, :, None] + last[:, None, :, :]
            triple[:, diagonal, :, diagonal] = -8.0
            assigned = np.stack(np.unravel_index(triple.reshape(count, -1).argmax(axis=1), (m, m, m)), axis=1)
        else:
            from scipy.optimize import linear_sum_assignment

            assigned = np.array([linear_sum_assignment(-own)[1] for own in table], dtype=np.int64)
        licences = np.take_along_axis(table, assigned[:, :, None], axis=2)[:, :, 0]
        return licences, np.minimum(assigned, needs - 1)


@dataclass(frozen=True)
class Route:
    """One route with its terms, made from a row of `RouteTerms`."""

    hops: Codes
    value: float
    coverage: float
    licence_mean: float
    licence_min: float
    inversions: float
    answer: float
    back: float
    reverse: float
    explained: tuple[float, ...]
    licensed_by: tuple[int, ...]
    licences: tuple[float, ...]


Rank = tuple[float, int, float, Codes]  # what routes are sorted by: value, shortness, usual relations, codes
Valuation = Callable[[RouteTerms], Floats]


class RoutePlan:
    """The routes that may start with `first_hops`, and the best way on from any beginning of one.

    value: gives each route its value. Routes are compared by value (to 4 decimals), then the shorter,
    then the more frequent relations, then by code.
    """

    def __init__(
        self, roles: Roles, needs: Needs, first_hops: Sequence[int], value: Valuation, max_hops: int = MAX_HOPS
    ) -> None:
        self.scorer = RouteScorer(roles, needs, first_hops)
        self.max_hops = max_hops
        self._roles = roles
        self._value = value
        self._made: dict[Codes, Route] = {}
        self._rows: dict[Codes, tuple[Rank, RouteTerms, int]] = {}
        # beginning -> next hop or None (stop) -> best such route; the inner order is best first
        self._ways: dict[Codes, dict[int | None, Codes]] = {}
        first = np.array(sorted(h for h in first_hops if roles.kept[h]), dtype=np.int64)
        self._explored = sorted(self._explore(first[:, None]), key=self._rank)
        for key in self._explored:
            for length in range(1, len(key) + 1):
                following = key[length] if length < len(key) else None
                self._ways.setdefault(key[:length], {}).setdefault(following, key)

    # --- exploring ----------------------------------------------------------------------------------

    def _explore(self, routes: NDArray[np.int64]) -> list[Codes]:
        """Score the routes and, level by level, what the most promising ones can be lengthened to."""
        explored: list[Codes] = []
        while len(routes):
            terms = self.scorer.terms(routes)
            keys: list[Codes] = list(map(tuple, routes.tolist()))
            self._keep(routes, keys, terms)
            explored += keys
            if routes.shape[1] >= self.max_hops:
                break
            # The answer's part may come later, so what is promising is judged without it.
            promise = np.round(terms.coverage + terms.licence_mean, 4)
            chosen = routes[np.argsort(-promise, kind="stable")[:BEAM]]
            rows, following = np.nonzero(self._roles.follows[chosen[:, -1]])
            routes = np.concatenate([chosen[rows], following[:, None]], axis=1)
        return explored

    def _keep(self, routes: NDArray[np.int64], keys: list[Codes], terms: RouteTerms) -> None:
        values = np.round(self._value(terms), 4).tolist()
        usual = np.round(self._roles.frequency[routes >> 1].sum(axis=1), 6).tolist()
        for row, (key, value, often) in enumerate(zip(keys, values, usual, strict=True)):
            self._rows[key] = ((-value, len(key), -often, key), terms, row)

    def _rank(self, key: Codes) -> Rank:
        return self._rows[key][0]

    # --- asking -------------------------------------------------------------------------------------

    def route(self, hops: Codes) -> Route:
        """The route with its terms; it is scored now if exploring had left it out."""
        made = self._made.get(hops)
        if made is None:
            if hops not in self._rows:
                row_of_one = np.array([hops], dtype=np.int64)
                self._keep(row_of_one, [hops], self.scorer.terms(row_of_one))
            rank, terms, row = self._rows[hops]
            made = Route(
                hops=hops,
                value=-rank[0],
                coverage=float(terms.coverage[row]),
                licence_mean=float(terms.licence_mean[row]),
                licence_min=float(terms.licence_min[row]),
                inversions=float(terms.inversions[row]),
                answer=float(terms.answer[row]),
                back=float(terms.back[row]),
                reverse=float(terms.reverse[row]),
                explained=tuple(terms.explained[row].tolist()),
                licensed_by=tuple(terms.licensed_by[row].tolist()),
                licences=tuple(terms.licences[row].tolist()),
            )
            self._made[hops] = made
        return made

    def best_from(self, beginning: Codes, can: Collection[int] | None = None) -> Route:
        """The best route that begins so, stopping there or going on by one of the hops `can` (None: any)."""
        ways = self._ways.get(beginning) or self._ways_beyond(beginning)
        for following, key in ways.items():
            if following is None or can is None or following in can:
                return self.route(key)
        return self.route(beginning)

    def rank(self, route: Route) -> Rank:
        """What routes are sorted by."""
        return self._rank(route.hops)

    def better(self, one: Route, other: Route) -> bool:
        """Whether `one` ranks before `other`."""
        return self._rank(one.hops) < self._rank(other.hops)

    def best(self) -> Route | None:
        """The best route of all; None where no hop leads anywhere."""
        return self.route(self._explored[0]) if self._explored else None

    def ranked(self) -> list[Route]:
        """All routes explored from the start, best first."""
        return [self.route(key) for key in self._explored]

    def _ways_beyond(self, beginning: Codes) -> dict[int | None, Codes]:
        """The ways on from a beginning that exploring had left out; what was asked before changes nothing."""
        if len(beginning) >= self.max_hops:
            ways: dict[int | None, Codes] = {None: beginning}
            self.route(beginning)
        else:
            length = len(beginning)
            ways = {}
            for key in sorted(self._explore(np.array([beginning], dtype=np.int64)), key=self._rank):
                ways.setdefault(key[length] if len(key) > length else None, key)
        self._ways[beginning] = ways
        return ways
