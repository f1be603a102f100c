"""The tour's bar: the present stop's caption with Back, Next and End, on each page while `tour` is in the address."""

from __future__ import annotations

import streamlit as st

from core.figures.tour import Stop, read_tour
from pages.shared import state
from pages.shared.messages import caught
from pages.shared.text import esc


def start_link() -> None:
    """On Home: begin at the first stop."""
    with caught():
        stops = read_tour()
        _link(stops, 1, f"Take the tour: {len(stops)} stops", ":material/arrow_forward:")


def question() -> str:
    """What the present stop asks, where its link asks; empty without a tour.

    On the way from the CARA page Streamlit drops `q` from a link, since that page's field owns the name.
    """
    number = state.number("tour")
    if number is None or not state.param("go"):
        return ""
    with caught():
        stops = read_tour()
        return stops[number - 1].query.get("q", "") if 1 <= number <= len(stops) else ""
    return ""


def draw() -> None:
    """The bar; nothing without a tour, or for a stop that there is none of."""
    number = state.number("tour")
    if number is None:
        return
    stops: tuple[Stop, ...] = ()
    with caught():
        stops = read_tour()
    if not 1 <= number <= len(stops):
        state.put({"tour": None})
        return
    stop = stops[number - 1]
    with st.container(border=True, horizontal=True, wrap=False, vertical_alignment="center", key="tour"):
        st.html(
            f"<div class='cw-tour' role='status'><span class='cw-quiet cw-num'>Tour, {number} of {len(stops)}</span>"
            f"<b>{esc(stop.title)}</b><span>{esc(stop.caption)}</span></div>",
            width="stretch",
        )
        if number > 1:
            _link(stops, number - 1, "Back")
        if number < len(stops):
            _link(stops, number + 1, "Next", ":material/arrow_forward:")
        st.page_link("pages/home.py", label="End the tour" if number < len(stops) else "Finish")


def _link(stops: tuple[Stop, ...], number: int, label: str, icon: str | None = None) -> None:
    """A link to a stop, and no button: an address with a question in it can be followed, but not set from here."""
    stop = stops[number - 1]
    query = {**stop.query, "tour": str(number)}
    st.page_link(f"pages/{stop.page}.py", label=label, icon=icon, icon_position="right", query_params=query)
