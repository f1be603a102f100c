from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from dict_graph import DictGraph
from hypothesis import given, settings
from hypothesis import strategies as st
from small_world import NODES, letters, small_dict_graph, small_graph

import core.methods
from core.errors import ConfigError, EncoderError, ModelError, QuestionError
from core.graph.contracts import RelationCount
from core.linking.lens import Lens, Needs
from core.linking.lenses import Lenses
from core.linking.mentions import find_mentions
from core.linking.question import Question
from core.peers.named_nodes import NamedNodes
from core.peers.paths import PeerLink, PeerPath
from core.peers.recorder import Card
from core.peers.think_on_graph import ThinkOnGraphRetriever
from core.peers.think_on_graph_contracts import Reached, Trail, Verdict
from core.peers.think_on_graph_offline import OfflineThinker, offline_thinkers
from core.peers.think_on_graph_steps import (
    TogEntitiesStep,
    TogFailedStep,
    TogReasonStep,
    TogRelationsStep,
    TogTopicsStep,
)
from core.peers.think_on_graph_walk import FAILURES_ALLOWED
from core.retriever import Retriever, ShouldStop
from core.text.embedding import get_encoder
from core.trace import Answer, Claim, Evidence, NodeRef, Ranked, Step, Trace


class Fixed:
    """A thinker with given scores: relations by (node name, type), entities by name. It is its own `Deciders`."""

    decided_by = "fixed"
    notices = ("fixed scores",)
    exchange = None

    def __init__(self, topics: Sequence[str], relations: Any, entities: Any, enough: Any = lambda depth: False) -> None:
        self._topics, self._relations, self._entities, self._enough = topics, relations, entities, enough

    def for_run(self) -> Fixed:
        return self

    def tokens(self) -> tuple[None, None]:
        return None, None

    def prepare(self, graph: Any, on_progress: Any) -> None:
        on_progress("nothing to load", 1.0)

    def decider(self, *rest: Any) -> Fixed:
        return self

    def topics(self, named: NamedNodes, cards: Sequence[Card], width: int) -> list[float | None]:
        return [1.0 if card.ref.name in self._topics else None for card in cards]

    def subquery(self, trail: Trail) -> str:
        return "actor"

    def relations(self, trail: Trail, relations: Sequence[RelationCount]) -> list[float | None]:
        return [self._relations(trail.path.end.name, f"{r.type}/{r.direction}") for r in relations]

    def entities(self, trail: Trail, link: PeerLink, reached: Sequence[Reached]) -> list[float | None]:
        return [self._entities(r.card.ref.name) for r in reached]

    def enough(self, beam: Sequence[Trail]) -> Verdict:
        return Verdict(self._enough(len(beam[0].hop_scores)), "as told")


def kinds(trace: Trace) -> list[str]:
    return [s.kind.removeprefix("tog.") for s in trace.steps]


def of(trace: Trace, kind: type[Step]) -> list[Any]:
    return [s for s in trace.steps if isinstance(s, kind)]


# --- the walk, worked by hand -----------------------------------------------------------------------------------

RELATIONS = {
    ("Ilse Brandt", "directed by/in"): 0.8,
    ("Harbour at Dawn", "starred actors/out"): 0.9,
    ("Harbour at Dawn", "has genre/out"): 0.2,
    ("The Quarry", "starred actors/out"): 0.9,
    ("The Quarry", "has genre/out"): 0.4,
}
ENTITIES = {"Harbour at Dawn": 0.5, "The Quarry": 1.0, "Jon Aker": 1.0, "Mara Lind": 0.5, "drama": 1.0, "thriller": 1.0}


def worked(**more: Any) -> Fixed:
    return Fixed(["Ilse Brandt"], lambda node, r: RELATIONS.get((node, r), 0.0), ENTITIES.get, **more)


