"""A run that is over, drawn from its trace alone: answer, graph, the selected step, and what stands below in tabs.

The graph's frame is drawn once; a choice in it, in a table or in a chart redraws everything else around it.
"""

from __future__ import annotations

import streamlit as st

from core.figures.cara_view import cara_view
from core.figures.compare import titles
from core.figures.graph_page import graph_page
from core.figures.palette import Theme
from core.figures.walks import walked_path
from core.trace import Trace
from pages.shared import (
    answer,
    bridge,
    compare_panel,
    exchange_panel,
    predict_panel,
    run_tabs,
    selection,
    state,
    step_panel,
)
from pages.shared.selection import Selection

HEIGHT = 624  # px, of the graph with its player


def draw(trace: Trace) -> None:
    """The whole of a finished (or stopped) run."""
    if predict_panel.is_on(trace):
        predict_panel.play(trace)
        return
    opened, other = _opened(trace), compare_panel.other_run(trace)
    st.session_state[compare_panel.DRAWN] = other.run_id if other else ""
    answer.draw(trace)
    left, right = st.columns([1.75, 1], gap="medium")
    with left:
        bridge.frame(
            _page(trace.content_id, trace, bridge.theme(), opened, other.content_id if other else "", other),
            height=HEIGHT,
            alt="The walk of the agents",
        )
    below = st.container()
    st.fragment(_around, key="around_the_graph")(trace, right, below)


def _around(trace: Trace, right: st.delta_generator.DeltaGenerator, below: st.delta_generator.DeltaGenerator) -> None:
    at = selection.current(trace)
    bridge.listen(
        "walk",
        node=state.param("node"),
        step=selection.address_step(trace),
        on_node=lambda node: selection.pick(trace, node),
        on_step=lambda agent, index: selection.go_to_step(trace, agent, index),
    )
    with right:
        step_panel.draw(trace, at)
        exchange_panel.draw(trace, at)
    with below:
        run_tabs.draw(trace, at)


def _opened(trace: Trace) -> Selection | None:
    """Where the frame opened when this run was first shown: the link's step, else none (the whole walk)."""
    places: dict[str, Selection | None] = st.session_state.setdefault("frames_opened_at", {})
    if trace.run_id not in places:
        step = selection.address_step(trace)
        places[trace.run_id] = Selection(*step, state.param("node")) if step else None
    return places[trace.run_id]


@st.cache_data(max_entries=16, show_spinner=False)
def _page(
    content_id: str, _trace: Trace, theme: Theme, at: Selection | None, other_id: str, _other: Trace | None
) -> str:
    """The frame's page, with the path of the run it is compared with.

    The same runs, theme and opening place give the same text, so the browser keeps it.
    """
    step = (at.agent, at.step) if at else None
    ghost = walked_path(_other) if _other is not None else None
    name = titles(_trace, _other)[1] if _other is not None else ""
    view = cara_view(_trace, step=step, selected=(at.node or None) if at else None, ghost=ghost, ghost_name=name)
    return graph_page(view, theme=theme, height=HEIGHT)
