"""What a trace keeps of a neighbourhood: its retrieve step, and the ranked list of its nodes.

Not here: the neighbourhood itself, which may be far larger (`neighbourhood`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from core.kerag.steps import LeftOut, RetrieveStep, SummaryStep
from core.kerag.subgraph import Neighbourhood
from core.trace import Ranked

KEPT_TRIPLES = 5_000
CITED_SCORE = 0.5  # of a node that the reasoning cites; one of the answer has 1, others half of what is cited by hop

Ints = NDArray[np.int64]


def hops_of(around: Neighbourhood) -> Ints:
    """(t,) the hop by which each triple was reached: one more than that of its nearer end."""
    hop = around.hop.astype(np.int64)
    return np.minimum(hop[around.head], hop[around.tail]) + 1


def places_kept(around: Neighbourhood, first: Sequence[int], most: int = KEPT_TRIPLES) -> Ints:
    """The triples a trace keeps, by place: those of `first`, then the nearest ones; all, in order, where they fit."""
    if len(around) <= most:
        return np.arange(len(around))
    wanted = np.array(list(dict.fromkeys(first))[:most], dtype=np.int64)
    rest = np.argsort(hops_of(around), kind="stable")
    rest = rest[~np.isin(rest, wanted)][: most - len(wanted)]
    return np.sort(np.concatenate([wanted, rest]))


def retrieve_step(around: Neighbourhood, places: Ints, left_out: Sequence[LeftOut]) -> RetrieveStep:
    """The step that tells what was retrieved, with the triples at `places` and the nodes at their ends."""
    head, tail = around.head[places], around.tail[places]
    if len(places) == len(around):
        used = np.arange(len(around.nodes))
    else:
        used = np.unique(np.concatenate([np.array(around.topics, dtype=np.int64), head, tail]))
    at = np.full(len(around.nodes), -1, dtype=np.int64)
    at[used] = np.arange(len(used))
    columns = (at[head], around.relation[places], at[tail], hops_of(around)[places])
    total = len(around)
    told = f"{total:,} triple{'s' if total != 1 else ''} among {len(around.nodes):,} nodes"
    if len(places) < total:
        told += f"; this record keeps {len(places):,} of them, those that the reasoning cites first"
    # model_construct: the columns are made here and valid; there may be thousands of rows
    return RetrieveStep.model_construct(
        nodes=tuple(around.nodes[i] for i in used.tolist()),
        relations=around.relations,
        triples=tuple(zip(*(c.tolist() for c in columns), strict=True)),
        total=total,
        among=len(around.nodes),
        left_out=tuple(left_out),
        reason=told,
    )


def ranked(around: Neighbourhood, summary: SummaryStep | None, top: int) -> tuple[Ranked, ...]:
    """The nodes of the answer, then those that the reasoning cites, then the others: near ones, and well connected.

    The lines of `summary` cite places in `around`. Topics are left out unless they are the answer or nothing else is.
    """
    nodes = around.nodes
    answers = summary.answers[:top] if summary is not None else ()
    lines = {a.id: Ranked(id=a.id, name=a.name, type=a.type, score=1.0, ranks={0: n}) for n, a in enumerate(answers, 1)}
    cited = np.zeros(len(nodes), dtype=bool)
    for line in summary.lines if summary is not None else ():
        triples = np.array(line.triples, dtype=np.int64)
        cited[around.head[triples]] = cited[around.tail[triples]] = True
    links = np.bincount(np.concatenate([around.head, around.tail]), minlength=len(nodes))
    for place in np.lexsort((np.arange(len(nodes)), -links, around.hop, ~cited)).tolist():
        if len(lines) >= top:
            break
        if place in around.topics and (lines or len(nodes) > len(around.topics)):
            continue
        node = nodes[place]
        score = CITED_SCORE if cited[place] else CITED_SCORE / (1 + int(around.hop[place]))
        lines.setdefault(
            node.id, Ranked(id=node.id, name=node.name, type=node.type, score=score, ranks={0: len(lines) + 1})
        )
    return tuple(lines.values())[:top]
