"""The row that asks: data, question, settings, Run. Its widgets are bound to the address, so a link carries them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import streamlit as st

from core.cara.contracts import CaraConfig
from core.methods import GRAPH_METHODS, METHODS, settings_of
from core.trace import Trace
from pages.shared import datasets, runs, state
from pages.shared.text import esc

if TYPE_CHECKING:
    from pages.shared.datasets import Dataset

DEFAULTS = CaraConfig()
WALKERS = ("cara", "ark")  # the methods with agents
TITLES = {info.title: name for name, info in GRAPH_METHODS.items()}
# Address name of a setting -> its name in the configuration.
LONGEST_SETTING = 20  # characters of a number in the address
SETTINGS = {"agents": "agents", "budget": "max_steps", "lambda": "lambda_", "alpha": "alpha", "seed": "seed"}


@dataclass(frozen=True, slots=True)
class Asked:
    """What the row holds now, and whether Run was pressed."""

    question: str
    method: str
    config: Mapping[str, Any]
    engine: str
    pressed: bool


def fill_from(trace: Trace) -> None:
    """Put an opened run's question and settings into the row, once per run; call before `draw`.

    Again when the question is empty: the browser's Back brings an address without it.
    """
    if st.session_state.get("filled_from") == trace.run_id and st.session_state.get("q"):
        return
    st.session_state["filled_from"] = trace.run_id
    if state.param("q"):
        return  # the link carried them
    st.session_state["q"] = trace.question
    if trace.method in METHODS:
        st.session_state["method"] = METHODS[trace.method].title
    settings = settings_of(trace)
    for name, setting in SETTINGS.items():
        if setting in trace.config and setting in settings:
            st.session_state[name] = settings[setting]


def take(question: str) -> None:
    """A callback: put this question into the row and run it in the coming rerun."""
    st.session_state["q"] = question
    st.session_state["taken"] = True


def taken() -> bool:
    """Whether `take` was called for this rerun; asked once."""
    return bool(st.session_state.pop("taken", False))


def draw(dataset: Dataset | None, trace: Trace | None = None) -> Asked:
    """The row, and what it holds, and what the run on the screen was asked where that differs."""
    titles = datasets.titles()
    left, middle, right = st.columns([2.3, 7, 1.3], vertical_alignment="bottom", gap="small")
    with left:
        st.session_state["data_choice"] = dataset.key if dataset else None
        st.selectbox(
            "Data",
            list(titles),
            format_func=lambda key: titles.get(key, key),
            placeholder="Choose a data set",
            key="data_choice",
            on_change=_switch_data,
        )
    with middle, st.form("ask", border=False):  # a form, so that Enter asks
        field, button = st.columns([6, 1], vertical_alignment="bottom", gap="small")
        question = field.text_input(
            "Question",
            key="q",
            bind="query-params",
            placeholder="Ask something that takes a step or two",
            max_chars=2000,
        )
        pressed = button.form_submit_button(
            "Run", type="primary", width="stretch", key="run_button", disabled=dataset is None
        )
    with right, st.popover("Settings", width="stretch", key="settings"):
        method, config, engine = _settings()
    if trace is not None:
        _tell_apart(dataset, trace, question.strip())
    return Asked(question.strip(), method, config, engine, pressed)


def _tell_apart(dataset: Dataset | None, trace: Trace, question: str) -> None:
    """Say what the run on the screen was asked, and of what, where the row no longer shows it."""
    notes = []
    if question != trace.question:
        notes.append(f"The run below was asked: <b dir='auto'>{esc(trace.question)}</b>")
    if dataset is not None and trace.dataset.content_id != dataset.graph.content_id:
        notes.append(
            f"It saw {esc(trace.dataset.name)}, which this session does not have: Run would ask {esc(dataset.title)}."
        )
    if notes:
        st.html(f"<p class='cw-note cw-quiet'>{' '.join(notes)}</p>")


def _settings() -> tuple[str, dict[str, Any], str]:
    for name in SETTINGS:
        if len(state.param(name)) > LONGEST_SETTING:
            state.put({name: None})  # no number of ours, and too long for the widget to refuse in words
    title = st.selectbox("Method", list(TITLES), key="method", bind="query-params")
    method = TITLES[title]
    st.caption(METHODS[method].one_line)
    config: dict[str, Any] = {}
    if method in WALKERS:
        left, right = st.columns(2)
        values = {
            "agents": left.number_input("Agents", 1, 8, DEFAULTS.agents, key="agents", bind="query-params"),
            "budget": right.number_input(
                "Budget (steps an agent)", 1, 1000, DEFAULTS.max_steps, key="budget", bind="query-params"
            ),
            "lambda": st.slider(
                "λ: consequentiality (1) against essentiality (0)",
                0.0,
                1.0,
                DEFAULTS.lambda_,
                0.05,
                key="lambda",
                bind="query-params",
                disabled=method == "ark",
            ),
            "alpha": st.slider(
                "α: causal relevance (1) against path consistency (0)",
                0.0,
                1.0,
                DEFAULTS.alpha,
                0.05,
                key="alpha",
                bind="query-params",
                disabled=method == "ark",
            ),
            "seed": st.number_input("Seed", 0, 2**31 - 1, DEFAULTS.seed, key="seed", bind="query-params"),
        }
        config = {SETTINGS[name]: value for name, value in values.items()}
    engines = {"BM25 (Lucene's variant)": "", "BM25 (Okapi, small graphs)": "okapi"}
    engine = st.selectbox("Search engine", list(engines), key="engine", bind="query-params")
    return method, config, engines[engine]


def _switch_data() -> None:
    chosen = st.session_state.get("data_choice")
    if chosen:
        datasets.choose(chosen)
        state.forget_address("cara", runs.ADDRESS[1:])
        st.session_state["q"] = ""
