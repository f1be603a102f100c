"""The row that asks a corpus: which corpus, the query, suggestions, settings, Run.

A query of ordinary length is in the address; a longer one is carried by the run that it became.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import streamlit as st

from core.causal_attention.retriever import QUESTION_LIMIT
from core.trace import Trace
from pages.shared import corpora, query_settings, state, tour
from pages.shared.text import esc, md

if TYPE_CHECKING:
    from pages.shared.corpora import OpenCorpus

LONGEST_LINK = 1_500  # characters of a query that an address carries
FIELD, FILLED, LINKED, WANTED = "query", "query_filled_from", "query_linked", "query_wanted"


@dataclass(frozen=True, slots=True)
class Asked:
    """What the row holds now, and whether Run was pressed."""

    query: str
    config: Mapping[str, Any]
    extras: query_settings.Extras
    pressed: bool


def fill(trace: Trace | None) -> None:
    """Put the address's query, or that of an opened run, into the field; call before `draw`."""
    linked = state.param("q") or tour.question()
    if linked and linked != st.session_state.get(LINKED):
        st.session_state[FIELD] = st.session_state[LINKED] = linked
    if trace is None or st.session_state.get(FILLED) == trace.run_id:
        return
    st.session_state[FILLED] = trace.run_id
    st.session_state[FIELD] = state.param("q") or trace.question
    query_settings.fill(trace)


def show(query: str) -> None:
    """Say the query in the address, as far as it can carry it."""
    linked = query if len(query) <= LONGEST_LINK else ""
    st.session_state[LINKED] = linked
    state.put({"q": linked})


def take(query: str) -> None:
    """A callback: put this query into the field and ask it in the coming rerun."""
    st.session_state[FIELD] = query
    want()


def want() -> None:
    """Ask what the field holds as soon as the corpus is ready."""
    st.session_state[WANTED] = True


def is_wanted() -> bool:
    """Whether a query waits to be asked."""
    return bool(st.session_state.get(WANTED, False))


def draw(corpus: OpenCorpus | None, trace: Trace | None = None) -> Asked:
    """The row, and what it holds, and what the run on the screen was asked where that differs."""
    titles = corpora.titles()
    left, middle, beside, right = st.columns([2.3, 6, 1.3, 1.3], vertical_alignment="bottom", gap="small")
    with left:
        st.session_state["corpus_choice"] = corpus.key if corpus else None
        st.selectbox(
            "Corpus",
            list(titles),
            format_func=lambda key: titles.get(key, key),
            placeholder="Choose a corpus",
            key="corpus_choice",
            on_change=_switch,
        )
    with middle, st.form("ask_corpus", border=False):  # a form, so that Enter asks
        field, button = st.columns([6, 1], vertical_alignment="bottom", gap="small")
        query = field.text_input(
            "Query", key=FIELD, persist_state="session", placeholder="What do you look for?", max_chars=QUESTION_LIMIT
        )
        pressed = button.form_submit_button(
            "Run", type="primary", width="stretch", key="run_button", disabled=corpus is None
        )
    with beside, st.popover("Suggestions", width="stretch", key="suggestions", disabled=not _suggested(corpus)):
        for number, suggestion in enumerate(_suggested(corpus)):
            st.button(
                md(suggestion, 90),
                key=f"suggestion_{number}",
                type="tertiary",
                on_click=take,
                args=(suggestion,),
            )
    with right, st.popover("Settings", width="stretch", key="settings"):
        config, extras = query_settings.draw(corpus)
    query = query.strip()
    if trace is not None:
        _tell_apart(corpus, trace, query)
    return Asked(query, config, extras, pressed)


def _suggested(corpus: OpenCorpus | None) -> tuple[str, ...]:
    """Queries to try, one click each."""
    return corpus.suggestions if corpus is not None else ()


def _tell_apart(corpus: OpenCorpus | None, trace: Trace, query: str) -> None:
    """Say what the run on the screen was asked, and of what, where the row no longer shows it."""
    notes = []
    if query != trace.question:
        notes.append(f"The ranking below is for: <b dir='auto'>{esc(trace.question[:300])}</b>")
    if corpus is not None and trace.dataset.content_id != corpus.corpus.content_id:
        notes.append(
            f"It is of {esc(trace.dataset.name)}, which is not the corpus above: Run would ask {esc(corpus.title)}."
        )
    if notes:
        st.html(f"<p class='cw-note cw-quiet'>{' '.join(notes)}</p>")


def _switch() -> None:
    key = st.session_state["corpus_choice"]
    if key:
        corpora.choose(key)
        state.forget_address("causal_attention", ("run", "q", "document", "encoder", "keywords"))
        for name in (FIELD, FILLED, LINKED, WANTED):
            st.session_state.pop(name, None)
