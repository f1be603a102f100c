"""What a ranking is made with, in the popover beside the query: the ranking that counts, the encoder, who helps.

The sliders that re-rank a stored run without an encoder are elsewhere (rerank_settings.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import streamlit as st

from core.causal_attention.steps import CarConfig, Mode, NeuralStep
from core.figures.causal_attention.ranking import MEANINGS, TITLES
from core.text.embedding import encoder_status
from core.trace import Trace
from pages.shared import corpus_engine, engine_panel, model, state

if TYPE_CHECKING:
    from core.causal_attention.neural import NeuralScorer
    from pages.shared.corpora import OpenCorpus

MODES: tuple[Mode, ...] = get_args(Mode)
SMALL = 200  # documents
DEFAULT: Mode = CarConfig().mode


@dataclass(frozen=True, slots=True)
class Extras:
    """Who helps beside the encoder: MaxSim, a cross-encoder in a folder, and a model that names the keywords."""

    max_sim: bool = False
    cross_encoder: str = ""
    model_keywords: bool = False

    def scorers(self) -> tuple[NeuralScorer, ...]:
        """The neural rerankers. EncoderError when the folder holds none."""
        from core.causal_attention.neural import CrossEncoder, max_sim

        found: list[NeuralScorer] = [max_sim()] if self.max_sim else []
        if self.cross_encoder:
            found.append(CrossEncoder(Path(self.cross_encoder).expanduser()))
        return tuple(found)


def scorers_of(trace: Trace) -> tuple[NeuralScorer, ...]:
    """MaxSim where a run had it. A cross-encoder's folder is not known to a trace."""
    return Extras(max_sim=any(isinstance(s, NeuralStep) and s.name == "maxsim" for s in trace.steps)).scorers()


def fill(trace: Trace) -> None:
    """Take over the ranking that counted in an opened run."""
    mode = trace.config.get("mode")
    if mode in MODES and not state.param("mode"):
        st.session_state["mode"] = mode


def draw(corpus: OpenCorpus | None) -> tuple[dict[str, Any], Extras]:
    """The widgets, and the settings that they say."""
    named = state.param("mode") if state.param("mode") in MODES else DEFAULT
    st.session_state["mode"] = st.session_state.get("mode", named)  # set each time: a popover draws it only when open
    mode = st.selectbox(
        "The ranking that gives result and answer",
        MODES,
        format_func=lambda name: TITLES[name],
        key="mode",
        on_change=lambda: state.put({"mode": st.session_state["mode"]}),
        help="All of them are made and can be looked at; this one is the run's result.",
    )
    st.caption(MEANINGS[mode])
    if corpus is not None:
        engine_panel.draw(corpus)
    return {"mode": mode}, _extras(mode, corpus)


def _is_small_and_english(corpus: OpenCorpus) -> bool:
    """Whether MaxSim, which reads English word by word, costs little here, and MiniLM is loaded anyway."""
    languages = {code for code in corpus.corpus.report.languages if code}
    by_minilm = corpus_engine.current(corpus).encoder in (corpus_engine.AUTOMATIC, "minilm")
    return by_minilm and languages == {"en"} and len(corpus.corpus) <= SMALL


def _extras(mode: Mode, corpus: OpenCorpus | None) -> Extras:
    there = encoder_status("minilm").available
    wants_max_sim = st.toggle(
        "Rank with MaxSim, too",
        value=corpus is not None and _is_small_and_english(corpus),
        key=f"max_sim_{corpus.key if corpus else ''}",
        disabled=not there or mode == "maxsim",
        help="Compares word by word, with MiniLM's vectors of English words; a stand-in for a trained reranker. "
        "The first query takes a few seconds.",
    )
    folder = ""
    if state.is_local():
        folder = st.text_input(
            "Folder of a cross-encoder",
            key="cross_encoder",
            persist_state="session",
            placeholder="none",
            help="As sentence-transformers saves it, on this machine. Nothing is downloaded.",
        ).strip()
    names = False
    if model.current() is not None:
        names = st.toggle("Let the model name the keywords", key="model_keywords", persist_state="session")
    return Extras(max_sim=there and (wants_max_sim or mode == "maxsim"), cross_encoder=folder, model_keywords=names)
