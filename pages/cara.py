"""CARA: ask a question of a graph, watch agents walk it, and question every score they gave."""

from __future__ import annotations

import streamlit as st

from core.figures.exchanges import decider
from core.trace import Trace
from pages.shared import (
    datasets,
    exports,
    keeping,
    messages,
    model_cost,
    places,
    presenter,
    question,
    results,
    run_panel,
    runs,
    shell,
    state,
)
from pages.shared.datasets import Dataset
from pages.shared.examples import examples_of
from pages.shared.messages import Message, caught
from pages.shared.open_trace import open_trace

shell.begin()
state.keep_address("cara", runs.ADDRESS)


def ask(dataset: Dataset, asked: question.Asked, *, reuse: bool = False) -> None:
    """Start a run (or, for a link that asks to, take up an equal one that is there) and point the address at it."""
    state.put({"go": None})  # also where it fails: a link asks once
    with caught(kept="the question and its settings"):
        run_id = runs.finished_before(dataset, asked.method, asked.question, asked.config) if reuse else ""
        if reuse and not run_id and model_cost.must_be_pressed(asked.method):
            model_cost.say_that_run_must_be_pressed()
            return
        run_id = run_id or runs.start(dataset, asked.method, asked.question, asked.config, asked.engine)
        st.session_state["filled_from"] = run_id
        place = {name: state.param(name) for name in runs.PLACE} if reuse else {}
        runs.show(run_id, **place)
    st.rerun()


def replay(dataset: Dataset, trace: Trace, engine: str) -> None:
    """Run it again from the replies that were kept with it; no server is asked."""
    with caught(kept="the run"):
        again = runs.start(dataset, trace.method, trace.question, trace.config, engine, replies_of=trace.run_id)
        st.session_state["filled_from"] = again
        runs.show(again)
    st.rerun()


def nothing_yet(dataset: Dataset | None) -> None:
    """The page before a run: what can be done, in one sentence and a few buttons."""
    if dataset is None:
        st.html("<p>Choose a data set above: a sample, or one of your own that was loaded on the Data page.</p>")
    elif examples_of(dataset):
        st.html("<p>Ask a question above, or open one of these, each with something to see:</p>")
        for row in range(0, len(examples_of(dataset)), 3):
            for column, example in zip(st.columns(3), examples_of(dataset)[row : row + 3], strict=False):
                with column, st.container(border=True, height="stretch", vertical_alignment="distribute"):
                    st.html(example.as_html())
                    st.button(
                        "Watch", key=f"example_{example.number}", on_click=question.take, args=(example.question,)
                    )
    else:
        st.html("<p>Ask a question about this graph: name one of its nodes, and what you want to reach from there.</p>")
    open_trace(expanded=False)


run_id = state.param("run")
trace: Trace | None = None
running = False
if run_id:
    with caught(kept="the other runs"):
        trace, running = runs.opened(run_id)
    places.lead(trace, "cara")
    if trace is None:
        state.forget_address("cara", runs.ADDRESS[1:])
    else:
        datasets.follow(trace)
        question.fill_from(trace)
state.save_address("cara", runs.ADDRESS)
dataset = datasets.current() or datasets.first()
if trace is not None and presenter.is_on() and trace.steps and not running:
    presenter.draw(trace)
    st.stop()
shown = trace.dataset if trace else dataset.graph.dataset if dataset else None
shell.head(
    "CARA",
    data=shown,
    decided_by=decider(trace) if trace else None,
    run_id=trace.run_id if trace else "",
    exports=exports.of(trace) if trace and not running else (),
    keep=lambda: keeping.draw(trace, can_run=dataset is not None) if trace else None,
    tool=presenter.button if trace and trace.steps and not running else None,
)
asked = question.draw(dataset, trace)
model_cost.before(asked)
if dataset is not None and (asked.pressed or question.taken() or (state.param("go") and not run_id)):
    ask(dataset, asked, reuse=not asked.pressed)
if dataset is not None and trace is not None and keeping.replay_was_pressed(trace):
    replay(dataset, trace, asked.engine)

if trace is None:
    nothing_yet(dataset)
elif running:
    run_panel.watch(trace)
else:
    if trace.status != "finished":
        how = {"failed": "failed", "stopped": "was stopped"}.get(trace.status, "was cut off")
        messages.draw(
            Message(
                f"this run {how}" + (f": {trace.error}" if trace.error else ""),
                kept=f"{len(trace.steps)} steps, drawn below" if trace.steps else "the question and its settings",
                hint="Press Run to ask again.",
            ),
            key="ended",
        )
    if trace.steps:
        results.draw(trace)
