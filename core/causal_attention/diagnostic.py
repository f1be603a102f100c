"""The table of a diagnostic corpus (CAR-8): where the target and the stuffed documents of each theme stand.

A diagnostic corpus is a BEIR folder whose documents name their theme and role in `metadata`. A theme's own
documents are ranked for its query; idf comes from all documents of that language, and each language has
the encoder that reads it. Nothing here decides what a good table is: it is reported as it comes out.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from core.causal_attention.experiment import settings_of
from core.causal_attention.index import CausalIndex, build_index
from core.causal_attention.neural import NeuralScorer
from core.causal_attention.rerank import OFFLINE_MODES, RERANKERS, Given, Reranker, Window, positions
from core.causal_attention.steps import CarConfig
from core.corpus.document import Corpus, Document, content_id
from core.corpus.json_lines import json_lines
from core.corpus.report import CorpusReport
from core.errors import InputError
from core.graph.readers.text import decode
from core.retriever import OnProgress
from core.text.embedding import get_encoder

ENCODERS = {"en": "minilm"}  # for other languages: the multilingual one
OTHER = "use"


class Ranks(NamedTuple):
    """In one ranking, of one theme or on average: the target's rank, and the stuffed documents' mean rank."""

    target: float
    stuffed: float


class Theme(NamedTuple):
    """One line of the table."""

    name: str
    language: str
    encoder: str
    tau: float
    query: str
    ranks: dict[str, Ranks]

    @property
    def helps(self) -> bool:
        """Whether causal attention puts the target higher than similarity does."""
        return self.ranks["semantic"].target < self.ranks["baseline"].target


class _Row(NamedTuple):
    document: Document
    theme: str
    role: str
    language: str


def theme_table(
    folder: Path,
    config: CarConfig | None = None,
    neural: Sequence[NeuralScorer] = (),
    encoder: str | None = None,
    on_progress: OnProgress | None = None,
) -> list[Theme]:
    """Every theme's ranks, by name. A neural reranker scores English themes only. InputError: no diagnostic corpus.

    encoder: one for all languages; None: each language's own.
    """
    config = config or CarConfig()
    rows, queries = _read(folder)
    themes = []
    for language in sorted({row.language for row in rows}):
        own = [row for row in rows if row.language == language]
        documents = tuple(row.document for row in own)
        name = f"{folder.name} ({language})"
        corpus = Corpus(documents, name, content_id(documents), CorpusReport(documents=len(documents)))
        chosen = get_encoder(encoder or ENCODERS.get(language, OTHER))
        index = build_index(corpus, chosen, on_progress=on_progress)
        scorers = neural if language == "en" else ()
        for theme in sorted({row.theme for row in own}):
            themes.append(_theme(index, own, theme, queries[theme], config, scorers))
    return sorted(themes, key=lambda theme: theme.name)


def means(themes: Sequence[Theme]) -> dict[str, Ranks]:
    """The mean of both ranks over these themes, for each ranking that all of them have."""
    modes = [m for m in themes[0].ranks if all(m in theme.ranks for theme in themes)] if themes else []
    return {
        mode: Ranks(
            float(np.mean([theme.ranks[mode].target for theme in themes])),
            float(np.mean([theme.ranks[mode].stuffed for theme in themes])),
        )
        for mode in modes
    }


def _theme(
    index: CausalIndex,
    rows: Sequence[_Row],
    theme: str,
    query: str,
    config: CarConfig,
    neural: Sequence[NeuralScorer],
) -> Theme:
    chosen = [i for i, row in enumerate(rows) if row.theme == theme]
    own = index.subset(chosen)
    roles = {rows[i].document.id: rows[i].role for i in chosen}
    pool = own.pool(own.read(query, config.query_keywords), len(chosen), config.keywords, named=False)
    window = Window(pool.ids, pool.similarity, pool.facts, settings_of(index, config))
    rerankers: list[Reranker] = [RERANKERS[mode] for mode in OFFLINE_MODES]
    texts = [own.documents[row].content for row in pool.rows]
    for scorer in neural:
        rerankers.append(Given(scorer.name, dict(zip(pool.ids, scorer.score(query, texts), strict=True))))
    ranks: dict[str, Ranks] = {}
    for reranker in rerankers:
        ranked = [roles[window.ids[i]] for i in positions(reranker, window)]
        stuffed = [rank for rank, role in enumerate(ranked, 1) if role == "stuffed"]
        ranks[reranker.mode] = Ranks(ranked.index("target") + 1, float(np.mean(stuffed)) if stuffed else 0.0)
    tau = window.settings.tau
    return Theme(theme, rows[chosen[0]].language, index.encoder.name, tau, query, ranks)


def _read(folder: Path) -> tuple[list[_Row], dict[str, str]]:
    hint = "Its documents name theme, role and language in `metadata`."
    texts = {}
    for name in ("corpus.jsonl", "queries.jsonl"):
        try:
            texts[name] = decode((folder / name).read_bytes(), name).text
        except OSError:
            raise InputError(f"there is no {name}", where=str(folder), hint=hint) from None
    rows = []
    for line, item in json_lines(texts["corpus.jsonl"], "corpus.jsonl"):
        about = item.get("metadata")
        if not isinstance(about, dict) or not {"theme", "role", "language"} <= set(about):
            raise InputError("this document has no theme and role", where=f"corpus.jsonl, line {line}", hint=hint)
        document = Document(str(item.get("_id")), str(item.get("title") or ""), str(item.get("text") or ""))
        rows.append(_Row(document, str(about["theme"]), str(about["role"]), str(about["language"])))
    queries = {
        str(item["metadata"]["theme"] if isinstance(item.get("metadata"), dict) else item.get("_id")): str(item["text"])
        for _, item in json_lines(texts["queries.jsonl"], "queries.jsonl")
    }
    for theme in {row.theme for row in rows}:
        if theme not in queries or not any(row.theme == theme and row.role == "target" for row in rows):
            raise InputError(f"the theme {theme} has no query or no target", where=str(folder), hint=hint)
    return rows, queries
