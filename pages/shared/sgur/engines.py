"""Expert graphs and their engines, opened in the background, one for each source and process.

A link names a source by `data=`. Not here: what is read out of words (readers.py), and sessions (sessions.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import streamlit as st

from core.sgur.sources.catalogue import SOURCES, SourceInfo
from pages.shared import job as jobs
from pages.shared import state
from pages.shared.job import Job
from pages.shared.messages import Message, add
from pages.shared.sgur import layers
from pages.shared.text import esc

if TYPE_CHECKING:
    from core.retriever import OnProgress, ShouldStop
    from core.sgur.engine import Engine
    from core.trace import Trace

CURRENT, CHOICE = "sgur_source", "sgur_source_choice"
FIRST = "devices"  # opens at once; the ontology takes some seconds the first time


@st.cache_resource(show_spinner=False)
def _jobs() -> dict[str, Job[Engine]]:
    return {}


def titles() -> dict[str, str]:
    """Name -> title of every source that can be opened by its name."""
    return {source.name: source.title for source in sources().values()}


def sources() -> dict[str, SourceInfo]:
    """Every source that this session can choose: those that come along, then its own graphs."""
    return {**SOURCES, **layers.own()}


def current() -> SourceInfo:
    """The source in use: the one a link names, else the one chosen last."""
    named = state.param("data")
    known = sources()
    if named and named not in known:
        state.put({"data": None})
        add(Message("this link names data that is not here", hint=f"Known here: {', '.join(titles().values())}."))
    elif named:
        st.session_state[CURRENT] = named
    return known.get(st.session_state.get(CURRENT, FIRST)) or next(iter(SOURCES.values()))


def choose(name: str) -> None:
    """Use this source from now on."""
    st.session_state[CURRENT] = name
    state.put({"data": name})


def job(name: str) -> Job[Engine]:
    """The work of opening a source, begun if there was none."""
    kept, key = _jobs(), name + layers.identity(name)
    if key not in kept:
        kept[key] = _begin(sources()[name])
    return kept[key]


def again(name: str) -> None:
    """Try once more after a stop or a failure."""
    _jobs().pop(name + layers.identity(name), None)
    job(name)


def opened(name: str) -> Engine | None:
    """The engine of a source; None until it is there."""
    return None if layers.missing(name) else job(name).result()


def follow(trace: Trace) -> bool:
    """Use the source that a session was held on. False when it is none of these."""
    named = next((source.name for source in sources().values() if source.title == trace.dataset.name), "")
    if named:
        choose(named)
    return bool(named)


def bar(source: SourceInfo, notices: Sequence[str], *, on_change: Callable[[], None]) -> None:
    """The sources to choose from, and what must be known of the one in use: its first notice, the others a click away.

    on_change: called when another one was chosen, before it is used.
    """

    def chosen() -> None:
        name = st.session_state.get(CHOICE)
        if name and name != source.name:
            on_change()
            choose(name)

    with st.container(horizontal=True, wrap=False, vertical_alignment="center", gap="small", key="sgur_sources"):
        st.session_state[CHOICE] = source.name
        st.segmented_control(
            "Expert graph",
            list(sources()),
            key=CHOICE,
            on_change=chosen,
            required=True,
            format_func=lambda name: titles()[name],
            label_visibility="collapsed",
            width="content",
        )
        first = next(iter(notices), source.one_line)
        st.html(f"<span class='cw-way cw-quiet'><span>{esc(first)}</span></span>", width="stretch")
        if notices:
            with st.popover("Source and licence", type="tertiary", key="sgur_licence"):
                st.html("".join(f"<p>{esc(words)}</p>" for words in (source.one_line, *notices)))


def draw(name: str) -> None:
    """How opening a source stands; nothing once it is open."""
    if name not in SOURCES:
        with st.expander("Layers of this graph", expanded=bool(layers.missing(name)), key="sgur_layers_of"):
            layers.form(name)
        if layers.missing(name):
            return
    work = job(name)
    if not work.ended:
        jobs.watch(work, "expert_graph")
    elif work.result() is None:
        jobs.draw_failed(work)
        st.button("Try again", key="again_expert_graph", on_click=again, args=(name,))


def _begin(source: SourceInfo) -> Job[Engine]:
    def work(on_progress: OnProgress, should_stop: ShouldStop) -> Engine:
        from core.sgur.engine import Engine

        on_progress(f"Opening {source.title}", None)
        engine = Engine(source.load(on_progress))
        engine.prepare(on_progress)
        return engine

    return Job(work, f"opening {source.title}")
