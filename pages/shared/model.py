"""The model that decides in this session's runs, if one was connected: where it is, its key, what it costs.

The key lives in this session's memory and nowhere else: in no widget (model_panel.py empties the field as soon as it
is sent), no address, no store. Not here: the panel that connects one, and how a run is started (runs.py).
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import streamlit as st
from pydantic import SecretStr

from core.errors import ConfigError
from core.llm.endpoint import Endpoint, normalise_base_url
from core.llm.source import ModelSource, connect
from pages.shared import state

CONNECTED = "connected_model"
OFFLINE = "offline policy"
OPENAI = "https://api.openai.com/v1"  # where the environment's key belongs when it names no server


@dataclass(frozen=True, slots=True)
class Key:
    """A key and the server it was typed for: it is sent to no other. It prints as asterisks."""

    secret: SecretStr
    server: str


@dataclass(frozen=True, slots=True)
class Connection:
    """A connected model. `keep_replies`: each run writes its replies down, so that it replays without the server."""

    endpoint: Endpoint
    key: Key | None = None
    keep_replies: bool = False

    def source(self, recording: Path | None = None) -> ModelSource:
        """What a method is handed. ConfigError for a key that cannot be sent."""
        return connect(self.endpoint, key_for(self.endpoint.base_url, self.key), recording)


def current() -> Connection | None:
    """The model of this session; None while the offline policy decides."""
    connection: Connection | None = st.session_state.get(CONNECTED)
    return connection


def use(connection: Connection) -> None:
    """Let this model decide from now on, in this session alone."""
    st.session_state[CONNECTED] = connection


def disconnect() -> None:
    """Let the offline policy decide again, and forget the model and its key."""
    st.session_state.pop(CONNECTED, None)


def decider() -> str:
    """Who decides in the next run, as the screen names it."""
    connection = current()
    return connection.endpoint.label if connection is not None else OFFLINE


def key_for(base_url: str, key: Key | None) -> str | None:
    """What the client is given: the typed key, None for the environment's, "" for none."""
    if key is not None and key.server == server_of(base_url):
        return key.secret.get_secret_value()
    return None if environment_key_fits(base_url) else ""


def environment_key_fits(base_url: str) -> bool:
    """Whether OPENAI_API_KEY is set and may go to this address.

    On a server of one's own it may go wherever one points; on a shared one, whose visitors did not set it, only to
    the address that was set beside it.
    """
    if not os.environ.get("OPENAI_API_KEY", "").strip():
        return False
    return state.is_local() or server_of(base_url) == server_of(environment_url() or OPENAI)


def environment_url() -> str:
    """The address that OPENAI_BASE_URL holds, as it stands; empty when there is none."""
    return os.environ.get("OPENAI_BASE_URL", "").strip()


def server_of(base_url: str) -> str:
    """Scheme, host and port of an address; empty when it is none."""
    try:
        parts = urlsplit(normalise_base_url(base_url))
    except ConfigError:
        return ""
    return f"{parts.scheme}://{parts.netloc}".lower()
