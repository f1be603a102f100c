"""Start a KERAG run: what the row asks, or the run on the screen again with other decisions made by hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import streamlit as st

from core.kerag.retriever import KeragRetriever
from core.kerag.settings import Overrule
from core.kerag.steps import SeenRelation
from core.trace import Trace
from pages.shared import datasets, model_cost, runs, state
from pages.shared.kerag import form
from pages.shared.kerag.place import ADDRESS
from pages.shared.messages import caught

if TYPE_CHECKING:
    from core.llm.source import ModelSource
    from core.retriever import Retriever
    from pages.shared.datasets import Dataset

AGAIN = "kerag_again"  # in the session: settings with which the run on the screen is to be made again
METHOD = "kerag"


def ask(dataset: Dataset, question: str, config: Mapping[str, Any], *, pressed: bool, reuse: bool = False) -> None:
    """Start a run (reuse: or take up an equal one) and point the address at it.

    pressed: a link or an example starts no run that a model is paid for.
    """
    state.put({"go": None})  # also where it fails: a link asks once
    with caught(kept="the question and its settings"):
        form.show(question)
        run_id = runs.finished_before(dataset, METHOD, question, config) if reuse else ""
        if not run_id and not pressed and model_cost.must_be_pressed(METHOD):
            model_cost.say_that_run_must_be_pressed()
            return
        _point_at(run_id or runs.start(dataset, METHOD, question, config))
    st.rerun()


def _point_at(run_id: str) -> None:
    st.session_state[form.FILLED] = run_id
    state.put({**dict.fromkeys(ADDRESS[3:]), "run": run_id})


def again(dataset: Dataset, trace: Trace, config: Mapping[str, Any], *, replies_of: str = "") -> None:
    """Make a run again with other decisions by hand, or take up an equal one; the steps before them stay as they were.

    replies_of: the run whose recorded replies decide; no server is asked then.
    """
    with caught(kept="the run"):
        run_id = "" if replies_of else runs.finished_before(dataset, METHOD, trace.question, config)
        _point_at(run_id or runs.begin(_taking_over(dataset, trace), METHOD, trace.question, config, replies_of))
    st.rerun()


def _taking_over(dataset: Dataset, trace: Trace) -> Callable[[ModelSource | None], Retriever]:
    """Makes KERAG on this graph, which knows what was decided in that run: also after the server was started anew."""

    def make(source: ModelSource | None) -> Retriever:
        retriever = datasets.retriever(dataset, METHOD, source=source)
        if isinstance(retriever, KeragRetriever):
            retriever.take_over(trace, dataset.graph.index_of)
        return retriever

    return make


def overrules(trace: Trace) -> tuple[Overrule, ...]:
    """The decisions that were made by hand in a run."""
    return tuple(Overrule.model_validate(one) for one in trace.config.get("overrules", ()))


def overrule(trace: Trace, hop: int, relation: SeenRelation) -> None:
    """A callback: turn the fate of a relation, and run again from there."""
    name = (hop, relation.relation, relation.direction)
    others = [o for o in overrules(trace) if (o.hop, o.relation, o.direction) != name]
    mine = Overrule(hop=hop, relation=relation.relation, direction=relation.direction, kept=not relation.kept)
    _again(trace, (*others, mine))


def undo(trace: Trace, gone: tuple[Overrule, ...]) -> None:
    """A callback: leave these decisions to the planner again."""
    _again(trace, tuple(o for o in overrules(trace) if o not in gone))


def without_for_good(trace: Trace, triples: tuple[tuple[str, str, str], ...]) -> None:
    """A callback: ask again with these triples taken out of the graph (ids of both ends), as for a model's answer."""
    gone = [list(one) for one in triples]
    st.session_state[AGAIN] = (trace.run_id, {**trace.config, "without": [*trace.config.get("without", ()), *gone]})


def _again(trace: Trace, by_hand: tuple[Overrule, ...]) -> None:
    settings = {**trace.config, "overrules": [o.model_dump(mode="json") for o in by_hand]}
    st.session_state[AGAIN] = (trace.run_id, settings)


def wanted_again(trace: Trace) -> dict[str, Any] | None:
    """The settings with which this run is to be made again; asked once."""
    run_id, settings = st.session_state.pop(AGAIN, ("", None))
    return settings if run_id == trace.run_id else None
