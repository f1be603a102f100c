from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import pytest
from dict_graph import DictGraph
from small_world import EDGES, NODES, letters, small_graph

import core.methods
from core.cara.cost import cost_table
from core.errors import ConfigError, EncoderError, ModelError, QuestionError
from core.graph.contracts import RelationCount
from core.linking.lenses import Lenses
from core.peers.kar import KarRetriever
from core.peers.kar_contracts import Expansion
from core.peers.kar_offline import offline_expanders
from core.peers.kar_steps import (
    KarExpandStep,
    KarFailedStep,
    KarGatherStep,
    KarLinkStep,
    KarRetrieveStep,
    KarTriple,
)
from core.peers.named_nodes import NamedNodes
from core.peers.recorder import Card
from core.retriever import Retriever
from core.text.embedding import get_encoder
from core.trace import Step, Trace

QUESTION = "which films were directed by Ilse Brandt"


class Fixed:
    """An expander with given scores by "type/direction", and a given expansion. It is its own `Deciders`."""

    decided_by = "fixed"
    notices = ("fixed scores",)
    exchange = None

    def __init__(self, relations: dict[str, float | None], types: tuple[str, ...] = (), at: str = "") -> None:
        self._relations, self._types, self._at = relations, types, at
        self.told: list[KarTriple] = []

    def for_run(self) -> Fixed:
        return self

    def tokens(self) -> tuple[None, None]:
        return None, None

    def prepare(self, graph: Any, on_progress: Any) -> None:
        on_progress("nothing to load", 1.0)

    def decider(self, *rest: Any) -> Fixed:
        return self

    def _fail(self, what: str) -> None:
        if what == self._at:
            raise ModelError("the model talks nonsense", where="nowhere")

    def topics(self, named: NamedNodes, cards: Sequence[Card], width: int) -> list[float | None]:
        self._fail("topics")
        return [1.0 if card.ref.name == "Ilse Brandt" else None for card in cards]

    def subquery(self, entity: int) -> str:
        return "stone"

    def relations(self, entity: int, card: Card, relations: Sequence[RelationCount]) -> list[float | None]:
        self._fail("relations")
        return [self._relations.get(f"{r.type}/{r.direction}") for r in relations]

    def expand(self, triples: Sequence[KarTriple], node_types: Sequence[str]) -> Expansion:
        self._fail("expand")
        self.told = list(triples)
        return Expansion(" ".join(t.node.name for t in triples), self._types, "as told")


def kinds(trace: Trace) -> list[str]:
    return [s.kind.removeprefix("kar.") for s in trace.steps]


def of(trace: Trace, kind: type[Step]) -> Any:
    (step,) = [s for s in trace.steps if isinstance(s, kind)]
    return step


# --- the pipeline, worked by hand -------------------------------------------------------------------------------


def test_a_run_by_hand() -> None:
    graph = DictGraph(NODES, EDGES)
    expander = Fixed({"directed by/in": 0.8})
    seen: list[Step] = []
    trace = KarRetriever(graph, expander).run("Ilse Brandt", on_step=seen.append)
    assert kinds(trace) == ["link", "gather", "expand", "retrieve"]
    assert tuple(seen) == trace.steps
    gather = of(trace, KarGatherStep)
    assert [(r.link.type, r.link.direction, r.score, r.kept) for r in gather.relations] == [
        ("directed by", "in", 0.8, True),
        ("admires", "out", None, False),
        ("admires", "in", None, False),
    ]
    # "stone" stands in the text of The Quarry, so it comes before Harbour at Dawn.
    assert [(t.node.name, t.bm25, t.score) for t in gather.triples] == [
        ("The Quarry", 1.0, 0.8),
        ("Harbour at Dawn", 0.0, 0.8),
    ]
    assert gather.lifted is False
    retrieve = of(trace, KarRetrieveStep)
    assert retrieve.subquery == "Ilse Brandt\nThe Quarry Harbour at Dawn"
    # Words shared with the expanded question, counted by hand; Ilse Brandt, who is named, is left out.
    shared = {r.name: r.score for r in trace.ranked}
    assert shared == {"Harbour at Dawn": 3.0, "The Quarry": 2.0}
    assert [(f.node.name, f.kept) for f in retrieve.found][:2] == [("Harbour at Dawn", True), ("The Quarry", True)]
    assert ("Ilse Brandt", False) in [(f.node.name, f.kept) for f in retrieve.found]
    assert trace.usage.calls == {"topics": 1, "global_search": 2, "relations": 1, "neighbors": 1, "expand": 1}
    assert trace.decided_by == "fixed"
    assert [s.index for s in trace.steps] == [1, 2, 3, 4]


