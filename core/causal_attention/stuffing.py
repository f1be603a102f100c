"""The stuffing simulator: what m keyword-stuffed documents a query do to each ranking. In memory, seeded.

Three generators make documents that repeat a query's keywords and answer nothing: "repeated" (the keywords
alone), "off-topic" (among sentences of documents that have nothing to do with the query), "synonyms" (the
corpus's terms nearest to the keywords instead of the keywords themselves). All queries' documents are injected
at once, so a query meets its own and the others'. `gated` decides anew at every m, by the gate on 30 probes.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from core.causal_attention.answer import sentences
from core.causal_attention.experiment import judged_queries, read_queries, run_experiment
from core.causal_attention.gate import regime
from core.causal_attention.index import CausalIndex, Reading
from core.causal_attention.scores import Floats
from core.causal_attention.steps import CarConfig, Mode
from core.corpus.document import Document
from core.errors import StoppedError
from core.retriever import OnProgress, ShouldStop
from core.text.embedding import embed_all, text_key

Generator = Literal["repeated", "off-topic", "synonyms"]
GENERATORS: tuple[Generator, ...] = ("repeated", "off-topic", "synonyms")
SIMULATED: tuple[Mode, ...] = ("baseline", "exact", "semantic", "hybrid")
LEVELS = (0, 1, 3, 5, 10)
PROBES = 30
REPEATS = 5  # of each keyword in a document
OFF_TOPIC_SENTENCES = 4
NEAR = 3  # terms nearest to a keyword that may stand for it


@dataclass(frozen=True)
class Simulation:
    """nDCG@10 by m: the mean in each mode, "gated" among them; `enabled`: whether the gate was on at that m."""

    generator: Generator
    m: tuple[int, ...]
    modes: dict[Mode, tuple[float, ...]]
    enabled: tuple[bool, ...]
    queries: int


def simulate(
    index: CausalIndex,
    queries: Mapping[str, str],
    qrels: Mapping[str, Mapping[str, int]],
    generator: Generator,
    levels: Sequence[int] = LEVELS,
    config: CarConfig | None = None,
    seed: int = 0,
    modes: Sequence[Mode] = SIMULATED,
    on_progress: OnProgress | None = None,
    should_stop: ShouldStop | None = None,
) -> Simulation:
    """Inject m documents a query, rank again, and score. The documents at m are the first m of those at more.

    InputError when no query is judged. StoppedError when `should_stop()` turns true.
    """
    config = config or CarConfig()
    stop = should_stop or (lambda: False)
    judged = judged_queries(queries, qrels)
    asked = {q: queries[q] for q in judged}
    readings = read_queries(index, asked, config.query_keywords, on_progress)
    most = max(levels, default=0)
    rounds = stuffed_rounds(index, readings, generator, most, seed)
    flat = [document for own in rounds for document in own]

    def report(what: str, share: float | None) -> None:
        if stop():
            raise StoppedError("the simulation was stopped", hint="Nothing was changed: the documents are in memory.")
        if on_progress:
            on_progress(what, share)

    report("Encoding stuffed documents", 0.0)
    full = index.with_documents(flat, _vectors(index, rounds, report), report)
    results: dict[Mode, list[float]] = {mode: [] for mode in (*modes, "gated")}
    enabled = []
    for m in levels:
        sub = full.first(len(index.documents) + m * len(judged))
        done = run_experiment(sub, asked, qrels, modes, config, readings=readings, on_progress=report)
        values = {mode: done.values(mode) for mode in modes}
        on, gated = _gated(values, seed)
        for mode in modes:
            results[mode].append(float(values[mode].mean()))
        results["gated"].append(float(gated.mean()))
        enabled.append(on)
    return Simulation(
        generator, tuple(levels), {mode: tuple(own) for mode, own in results.items()}, tuple(enabled), len(judged)
    )


def _vectors(index: CausalIndex, rounds: Sequence[Sequence[Document]], report: OnProgress) -> NDArray[np.float32]:
    """(n, d) of all rounds, each kept on disk by itself: a larger m, or a run after a stop, encodes what is new."""
    made = [np.zeros((0, index.encoder.dimensions), np.float32)]
    for number, own in enumerate(rounds):
        texts = [document.content for document in own]

        def part(what: str, share: float | None, number: int = number) -> None:
            report(what, (number + (share or 0.0)) / len(rounds))

        made.append(embed_all(texts, index.encoder, text_key(texts), part))
    return np.concatenate(made)


def _gated(values: Mapping[Mode, Floats], seed: int) -> tuple[bool, Floats]:
    """Whether 30 probes, the same at every m, switch the hybrid on; and each query's metric then."""
    baseline = values["baseline"]
    if "hybrid" not in values:
        return False, baseline
    chosen = np.random.default_rng(seed).permutation(len(baseline))[:PROBES]
    on = regime((values["hybrid"] - baseline)[chosen], sizes=()).enable
    return on, values["hybrid"] if on else baseline


