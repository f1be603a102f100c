"""A graph in a frame: drawn once, then told what is selected, and telling what was clicked in it.

The frame's page does not change while one looks at a run, so a rerun neither reloads it nor loses zoom and place.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

ASSETS = Path(__file__).resolve().parents[2] / "assets"
_bridge = st.components.v2.component("causeway_bridge", js=(ASSETS / "bridge.js").read_text(encoding="utf-8"))


def theme() -> Any:
    """The theme the person sees: "light" or "dark"."""
    return "dark" if st.context.theme.type == "dark" else "light"


def frame(html: str, *, height: int, alt: str) -> None:
    """The graph's page. `alt` names it to a screen reader."""
    st.iframe(html, height=height, alt=alt)


def listen(
    key: str,
    *,
    node: str = "",
    step: tuple[int, int] | None = None,
    on_node: Callable[[str], None] | None = None,
    on_step: Callable[[int, int], None] | None = None,
    keys: bool = False,
) -> None:
    """Carry the selection to the frames of this page, and choices made in them to the two functions.

    keys: the arrow keys and the space bar step the walk from anywhere on the page, without a click into the frame.
    """

    def node_chosen() -> None:
        chosen = st.session_state[key].get("node")
        if on_node is not None:
            on_node(str(chosen) if chosen is not None else "")

    def step_chosen() -> None:
        chosen = st.session_state[key].get("step")
        if on_step is not None and chosen:
            on_step(int(chosen["agent"]), int(chosen["index"]))

    _bridge(
        key=key,
        data={"node": node or None, "step": list(step) if step else None, "keys": keys},
        on_node_change=node_chosen,
        on_step_change=step_chosen,
    )
