"""Making a corpus ready for ranking, in the background: one job for each corpus and engine, watched, stopped, resumed.

What was made is on disk, so a stopped job goes on where it was. A sample's index is shared by all sessions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from pages.shared import corpus_engine
from pages.shared import job as jobs
from pages.shared.corpus_engine import Engine
from pages.shared.job import Job
from pages.shared.text import esc

if TYPE_CHECKING:
    from core.causal_attention.index import CausalIndex
    from core.retriever import OnProgress, ShouldStop
    from pages.shared.corpora import OpenCorpus

OWN = "index_jobs"
OWN_LIMIT = 6  # jobs, and with them indexes, that a session keeps


@dataclass(frozen=True, slots=True)
class Indexed:
    """An index, why it has this encoder, the share of word pieces that one does not know, and a warning or ""."""

    index: CausalIndex
    reason: str
    unknown: float
    warning: str


@st.cache_resource(show_spinner=False)
def _shared() -> dict[str, Job[Indexed]]:
    return {}


def of(corpus: OpenCorpus) -> Job[Indexed]:
    """The job for this corpus and its engine, begun if there was none. One that was stopped stays so."""
    kept, key, engine = _place(corpus)
    if key not in kept:
        kept[key] = _begin(corpus, engine)
        while len(kept) > OWN_LIMIT and kept is st.session_state.get(OWN):
            kept.pop(next(iter(kept))).stop()
    return kept[key]


def indexed(corpus: OpenCorpus) -> Indexed | None:
    """The index, None until it is made."""
    return of(corpus).result()


def resume(corpus: OpenCorpus) -> None:
    """Go on after a stop, or try again after a failure."""
    kept, key, _ = _place(corpus)
    kept.pop(key, None)
    of(corpus)


def draw(corpus: OpenCorpus, made: Indexed | None) -> None:
    """How the job stands; nothing once the index is there. made: what the page has drawn from so far."""
    job = of(corpus)
    if not job.ended:
        jobs.watch(job, "index")
    elif job.result() is not None:
        if made is None:
            st.rerun()  # it ended while the page was being drawn
    else:
        jobs.draw_failed(job)
        now = job.state()
        with st.container(border=True, horizontal=True, vertical_alignment="center"):
            share = f" at {now.share:.0%}" if now.share is not None else ""
            words = f"Indexing was stopped{share}. What was done is kept." if now.stopped else "There is no index yet."
            st.html(f"<span role='status'>{esc(words)}</span>", width="stretch")
            label = "Resume indexing" if now.stopped else "Try again"
            st.button(label, key="resume_index", on_click=resume, args=(corpus,))


def _place(corpus: OpenCorpus) -> tuple[dict[str, Job[Indexed]], str, Engine]:
    """Where the job is kept, under which key, and its engine."""
    engine = corpus_engine.current(corpus)
    shared = corpus.is_sample and not engine.is_private
    kept = _shared() if shared else st.session_state.setdefault(OWN, {})
    return kept, f"{corpus.key}|{engine.id}", engine


def _begin(corpus: OpenCorpus, engine: Engine) -> Job[Indexed]:
    texts = corpus.corpus

    def work(on_progress: OnProgress, should_stop: ShouldStop) -> Indexed:
        from core.causal_attention.index import build_index
        from core.corpus.vectors import choose_encoder, encoder_warning, sample_texts

        on_progress("Choosing an encoder", None)
        fitting = choose_encoder(texts)
        on_progress("Loading the encoder", None)
        encoder = engine.make(fitting.name)
        index = build_index(texts, encoder, engine.extractor, on_progress)
        sample = sample_texts(texts)
        chosen = fitting.reason if not engine.encoder and engine.endpoint is None else "Chosen by hand."
        return Indexed(index, chosen, encoder.unknown_share(sample), encoder_warning(sample, encoder))

    return Job(work, f"indexing {corpus.title}")
