"""Telling a complaint: in words, which are read into observations that can be corrected, or by picking observations.

Nothing enters the session before the reader presses Tell. Not here: how words are read (core/sgur/extraction.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from core.sgur.steps import Match, Reading
from pages.shared.messages import caught
from pages.shared.sgur import readers
from pages.shared.text import esc, many, short

if TYPE_CHECKING:
    from core.sgur.engine import Engine

READ, TURN = "sgur_reading", "sgur_turn"  # what was read; how often something was told, so that each form is a new one
HAS, DENIED, OUT = "Has it", "Has it not", "Leave out"
FOUND = 12  # observations that a search lists
HOW = {
    "id": "by its id",
    "replaced id": "by an older id",
    "name": "by its name",
    "synonym": "by another name",
    "words": "by its words",
    "meaning": "by meaning",
    "model": "by the model",
    "hand": "picked",
}
EXAMPLES = {  # source: complaints with something to see
    "hpo": (
        "Muscle weakness since childhood, increased size of calf muscles, walks on tiptoe",
        "My daughter is deaf, has a white forelock and eyes of different colours, but no short stature",
    ),
    "devices": (
        "Fan roars all the time and it is sluggish after some minutes of work, but no clicking from inside the case",
        "Paper jams, but no blank pages come out",
    ),
}


def draw(engine: Engine, source: str, *, first: bool) -> tuple[Reading, str] | None:
    """The form. What is to enter the session and who read it, once Tell was pressed; else None."""
    key = f"sgur_words_{turn()}"
    words = st.text_area(
        "Tell the complaint in plain words" if first else "Tell more, in plain words",
        key=key,
        height=72,
        placeholder=f"For example: {EXAMPLES.get(source, ('what is seen, and what is not',))[0]}",
    )
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        reader = readers.choose(engine)
        if st.button("Read the words", key="sgur_read", disabled=not words.strip()):
            with caught(kept="the words"):
                st.session_state[READ] = reader.read(words.strip())
        _search(engine)
    if routing := readers.routing_words(reader):
        st.html(f"<p class='cw-note cw-quiet'>{esc(routing)}</p>")
    reading: Reading | None = st.session_state.get(READ)
    if reading is None:
        return None
    chosen = _corrected(reading)
    ready = bool(chosen.observed or chosen.excluded)
    if not ready:
        st.html("<p class='cw-quiet'>Nothing was recognised. Say it in other words, or search for an observation.</p>")
    if st.button("Tell", type="primary", key="sgur_tell", disabled=not ready):
        return chosen, reader.decided_by if reading.words else "picked by hand"
    return None


def turn() -> int:
    """How often something was told in this browser."""
    return int(st.session_state.get(TURN, 0))


def clear() -> None:
    """Forget what was read and written: it has entered the session, or another session begins."""
    for name in [k for k in st.session_state if str(k).startswith("sgur_take_")]:
        del st.session_state[name]
    st.session_state.pop(READ, None)
    st.session_state[TURN] = turn() + 1


def shortlist_words(reading: Reading) -> str:
    """How many observations the words were matched with, where a shortlist was made first."""
    return f"Matched with the {many(reading.shortlist, 'observation')} of the shortlist that the message was routed to."


def _corrected(reading: Reading) -> Reading:
    """What was recognised, each with the words behind it, as the reader leaves it."""
    kept: dict[str, list[Match]] = {HAS: [], DENIED: [], OUT: []}
    found = [(m, HAS) for m in reading.observed] + [(m, DENIED) for m in reading.excluded]
    for match, start in found:
        with st.container(horizontal=True, vertical_alignment="center", key=f"sgur_row_{match.observation.id}"):
            similar = f", {match.similarity:.2f} alike" if match.how in ("meaning", "words", "model") else ""
            said = f"“{match.said}” → " if match.said and match.how != "hand" else ""
            st.html(
                f"<span>{esc(said)}<b>{esc(match.observation.name)}</b> "
                f"<span class='cw-quiet'>{esc(HOW[match.how] + similar)}</span></span>",
                width="stretch",
            )
            choice = st.segmented_control(
                "Is it there?",
                (HAS, DENIED, OUT),
                default=start,
                required=True,
                key=f"sgur_take_{match.observation.id}",
                label_visibility="collapsed",
                width="content",
            )
        kept[str(choice)].append(match)
    if reading.shortlist:
        st.html(f"<p class='cw-note cw-quiet cw-num'>{esc(shortlist_words(reading))}</p>")
    if reading.unmatched:
        parts = "; ".join(
            f"“{u.text.strip()}” ({u.why})" if u.why else f"“{u.text.strip()}”" for u in reading.unmatched
        )
        st.html(f"<p class='cw-note cw-quiet'>Not understood, and left out: {esc(parts)}.</p>")
    return reading.model_copy(update={"observed": tuple(kept[HAS]), "excluded": tuple(kept[DENIED])})


def _search(engine: Engine) -> None:
    """Pick an observation by its name or another name of it."""
    text = st.text_input(
        "Or search for an observation",
        key=f"sgur_search_{turn()}",
        placeholder="a few letters of its name",
        width=320,
    )
    if not text.strip():
        return
    found = readers.search(engine.graph.observations, text, FOUND)
    names = {engine.graph.observations.names[n]: n for n in found}
    if not names:
        st.html("<span class='cw-quiet'>No observation is called so.</span>", width="content")
        return
    picked = st.selectbox(
        "Found", list(names), index=None, key=f"sgur_found_{turn()}", format_func=short, placeholder="choose"
    )
    if picked is not None and st.button("Add", key="sgur_add"):
        node = engine.graph.observations.node(names[picked])
        before: Reading = st.session_state.get(READ) or Reading()
        if node.id not in {m.observation.id for m in (*before.observed, *before.excluded)}:
            where = tuple(engine.graph.localisations.node(int(x)) for x in engine.index.localisations_of(names[picked]))
            match = Match(observation=node, said=node.name, how="hand", localisations=where)
            st.session_state[READ] = before.model_copy(update={"observed": (*before.observed, match)})
