"""The corpora of this session: samples (shared, read once a process) and what this person loaded (theirs alone).

What a person loads lives in their session: another session can neither list nor open it. A link names a sample.
Not here: reading files (core/corpus), making a corpus ready for ranking (index_job.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from core.corpus.samples import CORPUS_SAMPLES, load_corpus_sample
from pages.shared.messages import Message
from pages.shared.shelf import Shelf

if TYPE_CHECKING:
    from core.corpus.beir import BeirSet
    from core.corpus.document import Corpus
    from core.trace import Trace

OWN = "own_corpora"
CURRENT = "current_corpus"
FIRST = "company"  # in one language, and about what everybody knows
OWN_LIMIT = 4  # loaded corpora a session keeps; the one loaded first goes first
SUGGESTIONS = 6


@dataclass(frozen=True, slots=True)
class OpenCorpus:
    """A corpus with its queries and judgements, if any. `key` is a sample's name, or the content id of one's own."""

    key: str
    title: str
    judged: BeirSet
    is_sample: bool

    @property
    def corpus(self) -> Corpus:
        return self.judged.corpus

    @property
    def queries(self) -> Mapping[str, str]:
        """Query id -> text."""
        return self.judged.queries

    @property
    def qrels(self) -> Mapping[str, Mapping[str, int]]:
        """Query id -> document id -> grade."""
        return self.judged.qrels

    @property
    def suggestions(self) -> tuple[str, ...]:
        """Queries to begin with: those that a sample suggests, else the first that came with it."""
        ids = CORPUS_SAMPLES[self.key].suggested if self.is_sample else ()
        chosen = [self.queries[i] for i in ids if i in self.queries] or list(self.queries.values())
        return tuple(chosen[:SUGGESTIONS])


@st.cache_resource(show_spinner=False)
def _sample(name: str) -> BeirSet:
    return load_corpus_sample(name)


def _opened(name: str) -> OpenCorpus:
    return OpenCorpus(name, CORPUS_SAMPLES[name].title, _sample(name), is_sample=True)


SHELF: Shelf[OpenCorpus] = Shelf(
    own=OWN,
    current=CURRENT,
    samples={sample.name: sample.title for sample in CORPUS_SAMPLES.values()},
    open_sample=_opened,
    newcomers=FIRST,
    limit=OWN_LIMIT,
    others="the other corpora",
    missing=Message(
        "this link names a corpus that is not here",
        hint="A link carries samples only; load the files on the Data page of this browser.",
    ),
)
samples, titles, open_corpus = SHELF.samples, SHELF.titles, SHELF.open
current_key, current, first, choose = SHELF.key_in_use, SHELF.in_use, SHELF.first, SHELF.choose


def blurb(corpus: OpenCorpus) -> str:
    """What a sample says of itself; empty for one's own."""
    return CORPUS_SAMPLES[corpus.key].blurb if corpus.is_sample else ""


def of(trace: Trace) -> OpenCorpus | None:
    """The corpus that a run saw, when this session has it."""
    seen = trace.dataset.content_id
    if seen in SHELF.owned():
        return SHELF.owned()[seen]
    for sample in CORPUS_SAMPLES.values():
        opened = open_corpus(sample.name) if sample.title == trace.dataset.name else None
        if opened is not None and opened.corpus.content_id == seen:
            return opened
    return None


def follow(trace: Trace) -> None:
    """Use the corpus that a run saw, when this session has it; once a run, as the person may turn to another then."""
    if st.session_state.get("followed_corpus") != trace.run_id:
        st.session_state["followed_corpus"] = trace.run_id
        if (seen := of(trace)) is not None:
            choose(seen.key)


def keep_own(judged: BeirSet) -> OpenCorpus:
    """Keep what this person loaded, for this session, and use it."""
    opened = OpenCorpus(judged.corpus.content_id, judged.corpus.name, judged, is_sample=False)
    SHELF.keep(opened)
    return opened
