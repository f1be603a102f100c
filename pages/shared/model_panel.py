"""Connect a model: the dialog behind the strip's button, the same on each page.

A key goes from its field into this session's memory when a button is pressed, and the field is emptied. What a
dialog holds is dropped when it is closed; what was connected stays (model.py).
"""

from __future__ import annotations

import importlib
import threading
from dataclasses import dataclass, field, replace
from typing import Any

import streamlit as st
from pydantic import SecretStr

from core.errors import CausewayError, ConfigError
from core.llm.client import ChatClient, usable_key
from core.llm.endpoint import Endpoint, normalise_base_url
from core.llm.source import Verdict, try_connection
from pages.shared import model
from pages.shared.model import Connection, Key
from pages.shared.text import esc, many, md
from pages.shared.waiting import Work

DRAFT, ACTION = "model_draft", "model_action"
DEFAULTS = {name: field.default for name, field in Endpoint.model_fields.items()}
SERVERS = (
    "Any server that speaks OpenAI's chat protocol: Ollama (http://127.0.0.1:11434/v1), LM Studio (port 1234), "
    "llama.cpp (8080), vLLM (8000), or a hosted one."
)
PRICE = "Per million tokens, in whatever currency you think in. Without it, tokens are counted and no cost."


@dataclass(frozen=True, slots=True)
class Note:
    """What came of the last press. `works` is None where nothing was tried."""

    words: str
    works: bool | None = None


@dataclass(frozen=True, slots=True)
class Draft:
    """What the open dialog holds, beside its fields. `work` is what a server is being asked."""

    key: Key | None = None
    offered: tuple[str, ...] = ()  # the server's own list of models
    note: Note | None = None
    work: Work[Any] | None = field(default=None, repr=False)


def button() -> None:
    """The strip's button, and the dialog while it is open."""
    connected = model.current()
    st.button(
        f"Model: {md(connected.endpoint.model, 24)}" if connected else "Connect a model",
        key="connect_model",
        help=md(f"{connected.endpoint.label} decides in this session's next runs", 200) if connected else None,
        on_click=_open,
    )
    if DRAFT in st.session_state:
        _dialog()


def _open() -> None:
    """Open the dialog with what is connected, else with the environment's address."""
    connected = model.current()
    endpoint = connected.endpoint if connected else None
    st.session_state[DRAFT] = Draft(connected.key if connected else None)
    threading.Thread(target=importlib.import_module, args=("openai",), daemon=True).start()  # while one types
    st.session_state.update(
        model_url=endpoint.base_url if endpoint else model.environment_url(),
        model_key="",
        model_name=endpoint.model if endpoint else "",
        model_context=endpoint.context_tokens if endpoint else DEFAULTS["context_tokens"],
        model_timeout=endpoint.timeout if endpoint else DEFAULTS["timeout"],
        model_price_prompt=endpoint.price_prompt if endpoint else None,
        model_price_completion=endpoint.price_completion if endpoint else None,
        model_keep=connected.keep_replies if connected else False,
    )


def _close() -> None:
    st.session_state.pop(DRAFT, None)


@st.dialog("Connect a model", width="medium", on_dismiss=_close)
def _dialog() -> None:
    draft = _come_of(_act(st.session_state[DRAFT], st.session_state.pop(ACTION, "")))
    st.session_state[DRAFT] = draft
    _form(draft)
    if draft.work is not None:
        st.fragment(_wait, run_every=0.3)()
    elif draft.note is not None:
        st.html(_as_html(draft.note))


def _wait() -> None:
    """Look whether the server has replied; then the dialog is drawn anew."""
    draft: Draft | None = st.session_state.get(DRAFT)
    if draft is None or draft.work is None or draft.work.done:
        st.rerun()
    with st.container(horizontal=True, vertical_alignment="center"):
        st.html(draft.work.as_html(), width="stretch")
        st.button("Stop", key="model_stop", on_click=_stop)


def _stop() -> None:
    draft: Draft | None = st.session_state.get(DRAFT)
    if draft is not None:
        st.session_state[DRAFT] = replace(draft, work=None)


def _form(draft: Draft) -> None:
    connected = model.current() is not None
    with st.form("model_form", border=False):
        st.text_input("Base URL", key="model_url", placeholder="http://127.0.0.1:11434/v1", help=md(SERVERS, 400))
        st.text_input("Key", type="password", key="model_key", autocomplete="off", placeholder=_key_placeholder(draft))
        st.html(f"<div class='cw-under'>{esc(_key_words(draft))}</div>")
        left, right = st.columns([3, 1], vertical_alignment="bottom")
        with left:
            if draft.offered:
                st.selectbox("Model", draft.offered, index=None, key="model_name", accept_new_options=True)
            else:
                st.text_input("Model", key="model_name", placeholder="Its name, or press List models")
        right.form_submit_button("List models", key="model_list", on_click=_take, args=("list",), width="stretch")
        columns = st.columns(4)
        columns[0].number_input(
            "Context",
            512,
            10_000_000,
            step=1024,
            key="model_context",
            help="Tokens that a prompt and its reply may fill.",
        )
        columns[1].number_input("Time-out", 0.5, 3600.0, step=10.0, format="%.4g", key="model_timeout", help="Seconds.")
        columns[2].number_input(
            "Prompt price", 0.0, step=0.1, format="%.4g", key="model_price_prompt", placeholder="unknown", help=PRICE
        )
        columns[3].number_input(
            "Reply price", 0.0, step=0.1, format="%.4g", key="model_price_completion", placeholder="unknown", help=PRICE
        )
        st.checkbox("Keep the replies of each run, so that it can be replayed without the server", key="model_keep")
        with st.container(horizontal=True):
            st.form_submit_button("Use this model", key="model_use", type="primary", on_click=_take, args=("use",))
            st.form_submit_button("Test", key="model_test", on_click=_take, args=("test",))
            if draft.key is not None:
                st.form_submit_button("Forget the key", key="model_forget", on_click=_take, args=("forget",))
            if connected:
                st.form_submit_button("Back to the offline policy", key="model_back", on_click=_take, args=("back",))


