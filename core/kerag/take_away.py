"""Take a triple away and see what becomes of the answer: a pure function of a trace, asking no graph and no model.

Offline the program of the reasoning is run again on what is left; the plan stays as made. Where a model reasoned,
there is no program: what is known at once is which lines lose their support, and the answer must be asked for again.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

import numpy as np

from core.kerag.evaluator import evaluate
from core.kerag.steps import Line, RetrieveStep, SummaryStep
from core.kerag.subgraph import Neighbourhood
from core.kerag.triples import TripleIndex
from core.trace import Frozen, Trace

Support = Literal["stands", "weakened", "lost"]


class LineSupport(Frozen):
    """A line of the reasoning, how many of its triples were taken away, and whether any is left."""

    line: Line
    taken: int
    support: Support


class TakenAway(Frozen):
    """What is left of an answer without some triples.

    after: the reasoning again; None where a model must be asked. change: of the answer, "" where it is not known yet.
    partial: the trace keeps only a part of the triples, so that another way may be left that is not seen here.
    """

    before: SummaryStep
    after: SummaryStep | None
    lines: tuple[LineSupport, ...]
    change: Literal["same", "changed", "lost", ""] = ""
    partial: bool = False


def neighbourhood_of(step: RetrieveStep) -> Neighbourhood:
    """The triples that a trace kept, as a neighbourhood; the positions are places here."""
    columns = np.array(step.triples, dtype=np.int64).reshape(-1, 4)
    n = len(step.nodes)
    hop = np.full(n, np.iinfo(np.int16).max, dtype=np.int16)
    for end in (0, 2):
        np.minimum.at(hop, columns[:, end], columns[:, 3].astype(np.int16))
    return Neighbourhood(
        nodes=step.nodes,
        positions=np.arange(n, dtype=np.int64),
        hop=hop,
        relations=step.relations,
        head=columns[:, 0],
        relation=columns[:, 1],
        tail=columns[:, 2],
        total=step.total,
    )


def take_away(trace: Trace, triples: Collection[int]) -> TakenAway | None:
    """The answer without the triples at these places of the retrieve step; None for a trace without reasoning."""
    retrieved = next((s for s in trace.steps if isinstance(s, RetrieveStep)), None)
    summary = next((s for s in reversed(trace.steps) if isinstance(s, SummaryStep)), None)
    if retrieved is None or summary is None:
        return None
    gone = {t for t in triples if 0 <= t < len(retrieved.triples)}
    lines = tuple(_support(line, gone) for line in summary.lines)
    partial = retrieved.total > len(retrieved.triples)
    if summary.program is None:
        return TakenAway(before=summary, after=None, lines=lines, partial=partial)
    found = neighbourhood_of(retrieved)
    outcome = evaluate(summary.program, TripleIndex(found, gone))
    after = summary.model_copy(
        update={
            "lines": outcome.lines,
            "answers": tuple(found.nodes[i] for i in outcome.answers),
            "value": outcome.value,
            "known": outcome.known,
        }
    )
    return TakenAway(before=summary, after=after, lines=lines, change=_change(summary, after), partial=partial)


def _support(line: Line, gone: Collection[int]) -> LineSupport:
    taken = sum(t in gone for t in line.triples)
    support: Support = "stands" if not taken else "lost" if taken == len(line.triples) else "weakened"
    return LineSupport(line=line, taken=taken, support=support)


def _change(before: SummaryStep, after: SummaryStep) -> Literal["same", "changed", "lost"]:
    if before.known and not after.known:
        return "lost"
    same = (before.known, before.value) == (after.known, after.value)
    return "same" if same and {n.id for n in before.answers} == {n.id for n in after.answers} else "changed"
