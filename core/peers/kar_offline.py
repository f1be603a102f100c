"""KAR's decisions without a model: names, similarity to relations, and the triples' own words as the expansion.

In the expansion a neighbour's name and the first words of its text stand once, twice or three times, by how well its
relation fits the question: BM25 counts a repeated word as often as it stands, so repeating is weighting.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.graph.contracts import Graph, Relation, RelationCount
from core.linking.lens import Lens, Needs
from core.linking.lenses import Lenses
from core.linking.mentions import Mention
from core.linking.question import read_question
from core.llm.exchange import Exchange
from core.peers.deciders import OFFLINE, OfflineDeciders
from core.peers.kar_contracts import Expander, Expansion
from core.peers.kar_steps import KarTriple
from core.peers.model_scores import Scores
from core.peers.named_nodes import NamedNodes, score_by_name
from core.peers.recorder import Card

REPEATS = 3  # times that the names of a perfectly fitting relation are repeated
WORDS_OF_TEXT = 20  # of a neighbour's text that join the expansion
TYPE_FITS = 0.5  # fit of a type from which the answer may have it
TYPE_BESIDE_BEST = 0.8  # share of the best type's fit that another must reach
NOTICES = (
    "Offline, no language model writes the expansion: it is made of the names and first words of the neighbours, "
    "repeated by how well their relation fits the question.",
    "The paper retrieves by dense vectors and filters neighbours by their documents; here the expanded question is "
    "searched by BM25, and neighbours are filtered by the type of their relation.",
)


class OfflineExpander:
    """Reads the question around each linked entity and compares words."""

    decided_by = OFFLINE
    exchange: Exchange | None = None

    def __init__(self, lens: Lens, graph: Graph, question: str) -> None:
        self._lens = lens
        self._question = question
        self._mentions: dict[int, Mention] = {}
        self._needs: dict[int | None, Needs] = {}
        self._first: int | None = None  # the entity that the question is read around when no other is at hand

    def topics(self, named: NamedNodes, cards: Sequence[Card], width: int) -> Scores:
        """The surest mentions; without any, the nodes that match the question's words best."""
        self._mentions = named.mention_of
        self._first = named.offered[0] if named.offered else None
        return score_by_name(named, width)

    def subquery(self, entity: int) -> str:
        """The question's content words beside the mention."""
        return " ".join(self._about(entity).texts)

    def relations(self, entity: int, card: Card, relations: Sequence[RelationCount]) -> Scores:
        """The best similarity to a word of the question, by name or by the class it leads to, times its weight."""
        needs, roles = self._about(entity), self._lens.roles
        says = (np.maximum(needs.edge, needs.arrival) * needs.weight).max(axis=1, initial=0.0)
        codes = [roles.code(Relation(r.type, r.direction)) for r in relations]
        # A twin that says another relation backwards leads nowhere else.
        return [round(float(says[code]), 6) if roles.kept[code] else 0.0 for code in codes]

    def expand(self, triples: Sequence[KarTriple], node_types: Sequence[str]) -> Expansion:
        parts = []
        for triple in triples:
            said = " ".join([triple.node.name, *triple.text.split()[:WORDS_OF_TEXT]])
            parts += [said] * max(1, round(REPEATS * triple.score))
        types = self._answer_types(node_types)
        return Expansion("\n".join(parts), types, "the names and first words of the neighbours, repeated by fit")

    def _answer_types(self, node_types: Sequence[str]) -> tuple[str, ...]:
        """The node types that are met where a hop's arrival fits the expected answer; none when that is not known."""
        needs, roles = self._about(self._first), self._lens.roles
        # `fit` is relative to the head's best match, so a head that matches nothing must not choose.
        head_seen = needs.head is not None and needs.weight[needs.head] >= TYPE_FITS
        if not (needs.kind or head_seen) or not node_types:
            return ()
        fit = dict.fromkeys(node_types, 0.0)
        for hop in range(roles.hops):
            for rank, node_type in enumerate(t for t in roles.types[hop ^ 1] if t in fit):
                fit[node_type] = max(fit[node_type], float(needs.fit[hop]) / (1 + rank))
        least = max(TYPE_FITS, TYPE_BESIDE_BEST * max(fit.values()))
        return tuple(t for t in node_types if fit[t] >= least)

    def _about(self, entity: int | None) -> Needs:
        """The needs of the question, read around the entity where it names it."""
        mentioned = entity if entity in self._mentions else None
        needs = self._needs.get(mentioned)
        if needs is None:
            mention = self._mentions.get(mentioned) if mentioned is not None else None
            needs = self._needs[mentioned] = self._lens.needs(read_question(self._question, mention))
        return needs


def offline_expanders(lenses: Lenses | None = None) -> OfflineDeciders[Expander]:
    """KAR without a model."""
    return OfflineDeciders(OfflineExpander, NOTICES, lenses)
