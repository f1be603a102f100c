"""A few bridges as a graph, for lessons: small enough to see whole, and run by the same functions as any graph."""

from __future__ import annotations

from functools import cache

from core.graph.contracts import Relation
from core.graph.graph import KnowledgeGraph
from core.kerag.neighbourhood import Gathering
from core.kerag.program import Operation, Program, Way
from core.kerag.subgraph import Neighbourhood

TOPIC = "Green River"
QUESTION = f"Which bridge over the {TOPIC} is the longest?"
BUDGET = 100
_TYPES = {
    "bridge": ("Mill Bridge", "Iron Bridge", "Toll Bridge"),
    "river": (TOPIC, "Grey River"),
    "person": ("Ada Holm", "Nils Berg"),
    "length": ("120 m", "0.4 km", "310 m"),
    "town": ("Easton", "Weston"),
}
_TRIPLES = (
    ("Mill Bridge", "crosses", TOPIC),
    ("Iron Bridge", "crosses", TOPIC),
    ("Toll Bridge", "crosses", "Grey River"),
    ("Mill Bridge", "is long", "120 m"),
    ("Iron Bridge", "is long", "0.4 km"),
    ("Toll Bridge", "is long", "310 m"),
    ("Mill Bridge", "built by", "Ada Holm"),
    ("Iron Bridge", "built by", "Nils Berg"),
    ("Toll Bridge", "built by", "Nils Berg"),
    (TOPIC, "flows through", "Easton"),
    ("Grey River", "flows through", "Weston"),
)
RELATIONS = tuple(dict.fromkeys(relation for _, relation, _ in _TRIPLES))
PROGRAM = Program(
    operations=(
        Operation(do="start", nodes=(TOPIC,)),
        Operation(do="follow", of=(0,), ways=(Way(relation="crosses", direction="in"),)),
        Operation(do="max", of=(1,), ways=(Way(relation="is long"),)),
    )
)


@cache
def bridges() -> KnowledgeGraph:
    """The graph; the names are the ids."""
    names = [name for own in _TYPES.values() for name in own]
    types = [kind for kind, own in _TYPES.items() for _ in own]
    heads, tails = ([names.index(triple[end]) for triple in _TRIPLES] for end in (0, 2))
    kinds = [RELATIONS.index(relation) for _, relation, _ in _TRIPLES]
    texts = [""] * len(names)
    return KnowledgeGraph.from_arrays(names, names, types, texts, heads, tails, kinds, list(RELATIONS), name="bridges")


def gathered(kept: tuple[str, ...], hops: int, budget: int = BUDGET) -> Neighbourhood:
    """The neighbourhood of the topic along these relations, in both directions, so many hops far (KERAG-2)."""
    graph = bridges()
    gathering = Gathering(graph, [graph.index_of(TOPIC)], budget, QUESTION)
    both = {Relation(relation, "out") for relation in kept} | {Relation(relation, "in") for relation in kept}
    for _ in range(hops):
        gathering.follow(both)
    return gathering.neighbourhood()
