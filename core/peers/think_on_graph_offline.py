"""Think-on-Graph's decisions without a model: plain similarity of what the question still asks for.

A relation's score is the share of the question's open need that this one hop would explain: no causal module, no
order of the question, no look beyond the hop. An entity's score grows with the open need's words in its name and text.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.graph.contracts import Graph, Relation, RelationCount
from core.linking.lens import Lens
from core.linking.lenses import Lenses
from core.linking.mentions import Mention
from core.linking.question import read_question
from core.linking.routes import RouteScorer
from core.linking.similarity import Floats
from core.linking.words import stems
from core.llm.exchange import Exchange
from core.peers.deciders import OFFLINE, OfflineDeciders
from core.peers.model_scores import Scores
from core.peers.named_nodes import NamedNodes, score_by_name
from core.peers.paths import PeerLink
from core.peers.recorder import Card
from core.peers.think_on_graph_contracts import Reached, Thinker, Trail, Verdict
from core.text.tokens import tokenise

NEED_OF_WEIGHT = 0.3  # weight from which a need must be explained before the paths suffice
EXPLAINED = 0.5  # share of the best explanation the graph has for a need, from which the need counts as explained
NO_OVERLAP = 0.5  # score of an entity that shares no word with the open need
CLOSED = 1e-6  # open need below which nothing is left to explain
NOTICES = (
    "Offline, no language model scores relations and entities: a relation is scored by the share of the question's "
    "open need that it explains, an entity by the open need's words in its name and text.",
)


class OfflineThinker:
    """Reads the question around each topic entity and compares words."""

    decided_by = OFFLINE
    exchange: Exchange | None = None

    def __init__(self, lens: Lens, graph: Graph, question: str) -> None:
        self._lens = lens
        self._graph = graph
        self._question = question
        self._mentions: dict[int, Mention] = {}
        self._scorers: dict[int, RouteScorer] = {}

    def topics(self, named: NamedNodes, cards: Sequence[Card], width: int) -> Scores:
        """The surest mentions; without any, the nodes that match the question's words best."""
        self._mentions = named.mention_of
        return score_by_name(named, width)

    def subquery(self, trail: Trail) -> str:
        """The words of the needs that the path leaves open; all of them when none is open."""
        return " ".join(self._open_words(trail))

    def relations(self, trail: Trail, relations: Sequence[RelationCount]) -> Scores:
        """The share of the open need that each explains: (coverage with it - before) / (1 - coverage before)."""
        scorer, codes = self._scorer(trail), self._codes(trail)
        before = (
            self._coverage(scorer, [codes])[0] if codes else float(scorer.given @ scorer.needs.weight / scorer.total)
        )
        room = 1.0 - before
        following = [self._lens.roles.code(Relation(r.type, r.direction)) for r in relations]
        if room < CLOSED or not following:
            return [0.0] * len(following)
        gains = (self._coverage(scorer, [(*codes, code) for code in following]) - before) / room
        kept = self._lens.roles.kept  # a twin that says another relation backwards leads nowhere else
        return [round(max(float(g), 0.0), 6) if kept[code] else 0.0 for g, code in zip(gains, following, strict=True)]

    def entities(self, trail: Trail, link: PeerLink, reached: Sequence[Reached]) -> Scores:
        """0.5 + 0.5 x the share of the open need's words that stand in the entity's name or text."""
        wanted = stems(" ".join(self._open_words(trail)))
        return [
            NO_OVERLAP + (1 - NO_OVERLAP) * len(wanted & stems(_words_of(r.card))) / max(len(wanted), 1)
            for r in reached
        ]

    def enough(self, beam: Sequence[Trail]) -> Verdict:
        """Whether the best path explains every need of weight that the graph can explain at all."""
        best = beam[0]
        scorer = self._scorer(best)
        needs = scorer.needs
        possible = np.maximum(needs.edge, needs.arrival).max(axis=0, initial=0.0)
        explained = self._explained(scorer, self._codes(best))
        missing = [
            text
            for text, weight, most, so_far in zip(needs.texts, needs.weight, possible, explained, strict=True)
            if weight >= NEED_OF_WEIGHT and so_far < EXPLAINED * most
        ]
        if missing:
            return Verdict(False, f"the best path does not explain: {', '.join(missing)}")
        return Verdict(True, "the best path explains every word that the graph can explain")

    # --- reading ------------------------------------------------------------------------------------

    def _scorer(self, trail: Trail) -> RouteScorer:
        """The question read around the path's topic entity."""
        start = trail.positions[0]
        scorer = self._scorers.get(start)
        if scorer is None:
            needs = self._lens.needs(read_question(self._question, self._mentions.get(start)))
            roles = self._lens.roles
            first = [roles.code(Relation(r.type, r.direction)) for r in self._graph.node(start).relations]
            scorer = self._scorers[start] = RouteScorer(roles, needs, first)
        return scorer

    def _codes(self, trail: Trail) -> tuple[int, ...]:
        links = (hop.link for hop in trail.path.hops)
        return tuple(self._lens.roles.code(Relation(link.type, link.direction)) for link in links)

    def _coverage(self, scorer: RouteScorer, routes: Sequence[tuple[int, ...]]) -> Floats:
        """(R,) share of the question's need that each route explains."""
        return np.asarray(scorer.terms(np.array(routes, dtype=np.int64)).coverage, dtype=np.float64)

    def _explained(self, scorer: RouteScorer, codes: tuple[int, ...]) -> Floats:
        """(n,) how far the route explains each need."""
        if not codes:
            return scorer.given
        explained: Floats = scorer.terms(np.array([codes], dtype=np.int64)).explained[0]
        return explained

    def _open_words(self, trail: Trail) -> list[str]:
        scorer = self._scorer(trail)
        explained = self._explained(scorer, self._codes(trail))
        texts = scorer.needs.texts
        return [t for t, done in zip(texts, explained, strict=True) if done < EXPLAINED] or list(texts)


def _words_of(card: Card) -> str:
    return " ".join(tokenise(f"{card.ref.name} {card.text}"))


def offline_thinkers(lenses: Lenses | None = None) -> OfflineDeciders[Thinker]:
    """Think-on-Graph without a model."""
    return OfflineDeciders(OfflineThinker, NOTICES, lenses)
