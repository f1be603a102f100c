"""Operations that measure nodes: count, sum, min, max, compare (see `program.Operation`)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.kerag.program import Operation, Way
from core.kerag.triples import NONE, Places
from core.kerag.values import Value, in_words, parse_value, unify
from core.kerag.values import compare as order_of
from core.kerag.working import CITED, NAMES_SHOWN, NodeSet, UnknownError, Working


def count(run: Working, operation: Operation) -> None:
    """How many nodes."""
    source = run.input(operation)
    value = f"{len(source.nodes):,}"
    run.say(f"Counted: {value}.", "count", source.triples, value)
    run.results.append(value)


def total(run: Working, operation: Operation) -> None:
    """The sum of the values that the nodes lead to; dates and mixed units are not added up."""
    source = run.input(operation)
    starts, ends, triples = run.each(source.nodes, operation.ways)
    values = unify([v for v in (run.index.value(int(e)) for e in ends) if v is not None])
    dimensions = {v.dimension for v in values}
    if not values or len(values) < len(ends) or len(dimensions) > 1 or "date" in dimensions:
        raise UnknownError(f"The values of {run.names(source.nodes)} cannot be added up.")
    missing = len(source.nodes) - len(np.unique(starts))
    total = in_words(sum(v.middle for v in values), values[0].dimension)
    without = f" ({missing:,} without a value)" if missing else ""
    run.say(f"Added up: {total}{without}.", "sum", np.concatenate(triples) if triples else NONE, total)
    run.results.append(total)


def least(run: Working, operation: Operation) -> None:
    """The nodes of the least measure."""
    _extreme(run, operation, greatest=False, word="min")


def greatest_of(run: Working, operation: Operation) -> None:
    """The nodes of the greatest measure."""
    _extreme(run, operation, greatest=True, word="max")


def compare(run: Working, operation: Operation) -> None:
    """Of what the question offers, that of the least or greatest measure; each needs one."""
    _extreme(run, operation, greatest=operation.greatest, word="compare")


def _extreme(run: Working, operation: Operation, *, greatest: bool, word: str) -> None:
    source = run.input(operation)
    if operation.measure == "paths":
        measured = dict(enumerate(source.paths.tolist()))
        triples_of: dict[int, Places] = {}
    elif operation.measure == "count":
        measured, triples_of = _counts(run, source.nodes, operation.ways)
    else:
        _by_value(run, operation, source, greatest=greatest, word=word)
        return
    most = max(measured.values()) if greatest else min(measured.values())
    if greatest and not most:
        ways = ", then ".join(way.in_words() for way in operation.ways)
        raise UnknownError(f"Nothing leads on from {run.names(source.nodes)} by {ways}.")
    best = [i for i, n in measured.items() if n == most]
    if word == "compare" and len(best) == len(measured) > 1:
        raise UnknownError(f"{run.names(source.nodes)} do not differ: {most:,} for each.")
    ranked = sorted(measured.items(), key=lambda item: item[1] if not greatest else -item[1])
    told = ", ".join(f"{run.found.nodes[int(source.nodes[i])].name}: {n:,}" for i, n in ranked[:NAMES_SHOWN])
    if len(ranked) > NAMES_SHOWN:
        told += f" and {len(ranked) - NAMES_SHOWN:,} more"
    nodes = source.nodes[best]
    used = [triples_of[i] for i in best if i in triples_of]
    triples = np.concatenate(used) if used else run.into(source, nodes)
    end = "most" if greatest else "fewest"
    line = run.say(f"Counted for each ({told}), the {end}: {run.names(nodes)}.", word, triples, f"{most:,}")
    run.results.append(NodeSet(nodes, source.paths[best], triples, line))


def _counts(run: Working, nodes: Places, ways: Sequence[Way]) -> tuple[dict[int, int], dict[int, Places]]:
    """For each node, how many different nodes the ways lead to, and the triples taken."""
    starts, ends, triples = run.each(nodes, ways)
    counts = dict.fromkeys(range(len(nodes)), 0)
    pairs = np.unique(np.stack([starts, ends]), axis=1)
    for start, many in zip(*np.unique(pairs[0], return_counts=True), strict=True):
        counts[int(start)] = int(many)
    used = {i: np.concatenate([t[starts == i] for t in triples]) for i in counts} if len(nodes) < 200 else {}
    return counts, used


def _by_value(run: Working, operation: Operation, source: NodeSet, *, greatest: bool, word: str) -> None:
    """Nodes of the least or greatest value; one without a value is told and left out, unless it was offered."""
    starts, ends, triples = run.each(source.nodes, operation.ways)
    read: dict[int, tuple[Value, Places]] = {}
    for row, (start, end) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True)):
        own = operation.read.get(run.found.nodes[end].id, "") if operation.read else ""
        value = parse_value(own) if operation.read else run.index.value(end)
        if value is None or (operation.dimension and value.dimension != operation.dimension):
            continue
        used = np.array([t[row] for t in triples], dtype=np.int64)
        known = read.get(start)
        if known is None or _beats(value, known[0], greatest=greatest):
            read[start] = (value, used)
    way = ", then ".join(w.in_words() for w in operation.ways) or "their own texts"
    if not read:
        raise UnknownError(f"No value is known for {run.names(source.nodes)} by {way}.")
    missing = [i for i in range(len(source.nodes)) if i not in read]
    if missing and word == "compare":
        raise UnknownError(f"No value is known for {run.names(source.nodes[missing])} by {way}.")
    values = dict(zip(read, unify([value for value, _ in read.values()]), strict=True))
    dimensions = {value.dimension for value in values.values()}
    if len(dimensions) > 1:
        raise UnknownError(f"The values are of different kinds ({', '.join(sorted(dimensions))}).")
    best: list[int] = []
    for i, value in values.items():
        order = order_of(value, values[best[0]]) if best else 0
        if best and order and (order > 0) == greatest:
            best = [i]
        elif not order:
            best.append(i)
    if word == "compare" and len(best) == len(source.nodes) > 1:
        raise UnknownError(f"The values of {run.names(source.nodes)} do not differ.")
    nodes = source.nodes[best]
    told = _told(run, source, values, greatest)
    without = f" {run.names(source.nodes[missing])} without a value." if missing else ""
    end = "greatest" if greatest else "least"
    cited = np.concatenate([read[i][1] for i in (values if len(values) <= CITED // 2 else best)])
    if not len(cited):  # read from texts: the nodes are what the triples of the set lead to
        cited = run.into(source, nodes)
    text = f"By {way}: {told}. The {end}: {run.names(nodes)}.{without}"
    line = run.say(text, word, cited, values[best[0]].text)
    run.results.append(NodeSet(nodes, source.paths[best], cited, line))


def _told(run: Working, source: NodeSet, values: dict[int, Value], greatest: bool) -> str:
    ranked = sorted(values, key=lambda i: (values[i].middle if not greatest else -values[i].middle, i))
    told = "; ".join(f"{run.found.nodes[int(source.nodes[i])].name}, {values[i].text}" for i in ranked[:NAMES_SHOWN])
    return told if len(ranked) <= NAMES_SHOWN else f"{told}; and {len(ranked) - NAMES_SHOWN:,} more"


def _beats(value: Value, other: Value, *, greatest: bool) -> bool:
    order = order_of(value, other)
    return order is not None and order != 0 and (order > 0) == greatest
