"""The nodes that a question may be about: what searching for its names brings, before anyone chooses.

Not here: which of them are meant. Offline the names decide, with a model the model.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from core.graph.contracts import Hit
from core.linking.mentions import Mention, find_mentions, subqueries

SEARCH_K = 20  # nodes that one of these searches asks for
OFFERED = 20  # candidates that are offered to choose from

Search = Callable[[str, int], Sequence[Hit]]


@dataclass(frozen=True, slots=True)
class NamedNodes:
    """What the searches brought.

    offered: positions, those whose name stands in the question first (the surest mention, then the longest), then
    the other hits, best first. bm25: a node's best score in any search. mention_of: where the question names it.
    surest: the nodes of the mentions that are written most like names.
    """

    queries: tuple[str, ...]
    offered: tuple[int, ...]
    bm25: dict[int, float]
    mention_of: dict[int, Mention]
    surest: frozenset[int]


def find_named_nodes(question: str, search: Search, name_of: Callable[[int], str]) -> NamedNodes:
    """Search for what is written like a name; for the rest of the question only until a name is found.

    search: GlobalSearch. name_of: a node's name. What `search` raises is passed on.
    """
    asked: list[str] = []
    bm25: dict[int, float] = {}
    names: dict[int, str] = {}
    mentions: tuple[Mention, ...] = ()
    for query in subqueries(question):
        if any(query.text in m.text for m in mentions) or (mentions and not query.sure):
            continue
        asked.append(query.text)
        for hit in search(query.text, SEARCH_K):
            bm25[hit.position] = max(bm25.get(hit.position, 0.0), hit.score)
            if hit.position not in names:
                names[hit.position] = name_of(hit.position)
        mentions = find_mentions(question, names.items())
    mention_of = {position: mention for mention in reversed(mentions) for position in mention.nodes}
    named = list(dict.fromkeys(position for mention in mentions for position in mention.nodes))
    others = sorted(bm25.keys() - mention_of.keys(), key=lambda p: (-bm25[p], p))
    best = mentions[0].tier if mentions else 0
    return NamedNodes(
        queries=tuple(asked),
        offered=(*named, *others)[: max(OFFERED, len(named))],
        bm25=bm25,
        mention_of=mention_of,
        surest=frozenset(position for m in mentions if m.tier == best for position in m.nodes),
    )


def score_by_name(named: NamedNodes, width: int) -> list[float]:
    """How surely the question means each offered node, in [0, 1], by its names alone.

    1 for the surest mentions, 0 for the rest. Where nothing is named, the `width` nodes that match the question's
    words best get their BM25 as a share of the best one's.
    """
    if named.surest:
        return [float(position in named.surest) for position in named.offered]
    best = max((named.bm25[p] for p in named.offered), default=0.0)
    return [named.bm25[p] / best if n < width and best > 0 else 0.0 for n, p in enumerate(named.offered)]
