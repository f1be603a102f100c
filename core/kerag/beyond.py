"""How many triples a budget leaves out at one hop, at least, told from what nodes say of their edges.

Nodes that were passed over are not looked at one by one: they may be many, and large. Not here: which those are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping

from core.graph.contracts import Relation, RelationCount

PlacedTriple = tuple[
    int, str, int
]  # places of head and tail in the neighbourhood, below 0 outside; the relation between


def left_beyond(
    passed: Mapping[int, tuple[RelationCount, ...]], wanted: Collection[Relation], known: Iterable[PlacedTriple]
) -> tuple[int, tuple[int, ...]]:
    """How many distinct triples passed-over nodes lead to at least, and the nodes of which only a look can tell.

    passed: place -> the node's edges. wanted: relations that stay. known: triples not to be counted, each once.
    A triple of a relation that is wanted both ways may be met from both of its ends, so it weighs half at each. Where
    a node has edges of a relation both ways, one may lead from it to itself, which no search follows.
    """
    met: Counter[tuple[int, Relation]] = Counter()
    for head, relation, tail in known:
        met[head, Relation(relation, "out")] += 1
        met[tail, Relation(relation, "in")] += 1
    halves, doubtful = 0, []
    for place, edges in passed.items():
        ways = Counter(r.type for r in edges)
        left = {r: r.edges - met[place, Relation(r.type, r.direction)] for r in edges if _relation(r) in wanted}
        both = {r.type for r in left if ways[r.type] == 2}
        sure = sum(_weight(r.type, wanted) * n for r, n in left.items()) - 2 * len(both)
        halves += max(sure, 0)
        if sure <= 0 and any(left.values()):
            doubtful.append(place)
    return (halves + 1) // 2, tuple(doubtful)


def _relation(count: RelationCount) -> Relation:
    return Relation(count.type, count.direction)


def _weight(relation: str, wanted: Collection[Relation]) -> int:
    return 1 if Relation(relation, "out") in wanted and Relation(relation, "in") in wanted else 2