def test_relations_are_kept_from_half_of_the_best_on_and_the_best_triples_first() -> None:
    nodes = {"s": ("Ilse Brandt", "", ""), **{f"n{i}": (f"Name{i}", "", "") for i in range(5)}}
    edges = [("s", f"r{i}", f"n{i}") for i in range(5)]
    scores: dict[str, float | None] = {"r0/out": 0.3, "r1/out": 0.9, "r2/out": 0.45, "r3/out": 0.44, "r4/out": 0.6}
    expander = Fixed(scores)
    trace = KarRetriever(DictGraph(nodes, edges), expander).run("Ilse Brandt", {"relations": 5})
    assert [t.node.name for t in expander.told] == ["Name1", "Name4", "Name2"]
    KarRetriever(DictGraph(nodes, edges), expander).run("Ilse Brandt", {"relations": 2})
    assert [t.node.name for t in expander.told] == ["Name1", "Name4"]
    KarRetriever(DictGraph(nodes, edges), expander).run("Ilse Brandt", {"triples": 1})
    assert [t.node.name for t in expander.told] == ["Name1"]
    assert {r.name for r in trace.ranked} == {"Name1", "Name4", "Name2"}


def test_the_constraint_on_relations_is_lifted_where_none_fits() -> None:
    trace = KarRetriever(DictGraph(NODES, EDGES), Fixed({})).run("Ilse Brandt")
    gather = of(trace, KarGatherStep)
    assert gather.lifted
    assert all(r.kept for r in gather.relations)
    assert {t.node.name for t in gather.triples} == {"Harbour at Dawn", "The Quarry"}  # nobody by a self-loop


def test_answer_types_constrain_what_was_found_or_are_lifted() -> None:
    question = "Ilse Brandt actor films drama"
    films = KarRetriever(DictGraph(NODES, EDGES), Fixed({"directed by/in": 1.0}, ("film",))).run(question)
    assert {r.type for r in films.ranked} == {"film"}
    assert of(films, KarRetrieveStep).answer_types == ("film",)
    nothing = KarRetriever(DictGraph(NODES, EDGES), Fixed({"directed by/in": 1.0}, ("city",))).run(question)
    assert of(nothing, KarRetrieveStep).lifted
    assert {r.type for r in nothing.ranked} == {"film", "genre"}
    assert "no node found is a city" in of(nothing, KarRetrieveStep).reason


def test_what_the_question_names_is_the_answer_where_nothing_else_is_found() -> None:
    nodes = {"a": ("Ilse Brandt", "", ""), "b": ("Other", "", "")}
    trace = KarRetriever(DictGraph(nodes, [("a", "likes", "a")]), Fixed({"likes/out": 1.0})).run("Ilse Brandt")
    assert [r.name for r in trace.ranked] == ["Ilse Brandt"]
    assert "No triple was gathered, so the question is searched as it stands." in trace.notices


def test_the_cost_table_tells_what_the_run_counted() -> None:
    trace = KarRetriever(DictGraph(NODES, EDGES), Fixed({"directed by/in": 0.8})).run("Ilse Brandt")
    (row,) = cost_table(trace)
    assert (row.agent, row.global_search, row.neighbors, row.failed) == (None, 2, 1, 0)
    assert row.nodes == trace.usage.nodes_examined > 0


# --- failures and stops -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("at", "expected"),
    [
        ("topics", ["failed", "retrieve"]),
        ("relations", ["link", "failed", "retrieve"]),
        ("expand", ["link", "gather", "failed", "retrieve"]),
    ],
)
def test_a_decision_that_fails_costs_its_part_and_the_question_is_searched(at: str, expected: list[str]) -> None:
    trace = KarRetriever(DictGraph(NODES, EDGES), Fixed({"directed by/in": 1.0}, at=at)).run("films by Ilse Brandt")
    assert kinds(trace) == expected
    assert trace.status == "finished"
    failed = of(trace, KarFailedStep)
    assert failed.error == "nowhere: the model talks nonsense"
    assert of(trace, KarRetrieveStep).subquery == "films by Ilse Brandt"
    assert trace.ranked
    assert trace.notices[-1] == "1 step of this run failed; each is listed with its reason."
    assert Trace.from_json(trace.to_json()) == trace


def test_a_search_that_fails_is_a_failed_step() -> None:
    class Broken(DictGraph):
        def search(self, query: str, k: int = 30) -> Any:
            raise ConfigError("the endpoint is gone")

    trace = KarRetriever(Broken(NODES, EDGES), Fixed({})).run("films by Ilse Brandt")
    assert kinds(trace) == ["failed", "failed"]
    assert (trace.status, trace.ranked) == ("failed", ())


def test_a_stop_is_answered_at_once_and_keeps_what_was_done() -> None:
    asked, release, stop = threading.Event(), threading.Event(), threading.Event()

    class Waiting(Fixed):
        def expand(self, triples: Sequence[KarTriple], node_types: Sequence[str]) -> Expansion:
            asked.set()
            release.wait(30)
            return super().expand(triples, node_types)

    traces: list[Trace] = []
    retriever = KarRetriever(DictGraph(NODES, EDGES), Waiting({"directed by/in": 1.0}))
    run = threading.Thread(target=lambda: traces.append(retriever.run("Ilse Brandt", should_stop=stop.is_set)))
    run.start()
    assert asked.wait(60)
    stop.set()
    run.join(60)
    assert not run.is_alive()
    assert not release.is_set()
    release.set()
    assert [(t.status, kinds(t)) for t in traces] == [("stopped", ["link", "gather"])]


# --- offline ----------------------------------------------------------------------------------------------------


