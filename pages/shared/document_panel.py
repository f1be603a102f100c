"""The selected document of a ranking: its text with its words by side, its keywords, and why it stands there."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from core.figures.causal_attention.document_view import DocumentView, document_html, why_html
from core.figures.causal_attention.ranking import Ranking
from core.figures.causal_attention.tables import words_table
from core.figures.palette import colours
from core.trace import Trace
from pages.shared import bridge, corpora

if TYPE_CHECKING:
    from core.corpus.document import Document
    from pages.shared.corpora import OpenCorpus

ASSETS = Path(__file__).resolve().parents[2] / "assets"
ROW_HEIGHT = 34  # px


def style() -> None:
    """The style sheet of a document, with the colours of the theme that the person sees."""
    named = "".join(f"--{name}:{colour};" for name, colour in colours(bridge.theme())._asdict().items())
    st.html(f"<style>.rr-document{{{named}}}{(ASSETS / 'rerank.css').read_text(encoding='utf-8')}</style>")


def text_of(trace: Trace, id_: str) -> Document | None:
    """A document of the corpus that the run saw, when this session has it."""
    opened = corpora.of(trace)
    if opened is None or id_ not in opened.corpus:
        return None
    return opened.corpus.documents[opened.corpus.index_of(id_)]


def why(view: DocumentView) -> None:
    """Why it stands where it stands."""
    st.html(why_html(view))


def judged_in(opened: OpenCorpus | None, question: str) -> Mapping[str, int] | None:
    """How documents were judged for this query, where the corpus came with judgements: document -> grade."""
    if opened is None:
        return None
    asked = " ".join(question.split())
    for query, text in opened.queries.items():
        if " ".join(text.split()) == asked and query in opened.qrels:
            return opened.qrels[query]
    return None


def draw(view: DocumentView, trace: Trace, ranking: Ranking) -> None:
    """The document with its words."""
    style()
    st.html(document_html(view))
    if not view.pieces:
        st.html("<p class='cw-quiet'>Its text is not at hand: this session does not have the corpus of the run.</p>")
    if not view.words:
        return
    with st.expander("Its keywords as a table"):
        table = words_table(trace, ranking, view.id)
        two = st.column_config.NumberColumn(format="%.2f")
        st.dataframe(
            table.frame(),
            key="words_table",
            hide_index=True,
            row_height=ROW_HEIGHT,
            column_config={
                "Share of weight": st.column_config.NumberColumn(format="percent"),
                **dict.fromkeys(("Weight", "Cosine to it", "Cosine to the query"), two),
                "Part of s_c": st.column_config.NumberColumn(format="%.3f"),
            },
        )
