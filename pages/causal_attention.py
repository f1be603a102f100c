"""Causal attention: ask a corpus, see its rankings side by side, and question every place in them."""

from __future__ import annotations

import streamlit as st

from core.figures.exchanges import decider
from core.trace import Trace
from pages.shared import (
    corpora,
    corpus_engine,
    index_job,
    keeping,
    messages,
    places,
    query_form,
    ranking_run,
    rerank_exports,
    rerank_guess,
    rerank_tabs,
    runs,
    shell,
    state,
)
from pages.shared.corpora import OpenCorpus
from pages.shared.messages import Message, caught
from pages.shared.open_trace import open_trace
from pages.shared.text import esc

PAGE = "causal_attention"

shell.begin()
state.keep_address(PAGE, ranking_run.ADDRESS)


def nothing_yet(corpus: OpenCorpus | None) -> None:
    """The page before a run: what can be done, in one sentence and a few buttons."""
    if corpus is None:
        st.html("<p>Choose a corpus above: a sample, or one of your own that was loaded on the Data page.</p>")
    elif corpus.suggestions:
        st.html(f"<p>{esc(corpora.blurb(corpus))} Ask for something above, or take one of these:</p>")
        for row in range(0, len(corpus.suggestions), 3):
            chosen = corpus.suggestions[row : row + 3]
            for number, (column, query) in enumerate(zip(st.columns(3), chosen, strict=False), row):
                with column, st.container(border=True, height="stretch", vertical_alignment="distribute"):
                    st.html(ranking_run.card(query))
                    with st.container(horizontal=True):
                        st.button("Rank", key=f"example_{number}", on_click=query_form.take, args=(query,))
                        st.button(
                            "Guess first", key=f"guess_{number}", type="tertiary", on_click=guess_first, args=(query,)
                        )
    else:
        st.html("<p>Ask for something above: a question, or a few words that the right document may not use.</p>")
    open_trace(expanded=False)


def guess_first(query: str) -> None:
    """Ask it, and let the reader guess before the rankings are shown."""
    rerank_guess.start()
    query_form.take(query)


run_id = state.param("run")
trace: Trace | None = None
running = False
if run_id:
    with caught(kept="the other runs"):
        trace, running = runs.opened(run_id)
    places.lead(trace, PAGE)
    if trace is None:
        state.forget_address(PAGE, ("run", "document"))
    else:
        corpora.follow(trace)
query_form.fill(trace)
corpus = corpora.current() or corpora.first()
if corpus is not None and trace is not None:
    corpus_engine.follow(corpus, trace)
state.save_address(PAGE, ranking_run.ADDRESS)
indexed = index_job.indexed(corpus) if corpus is not None else None
shell.head(
    "Causal attention",
    data=trace.dataset if trace else corpus.corpus.dataset if corpus else None,
    decided_by=decider(trace) if trace else ranking_run.decider(),
    run_id=trace.run_id if trace else "",
    exports=rerank_exports.of(trace) if trace and not running else (),
    keep=lambda: keeping.draw(trace, can_run=indexed is not None) if trace else None,
)
asked = query_form.draw(corpus, trace)
ranking_run.cost(asked)
if indexed is not None and trace is not None and keeping.replay_was_pressed(trace):
    ranking_run.replay(indexed, trace)
if corpus is not None:
    ranking_run.ask_if_wanted(corpus, indexed, asked, has_run=bool(run_id))
    index_job.draw(corpus, indexed)
    if indexed is not None and indexed.warning:
        st.html(f"<p class='cw-note' role='alert'><b>{esc(indexed.warning)}</b></p>")

if trace is None:
    nothing_yet(corpus)
elif running:
    ranking_run.watch(trace)
else:
    if trace.status != "finished":
        how = {"failed": "failed", "stopped": "was stopped"}.get(trace.status, "was cut off")
        messages.draw(
            Message(
                f"this run {how}" + (f": {trace.error}" if trace.error else ""),
                kept="what was ranked, drawn below" if trace.ranked else "the query and its settings",
                hint="Press Run to ask again.",
            ),
            key="ended",
        )
    if trace.ranked:
        rerank_tabs.draw(trace, indexed.index if indexed and ranking_run.fits(trace, indexed) else None)
