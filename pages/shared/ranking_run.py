"""A ranking as a run: what to ask, of which index, when it is ready; started through the run manager like any other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from core.causal_attention.steps import KeywordsStep, ReadQuery
from core.methods import build_on_corpus
from core.trace import Trace
from pages.shared import model, model_cost, query_form, query_settings, rerank_settings, runs, state
from pages.shared.messages import caught
from pages.shared.text import esc, many

if TYPE_CHECKING:
    from pages.shared.corpora import OpenCorpus
    from pages.shared.index_job import Indexed
    from pages.shared.query_form import Asked

METHOD = "causal-attention"
PAGE = "causal_attention"
# What a link carries: corpus, run and query; how it is read; the selected document; the settings that re-rank it.
ADDRESS = ("data", "run", "q", "mode", "encoder", "keywords", "show", *rerank_settings.ADDRESS)


def decider() -> str:
    """Who decides in the next run, as the screen names it."""
    connected = model.current()
    return f"cosines, answer by {connected.endpoint.label}" if connected else "cosines, no model"


def card(query: str) -> str:
    """A suggested query as a card's text."""
    return f"<div class='cw-card'><b dir='auto'>{esc(query)}</b></div>"


def fits(trace: Trace, indexed: Indexed) -> bool:
    """Whether the run was made on this index."""
    index = indexed.index
    same = trace.dataset.content_id == index.dataset.content_id
    return same and all(
        s.encoder == index.encoder.name and s.extractor in (index.extractor, "llm")
        for s in trace.steps
        if isinstance(s, ReadQuery)
    )


def ask_if_wanted(corpus: OpenCorpus, indexed: Indexed | None, asked: Asked, *, has_run: bool) -> None:
    """Start the run that was asked for, by a press, a suggestion or a link; later, while the corpus is not ready.

    A link that asks takes up an equal run that is there.
    """
    by_link = bool(state.param("go")) and bool(asked.query) and not has_run
    if asked.pressed:
        query_form.want()
    if not (query_form.is_wanted() or by_link):
        return
    if indexed is None and asked.query:
        st.html("<p class='cw-note'>The query is asked as soon as the corpus is indexed.</p>")
        return
    st.session_state.pop(query_form.WANTED, None)
    state.put({"go": None})
    with caught(kept="the query and its settings"):
        if by_link and not asked.pressed and model_cost.must_be_pressed(METHOD):
            model_cost.say_that_run_must_be_pressed()
            return
        run_id = _equal(corpus, indexed, asked) if by_link else ""
        run_id = run_id or _start(indexed, asked)
        show(run_id, asked.query, asked.config["mode"])
    st.rerun()


def cost(asked: Asked) -> None:
    """While a model is connected: that it writes the answer, and what the next run can cost at most."""
    connected = model.current()
    if connected is None:
        return
    from core.causal_attention.estimate import most_calls
    from core.causal_attention.steps import CarConfig
    from core.llm.estimate import of_calls

    calls = most_calls(CarConfig.model_validate(asked.config), model_keywords=asked.extras.model_keywords)
    does = "names the keywords and writes the answer" if asked.extras.model_keywords else "writes the answer"
    words = model_cost.estimate_in_words(of_calls(calls, connected.endpoint))
    st.html(
        f"<span>The next run: <b>{esc(connected.endpoint.label)}</b> {does}. "
        f"<span class='cw-num'>{esc(words)}</span></span>"
    )


def replay(indexed: Indexed, trace: Trace) -> None:
    """Make it again from the replies that were kept with it; no server is asked."""
    with caught(kept="the run"):
        names = any(isinstance(s, ReadQuery) and s.extractor == "llm" for s in trace.steps)
        scorers = query_settings.scorers_of(trace)
        again = runs.begin(
            lambda source: build_on_corpus(indexed.index, source, scorers, names),
            METHOD,
            trace.question,
            trace.config,
            replies_of=trace.run_id,
        )
        show(again, trace.question, str(trace.config.get("mode", "")))
    st.rerun()


def _equal(corpus: OpenCorpus, indexed: Indexed, asked: Asked) -> str:
    def same(trace: Trace) -> bool:
        return fits(trace, indexed)

    return runs.equal_run(corpus.corpus.content_id, METHOD, asked.query, asked.config, same)


def _start(indexed: Indexed, asked: Asked) -> str:
    extras = asked.extras
    return runs.begin(
        lambda source: build_on_corpus(indexed.index, source, extras.scorers(), extras.model_keywords),
        METHOD,
        asked.query,
        asked.config,
    )


def show(run_id: str, query: str, mode: str) -> None:
    """Point the address at a run that was made of what the row holds."""
    st.session_state[query_form.FILLED] = st.session_state["followed_corpus"] = run_id
    st.session_state["followed_engine"] = run_id
    state.put({"run": run_id, "document": None, "mode": mode})
    query_form.show(query)
    state.save_address(PAGE, ADDRESS)


def watch(head: Trace) -> None:
    """Draw and redraw the run until it ends; then the page is drawn anew, from its trace."""
    st.fragment(_watch, run_every=0.4)(head)


def _watch(head: Trace) -> None:
    state.catch_up()
    now = runs.progress(head.run_id)
    if now.ended:
        st.rerun()
    with st.container(border=True, key="running"):
        with st.container(horizontal=True, vertical_alignment="center"):
            read = sum(isinstance(s, KeywordsStep) for s in now.steps)
            doing = now.message or (f"the model has read {many(read, 'document')}" if read else "ranking")
            words = f"<b>{esc(doing[:1].upper() + doing[1:])}</b>"
            time = f"<span class='cw-quiet cw-num'>{now.seconds:.0f} s</span>"
            st.html(f"<div role='status'>{words} {time}</div>", width="stretch")
            st.button("Stop", key="stop_button", on_click=runs.stop, args=(head.run_id,))
        if asked := model_cost.so_far(now, head.usage.price):
            st.html(asked)
        st.html("<div class='cw-moving'></div>")
