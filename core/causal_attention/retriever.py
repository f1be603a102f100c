"""Causal attention as a retriever: a query in, a trace out that holds every ranking and all they were made from.

Rankings are made by the code that re-ranks a stored trace (rescore.py), from the values the trace keeps.
"""

from __future__ import annotations

import datetime
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from core.causal_attention.answer import DOCUMENTS, from_model, node_of, quoted
from core.causal_attention.evidence import evidence_of, facts_of
from core.causal_attention.identical import identical_notice
from core.causal_attention.index import CausalIndex, Pool, Reading
from core.causal_attention.keyword_table import table_of
from core.causal_attention.keywords_model import model_keywords
from core.causal_attention.neural import NeuralScorer
from core.causal_attention.rescore import checked, ranked_of, rankings
from core.causal_attention.steps import (
    LADDER,
    AnswerStep,
    CarConfig,
    CarStep,
    EvidenceStep,
    Extractor,
    GateStep,
    KeywordsStep,
    NeuralStep,
    ReadQuery,
    Retrieved,
    Similar,
    SplitStep,
    Weighted,
)
from core.corpus.document import Document
from core.errors import CausewayError, QuestionError, StoppedError
from core.llm.exchange import spent
from core.llm.replay import Asker
from core.retriever import OnProgress, OnStep, ShouldStop
from core.text.keywords import Keyword
from core.trace import Answer, DatasetRef, Ranked, Trace, Usage

METHOD = "causal-attention"
QUESTION_LIMIT = 100_000  # characters of a query that are read


class CausalAttentionRetriever:
    """Re-ranks one corpus.

    neural: rerankers beside the causal ones. gate: what the regime gate says of this corpus (gate.py). make_asker:
    a fresh model for each run, which then writes the answer; `model_extracts`: and names the keywords too.
    """

    method = METHOD

    def __init__(
        self,
        index: CausalIndex,
        neural: Sequence[NeuralScorer] = (),
        gate: GateStep | None = None,
        make_asker: Callable[[], Asker] | None = None,
        context_tokens: int = 8192,
        model_extracts: bool = False,
    ) -> None:
        self._index = index
        self._neural = tuple(neural)
        self._gate = gate
        self._make_asker = make_asker
        self._context_tokens = context_tokens
        self._model_extracts = model_extracts and make_asker is not None

    @property
    def dataset(self) -> DatasetRef:
        """The corpus it ranks."""
        return self._index.dataset

    def prepare(self, on_progress: OnProgress | None = None) -> None:
        """Load the encoder. The index is made before."""
        if on_progress:
            on_progress(f"Loading {self._index.encoder.title}", None)
        self._index.encoder.encode(["a"])

    def run(
        self,
        question: str,
        config: Mapping[str, Any] | None = None,
        on_step: OnStep | None = None,
        should_stop: ShouldStop | None = None,
    ) -> Trace:
        """Rank for `question`. See `Retriever.run`; settings: `CarConfig`. EncoderError, ModelError as they come."""
        settings = checked(dict(config or {}))
        question = question.strip()
        if not question:
            raise QuestionError("the query is empty", hint="Write what you look for.")
        return _Run(self, question, settings, on_step, should_stop or (lambda: False)).trace()

    # What a run needs of it.

    @property
    def parts(
        self,
    ) -> tuple[CausalIndex, tuple[NeuralScorer, ...], GateStep | None, Callable[[], Asker] | None, int, bool]:
        """The index, the neural rerankers, the gate, the maker of askers, the context, who extracts."""
        return (
            self._index,
            self._neural,
            self._gate,
            self._make_asker,
            self._context_tokens,
            self._model_extracts,
        )


