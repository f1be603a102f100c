"""The page before a session: tell, take a worked example, simulate a patient, or open a case."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from core.figures.sgur.rounds import rounds
from core.sgur.steps import Reading
from pages.shared import messages, runs, state
from pages.shared.messages import Message
from pages.shared.sgur import patients, readers, tell
from pages.shared.sgur.patients import Begin
from pages.shared.text import esc, short

if TYPE_CHECKING:
    from core.sgur.engine import Engine

TAKEN = "sgur_example"


def by_link(engine: Engine) -> tuple[Reading, str] | None:
    """What a link with `q` and `go` tells, read by words; None without one, or where nothing of it is recognised.

    A session of this browser that began so and has one round yet is opened, and no second one is made.
    """
    words = state.param("q").strip()
    if not state.param("go") or not words:
        return None
    state.put({"go": None, "q": None})
    before = runs.equal_run(engine.graph.content_id, "sgur", words, {}, lambda trace: len(rounds(trace)) == 1)
    if before:
        state.put({"run": before})
        st.rerun()
    reader = readers.by_words(engine)
    reading = reader.read(words)
    if reading.observed or reading.excluded:
        return reading, reader.decided_by
    what = f"nothing of what this link tells is an observation of {engine.graph.dataset.name}"
    messages.add(Message(what, where=short(words, 200), hint="Say it in other words below."))
    st.rerun()


def draw(engine: Engine, source: str, told_by: Begin) -> tuple[Reading, str] | None:
    """What is to enter the session and who read it, once something was told or an example was taken; else None."""
    kind = engine.graph.hypotheses.kind or "hypothesis"
    st.html(
        f"<p class='cw-lead'>Tell what is wrong. Every {esc(kind)} of the expert graph is weighed against it; then the "
        "question that is expected to tell most is asked next. Each number can be opened.</p>"
    )
    said = tell.draw(engine, source, first=True)
    examples = tell.EXAMPLES.get(source, ())
    for column, (n, words) in zip(st.columns(2, gap="medium"), enumerate(examples), strict=False):
        with (
            column,
            st.container(
                border=True,
                horizontal=True,
                wrap=False,
                height="stretch",
                vertical_alignment="center",
                key=f"sgur_example_card_{n}",
            ),
        ):
            st.html(f"<span>{esc(words)}.</span>", width="stretch")
            st.button("Try it", key=f"sgur_example_{n}", on_click=st.session_state.__setitem__, args=(TAKEN, words))
    patients.begin(engine, told_by)
    taken = st.session_state.pop(TAKEN, "")
    if taken:
        reader = readers.by_words(engine)
        return reader.read(taken), reader.decided_by
    return said