def test_a_walk_of_two_hops_by_hand() -> None:
    thinker = worked(enough=lambda depth: depth == 2)
    trace = ThinkOnGraphRetriever(small_graph(), thinker).run("who acts for Ilse Brandt?", {"width": 2})
    assert kinds(trace) == [
        "topics", "relations", "entities", "reason", "relations", "relations", "entities", "entities", "reason",
    ]  # fmt: skip
    first, quarry, harbour = of(trace, TogRelationsStep)
    assert [(r.link.type, r.link.direction, r.score, r.kept) for r in first.relations] == [
        ("directed by", "in", 0.8, True),
        ("admires", "out", 0.0, False),
        ("admires", "in", 0.0, False),
    ]
    # Paths after one hop: The Quarry .8 x 1 = .8, Harbour .8 x .5 = .4; the better path comes first in the beam.
    assert [quarry.path.end.name, harbour.path.end.name] == ["The Quarry", "Harbour at Dawn"]
    # Pairs: Quarry actors (.8 + .9) / 2 = .85, genre .6; Harbour actors .65, genre .3. Two are kept.
    kept = {(s.path.end.name, r.link.type): r.path_score for s in (quarry, harbour) for r in s.relations if r.kept}
    assert kept == {
        ("The Quarry", "starred actors"): pytest.approx(0.85),
        ("Harbour at Dawn", "starred actors"): pytest.approx(0.65),
    }
    # Entities: Mara Lind (.8 + .9 x .5) / 2 = .625, Jon Aker (.4 + .9 x 1) / 2 = .65; then those of depth 1.
    assert [(r.name, r.score) for r in trace.ranked] == [
        ("Jon Aker", pytest.approx(0.65)),
        ("Mara Lind", pytest.approx(0.625)),
        ("The Quarry", pytest.approx(0.8)),
        ("Harbour at Dawn", pytest.approx(0.4)),
    ]
    assert [r.ranks for r in trace.ranked] == [{0: 1}, {0: 2}, {0: 3}, {0: 4}]
    reasons = of(trace, TogReasonStep)
    assert [(s.depth, s.enough, s.last_depth) for s in reasons] == [(1, False, False), (2, True, False)]
    assert reasons[1].paths[0].path.in_words() == (
        "Ilse Brandt <-[directed by]- Harbour at Dawn -[starred actors]-> Jon Aker"
    )
    assert trace.usage.calls == {
        "topics": 1, "global_search": 1, "relations": 3, "neighbors": 3, "entities": 3, "reason": 2,
    }  # fmt: skip
    assert trace.usage.prompt_tokens is None
    assert trace.decided_by == "fixed"
    assert trace.notices[0] == "fixed scores"
    assert [s.index for s in trace.steps] == list(range(1, 10))


def test_width_cuts_pairs_and_beam_but_not_the_list() -> None:
    trace = ThinkOnGraphRetriever(small_graph(), worked()).run("Ilse Brandt", {"width": 1, "depth": 1})
    (step,) = of(trace, TogEntitiesStep)
    assert [(e.node.name, e.kept) for e in step.entities] == [("Harbour at Dawn", False), ("The Quarry", True)]
    assert [r.name for r in trace.ranked] == ["The Quarry", "Harbour at Dawn"]
    assert of(trace, TogReasonStep)[0].last_depth


def test_equals_go_by_bm25_then_by_position() -> None:
    nodes = {"s": ("Start Here", "", ""), "a": ("Anna", "", ""), "b": ("Bert", "", "an actor"), "c": ("Cleo", "", "")}
    edges = [("s", "knows", x) for x in "cba"]
    even = Fixed(["Start Here"], lambda node, r: 1.0, lambda name: 1.0)
    trace = ThinkOnGraphRetriever(DictGraph(nodes, edges), even).run("Start Here", {"depth": 1})
    assert [r.name for r in trace.ranked] == ["Bert", "Anna", "Cleo"]


def test_a_path_never_comes_back_and_a_self_loop_leads_nowhere() -> None:
    always = Fixed(["Ilse Brandt"], lambda node, r: 1.0, lambda name: 1.0)
    trace = ThinkOnGraphRetriever(small_graph(), always).run("Ilse Brandt", {"depth": 6, "width": 10})
    for step in of(trace, TogEntitiesStep):
        on_path = {step.path.start.id, *(hop.node.id for hop in step.path.hops)}
        assert on_path.isdisjoint(e.node.id for e in step.entities)
    admired = [s for s in of(trace, TogEntitiesStep) if s.link.type == "admires"]
    assert admired
    assert all(s.entities == () for s in admired)
    assert "p1" not in [r.id for r in trace.ranked]


