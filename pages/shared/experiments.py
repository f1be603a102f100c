"""Experiments of this session: one job a panel, under the panel's name, and what it is about.

A result of other settings, or of another corpus, is never taken for the one that was asked for. Not here: how a job
runs (job.py).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

import streamlit as st

from core.causal_attention.rescore import checked
from core.causal_attention.steps import CarConfig
from core.retriever import OnProgress, ShouldStop
from core.trace import Trace
from pages.shared import job as jobs
from pages.shared import rerank_settings
from pages.shared.job import Job

KEPT = "experiments"


@dataclass(frozen=True, slots=True)
class _Experiment:
    about: Hashable
    job: Job[Any]


@dataclass(frozen=True, slots=True)
class Settings:
    """With what every query of an experiment is ranked: the settings above, as they stand."""

    config: CarConfig
    words: str

    @property
    def about(self) -> str:
        """What tells two settings apart; which of the rankings is looked at does not."""
        return self.config.model_copy(update={"mode": "hybrid", "answer": False}).model_dump_json()


def settings_of(trace: Trace) -> Settings:
    """The settings in force for this run."""
    config = checked(dict(rerank_settings.ranked_again(trace).config))
    tau = rerank_settings.tau_of(trace) if config.tau is None else config.tau
    return Settings(config, f"τ {tau:.2f}, w {config.weight:.2f}, {config.keywords} keywords, window {config.window}")


def begin(name: str, about: Hashable, words: str, work: Callable[[OnProgress, ShouldStop], Any]) -> None:
    """Start it; one of that name that still runs is stopped."""
    before = _kept().get(name)
    if before is not None and not before.job.ended:
        before.job.stop()
    _kept()[name] = _Experiment(about, Job(work, words))


def begun(name: str, about: Hashable) -> bool:
    """Whether it was begun on just that, whatever came of it."""
    found = _kept().get(name)
    return found is not None and found.about == about


def running(name: str, about: Hashable) -> bool:
    """Whether it is at work on just that."""
    found = _kept().get(name)
    return found is not None and found.about == about and not found.job.ended


def outcome(name: str, about: Hashable) -> Any:
    """What came of it. None before it is over, and after a stop or a failure: how it stands is drawn in its place."""
    found = _kept().get(name)
    if found is None or found.about != about:
        return None
    if not found.job.ended:
        jobs.watch(found.job, name)
        return None
    if found.job.result() is None:
        jobs.draw_failed(found.job)
        if found.job.state().stopped:
            st.html("<p class='cw-note' role='status'>Stopped. What was encoded is kept: begin again to go on.</p>")
    return found.job.result()


def _kept() -> dict[str, _Experiment]:
    found: dict[str, _Experiment] = st.session_state.setdefault(KEPT, {})
    return found
