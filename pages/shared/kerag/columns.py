"""Plan, retrieve, summarise: three columns, drawn from the steps there are, so a running run fills them as it goes."""

from __future__ import annotations

import streamlit as st

from core.figures.graph_page import graph_page
from core.figures.kerag.parts import Parts, parts_of
from core.figures.kerag.view import kerag_view
from core.figures.palette import Theme
from core.kerag.take_away import TakenAway
from core.trace import Step, Trace
from pages.shared import bridge
from pages.shared.kerag import place, plan_column, reason_column, retrieve_column
from pages.shared.kerag.place import Place

HEIGHT = 560  # px, of the graph with its player
WIDTHS = (1, 1.65, 1.1)


def running(steps: tuple[Step, ...]) -> None:
    """The columns of a run that is on."""
    parts = parts_of(steps)
    plan, retrieve, reason = _columns()
    with plan:
        plan_column.draw(parts, None)
    with retrieve:
        retrieve_column.draw(parts.retrieved)
    with reason:
        reason_column.draw(parts, None)


def ended(trace: Trace, parts: Parts, at: Place, left: TakenAway | None, *, can_run: bool) -> None:
    """The columns of a run that is over."""
    plan, retrieve, reason = _columns()
    with plan:
        plan_column.draw(parts, trace if can_run else None, over=True)
    with retrieve:
        retrieve_column.draw(parts.retrieved, over=True)
        if parts.retrieved is not None and parts.retrieved.triples:
            bridge.frame(
                _page(trace.content_id, trace, bridge.theme(), _opened(trace, at), at.without),
                height=HEIGHT,
                alt="The retrieved neighbourhood",
            )
            retrieve_column.more(parts.retrieved)
    with reason:
        reason_column.draw(parts, at, left)
    bridge.listen(
        "kerag_walk",
        node=at.node,
        step=(0, at.line),
        on_node=place.show_node,
        on_step=lambda agent, index: place.show_line(index),
    )


def _columns() -> tuple[st.delta_generator.DeltaGenerator, ...]:
    boxes = []
    for number, (column, name) in enumerate(
        zip(st.columns(WIDTHS, gap="small"), ("Plan", "Retrieve", "Summarise"), strict=True), 1
    ):
        box = column.container(border=True, height="stretch", gap="small", key=f"kerag_{name.lower()}")
        box.html(f"<h2 class='cw-column'><span class='cw-quiet'>{number}</span> {name}</h2>")
        boxes.append(box)
    return tuple(boxes)


def _opened(trace: Trace, at: Place) -> int:
    """The line on which the frame opened when this run was first shown: an unchanged frame is not reloaded."""
    places: dict[str, int] = st.session_state.setdefault("kerag_opened_at", {})
    return places.setdefault(trace.run_id, at.line)


@st.cache_data(max_entries=16, show_spinner=False)
def _page(content_id: str, _trace: Trace, theme: Theme, line: int, without: frozenset[int]) -> str:
    return graph_page(kerag_view(_trace, line=line, without=without), theme=theme, height=HEIGHT)