def test_a_relation_in_one_direction_is_not_crowded_out_by_the_other() -> None:
    nodes = {
        "s": ("Start Here", "", ""),
        "t": ("Target", "", ""),
        **{f"x{i}": (f"Actor {i}", "", "") for i in range(9)},
    }
    edges = [(f"x{i}", "knows", "s") for i in range(9)] + [("s", "knows", "t")]
    out = Fixed(["Start Here"], lambda node, r: float(r == "knows/out"), lambda name: 1.0)
    trace = ThinkOnGraphRetriever(DictGraph(nodes, edges), out).run("Start Here", {"depth": 1, "k": 1})
    assert [r.name for r in trace.ranked] == ["Target"]


def test_what_was_not_scored_is_never_kept_and_comes_last_in_its_depth() -> None:
    scores = {**ENTITIES, "Harbour at Dawn": None}
    thinker = Fixed(["Ilse Brandt"], lambda node, r: RELATIONS.get((node, r)), scores.get)
    trace = ThinkOnGraphRetriever(small_graph(), thinker).run("Ilse Brandt", {"depth": 2})
    assert [r.name for r in trace.ranked[-2:]] == ["The Quarry", "Harbour at Dawn"]
    assert trace.ranked[-1].score == 0.0
    assert {s.path.end.name for s in of(trace, TogRelationsStep)} == {"Ilse Brandt", "The Quarry"}


def test_nothing_to_start_from_ends_the_run() -> None:
    trace = ThinkOnGraphRetriever(small_graph(), Fixed([], None, None)).run("Ilse Brandt")
    assert (kinds(trace), trace.ranked, trace.status) == (["topics"], (), "finished")
    assert "No node was found to start from." in trace.notices


def plain_beam(graph: DictGraph, start: int, relation_score: Any, width: int, depth: int) -> list[int]:
    """The same search, written as dumbly as possible; entity scores are all 1, `k` is never reached."""
    beam: list[tuple[list[int], list[float]]] = [([start], [])]
    layers: list[list[int]] = []
    for _ in range(depth):
        pairs = []
        for path, scores in beam:
            for r in graph.node(path[-1]).relations:
                score = relation_score(path[-1], r.type, r.direction)
                if score > 0:
                    pairs.append((sum([*scores, score]) / (len(scores) + 1), path, scores, r, score))
        pairs.sort(key=lambda p: -round(p[0], 9))
        found: dict[int, tuple[float, list[int], list[float]]] = {}
        for value, path, scores, r, score in pairs[:width]:
            for head, type_, tail in graph.edges:
                here, there = (head, tail) if r.direction == "out" else (tail, head)
                if type_ != r.type or here != path[-1] or there in path:
                    continue
                if there not in found or round(value, 9) > round(found[there][0], 9):
                    found[there] = (value, [*path, there], [*scores, score])
        order = sorted(found, key=lambda n: (-round(found[n][0], 9), n))
        if not order:
            break
        layers.append(order)
        beam = [(found[n][1], found[n][2]) for n in order[:width]]
    ranked = list(dict.fromkeys(n for layer in reversed(layers) for n in layer if n != start))
    return ranked or [start]


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_beam_search_against_a_dumber_one(data: st.DataObject) -> None:
    size = data.draw(st.integers(2, 7))
    node = st.integers(0, size - 1)
    drawn = data.draw(st.sets(st.tuples(node, st.sampled_from("rst"), node), min_size=1, max_size=16))
    edges = sorted(drawn)
    nodes = {f"n{i}": (f"Xx{i}" if i else "Start", "", "") for i in range(size)}
    graph = DictGraph(nodes, [(f"n{a}", r, f"n{b}") for a, r, b in edges])
    weights = {(i, r, d): data.draw(st.integers(1, 10)) / 10 for i in range(size) for r in "rst" for d in ("in", "out")}
    width, depth = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 4))

    def score(name: str, relation: str) -> float:
        type_, direction = relation.split("/")
        return weights[0 if name == "Start" else int(name[2:]), type_, direction]

    thinker = Fixed(["Start"], score, lambda name: 1.0)
    trace = ThinkOnGraphRetriever(graph, thinker).run("Start", {"width": width, "depth": depth})
    expected = plain_beam(graph, 0, lambda n, r, d: weights[n, r, d], width, depth)
    assert [r.id for r in trace.ranked] == [f"n{n}" for n in expected]
    for step in of(trace, TogReasonStep):
        assert len(step.paths) <= width
        assert all(len(p.path.hops) == step.depth for p in step.paths)
    for level in range(1, depth + 1):
        kept = [r for s in of(trace, TogRelationsStep) if s.depth == level for r in s.relations if r.kept]
        assert len(kept) <= width
    assert Trace.from_json(trace.to_json()) == trace


