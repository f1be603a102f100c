"""What a page remembers: the address (what a link carries) and the session (what a page switch must not lose).

Addresses use these names: data (a sample), run, agent, step, node, q, method, and the settings of a run.
Not here: data sets (datasets.py), messages (messages.py).
"""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Iterable, Mapping

import streamlit as st

COOKIE = "causeway_browser"
TOKEN = re.compile("[0-9a-f]{32}")
CHANGED = "address_changed"  # in the session: name -> (before, after, when), on the page that is open
OPEN = "address_page"  # in the session: that page
UNHEARD = 5.0  # seconds within which the browser has heard of a change


def param(name: str) -> str:
    """A value of the address; empty when it is not there."""
    return str(st.query_params.get(name, ""))


def number(name: str) -> int | None:
    """A whole number of the address; None when it is missing or is none."""
    text = param(name)
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def put(values: Mapping[str, object]) -> None:
    """Set values of the address; None or "" removes one. An equal value is left alone, so nothing reruns for it."""
    for name, value in values.items():
        text, before = "" if value is None else str(value), param(name)
        if text != before or (not text and name in st.query_params):
            _set(name, text)
            st.session_state.setdefault(CHANGED, {})[name] = (before, text, time.monotonic())


def _set(name: str, text: str) -> None:
    if text:
        st.query_params[name] = text
    else:
        del st.query_params[name]


def catch_up() -> None:
    """What a fragment that runs by the clock does first: give the address back what was just put there.

    The browser sends its address along each time. What it sent before it heard of a change would take the change back.
    """
    for name, (before, text, at) in st.session_state.get(CHANGED, {}).items():
        if before != text and param(name) == before and time.monotonic() - at < UNHEARD:
            _set(name, text)


def fill(key: str, value: object) -> None:
    """Give the widget of this key a value, before it is drawn.

    An equal one is left alone: setting it would take back in the browser what a person chose while the page was drawn,
    and the next choice would start from there.
    """
    if key not in st.session_state or st.session_state[key] != value:
        st.session_state[key] = value


def keep_address(page: str, names: Iterable[str]) -> None:
    """Streamlit empties the address on a page switch: give it back what this page had before.

    An address that carries any of the names is a link, and wins.
    """
    if st.session_state.get(OPEN) != page:
        st.session_state.pop(CHANGED, None)  # the link to this page knows of nothing that was changed on another
    st.session_state[OPEN] = page
    names = tuple(names)
    if not any(param(name) for name in names):
        put(st.session_state.get(f"address_{page}", {}))
    save_address(page, names)


def save_address(page: str, names: Iterable[str]) -> None:
    """Remember the address as it is now; call again after changing it."""
    st.session_state[f"address_{page}"] = {name: param(name) for name in names if param(name)}


def forget_address(page: str, names: Iterable[str]) -> None:
    """Start over: drop the names from the address and from memory."""
    put(dict.fromkeys(names))
    st.session_state.pop(f"address_{page}", None)


def browser() -> str:
    """A random name for this browser, kept in a cookie: runs are listed only to the browser that made them."""
    offered = (st.session_state.get("browser"), st.context.cookies.get(COOKIE))
    known = next((str(o) for o in offered if isinstance(o, str) and TOKEN.fullmatch(o)), "") or secrets.token_hex(16)
    st.session_state["browser"] = known
    return known


def is_local() -> bool:
    """Whether the server listens on a loopback address only: then its one user may open folders of this machine."""
    return st.get_option("server.address") in ("127.0.0.1", "localhost", "::1")