def stuffed_rounds(
    index: CausalIndex, readings: Mapping[str, Reading], generator: Generator, m: int, seed: int = 0
) -> list[list[Document]]:
    """m rounds of one stuffed document a query; each depends on seed, generator, query and round alone."""
    stuff = {q: _ingredients(index, reading, generator) for q, reading in readings.items()}
    return [[_document(index, q, *stuff[q], generator, number, seed) for q in readings] for number in range(1, m + 1)]


def _document(
    index: CausalIndex,
    query: str,
    words: Sequence[str],
    strange: Sequence[int],
    generator: Generator,
    number: int,
    seed: int,
) -> Document:
    digest = hashlib.sha256(f"{seed}|{generator}|{query}|{number}".encode("utf-8", "surrogatepass")).digest()
    lots = random.Random(int.from_bytes(digest[:8], "big"))
    spread = [word for word in words for _ in range(REPEATS)]
    lots.shuffle(spread)
    if generator == "off-topic" and strange:
        own = [
            s for row in lots.sample(list(strange), min(2, len(strange))) for s in sentences(index.documents[row].text)
        ]
        parts = lots.sample(own, min(OFF_TOPIC_SENTENCES, len(own)))
        size = -(-len(spread) // (len(parts) + 1)) if parts else len(spread)
        pieces = [" ".join(spread[i : i + size]) for i in range(0, len(spread), max(size, 1))]
        mixed = [piece for pair in zip(pieces, [*parts, ""], strict=False) for piece in pair if piece]
        text = ". ".join(mixed)
    else:
        text = " ".join(spread)
    return Document(id=f"stuffed/{generator}/{query}/{number}", title="", text=text, source="stuffing simulator")


def _ingredients(index: CausalIndex, reading: Reading, generator: Generator) -> tuple[list[str], list[int]]:
    """The words to be repeated, and the rows of documents least like the query, for off-topic text."""
    words = [keyword.term for keyword in reading.keywords] or reading.text.split()[:10]
    if generator == "synonyms":
        return _near(index, reading) or words, []
    if generator == "off-topic":
        scores = index.similarities(reading.vector)
        return words, np.lexsort((index.id_order, scores))[: max(1, len(scores) // 4)].tolist()
    return words, []


def _near(index: CausalIndex, reading: Reading) -> list[str]:
    """For each query keyword the terms of the corpus nearest to it, other than query keywords."""
    own = {keyword.term for keyword in reading.keywords}
    cosines = (reading.term_vectors @ index.table.vectors.T).round(6)  # (|K_q|, V)
    found: list[str] = []
    for row in cosines:
        best = np.argsort(-row, kind="stable")[: NEAR + len(own)]
        found += [t for t in (index.table.terms[i] for i in best) if t not in own][:NEAR]
    return list(dict.fromkeys(found))
