"""The one list of methods: name, what it is, what it needs, and how to build it. Pages and commands ask here.

Importing this module registers every method's step types, so that any saved trace can be read; it imports
no encoder, and a method's code only when the method is built.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from pydantic import BaseModel, ValidationError

import core.cara.steps
import core.causal_attention.steps
import core.kerag.steps
import core.peers.kar_steps
import core.peers.steps
import core.peers.think_on_graph_steps
import core.sgur.steps  # noqa: F401
from core.cara.contracts import CaraConfig, Minds
from core.causal_attention.steps import CarConfig
from core.errors import ConfigError
from core.graph.contracts import Graph
from core.kerag.settings import KeragConfig
from core.peers.kar_steps import KarConfig
from core.peers.steps import PeerConfig
from core.peers.think_on_graph_steps import TogConfig
from core.retriever import Retriever
from core.trace import Trace

if TYPE_CHECKING:
    from core.causal_attention.index import CausalIndex
    from core.causal_attention.neural import NeuralScorer
    from core.llm.endpoint import Endpoint
    from core.llm.estimate import Estimate
    from core.llm.source import ModelSource
    from core.peers.ranking import PeerAnswerer

ANSWER_CALLS = 1  # that the shared answerer makes
ARK_DEFAULTS = {"assess": False, "fusion": "count"}
Data = TypeVar("Data")


@dataclass(frozen=True, slots=True)
class MethodInfo(Generic[Data]):
    """One method. `needs` is the kind of data it runs on; `make` builds it: on a Graph, or on a CausalIndex.

    most_calls: how often a run with these settings asks a model at most; None where no model decides: in the app
    such a method's answer is then the offline one, and costs nothing.
    """

    name: str
    title: str
    one_line: str
    needs: Literal["graph", "corpus"]
    config_model: type[BaseModel]
    make: Callable[[Data, ModelSource | None], Retriever]
    most_calls: Callable[[Mapping[str, Any]], int] | None = None


def _minds(source: ModelSource | None) -> Minds:
    if source is None:
        from core.cara.offline import OfflineMinds

        return OfflineMinds()
    from core.cara.model import ModelMinds

    return ModelMinds(source.make_asker, source.context_tokens)


def _answerer(source: ModelSource | None) -> PeerAnswerer:
    """One answerer, one prompt, for every retriever (CARA-8)."""
    if source is None:
        from core.cara.offline_answerer import OfflineAnswerer

        return OfflineAnswerer()
    from core.cara.model import ModelAnswers

    return ModelAnswers(source.make_asker, source.context_tokens)


def _cara(graph: Graph, source: ModelSource | None) -> Retriever:
    from core.cara.retriever import CaraRetriever

    return CaraRetriever(graph, _minds(source))


def _ark(graph: Graph, source: ModelSource | None) -> Retriever:
    from core.cara.retriever import CaraRetriever

    return CaraRetriever(graph, _minds(source), method="ark", defaults=ARK_DEFAULTS)


def _bm25(graph: Graph, source: ModelSource | None) -> Retriever:
    from core.peers.bm25 import Bm25Retriever

    return Bm25Retriever(graph, _answerer(source))


def _dense(graph: Graph, source: ModelSource | None) -> Retriever:
    from core.peers.dense import DenseRetriever

    return DenseRetriever(graph, answerer=_answerer(source))


def _tog(graph: Graph, source: ModelSource | None) -> Retriever:
    from core.peers.think_on_graph import ThinkOnGraphRetriever

    if source is None:
        return ThinkOnGraphRetriever(graph, answerer=_answerer(source))
    from core.peers.think_on_graph_model import model_thinkers

    return ThinkOnGraphRetriever(graph, model_thinkers(source.make_asker, source.context_tokens), _answerer(source))


def _kar(graph: Graph, source: ModelSource | None) -> Retriever:
    from core.peers.kar import KarRetriever

    if source is None:
        return KarRetriever(graph, answerer=_answerer(source))
    from core.peers.kar_model import model_expanders

    return KarRetriever(graph, model_expanders(source.make_asker, source.context_tokens), _answerer(source))


def build_on_corpus(
    index: CausalIndex,
    source: ModelSource | None = None,
    neural: Sequence[NeuralScorer] = (),
    model_keywords: bool = False,
) -> Retriever:
    """Causal attention on a corpus, with its gate's verdict and these neural rerankers beside it.

    With a `source` a model writes the answer; `model_keywords`: and names the keywords.
    """
    from core.causal_attention.gate import known_verdict
    from core.causal_attention.retriever import CausalAttentionRetriever

    verdict = known_verdict(index.dataset.content_id)
    gate = verdict.step() if verdict else None
    if source is None:
        return CausalAttentionRetriever(index, neural, gate)
    return CausalAttentionRetriever(index, neural, gate, source.make_asker, source.context_tokens, model_keywords)


def _kerag(graph: Graph, source: ModelSource | None) -> Retriever:
    from core.kerag.retriever import KeragRetriever

    if source is None:
        return KeragRetriever(graph)
    from core.kerag.model import ModelKeragMinds

    return KeragRetriever(graph, ModelKeragMinds(source.make_asker, source.context_tokens))


def _cara_calls(config: Mapping[str, Any]) -> int:
    from core.cara.estimate import most_calls

    return most_calls(CaraConfig.model_validate(config))


def _ark_calls(config: Mapping[str, Any]) -> int:
    return _cara_calls({**ARK_DEFAULTS, **config})


def _tog_calls(config: Mapping[str, Any]) -> int:
    from core.peers.think_on_graph_model import most_calls

    return most_calls(TogConfig.model_validate(config)) + ANSWER_CALLS


def _kar_calls(config: Mapping[str, Any]) -> int:
    from core.peers.kar_model import most_calls

    return most_calls(KarConfig.model_validate(config)) + ANSWER_CALLS


def _causal_attention_calls(config: Mapping[str, Any]) -> int:
    from core.causal_attention.estimate import most_calls

    return most_calls(CarConfig.model_validate(config))


def _kerag_calls(config: Mapping[str, Any]) -> int:
    from core.kerag.model import most_calls

    return most_calls(KeragConfig.model_validate(config))


METHODS: dict[str, MethodInfo[Any]] = {
    info.name: info
    for info in (
        MethodInfo(
            "cara",
            "CARA",
            "Agents walk the graph; a causal module scores each candidate; their lists are fused by reciprocal rank.",
            "graph",
            CaraConfig,
            _cara,
            _cara_calls,
        ),
        MethodInfo(
            "ark",
            "ARK",
            "The same agents without the causal module; nodes are ranked by how many agents found them.",
            "graph",
            CaraConfig,
            _ark,
            _ark_calls,
        ),
        MethodInfo(
            "bm25",
            "BM25",
            "Nodes ranked by the words they share with the question.",
            "graph",
            PeerConfig,
            _bm25,
        ),
        MethodInfo(
            "dense",
            "Dense",
            "Nodes ranked by the cosine of their text's vector with the question's.",
            "graph",
            PeerConfig,
            _dense,
        ),
        MethodInfo(
            "tog",
            "Think-on-Graph",
            "A beam of paths is lengthened by the best relations, then the best entities, until they suffice.",
            "graph",
            TogConfig,
            _tog,
            _tog_calls,
        ),
        MethodInfo(
            "kar",
            "KAR",
            "The question is expanded with what the graph knows of the nodes it names, then searched by words.",
            "graph",
            KarConfig,
            _kar,
            _kar_calls,
        ),
        MethodInfo(
            "kerag",
            "KERAG",
            "The neighbourhood of what the question names is planned and retrieved whole, then reasoned over.",
            "graph",
            KeragConfig,
            _kerag,
            _kerag_calls,
        ),
        MethodInfo(
            "causal-attention",
            "Causal attention",
            "Documents ranked by the keywords they do not share with the query, beside plain similarity.",
            "corpus",
            CarConfig,
            build_on_corpus,
            _causal_attention_calls,
        ),
    )
}
GRAPH_METHODS: dict[str, MethodInfo[Graph]] = {name: info for name, info in METHODS.items() if info.needs == "graph"}


def method_info(name: str) -> MethodInfo[Any]:
    """The method of that name. ConfigError lists the known ones."""
    try:
        return METHODS[name]
    except KeyError:
        raise ConfigError(f"unknown method {name!r}", hint=f"Known: {', '.join(METHODS)}.") from None


def settings_of(trace: Trace) -> dict[str, Any]:
    """The settings of a trace as its method reads them; none of an unknown method, or where they are not valid."""
    info = METHODS.get(trace.method)
    if info is None:
        return {}
    try:
        return info.config_model.model_validate(trace.config).model_dump()
    except ValidationError:
        return {}


def at_most(name: str, config: Mapping[str, Any], endpoint: Endpoint) -> Estimate | None:
    """What a run of that method can cost at most with this model; None for a method that asks none."""
    from core.llm.estimate import of_calls

    calls = method_info(name).most_calls
    return of_calls(calls(config), endpoint) if calls is not None else None


def build(name: str, graph: Graph, source: ModelSource | None = None) -> Retriever:
    """A retriever of that method on this graph. With a `source` a model decides; without, the offline policy.

    ConfigError for a method that needs a corpus.
    """
    info = method_info(name)
    if info.needs != "graph":
        raise ConfigError(f"{info.title} ranks the documents of a corpus, and this is a graph", where=name)
    return info.make(graph, source)
