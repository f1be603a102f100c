"""Operations over node sets: start, follow, filter, intersect, subtract, exists (see `program.Operation`)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.kerag.program import Operation
from core.kerag.triples import NONE, Places
from core.kerag.values import meets
from core.kerag.working import NodeSet, UnknownError, Working


def start(run: Working, operation: Operation) -> None:
    """The nodes that the question names."""
    places = [p for p in map(run.index.place, operation.nodes) if p is not None]
    if not places:
        raise UnknownError("What the question names is not in the neighbourhood.")
    nodes = np.unique(np.array(places, dtype=np.int64))
    run.results.append(NodeSet(nodes, np.ones(len(nodes), dtype=np.int64)))


def follow(run: Working, operation: Operation) -> None:
    """One hop on; nothing reached ends the run."""
    source = run.input(operation)
    ends, counts, triples = run.reach(source, operation.ways)
    left = [p for p in map(run.index.place, operation.nodes) if p is not None]
    if left:
        stay = ~np.isin(ends, left)
        ends, counts = ends[stay], counts[stay]
    ways = " or ".join(way.in_words() for way in operation.ways)
    here = run.names(source.nodes)
    if not len(ends):
        raise UnknownError(f"No triple leads from {here} by {ways}" + (" to anything else." if left else "."))
    shown = ends[np.argsort(-counts, kind="stable")]
    line = run.say(f"From {here}, {ways} leads to {run.names(shown)}.", "follow", triples)
    run.results.append(NodeSet(ends, counts, triples, line))


def keep(run: Working, operation: Operation) -> None:
    """Filter: nodes that lead on to something, or that do not."""
    source = run.input(operation)
    starts, ends, triples = run.each(source.nodes, operation.ways)
    way = ", then ".join(w.in_words() for w in operation.ways)
    if len(operation.of) > 1:
        wanted = run.input(operation, 1)
        good = np.isin(ends, wanted.nodes)
        what = f"lead by {way} to {run.names(wanted.nodes)}" if way else f"are {run.names(wanted.nodes)}"
    elif operation.test:
        good = _passing(run, ends, operation.test, way)
        what = f"have by {way} a value {operation.test}"
    else:
        good = np.ones(len(ends), dtype=bool)
        what = f"lead anywhere by {way}"
    keep = np.zeros(len(source.nodes), dtype=bool)
    keep[starts[good]] = True
    used = np.concatenate([t[good] for t in triples]) if triples else NONE
    if operation.negated:
        keep, what = ~keep, f"do not {what}"
    nodes = source.nodes[keep]
    if not len(nodes):
        raise UnknownError(f"Among {run.names(source.nodes)} there are none that {what}.")
    line = run.say(f"Of {run.names(source.nodes)}, those that {what}: {run.names(nodes)}.", "filter", used)
    run.results.append(NodeSet(nodes, source.paths[keep], used, line))


def intersect(run: Working, operation: Operation) -> None:
    """What is in all of the sets."""
    sets = [run.input(operation, i) for i in range(len(operation.of))]
    nodes = sets[0].nodes
    for other in sets[1:]:
        nodes = np.intersect1d(nodes, other.nodes)
    both = f"lines {' and '.join(str(s.line) for s in sets)}" if all(s.line for s in sets) else "both"
    if not len(nodes):
        raise UnknownError(f"Nothing is in {both}.")
    triples = np.concatenate([run.into(s, nodes) for s in sets])
    paths = np.min([s.paths[np.searchsorted(s.nodes, nodes)] for s in sets], axis=0)
    line = run.say(f"In {both}: {run.names(nodes)}.", "intersect", triples)
    run.results.append(NodeSet(nodes, paths, triples, line))


def subtract(run: Working, operation: Operation) -> None:
    """What is in the first set and not in the second."""
    first, second = run.input(operation), run.input(operation, 1)
    keep = ~np.isin(first.nodes, second.nodes)
    nodes = first.nodes[keep]
    if not len(nodes):
        raise UnknownError("Nothing is left when these are taken away.")
    triples = run.into(first, nodes)
    line = run.say(f"In line {first.line} but not in line {second.line}: {run.names(nodes)}.", "subtract", triples)
    run.results.append(NodeSet(nodes, first.paths[keep], triples, line))


def exists(run: Working, operation: Operation) -> None:
    """Yes or no."""
    source = run.input(operation)
    if len(operation.of) == 1 and not operation.ways:
        yes, text, triples = bool(len(source.nodes)), f"There is {run.names(source.nodes)}", source.triples
    else:
        _, ends, hops = run.each(source.nodes, operation.ways)
        way = ", then ".join(w.in_words() for w in operation.ways)
        wanted = run.input(operation, 1).nodes if len(operation.of) > 1 else None
        if wanted is not None:
            good = np.isin(ends, wanted)
        elif operation.test:
            good = _passing(run, ends, operation.test, way)
        else:
            good = np.ones(len(ends), dtype=bool)
        yes = bool(good.any())
        shown = run.names(np.unique(ends)) if len(ends) else "nothing"
        text = f"From {run.names(source.nodes)}" + (f", {way} leads to {shown}" if way else "")
        if wanted is not None:
            text += f"; {run.names(wanted)} is {'' if yes else 'not '}among them"
        triples = np.concatenate([t[good] if yes else t for t in hops]) if hops else source.triples
    value = "yes" if yes != operation.negated else "no"
    run.say(f"{text}: {value}.", "exists", triples, value)
    run.results.append(value)


def _passing(run: Working, ends: Places, test: str, way: str) -> NDArray[np.bool_]:
    """Which of the ends meet a bound."""
    different, place = np.unique(ends, return_inverse=True)
    passed = [_meets(run, end, test) for end in different.tolist()]
    if all(p is None for p in passed):
        raise UnknownError(f"What {way} leads to cannot be compared with {test!r}.")
    return np.array([bool(p) for p in passed], dtype=bool)[place]


def _meets(run: Working, place: int, test: str) -> bool | None:
    value = run.index.value(place)
    return meets(value, test) if value is not None else None
