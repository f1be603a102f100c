"""A small typed evaluator: runs a program over a neighbourhood and writes down what it did, line by line (KERAG-3).

Every line cites the triples behind it, by their place in the neighbourhood. What the evidence does not carry is said
in a line and ends the run with "I don't know". Pure: the same program on the same triples gives the same lines.
Not here: which program answers a question (`programs`).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from core.kerag.contracts import Neighbourhood
from core.kerag.program import Operation, Program, Way
from core.kerag.steps import Line
from core.kerag.values import Value, compare, in_words, meets, parse_value, unify

Places = NDArray[np.int64]
NAMES_SHOWN = 6  # in a line; the others are counted
CITED = 200  # triples that a line cites at most
DONT_KNOW = "I don't know"


class UnknownError(Exception):
    """The evidence does not carry the answer; the message says why."""


class TripleIndex:
    """The triples of a neighbourhood by relation and end, but for those taken away."""

    def __init__(self, found: Neighbourhood, without: Collection[int] = ()) -> None:
        self.found = found
        self._place = {node.id: place for place, node in enumerate(found.nodes)}
        self._code = {relation: code for code, relation in enumerate(found.relations)}
        there = np.ones(len(found), dtype=bool)
        there[list(without)] = False
        self._there = np.flatnonzero(there)
        self._values: dict[int, Value | None] = {}
        self._runs: dict[tuple[int, str], tuple[Places, Places, Places]] = {}

    def place(self, id_: str) -> int | None:
        """The place of a node, or None."""
        return self._place.get(id_)

    def value(self, place: int) -> Value | None:
        """The number, date or quantity that a node's name is."""
        if place not in self._values:
            self._values[place] = parse_value(self.found.nodes[place].name)
        return self._values[place]

    def hop(self, nodes: Places, way: Way) -> tuple[Places, Places, Places]:
        """(here, there, triple), one entry for each triple by which `way` leads on from one of the nodes.

        `here` are indices into `nodes`.
        """
        code = self._code.get(way.relation)
        if code is None or not len(nodes):
            return _NONE, _NONE, _NONE
        ends, others, triples = self._run(code, way.direction)
        first, last = np.searchsorted(ends, nodes, "left"), np.searchsorted(ends, nodes, "right")
        many = last - first
        here = np.repeat(np.arange(len(nodes)), many)
        at = np.arange(many.sum()) - np.repeat(np.cumsum(many) - many, many) + np.repeat(first, many)
        return here, others[at], triples[at]

    def _run(self, code: int, direction: str) -> tuple[Places, Places, Places]:
        """The triples of one relation sorted by the end one comes from: those ends, the other ends, the places."""
        known = self._runs.get((code, direction))
        if known is None:
            own = self._there[self.found.relation[self._there] == code]
            ends, others = self.found.head[own], self.found.tail[own]
            if direction == "in":
                ends, others = others, ends
            order = np.argsort(ends, kind="stable")
            known = self._runs[code, direction] = (ends[order], others[order], own[order])
        return known


_NONE = np.zeros(0, dtype=np.int64)


