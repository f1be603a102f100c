"""The walk of Think-on-Graph: topic entities, then depth by depth relations, entities, and whether the paths suffice.

At each depth the relations of every beam entity are scored and the N best (entity, relation) pairs of all are kept; the
entities along those pairs are scored and the N best make the next beam (Sun et al. 2024, section 2.1).

[ours] The ranked list holds all entities that the kept pairs reached: those of the last depth first, best path first,
ties by BM25 and then position (so the final beam leads the list), then those of the depths before. A path's score is
the mean of its hops' relation score x entity score; the authors' code multiplies the two likewise and forgets earlier
hops. Topic entities that the question names are left out unless nothing was reached; those that were only found by
search come last. A path never visits a node twice.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from core.graph.contracts import RelationCount
from core.llm.exchange import Exchange
from core.peers.model_scores import Scores, best_of
from core.peers.named_nodes import NamedNodes, find_named_nodes
from core.peers.paths import PeerLink, PeerPath
from core.peers.recorder import Recorder
from core.peers.think_on_graph_contracts import Reached, Thinker, Trail
from core.peers.think_on_graph_steps import (
    TogConfig,
    TogEntitiesStep,
    TogFailedStep,
    TogNode,
    TogPath,
    TogReasonStep,
    TogRelation,
    TogRelationsStep,
    TogTopicsStep,
)
from core.trace import Ranked

FAILURES_ALLOWED = 3  # decisions that fail in a row, after which the run ends with what it has
NOTICE = (
    "The paper answers from the paths and ranks nothing; this list holds every entity that a kept relation led to, "
    "the last depth first."
)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Pair:
    """A beam path and a relation of its end, with the relation's score."""

    trail: Trail
    relation: RelationCount
    score: float

    @property
    def path_score(self) -> float:
        """Of the path with this relation, before any entity is looked at."""
        return self.trail.score_with(self.score)

    @property
    def link(self) -> PeerLink:
        return _link(self.relation)

    def to(self, reached: Reached, score: float | None) -> _Candidate:
        """The path on to an entity with its score."""
        trail = Trail(
            (*self.trail.positions, reached.position),
            self.trail.path.then(self.link, reached.card.ref),
            reached.card.text,
            (*self.trail.hop_scores, self.score * (score or 0.0)),
        )
        return _Candidate(trail, reached, score)


@dataclass(frozen=True, slots=True)
class _Candidate:
    """An entity along a pair, and the path to it. score: the entity's; None where the decider gave none."""

    trail: Trail
    reached: Reached
    score: float | None

    @property
    def judged(self) -> bool:
        return self.score is not None

    @property
    def path_score(self) -> float:
        return self.trail.score if self.judged else 0.0

    @property
    def rank(self) -> tuple[bool, float, float, int]:
        """What candidates are sorted by."""
        return (not self.judged, -round(self.trail.score, 9), -self.reached.bm25, self.reached.position)


@dataclass(frozen=True, slots=True)
class _Timed:
    """A decision as its step will tell it: from when to when, and what a model was asked."""

    started: float
    ended: float
    exchange: Exchange | None


class _GivenUpError(Exception):
    """Too many decisions failed in a row."""