# --- failures and stops -----------------------------------------------------------------------------------------


class Failing(Fixed):
    """Fails at what it is told to."""

    def __init__(self, at: str, times: int = 99) -> None:
        super().__init__(["Ilse Brandt"], lambda node, r: RELATIONS.get((node, r), 0.0), ENTITIES.get)
        self.at, self.times = at, times

    def __getattribute__(self, name: str) -> Any:
        if name == object.__getattribute__(self, "__dict__").get("at") and self.times > 0:
            self.times -= 1

            def fail(*rest: Any) -> None:
                raise ModelError("the model talks nonsense", where="nowhere")

            return fail
        return super().__getattribute__(name)


@pytest.mark.parametrize(
    ("at", "expected"),
    [
        ("topics", ["failed"]),
        ("relations", ["topics", "failed"]),
        ("entities", ["topics", "relations", "failed", "entities"]),
    ],
)
def test_a_decision_that_fails_is_recorded_and_the_run_ends_cleanly(at: str, expected: list[str]) -> None:
    seen: list[Step] = []
    trace = ThinkOnGraphRetriever(small_graph(), Failing(at)).run("Ilse Brandt", on_step=seen.append)
    assert kinds(trace) == expected
    assert trace.status == ("finished" if trace.ranked else "failed")
    (failed,) = of(trace, TogFailedStep)
    assert failed.error == "nowhere: the model talks nonsense"
    assert failed.action
    assert tuple(seen) == trace.steps
    assert trace.notices[-1] == "1 step of this run failed; each is listed with its reason."
    assert trace.usage.calls["failed"] == 1
    # Entities that could not be scored were still reached.
    assert [r.name for r in trace.ranked] == {
        "topics": [], "relations": ["Ilse Brandt"], "entities": ["Harbour at Dawn", "The Quarry"],
    }[at]  # fmt: skip


def test_a_verdict_that_fails_lets_the_walk_go_on() -> None:
    trace = ThinkOnGraphRetriever(small_graph(), Failing("enough", 1)).run("Ilse Brandt", {"depth": 2})
    assert [s.depth for s in of(trace, TogEntitiesStep)] == [1, 2, 2, 2]
    assert [s.depth for s in of(trace, TogFailedStep)] == [1]
    assert [s.depth for s in of(trace, TogReasonStep)] == [2]


def test_too_many_failures_in_a_row_end_the_run() -> None:
    class Moody(Failing):
        def relations(self, trail: Trail, relations: Sequence[RelationCount]) -> list[float | None]:
            if len(trail.positions) > 1:
                raise ModelError("no")
            return super().relations(trail, relations)

    trace = ThinkOnGraphRetriever(small_graph(), Moody("enough")).run("Ilse Brandt", {"depth": 6})
    assert len(of(trace, TogFailedStep)) == FAILURES_ALLOWED
    assert "The run ended early: 3 decisions in a row failed." in trace.notices
    assert [r.name for r in trace.ranked] == ["The Quarry", "Harbour at Dawn"]


def test_a_graph_that_fails_is_a_failed_step() -> None:
    class Broken(DictGraph):
        def neighbors(self, *rest: Any, **more: Any) -> Any:
            raise ConfigError("the endpoint is gone")

    graph = Broken(NODES, [("f1", "directed by", "p1")])
    trace = ThinkOnGraphRetriever(graph, worked()).run("Ilse Brandt")
    assert kinds(trace) == ["topics", "relations", "failed"]
    assert trace.status == "finished"