def offline(graph: Any = None) -> KarRetriever:
    return KarRetriever(graph or small_graph(), offline_expanders(letters()))


def test_offline_finds_the_films_and_says_how() -> None:
    retriever: Retriever = offline()
    trace = retriever.run(QUESTION)
    assert kinds(trace) == ["link", "gather", "expand", "retrieve"]
    assert {r.name for r in trace.ranked[:2]} == {"Harbour at Dawn", "The Quarry"}
    assert [n.node.name for n in of(trace, KarLinkStep).offered if n.kept] == ["Ilse Brandt"]
    assert [r.link.type for r in of(trace, KarGatherStep).relations if r.kept] == ["directed by"]
    expand = of(trace, KarExpandStep)
    assert "Harbour at Dawn A film about fishermen." in expand.expansion
    assert expand.answer_types == ("film",)
    assert {r.type for r in trace.ranked} == {"film"}
    assert "no model" in trace.decided_by
    assert any("BM25" in n for n in trace.notices)
    assert trace.usage.prompt_tokens is None
    assert Trace.from_json(trace.to_json()) == trace


def test_a_better_relation_weighs_more_in_the_expansion() -> None:
    lens = letters().lens(small_graph())
    expander = offline_expanders(letters()).decider(small_graph(), QUESTION, 0, lambda: False)
    trace = offline().run(QUESTION)
    triple = of(trace, KarExpandStep).triples[0]
    assert lens is not None
    for score, times in ((0.0, 1), (0.4, 1), (0.6, 2), (1.0, 3)):
        text = expander.expand([triple.model_copy(update={"score": score})], []).text
        assert text.count(triple.node.name) == times


def test_a_long_text_joins_the_expansion_by_its_first_words() -> None:
    nodes = {**NODES, "f1": ("Harbour at Dawn", "film", " ".join(f"word{i}" for i in range(300)))}
    expansion = of(offline(small_graph(nodes)).run(QUESTION), KarExpandStep).expansion
    assert "word19" in expansion
    assert "word20" not in expansion


def test_a_question_that_names_nothing_is_linked_to_what_matches() -> None:
    trace = offline().run("stone cutters at work")
    assert of(trace, KarLinkStep).reason == "not all of them are named; they match the question's words best"
    assert "The Quarry" in [r.name for r in trace.ranked]


def test_types_are_not_guessed_from_a_word_that_the_graph_does_not_know() -> None:
    trace = offline().run("the fishermen of Ilse Brandt")
    assert of(trace, KarExpandStep).answer_types == ()
    assert of(offline().run("who directed Low Tide"), KarExpandStep).answer_types == ("person",)


def test_a_graph_without_types_is_not_constrained() -> None:
    trace = offline(small_graph(typed=False)).run(QUESTION)
    assert of(trace, KarExpandStep).answer_types == ()
    assert {r.name for r in trace.ranked[:2]} == {"Harbour at Dawn", "The Quarry"}


def test_a_question_without_a_word_in_common() -> None:
    trace = offline().run("zebra xylophone")
    assert (trace.status, trace.ranked) == ("finished", ())
    assert "No node shares a word with the question." in trace.notices


def test_runs_repeat_exactly_with_any_seed_and_on_any_thread() -> None:
    first = offline().run(QUESTION)
    traces: list[Trace] = []
    retriever = offline()
    threads = [threading.Thread(target=lambda: traces.append(retriever.run(QUESTION))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {t.content_id for t in traces} == {first.content_id}
    assert offline().run(QUESTION, {"seed": 5}).ranked == first.ranked


@pytest.mark.parametrize("question", ["🎬", "\ud800", "film " * 3000, "<script>alert(1)</script>", "الفيلم", "'", "?"])
def test_odd_questions(question: str) -> None:
    assert offline().run(question).status == "finished"


@pytest.mark.parametrize("config", [{"entities": 0}, {"k": 201}, {"triples": "many"}, {"agents": 3}])
def test_a_wrong_setting(config: dict[str, Any]) -> None:
    with pytest.raises(ConfigError) as caught:
        offline().run(QUESTION, config)
    assert caught.value.where == next(iter(config))


def test_an_empty_question() -> None:
    with pytest.raises(QuestionError, match="empty"):
        offline().run(" ")


def test_without_the_best_encoder_the_next_reads_and_the_trace_says_so() -> None:
    def get(name: str) -> Any:
        if name == "minilm":
            raise EncoderError("the encoder minilm is not available")
        return get_encoder("letters")

    trace = KarRetriever(small_graph(), offline_expanders(Lenses(get))).run(QUESTION)
    assert any(n.startswith("The encoder minilm is not available. The schema is read with ") for n in trace.notices)


def test_it_stands_in_the_list_of_methods() -> None:
    assert core.methods.METHODS["kar"].title == "KAR"
    retriever = core.methods.build("kar", small_graph())
    assert isinstance(retriever, KarRetriever)
    told: list[str] = []
    KarRetriever(small_graph(), offline_expanders(letters())).prepare(lambda what, share: told.append(what))
    assert told == ["preparing the search index", "reading the graph's relations"]
