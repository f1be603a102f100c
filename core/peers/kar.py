"""KAR, knowledge-aware query expansion (Xia et al. 2025; CARA-13): a search helped by what the graph knows.

The entities that the question names are linked; their neighbours along relations whose type fits the question become
triples; the question is expanded with them and searched once by BM25; what is found is then constrained to the types
that fit the expected answer, where the graph has types. A constraint that would leave nothing is lifted, and told.

[ours] The nodes that the question names are left out unless nothing else is found; relations are kept from half of the
best one's score on; triples reach one hop. A decision that fails costs its part of the expansion: in the end the
question is searched as it stands. Not here: who scores and writes (`kar_offline`, `kar_model`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TypeVar

from core.graph.contracts import Graph, RelationCount
from core.peers.deciders import Deciders
from core.peers.kar_contracts import Expander, Expansion
from core.peers.kar_offline import offline_expanders
from core.peers.kar_steps import (
    KarConfig,
    KarExpandStep,
    KarFailedStep,
    KarGatherStep,
    KarLinkStep,
    KarNode,
    KarRelation,
    KarRetrieveStep,
    KarTriple,
)
from core.peers.model_scores import Scores, best_of
from core.peers.named_nodes import NamedNodes, find_named_nodes
from core.peers.paths import PeerLink
from core.peers.ranking import PeerAnswerer
from core.peers.recorder import Card, Recorder
from core.peers.walker import Walker
from core.trace import Ranked

RELATION_BESIDE_BEST = 0.5  # share of the best relation's score that another must reach to be followed
FOLLOWED_ANYWAY = 20  # relations that are followed at most when none fits

T = TypeVar("T")


class KarRetriever(Walker[Expander, KarConfig]):
    """KAR on one graph. `expanders` decide, offline by default; `answerer`, if given, writes the answer."""

    method = "kar"
    config_model = KarConfig

    def __init__(
        self, graph: Graph, expanders: Deciders[Expander] | None = None, answerer: PeerAnswerer | None = None
    ) -> None:
        super().__init__(graph, expanders or offline_expanders(), answerer)

    def walk(self, recorder: Recorder, decider: Expander, question: str, config: KarConfig) -> None:
        """Link, gather, expand, retrieve."""
        _Run(recorder, decider, question, config).run()


class _Run:
    """One run."""

    def __init__(self, recorder: Recorder, expander: Expander, question: str, config: KarConfig) -> None:
        self._recorder = recorder
        self._expander = expander
        self._question = question
        self._config = config

    def run(self) -> None:
        recorder = self._recorder
        named, linked = self._link()
        triples = [triple for entity in linked for triple in self._gather(entity)]
        triples.sort(key=lambda t: -round(t.score, 9))  # stable: then by entity, then by BM25
        expansion = self._expand(triples[: self._config.triples])
        self._retrieve(named, expansion)
        recorder.tell_failures()

    # --- link ---------------------------------------------------------------------------------------

    def _link(self) -> tuple[frozenset[int], list[int]]:
        """Of the nodes that are taken, those that the question names; and all of them, best first."""
        recorder, started = self._recorder, time.perf_counter()
        named = self._attempt("find the nodes that the question names", self._find_named, decision=False)
        if named is None:
            return frozenset(), []
        cards = [recorder.card(position) for position in named.offered]
        scores: Scores | None = ()
        if cards:
            recorder.count("topics")
            scores = self._attempt(
                "choose the nodes that the question names",
                lambda: self._expander.topics(named, cards, self._config.entities),
            )
        if scores is None:
            return frozenset(), []
        chosen = best_of(scores, self._config.entities)
        linked = [named.offered[i] for i in chosen]
        mentioned = frozenset(linked).intersection(named.mention_of)
        recorder.add(
            KarLinkStep,
            started,
            queries=named.queries,
            offered=tuple(
                _node(card, named.bm25[position], score=scores[i], kept=i in chosen)
                for i, (position, card) in enumerate(zip(named.offered, cards, strict=True))
            ),
            reason=_why_linked(linked, mentioned),
            decided_by=self._expander.decided_by,
            exchange=self._expander.exchange,
        )
        return mentioned, linked

    def _find_named(self) -> NamedNodes:
        recorder = self._recorder
        return find_named_nodes(self._question, recorder.search, lambda position: recorder.card(position).ref.name)

    # --- gather -------------------------------------------------------------------------------------

    def _gather(self, entity: int) -> list[KarTriple]:
        """The triples of one entity, along the relations that fit, best relation first, then best BM25."""
        recorder, started = self._recorder, time.perf_counter()
        card = recorder.card(entity)
        relations = self._attempt(
            f"read the relations of {card.ref.name}", lambda: recorder.graph.node(entity).relations, decision=False
        )
        if relations is None:
            return []
        scores: Scores | None = ()
        if relations:
            recorder.count("relations")
            scores = self._attempt(
                f"score the relations of {card.ref.name}", lambda: self._expander.relations(entity, card, relations)
            )
        if scores is None:
            return []
        exchange = self._expander.exchange if relations else None
        kept, lifted = self._fitting(scores)
        subquery = self._expander.subquery(entity)
        triples: list[KarTriple] = []
        for i in kept:
            along = self._attempt(
                f"look along {relations[i].type} from {card.ref.name}",
                lambda i=i: self._along(entity, card, relations[i], subquery, scores[i] or 0.0),  # type: ignore[misc]
                decision=False,
            )
            triples += along or []
        recorder.add(
            KarGatherStep,
            started,
            node=card.ref,
            subquery=subquery,
            k=self._config.k,
            relations=tuple(
                KarRelation(
                    link=PeerLink(type=relation.type, direction=relation.direction),
                    edges=relation.edges,
                    score=score,
                    kept=i in kept,
                )
                for i, (relation, score) in enumerate(zip(relations, scores, strict=True))
            ),
            lifted=lifted,
            triples=tuple(triples),
            reason="no relation's type fits the question, so all are followed"
            if lifted
            else "only relations whose type fits the question are followed",
            decided_by=self._expander.decided_by,
            exchange=exchange,
        )
        return triples

    def _fitting(self, scores: Scores) -> tuple[list[int], bool]:
        """Which relations are followed, best first; and whether the constraint had to be lifted."""
        order = sorted(range(len(scores)), key=lambda i: (-(scores[i] or 0.0), i))
        best = scores[order[0]] or 0.0 if order else 0.0
        if best <= 0:
            return order[:FOLLOWED_ANYWAY], bool(order)
        fitting = [i for i in order if (scores[i] or 0.0) >= RELATION_BESIDE_BEST * best]
        return fitting[: self._config.relations], False

    def _along(
        self,
        entity: int,
        card: Card,
        relation: RelationCount,
        subquery: str,
        score: float,
    ) -> list[KarTriple]:
        recorder = self._recorder
        link = PeerLink(type=relation.type, direction=relation.direction)
        triples = []
        for neighbor in recorder.along(entity, relation, subquery, self._config.k):
            other = recorder.card(neighbor.position)
            triples.append(
                KarTriple(
                    entity=card.ref,
                    link=link,
                    node=other.ref,
                    score=score,
                    bm25=neighbor.score,
                    text=other.text,
                    text_cut=other.cut,
                )
            )
        return triples

    # --- expand and retrieve ------------------------------------------------------------------------

    def _expand(self, triples: list[KarTriple]) -> Expansion:
        recorder, started = self._recorder, time.perf_counter()
        nothing = Expansion("", (), "")
        if not triples:
            recorder.notices.append("No triple was gathered, so the question is searched as it stands.")
            return nothing
        recorder.count("expand")
        node_types = [node_type for node_type in recorder.graph.schema().node_types if node_type]
        expansion = self._attempt("expand the question", lambda: self._expander.expand(triples, node_types))
        if expansion is None:
            recorder.notices.append("The question was not expanded, and is searched as it stands.")
            return nothing
        recorder.add(
            KarExpandStep,
            started,
            triples=tuple(triples),
            expansion=expansion.text,
            answer_types=expansion.answer_types,
            reason=expansion.reason,
            decided_by=self._expander.decided_by,
            exchange=self._expander.exchange,
        )
        return expansion

    def _retrieve(self, named: frozenset[int], expansion: Expansion) -> None:
        recorder, started = self._recorder, time.perf_counter()
        query = f"{self._question}\n{expansion.text}" if expansion.text else self._question
        # Only a constraint needs more than the list will hold.
        k = self._config.search_k if expansion.answer_types else self._config.top + len(named)
        hits = self._attempt("search", lambda: recorder.search(query, k), decision=False)
        if hits is None:
            return
        others = [hit for hit in hits if hit.position not in named] or list(hits)
        types = set(expansion.answer_types)
        fitting = [hit for hit in others if not types or recorder.card(hit.position).ref.type in types]
        lifted = not fitting and bool(others)
        ranked = (fitting or others)[: self._config.top]
        kept = {hit.position for hit in ranked}
        recorder.add(
            KarRetrieveStep,
            started,
            subquery=query,
            k=k,
            answer_types=expansion.answer_types,
            lifted=lifted,
            found=tuple(_node(recorder.card(h.position), h.score, score=None, kept=h.position in kept) for h in hits),
            reason=_why_kept(expansion.answer_types, lifted),
            decided_by=self._expander.decided_by,
        )
        if not hits:
            recorder.notices.append("No node shares a word with the question.")
        refs = [recorder.card(hit.position).ref for hit in ranked]
        recorder.ranked = tuple(
            Ranked(id=ref.id, name=ref.name, type=ref.type, score=hit.score, ranks={0: rank})
            for rank, (ref, hit) in enumerate(zip(refs, ranked, strict=True), 1)
        )

    def _attempt(self, action: str, call: Callable[[], T], decision: bool = True) -> T | None:
        return self._recorder.attempt(action, call, KarFailedStep, self._expander, decision=decision)


def _node(card: Card, bm25: float, *, score: float | None, kept: bool) -> KarNode:
    return KarNode(node=card.ref, bm25=bm25, score=score, kept=kept, text=card.text, text_cut=card.cut)


def _why_linked(linked: Sequence[int], mentioned: frozenset[int]) -> str:
    if not linked:
        return "nothing that was found is named"
    if mentioned.issuperset(linked):
        return "the question names them"
    return "not all of them are named; they match the question's words best"


def _why_kept(types: Sequence[str], lifted: bool) -> str:
    if lifted:
        return f"no node found is a {' or '.join(types)}, so nodes of any type are kept"
    if types:
        return f"only nodes of a type that fits the expected answer are kept: {', '.join(types)}"
    return "any type of node may answer"