def test_a_stop_is_answered_at_once_and_keeps_what_was_done() -> None:
    asked, release = threading.Event(), threading.Event()

    class Waiting(Fixed):
        def enough(self, beam: Sequence[Trail]) -> Verdict:
            if len(beam[0].hop_scores) == 1:
                return Verdict(False, "")
            asked.set()
            release.wait(30)
            return Verdict(False, "")

    stop = threading.Event()
    seen: list[Step] = []
    traces: list[Trace] = []
    thinker = Waiting(["Ilse Brandt"], lambda node, r: RELATIONS.get((node, r), 0.0), ENTITIES.get)
    retriever = ThinkOnGraphRetriever(small_graph(), thinker)
    run = threading.Thread(target=lambda: traces.append(retriever.run("Ilse Brandt", {}, seen.append, stop.is_set)))
    run.start()
    assert asked.wait(60)
    stop.set()
    run.join(60)
    assert not run.is_alive()  # the thinker still waits
    assert not release.is_set()
    (trace,) = traces
    assert trace.status == "stopped"
    assert kinds(trace)[-1] == "entities"
    assert trace.ranked[0].name == "Jon Aker"
    before = len(seen)
    release.set()
    for thread in threading.enumerate():
        if thread.name == "shared-work":
            thread.join(60)
    assert len(seen) == before  # what came late was dropped


def test_stopped_before_it_began() -> None:
    trace = ThinkOnGraphRetriever(small_graph(), worked()).run("Ilse Brandt", should_stop=lambda: True)
    assert (trace.status, trace.steps, trace.ranked) == ("stopped", (), ())


# --- offline ----------------------------------------------------------------------------------------------------


def offline(graph: Any = None) -> ThinkOnGraphRetriever:
    return ThinkOnGraphRetriever(graph or small_graph(), offline_thinkers(letters()))


def test_offline_walks_two_hops_and_says_why() -> None:
    retriever: Retriever = offline()
    trace = retriever.run("which actors starred in films directed by Ilse Brandt")
    assert trace.status == "finished"
    assert {r.name for r in trace.ranked[:2]} == {"Jon Aker", "Mara Lind"}
    (topics,) = of(trace, TogTopicsStep)
    assert [(n.node.name, n.kept) for n in topics.offered if n.kept] == [("Ilse Brandt", True)]
    assert topics.reason == "the question names them"
    assert [s.enough for s in of(trace, TogReasonStep)] == [False, True]
    assert "does not explain: starred" in of(trace, TogReasonStep)[0].reason
    assert "no model" in trace.decided_by
    assert trace.usage.nodes_examined == len({r.id for r in trace.ranked} | {"p1"} | offered_ids(topics))
    assert Trace.from_json(trace.to_json()) == trace
    assert "Ilse Brandt" not in [r.name for r in trace.ranked]


def offered_ids(step: TogTopicsStep) -> set[str]:
    return {n.node.id for n in step.offered}


def test_one_hop_is_enough_for_a_question_of_one_hop() -> None:
    trace = offline().run("who directed Low Tide")
    assert [r.name for r in trace.ranked[:1]] == ["Ole Berg"]
    assert [s.enough for s in of(trace, TogReasonStep)] == [True]


class HandLens:
    """A lens with given similarities: (relation type, word) -> how well it explains the word; every word weighs 1."""

    def __init__(self, lens: Lens, says: dict[tuple[str, str], float]) -> None:
        self.roles = lens.roles
        self._lens, self._says = lens, says

    def needs(self, question: Question) -> Needs:
        needs = self._lens.needs(question)
        types = [self.roles.relation(hop).type for hop in range(self.roles.hops)]
        edge = np.array([[self._says.get((t, word), 0.0) for word in needs.texts] for t in types])
        nothing = np.zeros_like(edge)
        return replace(needs, edge=edge, arrival=nothing, anchor=nothing, weight=np.ones(len(needs.texts)))


def by_hand(says: dict[tuple[str, str], float]) -> tuple[OfflineThinker, Trail, Any]:
    """A thinker that reads "which actors starred .." around Ilse Brandt, and the path that stands there."""
    graph = small_graph()
    question = "actors directed Ilse Brandt"
    thinker = OfflineThinker(HandLens(letters().lens(graph), says), graph, question)  # type: ignore[arg-type]
    start = graph.index_of("p1")
    (mention,) = find_mentions(question, [(start, "Ilse Brandt")])
    ref = NodeRef(id="p1", name="Ilse Brandt")
    named = NamedNodes((), (start,), {start: 1.0}, {start: mention}, frozenset([start]))
    assert list(thinker.topics(named, [Card(ref, "", False)], 3)) == [1.0]
    return thinker, Trail((start,), PeerPath(start=ref)), graph


