"""Messages to the person: what failed, what was kept, what to try. One stays until it is dismissed, on every page."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator
from dataclasses import dataclass

import streamlit as st

from core.errors import CausewayError
from pages.shared.text import esc

log = logging.getLogger(__name__)
KEY = "messages"


@dataclass(frozen=True, slots=True)
class Message:
    """One message. `failed` is the sentence in bold; the others may be empty."""

    failed: str
    where: str = ""
    kept: str = ""
    hint: str = ""


def report(error: CausewayError, *, kept: str = "") -> None:
    """Keep the message of an error a user can mend; it is drawn by `show` and survives reruns and page switches."""
    add(Message(error.what, error.where, kept, error.hint))


def add(message: Message) -> None:
    waiting: list[Message] = st.session_state.setdefault(KEY, [])
    if message not in waiting:
        waiting.append(message)


def show() -> None:
    """Draw the messages that were not dismissed yet. Call once a page, under the strip."""
    for number, message in enumerate(list(st.session_state.get(KEY, []))):
        draw(message, key=f"dismiss_{number}", on_dismiss=lambda m=message: _dismiss(m))


def draw(message: Message, key: str, on_dismiss: object = None) -> None:
    """One message as a card."""
    with st.container(border=True, horizontal=True, vertical_alignment="center", key=f"message_{key}"):
        st.html(as_html(message))
        if on_dismiss is not None:
            st.button("Dismiss", key=key, on_click=on_dismiss)


def as_html(message: Message) -> str:
    """The card's text: what failed and where, what was kept, what to try."""
    sentence = message.failed[:1].upper() + message.failed[1:]
    lines = [f"<b>{esc(sentence.rstrip('.'))}.</b>"]
    if message.where:
        lines.append(f"<span class='cw-quiet'>Where: {esc(message.where)}</span>")
    if message.kept:
        lines.append(f"<span class='cw-quiet'>Kept: {esc(message.kept)}</span>")
    if message.hint:
        lines.append(f"<span>{esc(message.hint)}</span>")
    return f"<div class='cw-message' role='alert'>{''.join(f'<div>{line}</div>' for line in lines)}</div>"


@contextlib.contextmanager
def caught(*, kept: str = "") -> Iterator[None]:
    """Turn what a user can cause, and any fault of ours, into a message; the page goes on below."""
    try:
        yield
    except CausewayError as error:
        report(error, kept=kept)
    except Exception as error:  # Streamlit's own control flow derives from BaseException and passes
        log.exception("a page failed")
        add(
            Message(
                f"Causeway made a mistake here ({type(error).__name__})",
                kept=kept,
                hint="Reload the page. The full report is in the server's log.",
            )
        )


def _dismiss(message: Message) -> None:
    waiting: list[Message] = st.session_state.get(KEY, [])
    if message in waiting:
        waiting.remove(message)
