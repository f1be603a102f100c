"""Choosing the encoder of a corpus and its extractor of keywords: a packaged one, a folder's, a server's."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

import streamlit as st

from core.errors import CausewayError
from core.llm.endpoint import Endpoint, normalise_base_url
from core.text.embedding import ENCODERS, encoder_status
from core.text.encoders.folder import PREFIX
from pages.shared import corpus_engine, model, state
from pages.shared.corpus_engine import AUTOMATIC, EXTRACTORS, Engine
from pages.shared.messages import Message, as_html
from pages.shared.model import Key

if TYPE_CHECKING:
    from pages.shared.corpora import OpenCorpus

FOLDER, SERVER = "folder", "server"
WORDS = {
    AUTOMATIC: "By the language of the corpus",
    "minilm": "MiniLM (English)",
    "use": "Universal Sentence Encoder (16 languages)",
    "letters": "Spelling alone, no meaning",
    FOLDER: "A model in a folder",
    SERVER: "A server of embeddings",
}
EXTRACTOR_WORDS = {
    "tf-idf": "TF-IDF: frequent here, rare elsewhere",
    "textrank": "TextRank: central among its neighbours",
    "keybert": "KeyBERT: nearest to the whole text",
}


def draw(corpus: OpenCorpus) -> None:
    """The widgets. A choice that needs more (a folder, a server) takes effect when that is given."""
    engine = corpus_engine.current(corpus)
    st.session_state["encoder_choice"] = st.session_state.get("encoder_draft", _kind(engine))
    st.session_state["extractor_choice"] = engine.extractor
    st.selectbox(
        "Encoder",
        [name for name in WORDS if name != FOLDER or state.is_local()],
        format_func=_label,
        key="encoder_choice",
        on_change=_choose,
        args=(corpus,),
    )
    draft = st.session_state["encoder_choice"]
    if draft == FOLDER:
        _folder(corpus, engine)
    elif draft == SERVER:
        _server(corpus, engine)
    st.selectbox(
        "Keywords of a document by",
        EXTRACTORS,
        format_func=lambda name: EXTRACTOR_WORDS[name],
        key="extractor_choice",
        on_change=_extract,
        args=(corpus,),
    )


def _kind(engine: Engine) -> str:
    if engine.endpoint is not None:
        return SERVER
    return FOLDER if engine.encoder.startswith(PREFIX) else engine.encoder


def _label(name: str) -> str:
    if name in ENCODERS and not (status := encoder_status(name)).available:
        return f"{WORDS[name]}: not here, {status.reason}"
    return WORDS[name]


def _choose(corpus: OpenCorpus) -> None:
    chosen = st.session_state["encoder_choice"]
    st.session_state.pop("encoder_note", None)
    if chosen in (FOLDER, SERVER):
        st.session_state["encoder_draft"] = chosen
        return
    st.session_state.pop("encoder_draft", None)
    corpus_engine.use(corpus, Engine(chosen, corpus_engine.current(corpus).extractor))


def _extract(corpus: OpenCorpus) -> None:
    old = corpus_engine.current(corpus)
    corpus_engine.use(corpus, Engine(old.encoder, st.session_state["extractor_choice"], old.endpoint, old.key))


def _folder(corpus: OpenCorpus, engine: Engine) -> None:
    known = engine.encoder.removeprefix(PREFIX) if engine.encoder.startswith(PREFIX) else ""
    path = st.text_input(
        "Folder of a sentence-transformers model",
        known,
        key="encoder_folder",
        placeholder="/models/bge-m3",
        help="As sentence-transformers saves it, with .safetensors weights. Nothing is downloaded, no code is run.",
    ).strip()
    st.button("Use this folder", key="use_folder", disabled=not path, on_click=_use_folder, args=(corpus, path))
    _note()


def _use_folder(corpus: OpenCorpus, path: str) -> None:
    with _noted():
        from core.text.embedding import get_encoder

        get_encoder(PREFIX + path)
        corpus_engine.use(corpus, Engine(PREFIX + path, corpus_engine.current(corpus).extractor))
        st.session_state.pop("encoder_draft", None)


def _server(corpus: OpenCorpus, engine: Engine) -> None:
    connected = model.current()
    known = engine.endpoint or (connected.endpoint if connected else None)
    url, name = known.base_url if known else "", engine.endpoint.model if engine.endpoint else ""
    st.text_input("Base URL", url, key="encoder_url", placeholder="http://127.0.0.1:11434/v1")
    st.text_input("Model", name, key="encoder_model", placeholder="its name")
    st.text_input("Key", key="encoder_key", type="password", autocomplete="off", placeholder="none; stays in memory")
    st.button("Use this server", key="use_server", on_click=_use_server, args=(corpus,))
    _note()


def _use_server(corpus: OpenCorpus) -> None:
    """Take the fields over; the key goes into this session's memory, and its field is emptied."""
    from pydantic import SecretStr

    typed, st.session_state["encoder_key"] = str(st.session_state["encoder_key"]).strip(), ""
    with _noted():
        url = normalise_base_url(st.session_state["encoder_url"])
        endpoint = Endpoint(base_url=url, model=str(st.session_state["encoder_model"]).strip())
        old, connected = corpus_engine.current(corpus), model.current()
        key = old.key if old.endpoint is not None else connected.key if connected is not None else None
        if typed:
            key = Key(SecretStr(typed), model.server_of(url))
        corpus_engine.use(corpus, Engine("", old.extractor, endpoint, key))
        st.session_state.pop("encoder_draft", None)


@contextlib.contextmanager
def _noted() -> Iterator[None]:
    """Keep what could not be used, to be said under the fields."""
    st.session_state.pop("encoder_note", None)
    try:
        yield
    except CausewayError as error:
        st.session_state["encoder_note"] = Message(error.what, error.where, hint=error.hint)


def _note() -> None:
    note: Message | None = st.session_state.get("encoder_note")
    if note is not None:
        st.html(as_html(note))
