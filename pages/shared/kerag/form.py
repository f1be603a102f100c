"""The row that asks: data, question, settings, Run; and the questions that a sample suggests, by kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import streamlit as st

from core.kerag.settings import KeragConfig
from core.methods import settings_of
from core.trace import Trace
from pages.shared import datasets, state
from pages.shared.kerag.place import ADDRESS
from pages.shared.text import esc

if TYPE_CHECKING:
    from pages.shared.datasets import Dataset

DEFAULTS = KeragConfig()
FIELD, FILLED, LINKED, WANTED = "kerag_question", "kerag_filled_from", "kerag_linked", "kerag_wanted"
PLANNED = "as many as needed"
EACH = 1  # questions of a kind that are suggested


@dataclass(frozen=True, slots=True)
class Asked:
    """What the row holds now, and whether Run was pressed."""

    question: str
    config: Mapping[str, Any]
    pressed: bool


def fill(trace: Trace | None) -> None:
    """Put the address's question, or that of an opened run, into the field; call before `draw`."""
    linked = state.param("q")
    if linked and linked != st.session_state.get(LINKED):
        st.session_state[FIELD] = st.session_state[LINKED] = linked
    if trace is None or st.session_state.get(FILLED) == trace.run_id:
        return
    st.session_state[FILLED] = trace.run_id
    st.session_state[FIELD] = state.param("q") or trace.question
    settings = settings_of(trace)
    if settings:
        st.session_state["kerag_hops"] = str(settings["hops"]) if settings["hops"] else PLANNED
        st.session_state["kerag_drop"] = settings["drop_relations"]
        st.session_state["kerag_reason"] = settings["reason"]


def take(question: str) -> None:
    """A callback: put this question into the row and run it in the coming rerun."""
    st.session_state[FIELD] = question
    st.session_state[WANTED] = True


def wanted() -> bool:
    """Whether `take` was called for this rerun; asked once."""
    return bool(st.session_state.pop(WANTED, False))


def show(question: str) -> None:
    """Say the question in the address."""
    st.session_state[LINKED] = question
    state.put({"q": question})


def draw(dataset: Dataset | None, trace: Trace | None = None) -> Asked:
    """The row, and what it holds, and what the run on the screen was asked where that differs."""
    titles = datasets.titles()
    left, middle, right = st.columns([2.3, 7, 1.3], vertical_alignment="bottom", gap="small")
    with left:
        st.session_state["kerag_data"] = dataset.key if dataset else None
        st.selectbox(
            "Data", list(titles), format_func=lambda key: titles.get(key, key), key="kerag_data", on_change=_switch_data
        )
    with middle, st.form("kerag_ask", border=False):
        field, button = st.columns([6, 1], vertical_alignment="bottom", gap="small")
        question = field.text_input(
            "Question", key=FIELD, max_chars=2000, placeholder="Ask for a fact, a number, a comparison, yes or no"
        )
        pressed = button.form_submit_button("Run", type="primary", width="stretch", disabled=dataset is None)
    with right, st.popover("Settings", width="stretch", key="kerag_settings"):
        config = _settings()
    if trace is not None and question.strip() != trace.question:
        st.html(
            f"<p class='cw-note cw-quiet'>The run below was asked: <b dir='auto'>{esc(trace.question[:300])}</b></p>"
        )
    return Asked(question.strip(), config, pressed)


def suggestions(dataset: Dataset) -> list[tuple[str, str]]:
    """Kind and text of some questions of the sample: of each kind the first."""
    return list(_suggested(dataset.key, dataset)) if dataset.is_sample else []


@st.cache_resource(show_spinner=False)
def _suggested(key: str, _dataset: Dataset) -> tuple[tuple[str, str], ...]:
    from core.evaluation.questions import read_questions
    from core.graph.samples import SAMPLES

    by_kind: dict[str, list[str]] = {}
    for question in read_questions(SAMPLES[key].questions, _dataset.graph):
        by_kind.setdefault(question.kind or "question", []).append(question.text)
    return tuple((kind, text) for kind, texts in by_kind.items() for text in texts[:EACH])


def _settings() -> dict[str, Any]:
    most = DEFAULTS.max_hops
    hops = st.selectbox("Hops", [PLANNED, *map(str, range(1, most + 1))], key="kerag_hops", persist_state="session")
    drop = st.toggle("Leave out irrelevant relations", value=True, key="kerag_drop", persist_state="session")
    reason = st.toggle("Reason step by step", value=True, key="kerag_reason", persist_state="session")
    st.caption("One hop, no filter and no reasoning are the paper's ablations.")
    return {"hops": None if hops == PLANNED else int(hops), "drop_relations": drop, "reason": reason}


def _switch_data() -> None:
    chosen = st.session_state.get("kerag_data")
    if chosen:
        datasets.choose(chosen)
        state.forget_address("kerag", ADDRESS[1:])
        for name in (FIELD, FILLED, LINKED, WANTED):
            st.session_state.pop(name, None)