def _take(action: str) -> None:
    """A callback: take the key out of its field, write the address as it will be used, and note what to do."""
    draft: Draft = st.session_state[DRAFT]
    typed, st.session_state["model_key"] = str(st.session_state.get("model_key") or "").strip(), ""
    draft = replace(draft, note=None, work=None)
    try:
        if str(st.session_state["model_url"]).strip():
            st.session_state["model_url"] = normalise_base_url(st.session_state["model_url"])
        if typed:
            server = model.server_of(st.session_state["model_url"])
            draft = replace(draft, key=Key(SecretStr(usable_key(typed)), server))
    except CausewayError as error:
        draft, action = replace(draft, note=_failure(error)), ""
    st.session_state[DRAFT] = draft
    st.session_state[ACTION] = action


def _act(draft: Draft, action: str) -> Draft:
    """Do what was pressed, or begin to. A connected model, or none, closes the dialog."""
    if action == "forget":
        return replace(draft, key=None)
    if action == "back":
        model.disconnect()
        _close()
        st.rerun()
    if not action:
        return draft
    try:
        endpoint = _endpoint(listing=action == "list")
        key = model.key_for(endpoint.base_url, draft.key)
        host = model.server_of(endpoint.base_url)
        if action == "list":
            return replace(draft, work=Work(ChatClient(endpoint, key).models, f"Asking {host} for its models"))
        if action == "test":
            asked = f"Asking {endpoint.label} a short question"
            return replace(draft, work=Work(lambda: try_connection(endpoint, key), asked))
        own = draft.key if draft.key is not None and draft.key.server == host else None
        model.use(Connection(endpoint, own, bool(st.session_state["model_keep"])))
    except CausewayError as error:
        return replace(draft, note=_failure(error))
    _close()
    st.rerun()
    return draft


def _come_of(draft: Draft) -> Draft:
    """The draft with what a server replied, once it has."""
    if draft.work is None or not draft.work.done:
        return draft
    work, draft = draft.work, replace(draft, work=None)
    try:
        reply = work.result()
    except CausewayError as error:
        return replace(draft, note=_failure(error))
    if isinstance(reply, Verdict):
        return replace(draft, note=Note(reply.words, reply.works))
    return _listed(draft, reply)


def _listed(draft: Draft, names: list[str]) -> Draft:
    if not names:
        return replace(draft, offered=(), note=Note("The server lists no model. Type its name, if you know it."))
    if st.session_state.get("model_name") not in names:
        st.session_state["model_name"] = names[0]
    return replace(draft, offered=tuple(names), note=Note(f"The server offers {many(len(names), 'model')}."))


def _endpoint(*, listing: bool) -> Endpoint:
    """The endpoint that the fields describe. ConfigError says what is missing."""
    state = st.session_state
    url, name = str(state["model_url"] or "").strip(), str(state["model_name"] or "").strip()
    if not url:
        hint = "For a model on this machine, for example http://127.0.0.1:11434/v1."
        raise ConfigError("where is the server?", where="base URL", hint=hint)
    if not name and not listing:
        raise ConfigError("which model is it?", where="model", hint="Press List models and choose, or type its name.")
    return Endpoint(
        base_url=normalise_base_url(url),
        model=name or "any",
        timeout=state["model_timeout"] or DEFAULTS["timeout"],
        context_tokens=state["model_context"] or DEFAULTS["context_tokens"],
        price_prompt=state["model_price_prompt"],
        price_completion=state["model_price_completion"],
    )


def _key_placeholder(draft: Draft) -> str:
    return "kept" if draft.key is not None else ""


def _key_words(draft: Draft) -> str:
    """Where the key is and how long, for the address as it stands."""
    url = str(st.session_state["model_url"] or "")
    if draft.key is not None:
        if draft.key.server == model.server_of(url):
            return "Your key is kept in this session's memory alone; reload the page, and it is forgotten."
        return f"The key you typed is for {draft.key.server}, and is sent to no other server."
    if model.environment_key_fits(url):
        return "A key from the environment is used, unless you type another."
    return "Local servers need none. It is kept in this session's memory alone, until you reload the page."


def _failure(error: CausewayError) -> Note:
    return Note(error.words[:1].upper() + error.words[1:], works=False)


def _as_html(note: Note) -> str:
    opening = {True: "<b>It works.</b> ", False: "<b>Not yet.</b> ", None: ""}[note.works]
    return f"<div class='cw-message' role='status'><div>{opening}{esc(note.words)}</div></div>"
