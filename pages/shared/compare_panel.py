"""Compare: a second run of the same question beside this one, from the store or run right here.

The other run is in the address (`other`), so a link brings the comparison; `versus` names a method whose run is
found or started. Not here: the ghost path on the graph (results.py draws it), how runs are compared (core/figures).
"""

from __future__ import annotations

import zlib
from typing import Any

import streamlit as st

from core.figures.compare import (
    comparable,
    cost_table,
    first_parting,
    in_words,
    partings,
    ranked_table,
    ranks_chart,
    title,
    titles,
    walked_in_words,
    where_they_part,
)
from core.figures.walks import moves
from core.methods import GRAPH_METHODS, METHODS
from core.trace import Answer, Trace
from pages.shared import (
    bridge,
    charts,
    datasets,
    exports,
    model_cost,
    question,
    run_panel,
    runs,
    selection,
    state,
    step_panel,
)
from pages.shared.answer import in_short, without_answer
from pages.shared.messages import Message, add, caught
from pages.shared.selection import Selection
from pages.shared.text import esc, md, short
from pages.shared.times import ago

DRAWN = "ghost_drawn"  # in the session: the id of the run whose path the graph's frame shows
PIECES = 5  # pieces of evidence shown of each answer
WITHOUT_C = "CARA without C"


def other_run(trace: Trace) -> Trace | None:
    """The run that the address names, once it has ended; what cannot be compared is dropped with a message."""
    run_id = state.param("other")
    if not run_id or run_id == trace.run_id:
        return None
    found = runs.load(run_id)
    if found is not None and not comparable(trace, found):
        add(Message("the run to compare with is of another question or other data", kept="the run that is shown"))
        found = None
    if found is None:
        state.put({"other": None})
        st.rerun()
    return found if runs.progress(run_id).ended else None


def choices() -> dict[str, tuple[str, dict[str, Any]]]:
    """Title -> method and settings of what can be run beside this run."""
    found: dict[str, tuple[str, dict[str, Any]]] = {info.title: (name, {}) for name, info in GRAPH_METHODS.items()}
    return {**found, "CARA": ("cara", {"assess": True}), WITHOUT_C: ("cara", {"assess": False})}


def draw(trace: Trace, at: Selection) -> None:
    """The panel."""
    if versus := state.param("versus"):
        state.put({"versus": None})
        if not state.param("other"):
            _start(trace, versus, by_link=True)
    _choose(trace)
    other = other_run(trace)
    if st.session_state.get(DRAWN, "") != (other.run_id if other else ""):
        st.rerun()  # the graph stands outside this fragment: it is drawn anew, with the other path or without
    if other is None:
        running = runs.load(state.param("other")) if state.param("other") else None
        if running is not None:
            run_panel.watch(running)
        else:
            st.html(
                "<p class='cw-quiet'>Choose another run of this question, or run another method on it here. "
                "Its path then lies over the graph as a ghost.</p>"
            )
        return
    _where_they_part(trace, other)
    left, right = st.columns([1, 1], gap="medium")
    with left:
        charts.draw(ranks_chart(trace, other, bridge.theme(), selected=at.node), key="compare_ranks", trace=trace)
    with right:
        step_panel.choose_node(trace, ranked_table(trace, other), at, key="compared", rows=12)
    _answers(trace, other)
    st.dataframe(cost_table(trace, other).frame(), hide_index=True, placeholder="none", height="content", key="costs")
    tables = exports.of_both(trace, other)
    st.download_button(
        tables.label, tables.make, tables.file_name, tables.mime, on_click="ignore", key="compared_tables"
    )


def _choose(trace: Trace) -> None:
    there = _others(trace)
    chosen = state.param("other")
    if chosen and chosen not in there:
        there[chosen] = "the run beside this one"
    options = list(there)
    # The list changes as runs end and age: a new list is a new widget, or an old choice would be read by its label.
    key = f"other_{zlib.crc32(repr((chosen, there)).encode())}"
    with st.container(horizontal=True, vertical_alignment="bottom", key="compare_with"):
        st.selectbox(
            "Compare with",
            options,
            index=options.index(chosen) if chosen else None,
            format_func=lambda run_id: there.get(run_id, run_id),
            key=key,
            placeholder="Choose a run" if there else "No other run yet",
            disabled=not there,
            on_change=_take,
            args=(key,),
            width=420,
        )
        offered = [name for name in choices() if name != title(trace)]
        method = st.selectbox(
            "or run", offered, index=offered.index("BM25") if "BM25" in offered else 0, key="versus_method", width=200
        )
        dataset = datasets.current()
        here = dataset is not None and dataset.graph.dataset.content_id == trace.dataset.content_id
        st.button(
            "Run and compare",
            key="versus_run",
            disabled=not here,
            help=None if here else "The data of this run are not loaded here.",
            on_click=_start,
            args=(trace, method),
        )
        if chosen:
            st.button("Stop comparing", key="no_other", type="tertiary", on_click=state.put, args=({"other": None},))


