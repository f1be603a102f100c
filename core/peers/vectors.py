"""The vectors of all nodes of a graph: which encoder reads this graph, and their matrix, kept on disk."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.errors import EncoderError
from core.graph.contracts import Graph, Node
from core.retriever import OnProgress
from core.text.embedding import (
    ENCODERS,
    UNKNOWN_LIMIT,
    Encoder,
    embed_all,
    get_encoder,
)

DOCUMENT_VERSION = 1  # of `node_document`, a part of the cache key
_HALF_BLIND = 0.2  # an encoder that misses no more than this still beats comparing letters
_SAMPLED = 500  # nodes whose texts tell whether an encoder knows the graph's language


class GraphVectors(NamedTuple):
    """`matrix`: (nodes, d) float32, unit rows. `notices` say why another encoder was not taken."""

    encoder: Encoder
    matrix: NDArray[np.float32]
    notices: tuple[str, ...]


def node_document(node: Node) -> str:
    """What stands for a node, d_V(v): its name, then its text where that says more."""
    return node.name if not node.text or node.text == node.name else f"{node.name}\n{node.text}"


def graph_vectors(graph: Graph, report: OnProgress, encoder: Encoder | str | None = None) -> GraphVectors:
    """Encode every node, or find it done before. EncoderError when the encoder asked for cannot be had.

    With no encoder asked for, the best that can be loaded and knows the graph's words is taken.
    """
    size = graph.dataset.size["nodes"]
    documents = []
    for position in range(size):
        if position % 2_000 == 0:
            report("Reading the nodes' texts", position / size)
        documents.append(node_document(graph.node(position)))
    sample = documents[:: max(1, size // _SAMPLED)]
    if encoder is not None:
        chosen = get_encoder(encoder) if isinstance(encoder, str) else encoder
        unknown = chosen.unknown_share(sample)
        told = (_blind(chosen.title, unknown),) if unknown > UNKNOWN_LIMIT else ()
        return GraphVectors(chosen, _matrix(graph, documents, chosen, report), told)
    notices: list[str] = []
    for candidate in _candidates(sample, notices):
        try:
            return GraphVectors(candidate, _matrix(graph, documents, candidate, report), tuple(notices))
        except EncoderError as error:  # there, but broken
            notices.append(_passed_over(error))
    raise EncoderError("no text encoder can be loaded", hint="Run `pip install -r requirements.txt`.")


def _candidates(sample: list[str], notices: list[str]) -> Iterator[Encoder]:
    """The encoders that can be had, best first; why one comes later or not at all is added to `notices`.

    A neural one that knows the words of `sample` comes first, and the next is not looked at before it
    failed. Then those that miss some words, by how many, with letters before any that misses a fifth.
    """
    later: list[tuple[float, Encoder]] = []
    for name in ENCODERS:
        try:
            encoder = get_encoder(name)
            unknown = encoder.unknown_share(sample)
        except EncoderError as error:
            notices.append(_passed_over(error))
            continue
        if unknown > UNKNOWN_LIMIT:
            notices.append(_blind(encoder.title, unknown))
            later.append((unknown, encoder))
        elif name == "letters":
            later.append((_HALF_BLIND, encoder))
        else:
            yield encoder
    yield from (encoder for _, encoder in sorted(later, key=lambda pair: pair[0]))


def _passed_over(error: EncoderError) -> str:
    return f"{error.what[:1].upper()}{error.what[1:]}."


def _blind(title: str, unknown: float) -> str:
    return f"{title} does not know {unknown:.0%} of this graph's words."


def _matrix(graph: Graph, documents: list[str], encoder: Encoder, report: OnProgress) -> NDArray[np.float32]:
    key = f"{graph.dataset.content_id}|document {DOCUMENT_VERSION}"
    return embed_all(documents, encoder, key, report)
