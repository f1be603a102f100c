"""A small judged corpus and causal-attention runs on it, so that panels can be tested without a real encoder."""

from __future__ import annotations

import hashlib

import numpy as np

from core.causal_attention.index import build_index
from core.causal_attention.retriever import CausalAttentionRetriever
from core.corpus.beir import BeirSet
from core.corpus.document import Corpus, Document, content_id
from core.corpus.report import CorpusReport
from core.trace import Trace

QUERY = "how are apple trees pruned"
DOCUMENTS = {
    "guide": ("Winter work", "Pruned branches of apple wood heal in frost. Cut above a bud. A saw and a ladder help."),
    "stuffed": ("Apple apple", "apple trees pruned apple trees pruned apple trees pruned how are apple trees pruned"),
    "near": ("Harvest", "An apple is picked with its stem. Baskets keep fruit from bruises. Ladders lean on trees."),
    "pears": ("Pears", "Pear trees want warm walls. Cider and perry are pressed in autumn."),
    "engines": ("Engines", "A piston moves in a cylinder. Valves open and close. Oil cools bearings."),
    "<b>odd</b>": ("<b>Odd</b> *title*", "Bearings of apple presses are oiled in spring, and the screws are cleaned."),
}
QUERIES = {"q1": QUERY, "q2": "what cools bearings", "q3": "nobody judged this"}
QRELS = {"q1": {"guide": 2, "near": 1}, "q2": {"engines": 1}}


class Words:
    """A vector by lot for each word; a text is the mean of its words."""

    name, title, dimensions, version = "words", "Words by lot", 16, "words/1"

    def encode(self, texts, on_progress=None):
        return np.array([self._row(text) for text in texts], np.float32).reshape(len(texts), 16)

    def unknown_share(self, texts):
        return 0.0

    def _row(self, text):
        total = np.zeros(16)
        for word in text.lower().replace(".", " ").split():
            seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:4], "big")
            total += np.random.default_rng(seed).standard_normal(16)
        norm = np.linalg.norm(total)
        return total / norm if norm else total


def judged(qrels=QRELS, queries=QUERIES) -> BeirSet:
    documents = tuple(Document(id_, title, text) for id_, (title, text) in DOCUMENTS.items())
    corpus = Corpus(documents, "Orchard", content_id(documents), CorpusReport(documents=len(documents)))
    return BeirSet(corpus, dict(queries), {q: dict(own) for q, own in qrels.items()})


def index():
    return build_index(judged().corpus, Words())


def trace(query: str = QUERY, run_id: str = "ranked1", **config) -> Trace:
    made = CausalAttentionRetriever(index()).run(query, config)
    return made.model_copy(update={"run_id": run_id})
