"""Who reads words into observations: by words at once; by meaning, once the vectors of all names are made; a model.

Not here: reading itself (core/sgur/extraction.py, extraction_model.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from pages.shared import job as jobs
from pages.shared import model
from pages.shared.job import Job

if TYPE_CHECKING:
    from core.retriever import OnProgress, ShouldStop
    from core.sgur.engine import Engine
    from core.sgur.expert_graph import Layer
    from core.sgur.extraction import Extractor, Reads

BY_WORDS, BY_MEANING, BY_MODEL = "by words", "by words, then meaning", "by the model"
BY_ROUTED = "the same, routed by L0 first"
LETTERS = 2  # of a search, at least


@st.cache_resource(show_spinner=False, max_entries=8)
def _words(content_id: str, _engine: Engine) -> Extractor:
    from core.sgur.readers import WORDS_ONLY, open_extractor

    return open_extractor(_engine.graph, WORDS_ONLY)


@st.cache_resource(show_spinner=False)
def _jobs() -> dict[str, Job[Extractor]]:
    return {}


def by_words(engine: Engine) -> Extractor:
    """The reader that is always there."""
    return _words(engine.graph.content_id, engine)


def choose(engine: Engine) -> Reads:
    """Choose who reads; the reader that can read now."""
    options = [BY_WORDS, BY_MEANING, BY_ROUTED]
    if model.current() is not None:
        options.append(BY_MODEL)
    chosen = st.segmented_control(
        "How the words are read",
        options,
        default=BY_WORDS,
        required=True,
        key="sgur_reader",
        persist_state="session",
        width="content",
    )
    words = _words(engine.graph.content_id, engine)
    if chosen in (BY_MEANING, BY_ROUTED):
        return _meaning(engine, chosen == BY_ROUTED) or words
    if chosen == BY_MODEL and (reader := _by_model(_routed(engine) or words)) is not None:
        return reader
    return words


def search(layer: Layer, text: str, most: int) -> list[int]:
    """Places of those nodes of a layer one of whose names holds these letters: first those that begin so."""
    wanted = " ".join(text.casefold().split())
    if len(wanted) < LETTERS:
        return []
    found: list[tuple[bool, int, str, int]] = []
    for place, name in enumerate(layer.names):
        others = layer.synonyms[place] if layer.synonyms else ()
        hits = [label for label in (name, *others) if wanted in label.casefold()]
        if hits:
            best = min(hits, key=lambda label: (not label.casefold().startswith(wanted), len(label)))
            found.append((not best.casefold().startswith(wanted), len(best), name, place))
    return [place for *_, place in sorted(found)[:most]]


def _meaning(engine: Engine, routed: bool) -> Extractor | None:
    """The reader by meaning; None, with how far it is, until its vectors, and the routing layer, are made."""
    kept, key = _jobs(), _key(engine, routed)
    if key not in kept:
        kept[key] = _begin(engine, routed)
    work = kept[key]
    if not work.ended:
        st.html("<p class='cw-quiet'>Until this is done, words alone are read. It is done once and kept.</p>")
        jobs.watch(work, "sgur_meaning")
    elif work.result() is None:
        jobs.draw_failed(work)
        st.button("Go on making them", key="sgur_meaning_again", on_click=_forget, args=(kept, key))
    return work.result()


def routing_words(reader: Reads) -> str:
    """How the routing layer of a reader was made; empty for one that has none."""
    routing = getattr(reader, "routing", None)
    return f"Routing layer L0: {routing.how.removeprefix('no routing: ')}." if routing is not None else ""


def _routed(engine: Engine) -> Extractor | None:
    """The routed reader, if it was made: then it gives a model its shortlist."""
    work = _jobs().get(_key(engine, True))
    return work.result() if work is not None else None


def _key(engine: Engine, routed: bool) -> str:
    return f"{engine.graph.content_id} {'routed' if routed else ''}"


def _forget(kept: dict[str, Job[Extractor]], key: str) -> None:
    kept.pop(key, None)


def _begin(engine: Engine, routed: bool) -> Job[Extractor]:
    def work(on_progress: OnProgress, should_stop: ShouldStop) -> Extractor:
        from core.sgur.readers import open_extractor

        return open_extractor(engine.graph, routed=routed, on_progress=on_progress)

    return Job(work, "reading the names of all observations")


def _by_model(words: Extractor) -> Reads | None:
    connected = model.current()
    if connected is None:
        return None
    from core.sgur.extraction_model import ModelExtractor

    source = connected.source(None)
    return ModelExtractor(words, source.make_asker())
