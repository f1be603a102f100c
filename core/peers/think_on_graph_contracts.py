"""What decides in Think-on-Graph: four questions, each with an offline and a model-backed answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from core.graph.contracts import RelationCount
from core.llm.exchange import Exchange
from core.peers.model_scores import Scores
from core.peers.named_nodes import NamedNodes
from core.peers.paths import PeerLink, PeerPath
from core.peers.recorder import Card


@dataclass(frozen=True, slots=True)
class Trail:
    """A path of the beam: positions of its nodes, of each hop relation score x entity score, the text of its end."""

    positions: tuple[int, ...]
    path: PeerPath
    text: str = ""
    hop_scores: tuple[float, ...] = ()

    @property
    def end(self) -> int:
        """The position of the node it leads to."""
        return self.positions[-1]

    @property
    def score(self) -> float:
        """The mean of its hops' scores; 0 for a path without hops."""
        return sum(self.hop_scores) / len(self.hop_scores) if self.hop_scores else 0.0

    def score_with(self, hop_score: float) -> float:
        """The score of this path with one hop more."""
        return (sum(self.hop_scores) + hop_score) / (len(self.hop_scores) + 1)


@dataclass(frozen=True, slots=True)
class Reached:
    """A node found along a kept relation, with its BM25 for the question's open needs."""

    position: int
    card: Card
    bm25: float


class Verdict(NamedTuple):
    """Whether the paths suffice, and why."""

    enough: bool
    reason: str


class Thinker(Protocol):
    """Decides. Scores are in [0, 1], in the order of what was offered; None: not judged, so never kept.

    Any of these may raise a CausewayError; the run then records a failed step.
    """

    decided_by: str

    @property
    def exchange(self) -> Exchange | None:
        """What a model was asked and replied in the last decision."""
        ...

    def topics(self, named: NamedNodes, cards: Sequence[Card], width: int) -> Scores:
        """How surely the question is about each offered node."""
        ...

    def subquery(self, trail: Trail) -> str:
        """What entities are compared with by BM25."""
        ...

    def relations(self, trail: Trail, relations: Sequence[RelationCount]) -> Scores:
        """How much each relation of the path's last node contributes to the answer, given the path."""
        ...

    def entities(self, trail: Trail, link: PeerLink, reached: Sequence[Reached]) -> Scores:
        """How much each entity along the link contributes to the answer, given the path."""
        ...

    def enough(self, beam: Sequence[Trail]) -> Verdict:
        """Whether the paths of the beam suffice to answer."""
        ...
