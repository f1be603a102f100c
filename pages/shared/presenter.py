"""The presenter's view (`present=1`): the question, the graph and its caption in large type, and the answer at the end.

It opens where one is in the run, else at the first step; when the last one is reached the answer stands below.
"""

from __future__ import annotations

import streamlit as st

from core.figures.cara_view import cara_view
from core.figures.graph_page import graph_page
from core.figures.hops import in_order_of_arrival
from core.figures.palette import Theme
from core.trace import Trace
from pages.shared import answer, bridge, selection, shell, state, tour
from pages.shared.text import esc

HEIGHT = 680  # px, of the graph with its player


def is_on() -> bool:
    """Whether the address asks for it."""
    return state.param("present") == "1"


def button() -> None:
    """Enter it, from the strip."""
    st.button("Present", key="present", help="Large type; only question, graph and caption.", on_click=_enter)


def draw(trace: Trace) -> None:
    """The whole page."""
    shell.style()
    shell.style("present.css")
    with st.container(horizontal=True, wrap=False, vertical_alignment="top"):
        st.html(f"<div class='cw-asked' dir='auto'>{esc(trace.question)}</div>", width="stretch")
        st.button("Leave", key="present_leave", type="tertiary", shortcut="Esc", on_click=_leave)
    tour.draw()
    steps = [(s.agent, s.index) for s in in_order_of_arrival(trace)]
    key = f"presented_{trace.run_id}"
    start = st.session_state.setdefault(key, selection.address_step(trace) or steps[0])
    bridge.frame(_page(trace.content_id, trace, bridge.theme(), start), height=HEIGHT, alt="The walk, presented")
    st.fragment(_below, key="below_the_graph")(trace, start, steps[-1])


def _below(trace: Trace, start: tuple[int, int], last: tuple[int, int]) -> None:
    if not is_on():
        st.rerun()  # left by a key pressed in the graph: its own message and the leaving came as one
    bridge.listen(
        "presented",
        node=state.param("node"),
        step=selection.address_step(trace),
        on_node=lambda node: selection.pick(trace, node),
        on_step=lambda agent, index: selection.go_to_step(trace, agent, index),
        keys=True,
    )
    if (selection.address_step(trace) or start) == last:
        text = answer.in_short(trace.answer) if trace.answer and trace.answer.text.strip() else ""
        st.html(
            f"<div class='cw-presented' role='status'>{text or esc(answer.without_answer(trace))}</div>",
        )


def _enter() -> None:
    state.put({"present": 1})


def _leave() -> None:
    state.put({"present": None})
    for key in [k for k in st.session_state if str(k).startswith("presented_")]:
        del st.session_state[key]


@st.cache_data(max_entries=8, show_spinner=False)
def _page(content_id: str, _trace: Trace, theme: Theme, start: tuple[int, int]) -> str:
    return graph_page(cara_view(_trace, step=start), theme=theme, height=HEIGHT, large=True)
