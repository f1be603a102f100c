"""With what a corpus is read: the encoder and the extractor of keywords. Chosen for the corpus in use, in this session.

A link carries the names of packaged encoders; a folder of this machine and a server with its key stay in the session.
Not here: the widgets (engine_panel.py), and making the index (index_job.py).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import streamlit as st

from core.causal_attention.keyword_table import TableExtractor
from core.llm.endpoint import Endpoint
from core.text.embedding import ENCODERS, get_encoder
from pages.shared import corpora, model, state

if TYPE_CHECKING:
    from core.text.embedding import Encoder
    from core.trace import Trace
    from pages.shared.corpora import OpenCorpus
    from pages.shared.model import Key

AUTOMATIC = ""  # the encoder that fits the corpus's script
EXTRACTORS: tuple[TableExtractor, ...] = ("tf-idf", "textrank", "keybert")
CHOSEN = "corpus_engines"


@dataclass(frozen=True, slots=True)
class Engine:
    """encoder: a name that `get_encoder` knows, "" for the one that fits; or a server's, with its endpoint and key."""

    encoder: str = AUTOMATIC
    extractor: TableExtractor = "tf-idf"
    endpoint: Endpoint | None = None
    key: Key | None = field(default=None, repr=False)

    @property
    def is_private(self) -> bool:
        """Whether it must stay in this session: it holds a key, or a folder of this machine."""
        return self.endpoint is not None or (self.encoder != AUTOMATIC and self.encoder not in ENCODERS)

    @property
    def id(self) -> str:
        """What tells two engines apart. It holds no key."""
        where = f"|{self.endpoint.base_url}|{self.endpoint.model}" if self.endpoint else ""
        return f"{self.encoder}{where}|{self.extractor}"

    def make(self, fitting: str) -> Encoder:
        """The encoder, `fitting` where none was chosen. EncoderError, ModelError, ConfigError when it cannot be had."""
        if self.endpoint is not None:
            from core.llm.embeddings import endpoint_encoder

            return endpoint_encoder(self.endpoint, model.key_for(self.endpoint.base_url, self.key))
        return get_encoder(self.encoder or fitting)


def current(corpus: OpenCorpus) -> Engine:
    """The engine for this corpus: what was chosen, else what the address names, else what fits."""
    chosen: dict[str, Engine] = st.session_state.setdefault(CHOSEN, {})
    if corpus.key not in chosen:
        chosen[corpus.key] = _named() if corpora.current_key() in ("", corpus.key) else Engine()
    return chosen[corpus.key]


def use(corpus: OpenCorpus, engine: Engine) -> None:
    """Read this corpus so from now on."""
    st.session_state.setdefault(CHOSEN, {})[corpus.key] = engine
    show(engine)


def show(engine: Engine) -> None:
    """Say it in the address, as far as a link can carry it."""
    state.put(
        {
            "encoder": engine.encoder if engine.encoder in ENCODERS else None,
            "keywords": engine.extractor if engine.extractor != EXTRACTORS[0] else None,
        }
    )


def follow(corpus: OpenCorpus, trace: Trace) -> None:
    """Read the corpus as a run did, once a run and where that is possible."""
    from core.causal_attention.steps import ReadQuery

    read = next((s for s in trace.steps if isinstance(s, ReadQuery)), None)
    if read is None or st.session_state.get("followed_engine") == trace.run_id:
        return
    st.session_state["followed_engine"] = trace.run_id
    extractor = next((e for e in EXTRACTORS if e == read.extractor), current(corpus).extractor)
    if read.encoder in ENCODERS:
        use(corpus, Engine(read.encoder, extractor))


def _named() -> Engine:
    encoder, extractor = state.param("encoder"), state.param("keywords")
    return Engine(
        encoder if encoder in ENCODERS else AUTOMATIC, next((e for e in EXTRACTORS if e == extractor), EXTRACTORS[0])
    )