class _Run:
    def __init__(
        self,
        retriever: CausalAttentionRetriever,
        question: str,
        config: CarConfig,
        on_step: OnStep | None,
        stop: ShouldStop,
    ) -> None:
        self.index, self.neural, self.gate, make_asker, self.context, self.extracts = retriever.parts
        self.question, self.config, self.on_step, self.stop = question, config, on_step, stop
        self.asker = make_asker() if make_asker is not None else None
        self.steps: list[CarStep] = []
        self.began = time.perf_counter()
        self.started_at = datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
        self.notices: list[str] = []
        self.index_decides = f"cosines of {self.index.encoder.title}"

    def trace(self) -> Trace:
        status, answer = "finished", None
        ranked: tuple[Ranked, ...] = ()
        try:
            made, candidates = self._rank()
            ranked = ranked_of(made, candidates, self.config.mode)
            if self.config.answer:
                answer = self._answer([place.id for place in ranked[:DOCUMENTS]])
        except StoppedError:  # what was emitted stays
            status = "stopped"
        count = spent(self.steps)
        return Trace.model_validate(
            {
                "method": METHOD,
                "question": self.question,
                "config": self.config.model_dump(),
                "dataset": self.index.dataset,
                "decided_by": self.index_decides + (f" and {self.asker.label}" if self.asker else ", no model"),
                "notices": tuple(dict.fromkeys(self.notices)),
                "usage": Usage(
                    calls={"retrieve": 1, "model": count.calls},
                    nodes_examined=min(self.config.pool, len(self.index.documents)),
                    prompt_tokens=count.prompt_tokens if count.calls and not count.uncounted else None,
                    completion_tokens=count.completion_tokens if count.calls and not count.uncounted else None,
                ),
                "status": status,
                "started_at": self.started_at,
                "seconds": time.perf_counter() - self.began,
            }
        ).model_copy(update={"steps": tuple(self.steps), "ranked": ranked, "answer": answer})

    def _rank(self) -> tuple[list[Any], tuple[Similar, ...]]:
        config = self.config
        asked = self.question[:QUESTION_LIMIT]
        if len(asked) < len(self.question):
            self.notices.append(f"Only the first {QUESTION_LIMIT:,} characters of the query were read.")
        exchange = None
        if self.extracts:
            assert self.asker is not None
            found, exchange = model_keywords(asked, self.asker, config.query_keywords, self.stop)
            reading = self.index.reading(asked, self.index.encoder.encode([asked])[0], found)
        else:
            reading = self.index.read(asked, config.query_keywords)
        self.notices += reading.notices
        tau_auto = self.index.tau_auto
        tau = tau_auto if config.tau is None else config.tau
        extractor: Extractor = "llm" if self.extracts else self.index.extractor
        self._emit(
            ReadQuery(
                keywords=tuple(Weighted(term=k.term, weight=k.weight) for k in reading.keywords),
                extractor=extractor,
                encoder=self.index.encoder.name,
                tau=tau,
                tau_auto=tau_auto,
                reason="The query's keywords are what a document can share with it.",
                exchange=exchange,
            )
        )
        pool = self._pool(reading)
        documents = self.index.documents
        candidates = tuple(
            Similar(document=node_of(documents[row]), score=float(score), rank=rank)
            for rank, (row, score) in enumerate(zip(pool.rows, pool.similarity, strict=True), 1)
        )
        self._emit(
            Retrieved(
                total=len(documents),
                window=config.window,
                theta=config.theta,
                candidates=candidates,
                reason="The documents whose vectors are nearest to the query's.",
            )
        )
        kept = evidence_of(pool)
        self._emit(EvidenceStep(documents=kept, reason="All that any split and score of these documents needs."))
        neural = [self._neural_step(scorer, pool) for scorer in self.neural]
        if config.mode == "gated" and self.gate is None:
            self.gate = GateStep(known=False, enable=False)
            self.notices.append("The regime gate has no verdict for this corpus yet: similarity decides.")
        if self.gate is not None:
            self._emit(self.gate.model_copy(update={"reason": "The gate's verdict holds for this corpus as it is."}))
        made = rankings(candidates, facts_of(kept), pool.terms, config, tau, neural, self.gate)
        made = [self._emit(step) for step in made]
        self._explain(made)
        if copies := identical_notice(self.index, pool.ids):
            self.notices.append(copies)
        return made, candidates

    def _pool(self, reading: Reading) -> Pool:
        config = self.config
        if not self.extracts:
            return self.index.pool(reading, config.pool, config.kept)
        rows, _ = self.index.nearest_rows(reading.vector, config.pool)
        found: list[list[Keyword]] = []
        for n, row in enumerate(rows):
            self._check_stop()
            # A model reads the window alone; the others keep the keywords that were made at indexing.
            if n < config.window:
                words = self._model_keywords(self.index.documents[row])
            else:
                words = self.index.table.keywords(int(row), LADDER)
            found.append(words)
        own = replace(
            self.index,
            documents=tuple(self.index.documents[row] for row in rows),
            vectors=self.index.vectors[rows],
            table=table_of(found, self.index.encoder, self.index.table.idf),
        )
        return own.pool(reading, config.pool, config.kept)

    def _model_keywords(self, document: Document) -> list[Keyword]:
        assert self.asker is not None
        words, exchange = model_keywords(document.content, self.asker, self.config.kept, self.stop)
        self._emit(
            KeywordsStep(
                document=node_of(document),
                keywords=tuple(Weighted(term=k.term, weight=k.weight) for k in words),
                exchange=exchange,
                decided_by=self.asker.label,
            )
        )
        return words

    def _neural_step(self, scorer: NeuralScorer, pool: Pool) -> NeuralStep:
        self._check_stop()
        texts = [document.content for document in self._documents(pool.ids)]
        scores = scorer.score(self.question[:QUESTION_LIMIT], texts)
        step = NeuralStep(name=scorer.name, stand_in=scorer.stand_in, scores=dict(zip(pool.ids, scores, strict=True)))
        self._emit(step)
        return step

    def _documents(self, ids: Sequence[str]) -> list[Document]:
        return [self.index.documents[self.index.row_of(id_)] for id_ in ids]

    def _answer(self, ids: Sequence[str]) -> Answer | None:
        documents = self._documents(ids)
        self._check_stop()
        if self.asker is None:
            return quoted(self.question[:QUESTION_LIMIT], documents, self.index.encoder)
        try:
            answer, exchange = from_model(self.question, documents, self.asker, self.context, self.stop)
        except StoppedError:
            raise
        except CausewayError as error:
            self.notices.append(f"The model wrote no answer ({error}); sentences are quoted instead.")
            return quoted(self.question[:QUESTION_LIMIT], documents, self.index.encoder)
        self._emit(AnswerStep(documents=tuple(ids), exchange=exchange, decided_by=self.asker.label))
        return answer

    def _explain(self, steps: Sequence[Any]) -> None:
        """Say it when S1 is left in the order of similarity because nothing could be told apart."""
        own = next(s for s in steps if isinstance(s, SplitStep) and s.how == "semantic").documents
        causes = {d.empty for d in own if d.empty}
        if own and all(d.empty for d in own):
            why = ", ".join(sorted(causes))
            self.notices.append(f"No candidate has a residual keyword left to score ({why}): similarity decides.")
        elif "unknown language" in causes:
            title = self.index.encoder.title
            self.notices.append(f"{title} does not know the words of some documents; they keep their similarity.")

    def _emit(self, step: Any) -> Any:
        self._check_stop()
        now = time.perf_counter() - self.began
        numbered = step.model_copy(
            update={"index": len(self.steps) + 1, "at": now, "decided_by": step.decided_by or self.index_decides}
        )
        self.steps.append(numbered)
        if self.on_step is not None:
            self.on_step(numbered)
        return numbered

    def _check_stop(self) -> None:
        if self.stop():
            raise StoppedError("the run was stopped")