@dataclass(eq=False)
class NodeSet:
    """Nodes by place, ascending; by how many paths each was reached; the triples that led here; its line."""

    nodes: Places
    paths: Places
    triples: Places = field(default_factory=lambda: _NONE)
    line: int = 0


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a program came to: answers (places, most paths first), or a value; known False: "I don't know"."""

    lines: tuple[Line, ...]
    answers: tuple[int, ...] = ()
    value: str = ""
    known: bool = True


def evaluate(program: Program, index: TripleIndex) -> Outcome:
    """Run the program. ValueError for one that refers to what is not there yet."""
    run = _Run(index)
    for operation in program.operations:
        if any(not 0 <= place < len(run.results) for place in operation.of):
            raise ValueError(f"'{operation.do}' refers to an operation that comes later")
        try:
            run.do(operation)
        except UnknownError as unknown:
            run.say(f"{unknown} So the answer is: {DONT_KNOW}.")
            return Outcome(tuple(run.lines), known=False)
    return run.outcome()


def nodes_of(program: Program, index: TripleIndex) -> Places:
    """The nodes that the last operation comes to; none where the triples do not carry it."""
    run = _Run(index)
    try:
        for operation in program.operations:
            run.do(operation)
    except UnknownError:
        return _NONE
    last = run.results[-1] if run.results else None
    return last.nodes if isinstance(last, NodeSet) else _NONE


class _Run:
    """The state of one evaluation."""

    def __init__(self, index: TripleIndex) -> None:
        self.index = index
        self.found = index.found
        self.lines: list[Line] = []
        self.results: list[NodeSet | str] = []

    # --- writing ------------------------------------------------------------------------------------

    def say(self, text: str, operation: str = "say", triples: Places = _NONE, value: str = "") -> int:
        number = len(self.lines) + 1
        cited = tuple(np.unique(triples)[:CITED].tolist())
        self.lines.append(
            Line.model_validate(
                {"number": number, "text": text, "operation": operation, "triples": cited, "value": value}
            )
        )
        return number

    def names(self, nodes: Sequence[int] | Places) -> str:
        """Names with commas; many are counted."""
        names = [self.found.nodes[int(i)].name for i in nodes[:NAMES_SHOWN]]
        more = len(nodes) - len(names)
        if more:
            return f"{', '.join(names)} and {more:,} more"
        return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)

    # --- doing --------------------------------------------------------------------------------------

    def do(self, operation: Operation) -> None:
        getattr(self, f"_{operation.do}")(operation)

    def _input(self, operation: Operation, at: int = 0) -> NodeSet:
        result = self.results[operation.of[at]]
        if not isinstance(result, NodeSet):
            raise ValueError(f"'{operation.do}' needs nodes")
        return result

    def _start(self, operation: Operation) -> None:
        places = [p for p in map(self.index.place, operation.nodes) if p is not None]
        if not places:
            raise UnknownError("What the question names is not in the neighbourhood.")
        nodes = np.unique(np.array(places, dtype=np.int64))
        self.results.append(NodeSet(nodes, np.ones(len(nodes), dtype=np.int64)))

    def _follow(self, operation: Operation) -> None:
        source = self._input(operation)
        ends, counts, triples = self._reach(source, operation.ways)
        left = [p for p in map(self.index.place, operation.nodes) if p is not None]
        if left:
            stay = ~np.isin(ends, left)
            ends, counts = ends[stay], counts[stay]
        ways = " or ".join(way.in_words() for way in operation.ways)
        here = self.names(source.nodes)
        if not len(ends):
            raise UnknownError(f"No triple leads from {here} by {ways}" + (" to anything else." if left else "."))
        shown = ends[np.argsort(-counts, kind="stable")]
        line = self.say(f"From {here}, {ways} leads to {self.names(shown)}.", "follow", triples)
        self.results.append(NodeSet(ends, counts, triples, line))

    def _reach(self, source: NodeSet, ways: Sequence[Way]) -> tuple[Places, Places, Places]:
        """Nodes one hop on by any of the ways, by how many paths, and the triples taken."""
        there_of, paths_of, triples_of = [], [], []
        for way in ways:
            here, there, triples = self.index.hop(source.nodes, way)
            there_of.append(there)
            paths_of.append(source.paths[here])
            triples_of.append(triples)
        there = np.concatenate(there_of) if there_of else _NONE
        ends, inverse = np.unique(there, return_inverse=True)
        paths = np.concatenate(paths_of) if paths_of else _NONE
        counts = np.bincount(inverse, weights=paths, minlength=len(ends)).astype(np.int64) if len(ends) else _NONE
        return ends, counts, np.concatenate(triples_of) if triples_of else _NONE

    def _each(self, nodes: Places, ways: Sequence[Way]) -> tuple[Places, Places, list[Places]]:
        """Along all the ways, hop after hop, kept apart by start: (start, end, triples of each hop), path by path."""
        starts = np.arange(len(nodes))
        ends = nodes
        triples: list[Places] = []
        for way in ways:
            here, there, own = self.index.hop(ends, way)
            triples = [t[here] for t in triples] + [own]
            starts, ends = starts[here], there
        return starts, ends, triples

    def _filter(self, operation: Operation) -> None:
        source = self._input(operation)
        starts, ends, triples = self._each(source.nodes, operation.ways)
        way = ", then ".join(w.in_words() for w in operation.ways)
        if len(operation.of) > 1:
            wanted = self._input(operation, 1)
            good = np.isin(ends, wanted.nodes)
            what = f"lead by {way} to {self.names(wanted.nodes)}" if way else f"are {self.names(wanted.nodes)}"
        elif operation.test:
            good = self._passing(ends, operation.test, way)
            what = f"have by {way} a value {operation.test}"
        else:
            good = np.ones(len(ends), dtype=bool)
            what = f"lead anywhere by {way}"
        keep = np.zeros(len(source.nodes), dtype=bool)
        keep[starts[good]] = True
        used = np.concatenate([t[good] for t in triples]) if triples else _NONE
        if operation.negated:
            keep, what = ~keep, f"do not {what}"
        nodes = source.nodes[keep]
        if not len(nodes):
            verb = "" if not operation.negated else " not"
            raise UnknownError(f"None of {self.names(source.nodes)} does{verb} {what.removeprefix('do not ')}.")
        line = self.say(f"Of {self.names(source.nodes)}, those that {what}: {self.names(nodes)}.", "filter", used)
        self.results.append(NodeSet(nodes, source.paths[keep], used, line))

    def _passing(self, ends: Places, test: str, way: str) -> NDArray[np.bool_]:
        """Which of the ends meet a bound."""
        passed = [self._meets(int(end), test) for end in ends.tolist()]
        if all(p is None for p in passed):
            raise UnknownError(f"What {way} leads to cannot be compared with {test!r}.")
        return np.array([bool(p) for p in passed], dtype=bool)

    def _meets(self, place: int, test: str) -> bool | None:
        value = self.index.value(place)
        return meets(value, test) if value is not None else None

    def _intersect(self, operation: Operation) -> None:
        sets = [self._input(operation, i) for i in range(len(operation.of))]
        nodes = sets[0].nodes
        for other in sets[1:]:
            nodes = np.intersect1d(nodes, other.nodes)
        both = f"lines {' and '.join(str(s.line) for s in sets)}" if all(s.line for s in sets) else "both"
        if not len(nodes):
            raise UnknownError(f"Nothing is in {both}.")
        triples = np.concatenate([self._into(s, nodes) for s in sets])
        paths = np.min([s.paths[np.searchsorted(s.nodes, nodes)] for s in sets], axis=0)
        line = self.say(f"In {both}: {self.names(nodes)}.", "intersect", triples)
        self.results.append(NodeSet(nodes, paths, triples, line))

    def _subtract(self, operation: Operation) -> None:
        first, second = self._input(operation), self._input(operation, 1)
        keep = ~np.isin(first.nodes, second.nodes)
        nodes = first.nodes[keep]
        if not len(nodes):
            raise UnknownError("Nothing is left when these are taken away.")
        triples = self._into(first, nodes)
        line = self.say(
            f"In line {first.line} but not in line {second.line}: {self.names(nodes)}.", "subtract", triples
        )
        self.results.append(NodeSet(nodes, first.paths[keep], triples, line))

    def _into(self, source: NodeSet, nodes: Places) -> Places:
        """Of the triples that led to a set, those with one of the nodes at an end."""
        own = source.triples
        return own[np.isin(self.found.head[own], nodes) | np.isin(self.found.tail[own], nodes)]

    def _count(self, operation: Operation) -> None:
        source = self._input(operation)
        value = f"{len(source.nodes):,}"
        self.say(f"Counted: {value}.", "count", source.triples, value)
        self.results.append(value)

    def _sum(self, operation: Operation) -> None:
        source = self._input(operation)
        starts, ends, triples = self._each(source.nodes, operation.ways)
        values = unify([v for v in (self.index.value(int(e)) for e in ends) if v is not None])
        dimensions = {v.dimension for v in values}
        if not values or len(values) < len(ends) or len(dimensions) > 1 or "date" in dimensions:
            raise UnknownError(f"The values of {self.names(source.nodes)} cannot be added up.")
        missing = len(source.nodes) - len(np.unique(starts))
        total = in_words(sum(v.middle for v in values), values[0].dimension)
        without = f" ({missing:,} without a value)" if missing else ""
        self.say(f"Added up: {total}{without}.", "sum", np.concatenate(triples) if triples else _NONE, total)
        self.results.append(total)

    def _min(self, operation: Operation) -> None:
        self._extreme(operation, greatest=False, word="min")

    def _max(self, operation: Operation) -> None:
        self._extreme(operation, greatest=True, word="max")

    def _compare(self, operation: Operation) -> None:
        self._extreme(operation, greatest=operation.greatest, word="compare")

    def _extreme(self, operation: Operation, *, greatest: bool, word: str) -> None:
        source = self._input(operation)
        if operation.measure == "paths":
            measured = dict(enumerate(source.paths.tolist()))
            triples_of: dict[int, Places] = {}
        elif operation.measure == "count":
            measured, triples_of = self._counts(source.nodes, operation.ways)
        else:
            self._by_value(operation, source, greatest=greatest, word=word)
            return
        most = max(measured.values()) if greatest else min(measured.values())
        best = [i for i, n in measured.items() if n == most]
        ranked = sorted(measured.items(), key=lambda item: item[1] if not greatest else -item[1])
        told = ", ".join(f"{self.found.nodes[int(source.nodes[i])].name}: {n:,}" for i, n in ranked[:NAMES_SHOWN])
        if len(ranked) > NAMES_SHOWN:
            told += f" and {len(ranked) - NAMES_SHOWN:,} more"
        nodes = source.nodes[best]
        used = [triples_of[i] for i in best if i in triples_of]
        triples = np.concatenate(used) if used else self._into(source, nodes)
        end = "most" if greatest else "fewest"
        line = self.say(f"Counted for each ({told}), the {end}: {self.names(nodes)}.", word, triples, f"{most:,}")
        self.results.append(NodeSet(nodes, source.paths[best], triples, line))

    def _counts(self, nodes: Places, ways: Sequence[Way]) -> tuple[dict[int, int], dict[int, Places]]:
        """For each node, how many different nodes the ways lead to, and the triples taken."""
        starts, ends, triples = self._each(nodes, ways)
        counts = dict.fromkeys(range(len(nodes)), 0)
        pairs = np.unique(np.stack([starts, ends]), axis=1)
        for start, many in zip(*np.unique(pairs[0], return_counts=True), strict=True):
            counts[int(start)] = int(many)
        used = {i: np.concatenate([t[starts == i] for t in triples]) for i in counts} if len(nodes) < 200 else {}
        return counts, used

    def _by_value(self, operation: Operation, source: NodeSet, *, greatest: bool, word: str) -> None:
        """Nodes of the least or greatest value; one without a value is told and left out, unless it was offered."""
        starts, ends, triples = self._each(source.nodes, operation.ways)
        read: dict[int, tuple[Value, Places]] = {}
        for row, (start, end) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True)):
            value = self.index.value(end)
            if value is None or (operation.dimension and value.dimension != operation.dimension):
                continue
            used = np.array([t[row] for t in triples], dtype=np.int64)
            known = read.get(start)
            if known is None or _beats(value, known[0], greatest=greatest):
                read[start] = (value, used)
        way = ", then ".join(w.in_words() for w in operation.ways)
        if not read:
            raise UnknownError(f"No value is known for {self.names(source.nodes)} by {way}.")
        missing = [i for i in range(len(source.nodes)) if i not in read]
        if missing and word == "compare":
            raise UnknownError(f"No value is known for {self.names(source.nodes[missing])} by {way}.")
        values = dict(zip(read, unify([value for value, _ in read.values()]), strict=True))
        dimensions = {value.dimension for value in values.values()}
        if len(dimensions) > 1:
            raise UnknownError(f"The values are of different kinds ({', '.join(sorted(dimensions))}).")
        best: list[int] = []
        for i, value in values.items():
            order = compare(value, values[best[0]]) if best else 0
            if best and order and (order > 0) == greatest:
                best = [i]
            elif not order:
                best.append(i)
        if word == "compare" and len(best) == len(source.nodes) > 1:
            raise UnknownError(f"The values of {self.names(source.nodes)} do not differ.")
        nodes = source.nodes[best]
        told = self._told(source, values, greatest)
        without = f" {self.names(source.nodes[missing])} without a value." if missing else ""
        end = "greatest" if greatest else "least"
        cited = np.concatenate([read[i][1] for i in (values if len(values) <= CITED // 2 else best)])
        text = f"By {way}: {told}. The {end}: {self.names(nodes)}.{without}"
        line = self.say(text, word, cited, values[best[0]].text)
        self.results.append(NodeSet(nodes, source.paths[best], cited, line))

    def _told(self, source: NodeSet, values: dict[int, Value], greatest: bool) -> str:
        ranked = sorted(values, key=lambda i: (values[i].middle if not greatest else -values[i].middle, i))
        told = "; ".join(
            f"{self.found.nodes[int(source.nodes[i])].name}, {values[i].text}" for i in ranked[:NAMES_SHOWN]
        )
        return told if len(ranked) <= NAMES_SHOWN else f"{told}; and {len(ranked) - NAMES_SHOWN:,} more"

    def _exists(self, operation: Operation) -> None:
        source = self._input(operation)
        if len(operation.of) == 1 and not operation.ways:
            yes, text, triples = bool(len(source.nodes)), f"There is {self.names(source.nodes)}", source.triples
        else:
            _, ends, hops = self._each(source.nodes, operation.ways)
            way = ", then ".join(w.in_words() for w in operation.ways)
            wanted = self._input(operation, 1).nodes if len(operation.of) > 1 else None
            if wanted is not None:
                good = np.isin(ends, wanted)
            elif operation.test:
                good = self._passing(ends, operation.test, way)
            else:
                good = np.ones(len(ends), dtype=bool)
            yes = bool(good.any())
            shown = self.names(np.unique(ends)) if len(ends) else "nothing"
            text = f"From {self.names(source.nodes)}" + (f", {way} leads to {shown}" if way else "")
            if wanted is not None:
                text += f"; {self.names(wanted)} is {'' if yes else 'not '}among them"
            triples = np.concatenate([t[good] if yes else t for t in hops]) if hops else source.triples
        value = "yes" if yes != operation.negated else "no"
        self.say(f"{text}: {value}.", "exists", triples, value)
        self.results.append(value)

    # --- the end ------------------------------------------------------------------------------------

    def outcome(self) -> Outcome:
        last = self.results[-1] if self.results else None
        if last is None:
            self.say(f"Nothing was done. So the answer is: {DONT_KNOW}.")
            return Outcome(tuple(self.lines), known=False)
        if isinstance(last, str):
            counted = [r for r in self.results[:-1] if isinstance(r, NodeSet)]
            answers = tuple(counted[-1].nodes.tolist()) if counted and self.lines[-1].operation == "count" else ()
            self.say(f"So the answer is: {last}.", value=last)
            return Outcome(tuple(self.lines), answers, last)
        ranked = last.nodes[np.argsort(-last.paths, kind="stable")]
        self.say(f"So the answer is: {self.names(ranked)}.", triples=self._into(last, last.nodes))
        return Outcome(tuple(self.lines), tuple(ranked.tolist()))


def _beats(value: Value, other: Value, *, greatest: bool) -> bool:
    order = compare(value, other)
    return order is not None and order != 0 and (order > 0) == greatest
