"""Runs as a page meets them: start one, find one by its id, list this browser's own. Everything goes through the store.

A run's label names the browser that made it; runs without a label were made on the command line of this machine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import streamlit as st

from core.errors import CausewayError, QuestionError
from core.llm.exchange import spent
from core.methods import METHODS
from core.retriever import Retriever
from core.runs import RunState, get_manager
from core.store import RunSummary, Store, default_folder, new_run_id
from core.trace import Trace
from pages.shared import datasets, model, recordings, state
from pages.shared.messages import Message, add

if TYPE_CHECKING:
    from core.llm.source import ModelSource
    from pages.shared.datasets import Dataset

WITH_LINK = "the question and its settings, when the link carries them"
ASK_AGAIN = "Press Run: the same question and settings repeat a run exactly. Or open its trace file."
PLACE = ("agent", "step", "node")  # a place in a run
ADDRESS = ("data", "run", *PLACE, "other")  # what a link to a run carries, beside the question's own settings


def store() -> Store:
    """The run store of this server."""
    return _store(default_folder())


@st.cache_resource(show_spinner=False)
def _store(folder: Path) -> Store:
    return Store(folder)


def label() -> str:
    """What marks this browser's runs in the store."""
    return f"browser {state.browser()}"


def start(
    dataset: Dataset,
    method: str,
    question: str,
    config: Mapping[str, Any],
    engine: str = "",
    replies_of: str = "",
) -> str:
    """Begin a run on a graph, as `begin` does."""
    return begin(
        lambda source: datasets.retriever(dataset, method, engine, source), method, question, config, replies_of
    )


def begin(
    make: Callable[[ModelSource | None], Retriever],
    method: str,
    question: str,
    config: Mapping[str, Any],
    replies_of: str = "",
) -> str:
    """Begin a run of what `make` makes, and return its id. CausewayError when it cannot begin.

    replies_of: the id of a run whose recorded replies decide; without it this session's model does, if there is one.
    """
    if not question.strip():
        raise QuestionError("the question is empty", hint="Write a question, or choose one of the examples.")
    run_id = new_run_id()
    source = _source(method, run_id, replies_of)
    retriever = make(source)
    decided_by = source.label if source is not None else ""
    price = source.endpoint.price if source is not None and source.endpoint is not None else None
    return get_manager().start(
        retriever, question, config, store(), label=label(), run_id=run_id, decided_by=decided_by, price=price
    )


def _source(method: str, run_id: str, replies_of: str) -> ModelSource | None:
    """Where the decisions of a run come from; None for the offline policy, and for a method that asks no model."""
    from core.llm.source import recorded

    if replies_of and (path := recordings.kept(replies_of)) is not None:
        return recorded(path)
    connected = model.current()
    if connected is None or METHODS[method].most_calls is None:
        return None
    return connected.source(recordings.path_of(run_id) if connected.keep_replies else None)


def progress(run_id: str) -> RunState:
    """How a run stands."""
    return get_manager().state(run_id, store())


def stop(run_id: str) -> None:
    """End a run, keeping what it did."""
    get_manager().stop(run_id, store())


def load(run_id: str, *, kept: str = WITH_LINK, hint: str = ASK_AGAIN) -> Trace | None:
    """A run's trace from the store. None, with a message, when it is not there.

    kept, hint: what the message says of what is still there, and of what to do on this page.
    """
    try:
        return store().load(run_id)
    except CausewayError as error:
        add(Message(error.what, kept=kept, hint=hint))
    return None


def opened(run_id: str) -> tuple[Trace | None, bool]:
    """A run's trace, as `load` gives it, and whether it still runs."""
    trace = load(run_id)
    running = trace is not None and not progress(run_id).ended
    if trace is not None and not running and trace.status == "running":
        trace = load(run_id)  # it ended between the two questions
    return trace, running


def finished_before(dataset: Dataset, method: str, question: str, config: Mapping[str, Any]) -> str:
    """`equal_run` on a graph."""
    return equal_run(dataset.graph.dataset.content_id, method, question, config)


def equal_run(
    content_id: str,
    method: str,
    question: str,
    config: Mapping[str, Any],
    fits: Callable[[Trace], bool] = lambda trace: True,
) -> str:
    """The id of a finished run of this browser with the same question, data and settings; empty when there is none.

    While a model is connected it is one of that model's, else one in which none was asked. fits: what else must hold.
    """
    wanted, connected = content_id, model.current()
    for line in store().list(method=method, status="finished", text=question, label=label()):
        if line.question == question and line.dataset_id == wanted:
            made = store().load(line.run_id)
            same_decider = made.decided_by == connected.endpoint.label if connected else not spent(made.steps).calls
            equal = all(made.config.get(name) == value for name, value in config.items())
            if same_decider and equal and fits(made):
                return line.run_id
    return ""


def recent(limit: int = 12) -> list[RunSummary]:
    """The runs of this browser, newest first; with the command line's, while the server is this machine's alone."""
    lines = store().list(limit, label=label())
    if state.is_local():
        lines = sorted([*lines, *store().list(limit, label="")], key=lambda r: r.started_at, reverse=True)[:limit]
    return lines


def delete(run_id: str) -> None:
    """Delete a run of this browser, and the replies of a model that were kept with it."""
    store().delete(run_id)
    recordings.delete(run_id)


def show(run_id: str, **place: object) -> None:
    """Point the address at a run, and at a place in it."""
    if run_id != state.param("run"):
        state.put({"other": None, "predict": None})  # they were about another run
    state.put({"run": run_id, **{name: place.get(name) for name in PLACE}})
    state.save_address("cara", ADDRESS)
