"""KERAG: plan which neighbourhood a question needs, retrieve it whole, reason over it; every step can be overruled."""

from __future__ import annotations

from typing import Any

import streamlit as st

from core.figures.exchanges import decider
from core.figures.graph_page import graph_page
from core.figures.kerag.parts import parts_of
from core.figures.kerag.view import kerag_view
from core.kerag.steps import SeenRelation
from core.trace import Trace
from pages.shared import answer, bridge, datasets, keeping, messages, model_cost, places, runs, shell, state
from pages.shared.datasets import Dataset
from pages.shared.kerag import columns, form, support
from pages.shared.messages import Message, caught
from pages.shared.open_trace import open_trace
from pages.shared.text import esc, many

HEIGHT = 624
shell.begin()
state.keep_address("kerag", form.ADDRESS)


def ask(dataset: Dataset, question: str, config: dict[str, Any]) -> None:
    """Start a run and point the address at it."""
    with caught(kept="the question and its settings"):
        run_id = runs.start(dataset, "kerag", question, config)
        form.show(question)
        st.session_state[form.FILLED] = run_id
        state.put({"run": run_id, "step": None, "node": None})
    st.rerun()


def nothing_yet(dataset: Dataset | None) -> None:
    """The page before a run."""
    if dataset is None:
        st.html("<p>Choose a data set above: a sample, or one of your own that was loaded on the Data page.</p>")
        return
    suggested = form.suggestions(dataset)
    st.html("<p>Ask a question above, or take one of these:</p>" if suggested else "<p>Ask a question above.</p>")
    for row in range(0, len(suggested), 3):
        for number, (column, (kind, text)) in enumerate(
            zip(st.columns(3), suggested[row : row + 3], strict=False), row
        ):
            with column, st.container(border=True, height="stretch", vertical_alignment="distribute"):
                st.html(f"<div class='cw-card'><span class='cw-quiet'>{esc(kind)}</span><b>{esc(text)}</b></div>")
                st.button("Ask", key=f"kerag_example_{number}", on_click=form.take, args=(text,))
    open_trace(expanded=False)


def show_line(number: int) -> None:
    """A callback: light a line's triples."""
    state.put({"step": number})


def watch(run_id: str) -> None:
    """The columns fill as the steps come."""
    st.fragment(_watch, run_every=0.5)(run_id)


def _watch(run_id: str) -> None:
    now = runs.progress(run_id)
    if now.ended:
        st.rerun()
    with st.container(border=True, horizontal=True, vertical_alignment="center", key="running"):
        doing = now.message or "planning, retrieving, reasoning"
        st.html(
            f"<div role='status'><b>{esc(doing[:1].upper() + doing[1:])}</b> "
            f"<span class='cw-quiet cw-num'>{now.seconds:.0f} s · {many(len(now.steps), 'step')}</span></div>",
            width="stretch",
        )
        st.button("Stop", key="stop_button", on_click=runs.stop, args=(run_id,))
    columns.draw(parts_of(now.steps))


def result(trace: Trace, dataset: Dataset | None) -> None:
    """A run that is over: answer, three columns, the graph, and what the answer rests on."""
    parts = parts_of(trace.steps)
    line = state.number("step") or (parts.summary.lines[0].number if parts.summary and parts.summary.lines else 1)

    def overrule(hop: int, relation: SeenRelation) -> None:
        mine = [
            o
            for o in trace.config.get("overrules", ())
            if (o["hop"], o["relation"], o["direction"]) != (hop, relation.relation, relation.direction)
        ]
        mine.append(
            {"hop": hop, "relation": relation.relation, "direction": relation.direction, "kept": not relation.kept}
        )
        st.session_state["kerag_overruled"] = {**trace.config, "overrules": mine}

    answer.draw(trace)
    columns.draw(parts, overrule=overrule if dataset is not None else None, on_line=show_line)
    left, right = st.columns([1.75, 1], gap="medium")
    with left:
        page = graph_page(kerag_view(trace, line=line), theme=bridge.theme(), height=HEIGHT)
        bridge.frame(page, height=HEIGHT, alt="The retrieved neighbourhood")
        bridge.listen("kerag_walk", step=(0, line), on_step=lambda agent, index: show_line(index))
    with right:
        support.draw(trace, parts, line)


run_id = state.param("run")
trace: Trace | None = None
running = False
if run_id:
    with caught(kept="the other runs"):
        trace, running = runs.opened(run_id)
    places.lead(trace, "kerag")
    if trace is None:
        state.forget_address("kerag", ("run", "step", "node"))
    else:
        datasets.follow(trace)
form.fill(trace)
state.save_address("kerag", form.ADDRESS)
dataset = datasets.current() or datasets.first()
shell.head(
    "KERAG",
    data=trace.dataset if trace else dataset.graph.dataset if dataset else None,
    decided_by=decider(trace) if trace else None,
    run_id=trace.run_id if trace else "",
    keep=lambda: keeping.draw(trace, can_run=dataset is not None) if trace else None,
)
asked = form.draw(dataset)
overruled = st.session_state.pop("kerag_overruled", None)
if dataset is not None and trace is not None and overruled is not None:
    ask(dataset, trace.question, overruled)
if dataset is not None and (asked.pressed or form.wanted()):
    ask(dataset, asked.question, dict(asked.config))
if trace is None:
    nothing_yet(dataset)
elif running:
    watch(run_id)
else:
    if trace.status != "finished":
        how = {"failed": "failed", "stopped": "was stopped"}.get(trace.status, "was cut off")
        words = f"this run {how}" + (f": {trace.error}" if trace.error else "")
        messages.draw(Message(words, kept="what is drawn below", hint="Press Run to ask again."), key="ended")
    model_cost.after(trace)
    result(trace, dataset)
