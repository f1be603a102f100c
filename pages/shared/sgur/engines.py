"""Expert graphs and their engines, opened in the background, one for each source and process.

A link names a source by `data=`. Not here: what is read out of words (reading.py), and sessions (sessions.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from core.sgur.sources.catalogue import SOURCES, SourceInfo
from pages.shared import job as jobs
from pages.shared import state
from pages.shared.job import Job
from pages.shared.messages import Message, add

if TYPE_CHECKING:
    from core.retriever import OnProgress, ShouldStop
    from core.sgur.engine import Engine
    from core.trace import Trace

CURRENT = "sgur_source"
FIRST = "hpo"


@st.cache_resource(show_spinner=False)
def _jobs() -> dict[str, Job[Engine]]:
    return {}


def titles() -> dict[str, str]:
    """Name -> title of every source that can be opened by its name."""
    return {source.name: source.title for source in SOURCES.values()}


def current() -> SourceInfo:
    """The source in use: the one a link names, else the one chosen last."""
    named = state.param("data")
    if named and named not in SOURCES:
        state.put({"data": None})
        add(Message("this link names data that is not here", hint=f"Known here: {', '.join(titles().values())}."))
    elif named:
        st.session_state[CURRENT] = named
    return SOURCES[st.session_state.get(CURRENT, FIRST)]


def choose(name: str) -> None:
    """Use this source from now on."""
    st.session_state[CURRENT] = name
    state.put({"data": name})


def job(name: str) -> Job[Engine]:
    """The work of opening a source, begun if there was none."""
    kept = _jobs()
    if name not in kept:
        kept[name] = _begin(SOURCES[name])
    return kept[name]


def again(name: str) -> None:
    """Try once more after a stop or a failure."""
    _jobs().pop(name, None)
    job(name)


def opened(name: str) -> Engine | None:
    """The engine of a source; None until it is there."""
    return job(name).result()


def of(trace: Trace) -> str:
    """The name of the source that a session was held on; empty when it is none of these, or not open yet."""
    for name, work in _jobs().items():
        engine = work.result()
        if engine is not None and engine.graph.content_id == trace.dataset.content_id:
            return name
    return ""


def draw(name: str) -> None:
    """How opening a source stands; nothing once it is open."""
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
