"""A small typed evaluator: runs a program over a neighbourhood and writes down what it did, line by line (KERAG-3).

Every line cites the triples behind it, by their place in the neighbourhood. What the evidence does not carry is said
in a line and ends the run with "I don't know". Pure: the same program on the same triples gives the same lines.
Not here: which program answers a question (`programs`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from core.kerag import set_operations as sets
from core.kerag import value_operations as values
from core.kerag.program import Deed, Operation, Program
from core.kerag.steps import Line
from core.kerag.triples import NONE, Places, TripleIndex
from core.kerag.working import NodeSet, UnknownError, Working

DONT_KNOW = "I don't know"
_DEEDS: dict[Deed, Callable[[Working, Operation], None]] = {
    "start": sets.start,
    "follow": sets.follow,
    "filter": sets.keep,
    "intersect": sets.intersect,
    "subtract": sets.subtract,
    "exists": sets.exists,
    "count": values.count,
    "sum": values.total,
    "min": values.least,
    "max": values.greatest_of,
    "compare": values.compare,
}


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a program came to: answers (places, most paths first), or a value; known False: "I don't know"."""

    lines: tuple[Line, ...]
    answers: tuple[int, ...] = ()
    value: str = ""
    known: bool = True


def evaluate(program: Program, index: TripleIndex) -> Outcome:
    """Run the program. ValueError for one that refers to what is not there yet."""
    run = Working(index)
    for operation in program.operations:
        if any(not 0 <= place < len(run.results) for place in operation.of):
            raise ValueError(f"'{operation.do}' refers to an operation that comes later")
        try:
            _DEEDS[operation.do](run, operation)
        except UnknownError as unknown:
            run.say(f"{unknown} So the answer is: {DONT_KNOW}.")
            return Outcome(tuple(run.lines), known=False)
    return _outcome(run)


def nodes_of(program: Program, index: TripleIndex) -> Places:
    """The nodes that the last operation comes to; none where the triples do not carry it."""
    run = Working(index)
    try:
        for operation in program.operations:
            _DEEDS[operation.do](run, operation)
    except UnknownError:
        return NONE
    last = run.results[-1] if run.results else None
    return last.nodes if isinstance(last, NodeSet) else NONE


def _outcome(run: Working) -> Outcome:
    last = run.results[-1] if run.results else None
    if last is None:
        run.say(f"Nothing was done. So the answer is: {DONT_KNOW}.")
        return Outcome(tuple(run.lines), known=False)
    if isinstance(last, str):
        counted = [r for r in run.results[:-1] if isinstance(r, NodeSet)]
        answers = tuple(counted[-1].nodes.tolist()) if counted and run.lines[-1].operation == "count" else ()
        run.say(f"So the answer is: {last}.", value=last)
        return Outcome(tuple(run.lines), answers, last)
    ranked = last.nodes[np.argsort(-last.paths, kind="stable")]
    run.say(f"So the answer is: {run.names(ranked)}.", triples=run.into(last, last.nodes))
    return Outcome(tuple(run.lines), tuple(ranked.tolist()))
