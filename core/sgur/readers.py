"""Opens what reads messages for an expert graph, ready to read, with or without the routing layer.

Not here: how it reads. A model reads through `core.sgur.extraction_model`, over the extractor that is opened here.
"""

from __future__ import annotations

from core.retriever import OnProgress
from core.sgur.expert_graph import ExpertGraph
from core.sgur.extraction import Extractor
from core.sgur.routing import build_routing
from core.text.embedding import available_encoders, get_encoder, text_key

WORDS_ONLY = "words"
PREFERRED = ("minilm", "use")


def default_encoder() -> str:
    """The best encoder that can be had here; `WORDS_ONLY` when there is none that knows meanings."""
    return next((name for name in PREFERRED if name in available_encoders()), WORDS_ONLY)


def open_extractor(
    graph: ExpertGraph, encoder: str = "", routed: bool = False, on_progress: OnProgress | None = None
) -> Extractor:
    """An extractor that is ready to read. encoder: a name, `WORDS_ONLY`, or "" for the best one here.

    The first time the vectors of all names are made (1 to 8 minutes for 40,000 labels with MiniLM, one with USE) and,
    where `routed`, the routing layer (2 minutes); both are kept. ConfigError for an unknown encoder.
    """
    name = encoder or default_encoder()
    model = None if name == WORDS_ONLY else get_encoder(name)
    if model is not None:
        model.load(on_progress)  # every message needs it, also where all names are known from the cache
    extractor = Extractor(graph, model)
    extractor.prepare(on_progress)
    if routed and extractor.vectors is not None:
        key = f"{extractor.vectors.encoder.version}|{text_key(graph.observations.names)}"
        extractor.routing = build_routing(extractor.vectors.names, key, on_progress)
    return extractor
