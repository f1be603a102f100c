"""The vectors of all nodes of a graph: which encoder reads this graph, and their matrix, kept on disk."""

from __future__ import annotations

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
    encoder_status,
    get_encoder,
)

DOCUMENT_VERSION = 1  # of `node_document`, a part of the cache key
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

    With no encoder asked for, the first that can be loaded and knows the graph's words is taken.
    """
    size = graph.dataset.size["nodes"]
    documents = []
    for position in range(size):
        if position % 2_000 == 0:
            report("Reading the nodes' texts", position / size)
        documents.append(node_document(graph.node(position)))
    if encoder is not None:
        chosen = get_encoder(encoder) if isinstance(encoder, str) else encoder
        return GraphVectors(chosen, _matrix(graph, documents, chosen, report), ())
    sample = documents[:: max(1, size // _SAMPLED)]
    notices: list[str] = []
    for name in ENCODERS:
        title = encoder_status(name).title
        try:
            candidate = get_encoder(name)
            unknown = candidate.unknown_share(sample)
            if unknown > UNKNOWN_LIMIT:
                notices.append(f"{title} does not know {unknown:.0%} of this graph's words and was passed over.")
                continue
            return GraphVectors(candidate, _matrix(graph, documents, candidate, report), tuple(notices))
        except EncoderError as error:
            notices.append(f"{title} was passed over: {error.what}.")
    raise EncoderError("no text encoder can be loaded", hint="Run `pip install -r requirements.txt`.")


def _matrix(graph: Graph, documents: list[str], encoder: Encoder, report: OnProgress) -> NDArray[np.float32]:
    key = f"{graph.dataset.content_id}|document {DOCUMENT_VERSION}"
    return embed_all(documents, encoder, key, report)