def _take(key: str) -> None:
    state.put({"other": st.session_state[key]})


def _others(trace: Trace) -> dict[str, str]:
    """Run id -> words, of the runs of this browser that can be compared with this one, newest first."""
    found: dict[str, str] = {}
    labels = [runs.label(), ""] if state.is_local() else [runs.label()]
    with caught(kept="the run"):
        for label in labels:
            for line in runs.store().list(None, text=trace.question, label=label):
                same = line.question == trace.question and line.dataset_id == trace.dataset.content_id
                if same and line.run_id != trace.run_id and line.status != "running":
                    named = title(runs.store().load(line.run_id)) if line.method == "cara" else _title(line.method)
                    found[line.run_id] = f"{named} · {short(line.top or 'nothing found', 40)} · {ago(line.started_at)}"
    return found


def _title(method: str) -> str:
    return METHODS[method].title if method in METHODS else method


def _start(trace: Trace, wanted: str, by_link: bool = False) -> None:
    """Run the method of that title (or name) on this run's question, unless an equal run is there; compare with it."""
    known = {name.casefold(): chosen for name, chosen in choices().items()}
    known |= {name: known[info.title.casefold()] for name, info in GRAPH_METHODS.items()}
    method, config = known.get(wanted.casefold(), ("", {}))
    dataset = datasets.current()
    if not method or dataset is None or dataset.graph.dataset.content_id != trace.dataset.content_id:
        return
    if method in question.WALKERS and trace.method in question.WALKERS:
        config = {**{name: trace.config[name] for name in question.SETTINGS.values() if name in trace.config}, **config}
    with caught(kept="the run that is shown"):
        run_id = runs.finished_before(dataset, method, trace.question, config)
        if not run_id and by_link and model_cost.must_be_pressed(method):
            return  # a link alone spends nothing
        state.put({"other": run_id or runs.start(dataset, method, trace.question, config)})


def _where_they_part(trace: Trace, other: Trace) -> None:
    names = titles(trace, other)
    found = partings(trace, other)
    first = first_parting(found)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.html(f"<p class='cw-note' role='status'><b>{esc(where_they_part(trace, other))}</b></p>", width="stretch")
        if first is not None and first.here is not None:
            st.button(
                "Go to that step",
                key="go_to_parting",
                on_click=selection.go_to_step,
                args=(trace, first.here.agent, first.here.index),
            )
        if len(found) > 1:
            with st.popover("Agent by agent", key="agent_by_agent"):
                st.html("".join(f"<p class='cw-note'>{esc(in_words(p, names))}</p>" for p in found))
        st.page_link(
            "pages/cara.py",
            label=f"Open {md(names[1], 40)}",
            icon=":material/swap_horiz:",
            query_params={"run": other.run_id, "other": trace.run_id, "tab": "Compare"},
        )
    ghost = "went to" if moves(other) else "ranks among its first ten"
    legend = f"On the graph: hollow and dashed is what only {names[1]} {ghost}; a dashed ring marks what both did."
    st.html(f"<p class='cw-quiet cw-note'>{esc(walked_in_words(trace, other))} {esc(legend)}</p>")


def _answers(trace: Trace, other: Trace) -> None:
    for side, (column, run, name) in enumerate(
        zip(st.columns(2, gap="medium"), (trace, other), titles(trace, other), strict=True)
    ):
        with column, st.container(border=True, height="stretch", key=f"answer_of_{side}"):
            st.html(f"<span class='cw-quiet'>{esc(name)}</span>")
            if run.answer is None or not run.answer.text.strip():
                st.html(f"<div class='cw-answer'>{esc(without_answer(run))}</div>")
                continue
            st.html(in_short(run.answer))
            _citations(trace, run.answer, side)


def _citations(trace: Trace, answer: Answer, side: int) -> None:
    """The nodes that an answer cites, each a button that selects its node in this run's graph."""
    cited = {e.node.id: e.node for claim in answer.claims for e in claim.evidence}
    with st.container(horizontal=True, gap="small", key=f"citations_{side}"):
        for number, node in enumerate(list(cited.values())[:PIECES], 1):
            st.button(
                md(f"[{number}] {node.name}", 40),
                key=f"cite_{side}_{number}",
                type="tertiary",
                on_click=selection.pick,
                args=(trace, node.id),
            )
        if len(cited) > PIECES:
            st.html(f"<span class='cw-quiet'>and {len(cited) - PIECES} more</span>", width="content")
