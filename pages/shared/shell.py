"""The frame of each page: the guard for fresh servers, the title, and the strip with data, decider, run and exports."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import streamlit as st
from streamlit.runtime.pages_manager import PagesManager

from core.trace import DatasetRef
from pages.shared import messages, model, model_panel, state, tour
from pages.shared.text import esc, many, short

ASSETS = Path(__file__).resolve().parents[2] / "assets"
_copy_link = st.components.v2.component(
    "causeway_copy_link",
    html="<button type='button'><span aria-live='polite'>Copy link</span></button>",
    css=(ASSETS / "copy_link.css").read_text(encoding="utf-8"),
    js=(ASSETS / "copy_link.js").read_text(encoding="utf-8"),
)


Make = Callable[[], str | bytes]


@dataclass(frozen=True, slots=True)
class Export:
    """One file that a page offers; `make` is called when the person asks for it."""

    label: str
    file_name: str
    mime: str
    make: Make


def begin() -> None:
    """Call first on every page.

    A `pages/` folder beside app.py puts Streamlit in its old mode until st.navigation has run once: on a
    fresh server a deep link then runs the page's file alone, without app.py. Leave that mode and start again.
    """
    if PagesManager.uses_pages_directory:
        PagesManager.uses_pages_directory = False
        st.rerun()


def head(
    title: str,
    *,
    data: DatasetRef | None = None,
    decided_by: str | None = None,
    run_id: str = "",
    exports: Sequence[Export] = (),
    keep: Callable[[], None] | None = None,
    tool: Callable[[], None] | None = None,
) -> None:
    """The title and, on the same line, what is being looked at and how to share it; then waiting messages.

    decided_by: who decided in the run on the screen; None, when there is no run, tells who would in the next.
    keep: draws what stands under the downloads. tool: draws a button of the page's own.
    """
    style()
    with st.container(horizontal=True, wrap=False, vertical_alignment="center", gap="medium", key="strip"):
        st.title(title, anchor=False, width="content")
        st.html(chips(data, model.decider() if decided_by is None else decided_by, run_id), width="stretch")
        model_panel.button()
        if tool is not None:
            tool()
        _copy_link(key="copy_link", data={"browser": state.browser()}, width="content")
        if exports:
            with st.popover("Download", key="download"):
                for export in exports:
                    st.download_button(
                        export.label, export.make, export.file_name, export.mime, on_click="ignore", width="stretch"
                    )
                if keep is not None:
                    keep()
    tour.draw()
    messages.show()


def style(name: str = "pages.css") -> None:
    """A style sheet of assets/ for this page."""
    st.html((ASSETS / name).read_text(encoding="utf-8"))


def chips(data: DatasetRef | None, decided_by: str = "", run_id: str = "") -> str:
    """The strip's facts as HTML."""
    facts = []
    if data is not None:
        size = ", ".join(many(count, noun[:-1], noun) for noun, count in data.size.items())
        facts.append(("Data", short(data.name, 60), size))
    if decided_by:
        facts.append(("Decisions", short(decided_by, 90), ""))
    if run_id:
        facts.append(("Run", short(run_id, 28), ""))
    spans = [
        f"<span><span class='cw-quiet'>{esc(label)}</span><b>{esc(value)}</b>"
        + (f" <span class='cw-quiet'>{esc(more)}</span>" if more else "")
        + "</span>"
        for label, value, more in facts
    ]
    return f"<div class='cw-chips'>{''.join(spans)}</div>"
