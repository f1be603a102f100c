"""From a question to a program: its form says what is done at the end, its topics and relations what is done before.

One builder per question. It looks into the triples only to choose between ways that the question explains about
equally well, and to see which relation gives a value. Not here: the form (`question_kind`), the routes (`ways`),
running the program (`evaluator`).
"""

from __future__ import annotations

from collections.abc import Sequence

from core.kerag.evaluator import nodes_of
from core.kerag.measures import Measures
from core.kerag.program import Operation, Program, Way
from core.kerag.question_kind import Extreme, Form, Span
from core.kerag.reading import ANSWER, BACK
from core.kerag.steps import Topic
from core.kerag.triples import Places
from core.kerag.values import parse_value
from core.kerag.ways import NUMERIC, Around, Ways, family
from core.kerag.working import UnknownError
from core.linking.routes import Codes, Route
from core.linking.words import EVERYDAY_WORDS, MEASURES, lemma, stem

LEAST_COVERAGE = 0.4  # of the question's need by a way, below which every word that is not a general one must be met
SPOKEN = 0.3  # licence of a hop on the way to a value, from which the question speaks of it
EXPLAINED = 0.3  # of a need, from which it is met
_GENERAL_STEMS = frozenset(map(stem, EVERYDAY_WORDS))


class ProgramBuilder:
    """Writes the program of one question."""

    def __init__(self, ways: Ways, question: str, form: Form, topics: Sequence[Topic]) -> None:
        self._ways = ways
        self._question = question
        self._form = form
        inside = [(t.start, t.end) for t in form.tests]
        outside = [t for t in topics if not any(a <= t.start < b for a, b in inside)]
        self._topics = sorted(outside, key=lambda t: t.start)  # in the question's order
        self._operations: list[Operation] = []
        self._measures = Measures(ways, question, topics)

    def build(self) -> Program:
        """The program. UnknownError where the question cannot be followed in this neighbourhood."""
        form = self._form
        if not self._topics:
            raise UnknownError("The question names nothing of this graph.")
        if form.bare:
            raise UnknownError(
                f"The question names {self._topics[0].node.name}, and asks nothing that a relation could tell."
            )
        if form.extreme and len(self._topics) > 1 and (form.offers or (form.polar and form.than)):
            self._comparison(form.extreme)
        elif form.polar:
            self._polar()
        elif form.extreme:
            self._superlative(form.extreme)
        else:
            self._set(self._hidden(), NUMERIC if form.sums else ())
            self._conditions()
            if form.sums:
                self._sum()
            elif form.counts:
                self._add(Operation(do="count", of=(self._last,)))
        self._all_said()
        return Program(operations=tuple(self._operations))

    def _all_said(self) -> None:
        """UnknownError where the question denies something, or wants a mean, and nothing in the program does."""
        form, done = self._form, self._operations
        if form.negations and not form.polar and not any(o.do == "subtract" or o.negated for o in done):
            raise UnknownError("Nothing in the neighbourhood tells what the question denies.")
        named = (way.relation.lower() for operation in done for way in operation.ways)
        if form.mean and not any(form.mean in relation for relation in named):
            raise UnknownError(f"The evaluator works out no {form.mean}.")

    # --- writing ------------------------------------------------------------------------------------

    def _add(self, operation: Operation) -> int:
        self._operations.append(operation)
        return self._last

    @property
    def _last(self) -> int:
        return len(self._operations) - 1

    def _start(self, *topics: Topic) -> int:
        return self._add(Operation(do="start", nodes=tuple(t.node.id for t in topics)))

    def _follow(self, source: int, hops: Codes, topic: Topic | None) -> int:
        """One operation a hop, none of which comes back to the topic: "films by the director of X" means the others."""
        left_out = (topic.node.id,) if topic else ()
        for way in self._ways.ways(hops):
            source = self._add(Operation(do="follow", of=(source,), ways=(way,), nodes=left_out))
        return source

    def _hidden(self) -> list[Span]:
        """Spans that say nothing of relations: bounds, nouns said to be absent, "both .. and"."""
        hidden = [*((t.start, t.end) for t in self._form.tests), *self._form.both]
        return hidden + ([self._form.absent] if self._form.absent else [])

    # --- sets ---------------------------------------------------------------------------------------

    def _arounds(self, hidden: Sequence[Span], not_values: Sequence[str] = ()) -> list[Around]:
        """The question around each topic; none of the ways leads over values of the dimensions `not_values`."""
        barred = self._ways.hops_to_values(not_values)
        found = [a for t in self._topics if (a := self._ways.around(t, self._topics, hidden, barred)) is not None]
        if not found:
            raise UnknownError("What the question names has no triples in the neighbourhood.")
        return found

    def _set(self, hidden: Sequence[Span], not_values: Sequence[str] = ()) -> int:
        """The nodes asked for: reached from the topic, or from all of the topics."""
        if len(self._topics) > 1 and len({(t.start, t.end) for t in self._topics}) == 1:  # one word names a whole class
            return self._start(*self._topics)
        around = self._arounds(hidden, not_values)
        if len(around) > 1:
            joined = self._joined(around)
            if joined is not None:
                return joined
        best = max(around, key=lambda a: a.routes[0].value if a.routes else -1.0)
        route = self._carried(best, self._ways.choose(best))
        return self._follow(self._start(best.topic), route.hops, best.topic)

    def _carried(self, around: Around, route: Route | None) -> Route:
        """The route, if the question's words speak of it."""
        if route is None:
            raise UnknownError(f"Nothing leads on from {around.topic.node.name}.")
        if route.coverage < LEAST_COVERAGE:
            needs = around.needs
            silent = [t for t, e in zip(needs.texts, route.explained, strict=True) if e < EXPLAINED and not _general(t)]
            if silent:
                raise UnknownError(f"No relation of the neighbourhood speaks of {', '.join(map(repr, silent))}.")
        return route

    def _joined(self, around: Sequence[Around]) -> int | None:
        """Two topics or more that lead to the same nodes; None where they do not lead to nodes of one kind."""
        first, second, *rest = around
        pair = self._ways.together(first, second, alike=bool(self._form.both))
        if pair is None:
            return None
        self._carried(first, pair[0] if pair[0].coverage >= pair[1].coverage else pair[1])
        last = self._merge(first, pair[0].hops, second, pair[1].hops)
        for other in rest:
            again = self._ways.together(first, other)
            if again is not None:
                more = self._follow(self._start(other.topic), again[1].hops, other.topic)
                last = self._both(last, more, other.topic)
        return last

    def _merge(self, first: Around, one: Codes, second: Around, other: Codes) -> int:
        """Both ways as far as they differ, what is in both, then on by the hops that both end with."""
        shared = 0
        if not self._form.both:
            while shared < min(len(one), len(other)) and one[-1 - shared] == other[-1 - shared]:
                shared += 1
            if shared == len(one) == len(other):
                shared -= 1
        suffix = one[len(one) - shared :]
        a = self._follow(self._start(first.topic), one[: len(one) - shared], None)
        b = self._follow(self._start(second.topic), other[: len(other) - shared], None)
        joint = self._both(a, b, second.topic)
        return self._follow(joint, suffix, first.topic)

    def _both(self, one: int, other: int, topic: Topic) -> int:
        """What is in both; what is in the first alone, where the question denies the second."""
        denied = any(at < topic.start for at in self._form.negations)
        return self._add(Operation(do="subtract" if denied else "intersect", of=(one, other)))

    def _conditions(self) -> None:
        """Bounds on values, and what is said to be absent."""
        for test in self._form.tests:
            source = self._last
            way = self._measures.value_ways(self._nodes(source), NUMERIC, test.start)
            self._add(Operation(do="filter", of=(source,), ways=way, test=test.test))
        if self._form.absent:
            noun = self._question[slice(*self._form.absent)].lower()
            source = self._last
            hop = self._measures.hop_to(self._nodes(source), noun)
            self._add(Operation(do="filter", of=(source,), ways=self._ways.ways((hop,)), negated=True))

    def _sum(self) -> None:
        source = self._last
        self._add(Operation(do="sum", of=(source,), ways=self._measures.value_ways(self._nodes(source), NUMERIC, None)))

    # --- yes or no ----------------------------------------------------------------------------------

    def _polar(self) -> None:
        form, hidden = self._form, self._hidden()
        around = self._arounds(hidden)
        first = around[0]
        denied = bool(form.negations)
        if form.tests:
            start = self._start(first.topic)
            way = self._measures.value_ways(self._nodes(start), NUMERIC, form.tests[0].start)
            self._add(Operation(do="exists", of=(start,), ways=way, test=form.tests[0].test, negated=denied))
            return
        if len(around) < 2:
            route = self._carried(first, first.routes[0] if first.routes else None)
            start = self._start(first.topic)
            self._add(Operation(do="exists", of=(start,), ways=self._ways.ways(route.hops), negated=denied))
            return
        source, hops, target = self._between(around)
        start, end = self._start(source.topic), self._start(target.topic)
        self._add(Operation(do="exists", of=(start, end), ways=self._ways.ways(hops), negated=denied))

    def _between(self, around: Sequence[Around]) -> tuple[Around, Codes, Around]:
        """The best route from the first topic to nodes of the last one's kind, or the other way round."""
        best: tuple[float, Around, Codes, Around] | None = None
        first, last = around[0], around[-1]
        for source, target in ((first, last), (last, first)):
            plays = self._ways.may_leave(target.place)
            for route in source.routes:
                if route.hops[-1] ^ 1 not in plays:
                    continue
                value = route.value - ANSWER * route.answer
                if best is None or value > best[0] + 1e-6:
                    best = (value, source, route.hops, target)
                break
        if best is None:
            names = f"{first.topic.node.name} and {last.topic.node.name}"
            raise UnknownError(f"No relation of the neighbourhood can lead between {names}.")
        return best[1], best[2], best[3]

    # --- comparing ----------------------------------------------------------------------------------

    def _comparison(self, extreme: Extreme) -> None:
        offered = self._topics[-2:]
        first = self._arounds([*self._hidden(), (extreme.start, extreme.end)])[-2:][0]
        dimensions = extreme.dimensions
        routes = [
            r
            for r in first.plan.ranked()
            if (not dimensions or self._dimension(r.hops) in dimensions) and min(r.licences[:-1], default=1.0) >= SPOKEN
        ]
        if not routes:
            raise UnknownError("No relation of the neighbourhood gives a value by which to compare.")
        counted = self._measures.named_by(extreme.counted)
        route = min(routes, key=lambda r: (len(r.hops), -round(r.value + float(counted[r.hops[-1]]), 4)))
        start = self._start(*offered)
        greatest = self._direction(extreme, self._dimension(route.hops))
        measure = "value" if dimensions else "count"
        self._add(
            Operation.model_validate(
                {
                    "do": "compare",
                    "of": (start,),
                    "ways": self._ways.ways(route.hops),
                    "measure": measure,
                    "greatest": greatest,
                }
            )
        )
        if self._form.polar:
            best = self._last
            self._add(Operation(do="exists", of=(best, self._start(offered[0]))))

    def _dimension(self, hops: Codes) -> str:
        return self._ways.values.dimension(hops[-1] ^ 1)

    def _direction(self, extreme: Extreme, dimension: str) -> bool:
        """The oldest has the least date of birth, but the greatest age."""
        return extreme.greatest != (extreme.age and dimension != "date")

    def _superlative(self, extreme: Extreme) -> None:
        hidden = [*self._hidden(), (extreme.start, extreme.end)]
        if extreme.dimensions:
            source = self._set(hidden, [d for d in extreme.dimensions if d != "number"] or extreme.dimensions)
            self._by_value(source, extreme)
            return
        do = "max" if extreme.greatest else "min"
        if any(topic.start > extreme.end for topic in self._topics):
            source = self._set(hidden)
            self._add(Operation.model_validate({"do": do, "of": (source,), "measure": "paths"}))
            return
        source, hop = self._counted_from(hidden, extreme)
        ways = self._ways.ways((hop,))
        self._add(Operation.model_validate({"do": do, "of": (source,), "measure": "count", "ways": ways}))

    def _by_value(self, source: int, extreme: Extreme) -> None:
        """Compare the values that a relation leads to; without one, those that the nodes' own texts hold."""
        read: dict[str, str] = {}
        ways: tuple[Way, ...] = ()
        try:
            ways = self._measures.value_ways(self._nodes(source), extreme.dimensions, extreme.start)
            dimension = self._measures.dimension_of(self._nodes(source), ways)
        except UnknownError:
            read = self._ways.values_read(self._nodes(source), extreme.dimensions)
            values = [v for v in map(parse_value, read.values()) if v is not None]
            if not values:
                raise
            dimension = family(values[0].dimension)
        do = "max" if self._direction(extreme, dimension) else "min"
        self._add(Operation.model_validate({"do": do, "of": (source,), "ways": ways, "read": read}))

    def _counted_from(self, hidden: Sequence[Span], extreme: Extreme) -> tuple[int, int]:
        """The nodes asked for, and the hop to what is counted of each: one route, cut before its last hop."""
        around = self._arounds(hidden)[0]
        fit = around.needs.fit
        counted = self._measures.named_by(extreme.counted)
        rated = [
            (r.value - ANSWER * r.answer + BACK * max(r.back, 0.0) + ANSWER * fit[r.hops[-2]] + counted[r.hops[-1]], r)
            for r in around.routes
            if len(r.hops) > 1
        ]
        if not rated:
            raise UnknownError(f"Nothing leads on from {around.topic.node.name}.")
        best = max(rated, key=lambda pair: (round(pair[0], 4), -len(pair[1].hops)))[1]
        return self._follow(self._start(around.topic), best.hops[:-1], around.topic), best.hops[-1]

    def _nodes(self, source: int) -> Places:
        """The nodes that the operations up to `source` come to; read from the triples."""
        return nodes_of(Program(operations=tuple(self._operations[: source + 1])), self._ways.index)


def _general(word: str) -> bool:
    """Whether a word is one of everyday English, which may speak of any relation ("appear", "have", "come")."""
    return lemma(word) in EVERYDAY_WORDS or stem(word) in _GENERAL_STEMS or word in MEASURES