class Walk:
    """One run. The recorder's `ranked` is renewed after each depth, so that a stop keeps what was found."""

    def __init__(self, recorder: Recorder, thinker: Thinker, question: str, config: TogConfig) -> None:
        self._recorder = recorder
        self._thinker = thinker
        self._question = question
        self._config = config
        self._layers: list[list[_Candidate]] = []  # entities reached at each depth, best first
        self._topics: list[int] = []
        self._named: frozenset[int] = frozenset()  # topics that the question names

    def walk(self) -> None:
        """Walk until the paths suffice, the depth is reached, or nothing leads on."""
        recorder = self._recorder
        recorder.notices.append(NOTICE)
        try:
            self._deeper(self._choose_topics())
        except _GivenUpError:
            recorder.notices.append(f"The run ended early: {FAILURES_ALLOWED} decisions in a row failed.")
        recorder.tell_failures()

    def _deeper(self, beam: list[Trail]) -> None:
        for depth in range(1, self._config.depth + 1):
            reached = self._explore_entities(self._explore_relations(beam, depth), depth)
            if not reached:
                return
            self._layers.append(reached)
            self._rank()
            beam = [c.trail for c in reached[: self._config.width] if c.judged]
            if not beam or self._suffices(beam, depth):
                return

    # --- topic entities -----------------------------------------------------------------------------

    def _choose_topics(self) -> list[Trail]:
        recorder, thinker, started = self._recorder, self._thinker, time.perf_counter()
        named = self._attempt("find the nodes that the question names", self._find_named, decision=False)
        if named is None:
            return []
        cards = [recorder.card(position) for position in named.offered]
        scores: Scores | None = ()
        if cards:
            recorder.count("topics")
            scores = self._attempt(
                "choose the topic entities", lambda: thinker.topics(named, cards, self._config.width)
            )
        if scores is None:
            return []
        chosen = best_of(scores, self._config.width)
        self._topics = [named.offered[i] for i in chosen]
        self._named = frozenset(self._topics).intersection(named.mention_of)
        if not self._topics:
            reason = "nothing that was found is a start"
        elif self._named.issuperset(self._topics):
            reason = "the question names them"
        else:
            reason = "not all of them are named; they match the question's words best"
        recorder.add(
            TogTopicsStep,
            started,
            queries=named.queries,
            offered=tuple(
                TogNode(
                    node=card.ref,
                    bm25=named.bm25[position],
                    score=scores[i],
                    kept=i in chosen,
                    text=card.text,
                    text_cut=card.cut,
                )
                for i, (position, card) in enumerate(zip(named.offered, cards, strict=True))
            ),
            reason=reason,
            decided_by=thinker.decided_by,
            exchange=thinker.exchange,
        )
        if not chosen:
            recorder.notices.append("No node was found to start from.")
        self._rank()
        return [Trail((named.offered[i],), PeerPath(start=cards[i].ref), cards[i].text) for i in chosen]

    def _find_named(self) -> NamedNodes:
        recorder = self._recorder
        return find_named_nodes(self._question, recorder.search, lambda position: recorder.card(position).ref.name)

    # --- one depth ----------------------------------------------------------------------------------

    def _explore_relations(self, beam: Sequence[Trail], depth: int) -> list[_Pair]:
        """Score the relations of every beam entity; the N best (entity, relation) pairs of all, best first."""
        scored = [(trail, *known) for trail in beam if (known := self._score_relations(trail, depth)) is not None]
        pairs = [
            _Pair(trail, relation, score)
            for trail, relations, scores, _ in scored
            for relation, score in zip(relations, scores, strict=True)
            if score is not None
        ]
        # A relation that bears nothing on the question is followed only from a topic that has no better one.
        if depth > 1 or any(pair.score > 0 for pair in pairs):
            pairs = [pair for pair in pairs if pair.score > 0]
        pairs.sort(key=lambda pair: -round(pair.path_score, 9))  # stable: then by the beam, then by the graph's order
        pairs = pairs[: self._config.width]
        kept = {(pair.trail.positions, pair.relation) for pair in pairs}
        for trail, relations, scores, timed in scored:
            self._recorder.add(
                TogRelationsStep,
                timed.started,
                timed.ended,
                depth=depth,
                path=trail.path,
                relations=tuple(
                    TogRelation(
                        link=_link(relation),
                        edges=relation.edges,
                        score=score,
                        path_score=0.0 if score is None else trail.score_with(score),
                        kept=(trail.positions, relation) in kept,
                    )
                    for relation, score in zip(relations, scores, strict=True)
                ),
                reason=f"of all relations of the beam, the {self._config.width} best are kept",
                decided_by=self._thinker.decided_by,
                exchange=timed.exchange,
            )
        return pairs

    def _score_relations(self, trail: Trail, depth: int) -> tuple[tuple[RelationCount, ...], Scores, _Timed] | None:
        recorder, thinker, started = self._recorder, self._thinker, time.perf_counter()
        name = trail.path.end.name
        relations = self._attempt(
            f"read the relations of {name}", lambda: recorder.graph.node(trail.end).relations, depth, decision=False
        )
        if not relations:
            return None if relations is None else (relations, (), _Timed(started, time.perf_counter(), None))
        recorder.count("relations")
        scores = self._attempt(f"score the relations of {name}", lambda: thinker.relations(trail, relations), depth)
        if scores is None:
            return None
        return relations, scores, _Timed(started, time.perf_counter(), thinker.exchange)

    def _explore_entities(self, pairs: Sequence[_Pair], depth: int) -> list[_Candidate]:
        """Score the entities along each pair; all that were reached, best first, each by its best path."""
        looked = [(pair, *known) for pair in pairs if (known := self._score_entities(pair, depth)) is not None]
        best: dict[int, _Candidate] = {}
        for _, _, candidates, _ in looked:
            for candidate in candidates:
                if candidate.rank < best.setdefault(candidate.reached.position, candidate).rank:
                    best[candidate.reached.position] = candidate
        reached = sorted(best.values(), key=lambda c: c.rank)
        beam = {id(c) for c in reached[: self._config.width] if c.judged}
        for pair, subquery, candidates, timed in looked:
            self._recorder.add(
                TogEntitiesStep,
                timed.started,
                timed.ended,
                depth=depth,
                path=pair.trail.path,
                link=pair.link,
                subquery=subquery,
                k=self._config.k,
                total=pair.relation.edges,
                entities=tuple(
                    TogNode(
                        node=c.reached.card.ref,
                        bm25=c.reached.bm25,
                        score=c.score,
                        path_score=c.path_score,
                        kept=id(c) in beam,
                        text=c.reached.card.text,
                        text_cut=c.reached.card.cut,
                    )
                    for c in candidates
                ),
                reason=f"of all entities of this depth, the {self._config.width} best make the next beam",
                decided_by=self._thinker.decided_by,
                exchange=timed.exchange,
            )
        return reached

    def _score_entities(self, pair: _Pair, depth: int) -> tuple[str, list[_Candidate], _Timed] | None:
        thinker, trail, started = self._thinker, pair.trail, time.perf_counter()
        along = f"along {pair.link.type} from {trail.path.end.name}"
        subquery = thinker.subquery(trail)
        reached = self._attempt(f"look {along}", lambda: self._along(pair, subquery), depth, decision=False)
        if not reached:
            return None if reached is None else (subquery, [], _Timed(started, time.perf_counter(), None))
        self._recorder.count("entities")
        scores = self._attempt(
            f"score the entities {along}", lambda: thinker.entities(trail, pair.link, reached), depth
        )
        exchange = None if scores is None else thinker.exchange  # a failed step keeps its own
        if scores is None:
            scores = [None] * len(reached)  # they were reached, so they are ranked, but lead no further
        candidates = [pair.to(r, score) for r, score in zip(reached, scores, strict=True)]
        return subquery, candidates, _Timed(started, time.perf_counter(), exchange)

    def _along(self, pair: _Pair, subquery: str) -> list[Reached]:
        """Up to k entities along a pair that are not on its path, best BM25 first."""
        recorder, trail = self._recorder, pair.trail
        around = recorder.along(trail.end, pair.relation, subquery, self._config.k, trail.positions)
        return [Reached(n.position, recorder.card(n.position), n.score) for n in around]

    def _suffices(self, beam: Sequence[Trail], depth: int) -> bool:
        recorder, thinker, started = self._recorder, self._thinker, time.perf_counter()
        recorder.count("reason")
        verdict = self._attempt("say whether the paths suffice", lambda: thinker.enough(beam), depth)
        if verdict is None:
            return False
        recorder.add(
            TogReasonStep,
            started,
            depth=depth,
            paths=tuple(TogPath(path=trail.path, score=trail.score) for trail in beam),
            enough=verdict.enough,
            last_depth=depth == self._config.depth,
            reason=verdict.reason,
            decided_by=thinker.decided_by,
            exchange=thinker.exchange,
        )
        return verdict.enough

    # --- what came of it ----------------------------------------------------------------------------

    def _rank(self) -> None:
        """Renew the ranked list: see the module's head for the order."""
        scores: dict[int, float] = {}
        for layer in reversed(self._layers):
            for candidate in layer:
                scores.setdefault(candidate.reached.position, candidate.path_score)
        others = {position: score for position, score in scores.items() if position not in self._named}
        others |= {topic: 0.0 for topic in self._topics if topic not in self._named and topic not in others}
        lines = list((others or dict.fromkeys(self._topics, 0.0)).items())[: self._config.top]
        refs = [self._recorder.card(position).ref for position, _ in lines]
        self._recorder.ranked = tuple(
            Ranked(id=ref.id, name=ref.name, type=ref.type, score=score, ranks={0: rank})
            for rank, (ref, (_, score)) in enumerate(zip(refs, lines, strict=True), 1)
        )

    def _attempt(self, action: str, call: Callable[[], T], depth: int = 0, decision: bool = True) -> T | None:
        """What `call` returns, or None after recording that it failed; _GivenUpError after too many in a row."""
        result = self._recorder.attempt(action, call, TogFailedStep, self._thinker, decision=decision, depth=depth)
        if result is None and self._recorder.failures >= FAILURES_ALLOWED:
            raise _GivenUpError
        return result


def _link(relation: RelationCount) -> PeerLink:
    return PeerLink(type=relation.type, direction=relation.direction)
