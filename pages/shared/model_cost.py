"""What a model costs: the most that the next run can take, what a run has taken so far, and what it took."""

from __future__ import annotations

import streamlit as st

from core.cara.contracts import CaraConfig
from core.figures.exchanges import asked_in_all, decider, tokens_in_words
from core.figures.words import money
from core.llm.estimate import Estimate
from core.llm.exchange import spent
from core.llm.usage import Count
from core.methods import METHODS, at_most
from core.runs import RunState
from core.trace import Price, Trace
from pages.shared import model
from pages.shared.question import Asked
from pages.shared.text import esc, many

SUGGESTED = 12  # steps an agent: enough for three hops, and no small fortune where each step is a call or two
SPENDS_STEPS = tuple(name for name, info in METHODS.items() if info.config_model is CaraConfig)


def before(asked: Asked) -> None:
    """Under the question, while a model is connected: who decides in the next run, and what that can cost at most."""
    connected = model.current()
    if connected is None:
        return
    title = METHODS[asked.method].title
    estimate = at_most(asked.method, asked.config, connected.endpoint)
    if estimate is None:
        st.html(f"<span class='cw-quiet'>{esc(title)} asks no model; it costs nothing.</span>")
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="estimate"):
        st.html(
            f"<span>The next run: <b>{esc(connected.endpoint.label)}</b> decides. "
            f"<span class='cw-num'>{esc(estimate_in_words(estimate))}</span></span>",
            width="content",
        )
        smaller = asked.method in SPENDS_STEPS and int(asked.config["max_steps"]) > SUGGESTED
        if smaller:
            less = at_most(asked.method, {**asked.config, "max_steps": SUGGESTED}, connected.endpoint)
            calls = f", at most {many(less.calls, 'call')}" if less is not None else ""
            st.button(f"Use a budget of {SUGGESTED} steps{calls}", key="smaller_budget", on_click=_smaller)


def _smaller() -> None:
    st.session_state["budget"] = SUGGESTED


def must_be_pressed(method: str) -> bool:
    """Whether a run of this method would spend what a model costs: a link alone must not start it."""
    return model.current() is not None and METHODS[method].most_calls is not None


def say_that_run_must_be_pressed() -> None:
    """Why a link, or an example, has only filled in its question."""
    st.html("<p class='cw-note'>Press Run to ask this: a link or an example does not start what a model costs.</p>")


def estimate_in_words(estimate: Estimate) -> str:
    """`At most 73 calls, 598,016 tokens, cost 0.60.`"""
    cost = f", cost {money(estimate.cost)}" if estimate.cost is not None else ""
    return f"At most {many(estimate.calls, 'call')}, {many(estimate.tokens, 'token')}{cost}."


def so_far(now: RunState, price: Price | None) -> str:
    """What a running run's steps have asked, as HTML; empty for a run without a model."""
    used = spent(now.steps)
    if not used.calls:
        return ""
    who = next((s.decided_by for s in now.steps if s.decided_by), "")
    return f"<div class='cw-num'><b>{esc(who)}</b> {esc(tokens_in_words(used) + _cost(used, price))}</div>"


def after(trace: Trace) -> None:
    """What a finished run asked of its model; nothing for a run without one."""
    used = asked_in_all(trace)
    if used.calls:
        who = decider(trace)
        tokens = f" ({used.prompt_tokens:,} of prompts, {used.completion_tokens:,} of replies)"
        words = tokens_in_words(used) + (tokens if used.prompt_tokens else "") + _cost(used, trace.usage.price)
        st.html(f"<p class='cw-note cw-num'><b>{esc(who)}</b>: {esc(words)}.</p>")


def _cost(used: Count, price: Price | None) -> str:
    """The cost at the price that the run's model had when it began."""
    cost = used.cost(price)
    return f", cost {money(cost)}" if cost is not None else ""