def test_a_relations_score_is_its_share_of_the_open_need() -> None:
    thinker, trail, graph = by_hand({("directed by", "directed"): 0.8, ("starred actors", "actors"): 1.0})
    # Two words of weight 1. "directed by" explains .8 of one: .4 of the need, of which all is open.
    relations = graph.node(trail.end).relations
    scores = thinker.relations(trail, relations)
    assert {r.type: s for r, s in zip(relations, scores, strict=True)} == {"directed by": 0.4, "admires": 0.0}
    film = graph.index_of("f1")
    ref = NodeRef(id="f1", name="Harbour at Dawn")
    on = Trail((trail.end, film), trail.path.then(PeerLink(type="directed by", direction="in"), ref), "", (0.4,))
    # .6 of the need is open; "starred actors" explains .5 of the whole, which is 5/6 of what is open.
    relations = graph.node(film).relations
    following = {r.type: s for r, s in zip(relations, thinker.relations(on, relations), strict=True)}
    assert following == {"directed by": 0.0, "starred actors": pytest.approx(0.5 / 0.6, abs=1e-6), "has genre": 0.0}
    assert thinker.subquery(trail) == "actors directed"
    assert thinker.subquery(on) == "actors"
    assert thinker.enough([on]) == Verdict(False, "the best path does not explain: actors")


def test_an_entitys_score_is_the_share_of_open_words_it_holds() -> None:
    thinker, trail, _ = by_hand({("directed by", "directed"): 1.0, ("starred actors", "actors"): 1.0})
    cards = [("Plain", ""), ("The Actor", ""), ("Plain", "An actor who directed."), ("Actors", "actors actors")]
    reached = [Reached(9, Card(NodeRef(id=n, name=n), text, False), 0.0) for n, text in cards]
    link = PeerLink(type="directed by", direction="in")
    assert thinker.entities(trail, link, reached) == [0.5, 0.75, 1.0, 0.75]


def test_words_that_no_relation_explains_do_not_keep_the_walk_going() -> None:
    thinker, trail, _ = by_hand({("directed by", "directed"): 1.0})
    link = PeerLink(type="directed by", direction="in")
    on = Trail((trail.end, 0), trail.path.then(link, NodeRef(id="f1", name="Harbour at Dawn")), "", (1.0,))
    assert thinker.enough([on]).enough


def test_a_question_that_names_nothing_starts_from_what_matches_and_keeps_it() -> None:
    trace = offline().run("stone cutters at work")
    (topics,) = of(trace, TogTopicsStep)
    assert next(n.node.name for n in topics.offered if n.kept) == "The Quarry"
    assert "not all of them are named" in topics.reason
    assert "The Quarry" in [r.name for r in trace.ranked]
    assert "The Quarry" != trace.ranked[0].name  # it comes after what was reached


def test_a_question_without_a_word_in_common() -> None:
    trace = offline().run("zebra xylophone")
    assert (trace.status, trace.ranked) == ("finished", ())


def test_a_question_that_only_names_a_node_looks_around_it() -> None:
    trace = offline().run("Low Tide")
    assert {r.name for r in trace.ranked} >= {"Ole Berg", "Jon Aker", "thriller"}


def test_a_graph_without_types_or_with_one_lonely_node() -> None:
    trace = offline(small_graph(typed=False)).run("who directed Low Tide")
    assert trace.ranked[0].name == "Ole Berg"
    lonely = small_graph({"a": ("Alone", "", ""), "b": ("Bea", "", "")}, [("b", "likes", "b")])
    trace = offline(lonely).run("who likes Alone")
    assert [r.name for r in trace.ranked] == ["Alone"]
    looped = offline(lonely).run("who likes Bea")
    assert [r.name for r in looped.ranked] == ["Bea"]


def test_homonyms_are_all_topics() -> None:
    nodes = {**NODES, "f9": ("Low Tide", "film", "Another one."), "p9": ("Ann Other", "person", "")}
    graph = small_graph(nodes, [("f3", "directed by", "p4"), ("f9", "directed by", "p9")])
    trace = offline(graph).run("who directed Low Tide")
    assert {r.name for r in trace.ranked} == {"Ole Berg", "Ann Other"}


