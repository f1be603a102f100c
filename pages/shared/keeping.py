"""What can be done with a run beside downloading it: keep it as a demo, replay it from its model's replies."""

from __future__ import annotations

import streamlit as st

from core.trace import Trace
from pages.shared import demos, recordings

PRESSED = "replay_of"


def draw(trace: Trace, *, can_run: bool) -> None:
    """The buttons, under the downloads. `can_run`: the data that the run saw may be there."""
    st.html("<span class='cw-quiet'>Keep it here</span>")
    if demos.is_kept(trace):
        st.html("<span class='cw-quiet'>This run is a demo on Home.</span>")
    else:
        st.button(
            "Keep as a demo on Home",
            key="keep_demo",
            on_click=demos.keep,
            args=(trace,),
            width="stretch",
            help="A demo replays as it is: with no server, and nothing to pay.",
        )
    if can_run and recordings.kept(trace.run_id) is not None:
        st.button(
            "Run again from its replies",
            key="replay",
            on_click=_press,
            args=(trace.run_id,),
            width="stretch",
            help="The model's replies were kept: the run is made again from them, and no server is asked.",
        )


def replay_was_pressed(trace: Trace) -> bool:
    """Whether this run is to be made again from its replies; asked once."""
    return bool(st.session_state.pop(PRESSED, "") == trace.run_id)


def _press(run_id: str) -> None:
    st.session_state[PRESSED] = run_id
