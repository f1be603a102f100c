"""Start a KERAG run: what the row asks, or the run on the screen again with other decisions made by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import streamlit as st

from core.kerag.settings import Overrule
from core.kerag.steps import SeenRelation
from core.trace import Trace
from pages.shared import model_cost, runs, state
from pages.shared.kerag import form
from pages.shared.kerag.place import ADDRESS
from pages.shared.messages import caught

if TYPE_CHECKING:
    from pages.shared.datasets import Dataset

AGAIN = "kerag_again"  # in the session: settings with which the run on the screen is to be made again
METHOD = "kerag"


def ask(dataset: Dataset, question: str, config: Mapping[str, Any], *, pressed: bool, reuse: bool = False) -> None:
    """Start a run (reuse: or take up an equal one) and point the address at it.

    pressed: a link or an example starts no run that a model is paid for.
    """
    with caught(kept="the question and its settings"):
        form.show(question)
        run_id = runs.finished_before(dataset, METHOD, question, config) if reuse else ""
        if not run_id and not pressed and model_cost.must_be_pressed(METHOD):
            state.put({"go": None})
            model_cost.say_that_run_must_be_pressed()
            return
        run_id = run_id or runs.start(dataset, METHOD, question, config)
        st.session_state[form.FILLED] = run_id
        state.put({**dict.fromkeys(ADDRESS[3:]), "run": run_id, "go": None})
    st.rerun()


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
