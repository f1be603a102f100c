"""Waiting for something slow that cannot be interrupted, such as a server's reply, without freezing the page.

The work runs in a thread of its own and is told everything it needs; the page shows the time and can be left or
stopped meanwhile: then what comes of the work is dropped.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TypeVar

import streamlit as st

from pages.shared.text import esc

T = TypeVar("T")
LOOKS = 0.15  # seconds between two looks


def wait_for(work: Callable[[], T], words: str, *, key: str) -> T:
    """What `work` returns, or raises; `words` and the seconds are shown until then, with a button to stop waiting."""
    results: list[T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=run, name="waiting", daemon=True)
    began = time.monotonic()
    thread.start()
    thread.join(LOOKS)
    place = st.empty()
    if thread.is_alive():
        with place.container(horizontal=True, vertical_alignment="center"):
            said = st.empty()
            st.button("Stop", key=key)  # any press reruns the page, which ends this loop
            while thread.is_alive():
                said.html(
                    f"<div role='status'>{esc(words)} "
                    f"<span class='cw-quiet cw-num'>{time.monotonic() - began:.0f} s</span></div>"
                )
                thread.join(LOOKS)
    place.empty()
    if errors:
        raise errors[0]
    return results[0]
