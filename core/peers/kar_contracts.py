"""What decides in KAR: which nodes the question names, which relations fit it, and how it is expanded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from core.graph.contracts import RelationCount
from core.llm.exchange import Exchange
from core.peers.kar_steps import KarTriple
from core.peers.model_scores import Scores
from core.peers.named_nodes import NamedNodes
from core.peers.recorder import Card


class Expansion(NamedTuple):
    """What is added to the question, the node types an answer may have (none: any), and why."""

    text: str
    answer_types: tuple[str, ...]
    reason: str


class Expander(Protocol):
    """Decides. Scores are in [0, 1], in the order of what was offered; None: not judged, so never kept.

    Any of these may raise a CausewayError; the run then records a failed step and goes on without.
    """

    decided_by: str

    @property
    def exchange(self) -> Exchange | None:
        """What a model was asked and replied in the last decision."""
        ...

    def topics(self, named: NamedNodes, cards: Sequence[Card], width: int) -> Scores:
        """How surely the question names each offered node."""
        ...

    def subquery(self, entity: int) -> str:
        """What the neighbours of a linked entity (a position) are compared with by BM25."""
        ...

    def relations(self, entity: int, card: Card, relations: Sequence[RelationCount]) -> Scores:
        """How well the type of each relation of a linked entity fits the question."""
        ...

    def expand(self, triples: Sequence[KarTriple], node_types: Sequence[str]) -> Expansion:
        """The expansion from the triples (best first), and which of the graph's node types the answer may have."""
        ...
