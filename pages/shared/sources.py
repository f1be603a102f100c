"""The three places that data can come from, as the Data page offers them for graphs and for corpora alike.

Not here: reading, and which column of a table is what (data_open.py, corpus_open.py).
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Protocol

import streamlit as st

from pages.shared import state
from pages.shared.text import esc

SOURCES = SAMPLES, UPLOAD, PATH = ("Samples", "Upload", "Folder or path")


class Offered(Protocol):
    """A sample as its card shows it."""

    @property
    def name(self) -> str: ...

    @property
    def title(self) -> str: ...

    @property
    def blurb(self) -> str: ...


def choose(*, key: str) -> str:
    """Which of the three."""
    chosen = st.segmented_control(
        "Where from", SOURCES, default=SAMPLES, key=key, required=True, persist_state="session"
    )
    return chosen or SAMPLES


def sample_cards(offered: Collection[Offered], in_use: str, take: Callable[[str], None]) -> None:
    """A card for each sample; `take` is called with the name of the one to use."""
    for column, sample in zip(st.columns(max(2, len(offered))), offered, strict=False):
        with column, st.container(border=True, height="stretch", vertical_alignment="distribute"):
            st.html(f"<div class='cw-card'><b>{esc(sample.title)}</b><span>{esc(sample.blurb)}</span></div>")
            if sample.name == in_use:
                st.html("<span class='cw-quiet'>In use</span>")
            else:
                st.button("Use this", key=f"use_{sample.name}", on_click=take, args=(sample.name,))


def path(*, key: str, button: str, example: str) -> str | None:
    """A path of this machine, once Load was pressed; where the server listens to others, why there is none."""
    if not state.is_local():
        st.html(
            "<p>Folders and paths can be opened only while the server listens on this machine alone "
            "(<code>server.address</code> is 127.0.0.1). Here, use an upload.</p>"
        )
        return None
    written = st.text_input(
        "A file or folder on this machine", key=key, persist_state="session", placeholder=example
    ).strip()
    return written if st.button("Load", type="primary", key=button, disabled=not written) else None
