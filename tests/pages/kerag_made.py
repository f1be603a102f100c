"""A KERAG run on a few books, read by letters, so that pages can be tested without an encoder."""

from __future__ import annotations

from core.graph.graph import KnowledgeGraph
from core.kerag.offline import OfflineKeragMinds
from core.kerag.retriever import KeragRetriever
from core.linking.lenses import Lenses
from core.text.embedding import get_encoder
from core.trace import Trace

NODES = [("b1", "The Salt Road", "book"), ("b2", "Winter Letters", "book"), ("p1", "Ada Holm", "person"),
         ("p2", "Nils Berg", "person"), ("c1", "Oslo", "town")]  # fmt: skip
EDGES = [(0, 2, 0), (1, 2, 0), (0, 3, 1), (2, 4, 2)]
RELATIONS = ["written by", "translated by", "born in"]


def trace(question: str = "Who is The Salt Road written by?", **config) -> Trace:
    """A finished run."""
    ids, names, types = (list(column) for column in zip(*NODES, strict=True))
    heads, tails, kinds = (list(column) for column in zip(*EDGES, strict=True))
    graph = KnowledgeGraph.from_arrays(ids, names, types, [""] * len(ids), heads, tails, kinds, RELATIONS, name="books")
    minds = OfflineKeragMinds(Lenses(lambda name: get_encoder("letters")))
    made = KeragRetriever(graph, minds).run(question, config)
    return made.model_copy(update={"run_id": "kerag-made"})