def test_runs_repeat_exactly_with_any_seed_and_on_any_thread() -> None:
    question = "which actors starred in films directed by Ilse Brandt"
    first = offline().run(question)
    traces: list[Trace] = []
    retriever = offline()
    threads = [threading.Thread(target=lambda: traces.append(retriever.run(f" {question} "))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {t.content_id for t in traces} == {first.content_id}
    other = offline().run(question, {"seed": 5})
    assert other.ranked == first.ranked
    assert not other.same_content(first)  # its settings differ


@pytest.mark.parametrize("question", ["🎬", "\ud800", "film " * 3000, "<script>alert(1)</script>", "الفيلم", "'", "?"])
def test_odd_questions(question: str) -> None:
    assert offline().run(question).status == "finished"


@pytest.mark.parametrize("config", [{"width": 0}, {"depth": 7}, {"k": "many"}, {"agents": 3}])
def test_a_wrong_setting(config: dict[str, Any]) -> None:
    with pytest.raises(ConfigError) as caught:
        offline().run("Low Tide", config)
    assert caught.value.where == next(iter(config))


@pytest.mark.parametrize("question", ["", "  \n"])
def test_an_empty_question(question: str) -> None:
    with pytest.raises(QuestionError, match="empty"):
        offline().run(question)


class Quoting:
    decided_by = "quoting"
    exchange = None

    def for_run(self):
        return self

    def tokens(self) -> tuple[None, None]:
        return None, None

    def answer(
        self, question: str, ranked: Sequence[Ranked], steps: Sequence[Step], should_stop: ShouldStop | None = None
    ) -> Answer:
        if not ranked:
            raise ModelError("nothing to say")
        node = NodeRef(id=ranked[0].id, name=ranked[0].name)
        claim = Claim(text=ranked[0].name, evidence=(Evidence(node=node, quote=steps[-1].kind),))
        return Answer(text=ranked[0].name, claims=(claim,), decided_by="quoting")


def test_the_answerer_it_is_given_writes_the_answer_or_a_notice_says_why_not() -> None:
    retriever = ThinkOnGraphRetriever(small_graph(), offline_thinkers(letters()), Quoting())
    trace = retriever.run("who directed Low Tide")
    assert trace.answer is not None
    assert (trace.answer.text, trace.answer.citations) == ("Ole Berg", ("p4",))
    assert trace.answer.claims[0].evidence[0].quote == "tog.reason"
    silent = retriever.run("zebra")
    assert silent.answer is None
    assert silent.notices[-1] == "No answer was written: nothing to say"
    assert offline().run("who directed Low Tide").answer is None


def test_without_the_best_encoder_the_next_reads_and_the_trace_says_so() -> None:
    def get(name: str) -> Any:
        if name != "letters":
            raise EncoderError(f"the encoder {name} is not available")
        return get_encoder("letters")

    trace = ThinkOnGraphRetriever(small_graph(), offline_thinkers(Lenses(get))).run("who directed Low Tide")
    assert trace.ranked[0].name == "Ole Berg"
    said = next(n for n in trace.notices if "instead" in n)
    assert said.startswith("The encoder minilm is not available. The encoder use is not available. ")

    def none(name: str) -> Any:
        raise EncoderError("gone")

    with pytest.raises(EncoderError, match="no encoder"):
        ThinkOnGraphRetriever(small_graph(), offline_thinkers(Lenses(none))).run("who directed Low Tide")


def test_prepare_says_what_it_does() -> None:
    told: list[str] = []
    offline().prepare(lambda what, share: told.append(what))
    assert told == ["preparing the search index", "reading the graph's relations"]


def test_it_stands_in_the_list_of_methods() -> None:
    info = core.methods.METHODS["tog"]
    assert info.title == "Think-on-Graph"
    assert isinstance(core.methods.build("tog", small_graph()), ThinkOnGraphRetriever)
    assert info.config_model().model_dump() == {"width": 3, "depth": 3, "k": 20, "seed": 0, "top": 50}


def test_hub_and_dict_graph_agree() -> None:
    a = ThinkOnGraphRetriever(small_graph(), worked()).run("Ilse Brandt")
    b = ThinkOnGraphRetriever(small_dict_graph(), worked()).run("Ilse Brandt")
    assert [r.id for r in a.ranked] == [r.id for r in b.ranked]
