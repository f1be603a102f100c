"""Think-on-Graph (Sun et al. 2024; CARA-13): beam search over relations, then entities, with no training.

At each depth the relations of every beam entity are scored and the N best (entity, relation) pairs kept; the entities
along those pairs are scored and the N best make the next beam; then the decider says whether the paths suffice.

The paper answers from its paths and ranks nothing. Here [ours] the ranked list holds all entities that the kept pairs
reached: those of the last depth first, best path first, ties by BM25 and then position (so the final beam leads the
list), then those of the depths before. A path's score is the mean of its hops' relation score x entity score; the
authors' code multiplies the two likewise and forgets earlier hops. Topic entities that the question names are left out
unless nothing was reached; those that were only found by search come last. A path never visits a node twice.
Not here: who scores (`think_on_graph_offline`, `think_on_graph_model`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from core.graph.contracts import Graph, RelationCount
from core.peers.deciders import Deciders
from core.peers.model_scores import Scores
from core.peers.named_nodes import NamedNodes, find_named_nodes
from core.peers.paths import PeerLink, PeerPath
from core.peers.ranking import PeerAnswerer
from core.peers.recorder import Recorder, run_walk, settings_of
from core.peers.think_on_graph_contracts import Reached, Thinker, Trail
from core.peers.think_on_graph_offline import offline_thinkers
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
from core.retriever import OnProgress, OnStep, ShouldStop
from core.trace import DatasetRef, Ranked, Trace

T = TypeVar("T")

FAILURES_ALLOWED = 3  # decisions that fail in a row, after which the run ends with what it has
NOTICE = (
    "The paper answers from the paths and ranks nothing; this list holds every entity that a kept relation led to, "
    "the last depth first."
)


class ThinkOnGraphRetriever:
    """Think-on-Graph on one graph. `thinkers` decide, offline by default; `answerer`, if given, writes the answer."""

    method = "tog"

    def __init__(
        self, graph: Graph, thinkers: Deciders[Thinker] | None = None, answerer: PeerAnswerer | None = None
    ) -> None:
        self._graph = graph
        self._thinkers: Deciders[Thinker] = thinkers or offline_thinkers()
        self._answerer = answerer

    @property
    def dataset(self) -> DatasetRef:
        """The graph it walks on."""
        return self._graph.dataset

    def prepare(self, on_progress: OnProgress | None = None) -> None:
        """Build the search index and load what the first decision needs."""
        report = on_progress or (lambda message, share: None)
        report("preparing the search index", None)
        self._graph.search("a", 1)
        self._thinkers.prepare(self._graph, report)

    def run(
        self,
        question: str,
        config: Mapping[str, Any] | None = None,
        on_step: OnStep | None = None,
        should_stop: ShouldStop | None = None,
    ) -> Trace:
        """Walk, deeper as long as the paths do not suffice. See `Retriever.run`; settings: `TogConfig`."""
        settings = settings_of(TogConfig, config)

        def walk(recorder: Recorder, thinker: Thinker, asked: str) -> None:
            _Walk(recorder, thinker, asked, settings).walk()

        return run_walk(
            self.method, self._graph, self._thinkers, walk, self._answerer, question, settings, on_step, should_stop
        )


@dataclass(frozen=True, slots=True)
class _Pair:
    """A beam path and a relation of its end, with the relation's score and the path's with it."""

    trail: Trail
    relation: RelationCount
    score: float
    path_score: float

    @property
    def link(self) -> PeerLink:
        return PeerLink(type=self.relation.type, direction=self.relation.direction)


@dataclass(frozen=True, slots=True)
class _Candidate:
    """An entity along a pair: the path to it, scored; `judged` is false where the decider gave no score."""

    trail: Trail
    bm25: float
    judged: bool

    @property
    def rank(self) -> tuple[bool, float, float, int]:
        return (not self.judged, -round(self.trail.score, 9), -self.bm25, self.trail.end)


class _GivenUpError(Exception):
    """Too many decisions failed in a row."""


class _Walk:
    """One run. The recorder's `ranked` is renewed after each depth, so that a stop keeps what was found."""

    def __init__(self, recorder: Recorder, thinker: Thinker, question: str, config: TogConfig) -> None:
        self._recorder = recorder
        self._thinker = thinker
        self._question = question
        self._config = config
        self._layers: list[list[_Candidate]] = []  # entities reached at each depth, best first
        self._named: set[int] = set()
        self._topics: list[int] = []

    def walk(self) -> None:
        recorder = self._recorder
        recorder.notices.append(NOTICE)
        try:
            self._search()
        except _GivenUpError:
            recorder.notices.append(f"The run ended early: {FAILURES_ALLOWED} decisions in a row failed.")
        failed = recorder.calls["failed"]
        if failed:
            told = f"{failed} decision{'s' if failed > 1 else ''} of this run failed; each is listed with its reason."
            recorder.notices.append(told)

    def _search(self) -> None:
        beam = self._choose_topics()
        for depth in range(1, self._config.depth + 1):
            pairs = self._explore_relations(beam, depth) if beam else []
            reached = self._explore_entities(pairs, depth) if pairs else []
            if not reached:
                return
            self._layers.append(reached)
            self._rank()
            beam = [c.trail for c in reached[: self._config.width] if c.judged]
            if not beam or self._suffices(beam, depth):
                return

    # --- topic entities -----------------------------------------------------------------------------

    def _choose_topics(self) -> list[Trail]:
        recorder, started = self._recorder, time.perf_counter()
        named = self._attempt("find the nodes that the question names", self._find_named)
        if named is None:
            return []
        cards = [recorder.card(position) for position in named.offered]
        scores: Scores | None = ()
        if cards:
            recorder.count("topics")
            scores = self._attempt(
                "choose the topic entities", lambda: self._thinker.topics(named, cards, self._config.width)
            )
        if scores is None:
            return []
        order = sorted(_judged(scores), key=lambda i: (-(scores[i] or 0.0), i))
        chosen = order[: self._config.width]
        self._topics = [named.offered[i] for i in chosen]
        self._named = set(named.mention_of)
        recorder.add(
            TogTopicsStep,
            started,
            queries=named.queries,
            offered=tuple(
                TogNode(
                    node=card.ref,
                    bm25=named.bm25[named.offered[i]],
                    score=scores[i],
                    kept=i in chosen,
                    text=card.text,
                    text_cut=card.cut,
                )
                for i, card in enumerate(cards)
            ),
            reason=self._why_topics(),
            decided_by=self._thinker.decided_by,
            exchange=self._thinker.exchange,
        )
        if not chosen:
            recorder.notices.append("The question names no node of the graph, and shares no word with one.")
        self._rank()
        return [Trail((named.offered[i],), PeerPath(start=cards[i].ref), cards[i].text) for i in chosen]

    def _find_named(self) -> NamedNodes:
        recorder = self._recorder
        return find_named_nodes(self._question, recorder.search, lambda position: recorder.card(position).ref.name)

    def _why_topics(self) -> str:
        if not self._topics:
            return "nothing that was found is a start"
        if self._named.issuperset(self._topics):
            return "the question names them"
        return "the question names no node, so the walk starts from those that match its words best"

    # --- one depth ----------------------------------------------------------------------------------

    def _explore_relations(self, beam: Sequence[Trail], depth: int) -> list[_Pair]:
        """Score the relations of every beam entity; the N best (entity, relation) pairs of all."""
        recorder = self._recorder
        scored: list[tuple[Trail, tuple[RelationCount, ...], Scores, float, float, Any]] = []
        pairs: list[_Pair] = []
        for trail in beam:
            started = time.perf_counter()
            relations = recorder.graph.node(trail.end).relations
            scores: Scores | None = ()
            if relations:
                recorder.count("relations")
                scores = self._attempt(
                    f"score the relations of {trail.path.end.name}",
                    lambda trail=trail, relations=relations: self._thinker.relations(trail, relations),  # type: ignore[misc]
                    depth,
                )
            if scores is None:
                continue
            scored.append((trail, relations, scores, started, time.perf_counter(), self._thinker.exchange))
            pairs += [
                _Pair(trail, relation, score, trail.score_with(score))
                for relation, score in zip(relations, scores, strict=True)
                if score is not None and (score > 0 or depth == 1)
            ]
        # A relation without any score is followed only where a topic has no better one.
        if any(pair.score > 0 for pair in pairs):
            pairs = [pair for pair in pairs if pair.score > 0]
        pairs.sort(key=lambda pair: -round(pair.path_score, 9))  # stable: then by the beam, then by the graph's order
        pairs = pairs[: self._config.width]
        kept = {(pair.trail.positions, pair.relation) for pair in pairs}
        for trail, relations, scores, started, ended, exchange in scored:
            recorder.add(
                TogRelationsStep,
                started,
                ended,
                depth=depth,
                path=trail.path,
                relations=tuple(
                    TogRelation(
                        link=PeerLink(type=relation.type, direction=relation.direction),
                        edges=relation.edges,
                        score=score,
                        path_score=0.0 if score is None else trail.score_with(score),
                        kept=(trail.positions, relation) in kept,
                    )
                    for relation, score in zip(relations, scores, strict=True)
                ),
                reason=f"the {self._config.width} best relations of the whole beam are kept",
                decided_by=self._thinker.decided_by,
                exchange=exchange,
            )
        return pairs

    def _explore_entities(self, pairs: Sequence[_Pair], depth: int) -> list[_Candidate]:
        """Score the entities along each pair; all that were reached, best first, each by its best path."""
        recorder = self._recorder
        looked = []
        best: dict[int, _Candidate] = {}
        for pair in pairs:
            started = time.perf_counter()
            subquery = self._thinker.subquery(pair.trail)
            reached = self._attempt(
                f"look along {pair.link.type} from {pair.trail.path.end.name}",
                lambda pair=pair, subquery=subquery: self._along(pair, subquery),  # type: ignore[misc]
                depth,
            )
            if reached is None:
                continue
            scores: Scores | None = ()
            if reached:
                recorder.count("entities")
                scores = self._attempt(
                    f"score the entities along {pair.link.type} from {pair.trail.path.end.name}",
                    lambda pair=pair, reached=reached: self._thinker.entities(pair.trail, pair.link, reached),  # type: ignore[misc]
                    depth,
                )
            exchange = self._thinker.exchange if scores else None
            if scores is None:
                scores = [None] * len(reached)  # they were reached, so they are ranked, but lead no further
            candidates = [_candidate(pair, r, score) for r, score in zip(reached, scores, strict=True)]
            for candidate in candidates:
                known = best.get(candidate.trail.end)
                if known is None or candidate.rank < known.rank:
                    best[candidate.trail.end] = candidate
            looked.append((pair, subquery, reached, scores, candidates, started, time.perf_counter(), exchange))
        ranked = sorted(best.values(), key=lambda c: c.rank)
        beam = {c.trail.positions for c in ranked[: self._config.width] if c.judged}
        for pair, subquery, reached, scores, candidates, started, ended, exchange in looked:
            recorder.add(
                TogEntitiesStep,
                started,
                ended,
                depth=depth,
                path=pair.trail.path,
                link=pair.link,
                subquery=subquery,
                k=self._config.k,
                total=pair.relation.edges,
                entities=tuple(
                    TogNode(
                        node=r.card.ref,
                        bm25=r.bm25,
                        score=score,
                        path_score=candidate.trail.score if candidate.judged else 0.0,
                        kept=best[r.position] is candidate and candidate.trail.positions in beam,
                        text=r.card.text,
                        text_cut=r.card.cut,
                    )
                    for r, score, candidate in zip(reached, scores, candidates, strict=True)
                ),
                reason=f"the {self._config.width} best entities of this depth make the next beam",
                decided_by=self._thinker.decided_by,
                exchange=exchange,
            )
        return ranked

    def _along(self, pair: _Pair, subquery: str) -> list[Reached]:
        """Up to k entities along a pair that are not on its path, best BM25 first."""
        recorder, trail = self._recorder, pair.trail
        around = recorder.along(trail.end, pair.relation, subquery, self._config.k, trail.positions)
        return [Reached(n.position, recorder.card(n.position), n.score) for n in around]

    def _suffices(self, beam: Sequence[Trail], depth: int) -> bool:
        recorder, started = self._recorder, time.perf_counter()
        recorder.count("reason")
        verdict = self._attempt("say whether the paths suffice", lambda: self._thinker.enough(beam), depth)
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
            decided_by=self._thinker.decided_by,
            exchange=self._thinker.exchange,
        )
        return verdict.enough

    # --- what came of it ----------------------------------------------------------------------------

    def _rank(self) -> None:
        """Renew the ranked list: see the module's head for the order."""
        recorder = self._recorder
        scores: dict[int, float] = {}
        for layer in reversed(self._layers):
            for candidate in layer:
                if candidate.trail.end not in self._named:
                    scores.setdefault(candidate.trail.end, candidate.trail.score if candidate.judged else 0.0)
        for topic in self._topics:
            if topic not in self._named:
                scores.setdefault(topic, 0.0)
        if not scores:
            scores = dict.fromkeys(self._topics, 0.0)
        lines = list(scores.items())[: self._config.top]
        refs = [recorder.card(position).ref for position, _ in lines]
        recorder.ranked = tuple(
            Ranked(id=ref.id, name=ref.name, type=ref.type, score=score, ranks={0: rank})
            for rank, (ref, (_, score)) in enumerate(zip(refs, lines, strict=True), 1)
        )

    def _attempt(self, action: str, call: Callable[[], T], depth: int = 0) -> T | None:
        """What `call` returns, or None after recording that it failed; _GivenUpError after too many in a row."""
        result = self._recorder.attempt(action, call, TogFailedStep, self._thinker, depth=depth)
        if result is None and self._recorder.failures >= FAILURES_ALLOWED:
            raise _GivenUpError
        return result


def _judged(scores: Scores) -> list[int]:
    """The options that got a score above 0."""
    return [i for i, score in enumerate(scores) if score is not None and score > 0]


def _candidate(pair: _Pair, reached: Reached, score: float | None) -> _Candidate:
    hop = pair.score * (score or 0.0)
    trail = Trail(
        (*pair.trail.positions, reached.position),
        pair.trail.path.then(pair.link, reached.card.ref),
        reached.card.text,
        (*pair.trail.hop_scores, hop),
    )
    return _Candidate(trail, reached.bm25, score is not None)
