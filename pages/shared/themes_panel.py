"""The table of the diagnostic corpus: on which themes causal attention helps, and on which it does not.

It is of the sample corpus, whatever corpus is ranked above: its documents name their roles, which others do not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from core.causal_attention.rerank import OFFLINE_MODES
from core.corpus.samples import CORPUS_SAMPLES
from core.figures.causal_attention.ranking import MEANINGS, TITLES
from core.figures.causal_attention_experiments.themes import themes_chart, themes_in_words, themes_table
from core.trace import Trace
from pages.shared import bridge, charts, experiments, twins
from pages.shared.text import esc

if TYPE_CHECKING:
    from core.causal_attention.diagnostic import Theme
    from core.causal_attention.index import CausalIndex
    from core.retriever import OnProgress, ShouldStop

NAME = "themes"
SAMPLE = "eight_themes"
NOTE = (
    "One document of each theme answers its query, two come near, two repeat the query's keywords and answer nothing, "
    "three are about something else. English themes are read by MiniLM, Chinese ones by the multilingual encoder, each "
    "with its own τ and default settings. The texts were written before any ranking was run, and not changed after."
)


def draw(trace: Trace | None = None, index: CausalIndex | None = None) -> None:
    """The panel: a button, then the chart with its sentence and its table."""
    sample = CORPUS_SAMPLES.get(SAMPLE)
    if sample is None:
        st.html("<p class='cw-quiet'>The diagnostic sample is not part of this installation.</p>")
        return
    st.html(f"<p class='cw-note cw-prose'>{esc(NOTE)}</p>")

    def work(on_progress: OnProgress, should_stop: ShouldStop) -> list[Theme]:
        from core.causal_attention.diagnostic import theme_table

        return theme_table(sample.folder, on_progress=on_progress)

    def begin() -> None:
        experiments.begin(NAME, SAMPLE, "Reading the themes", work)

    themes = experiments.outcome(NAME, SAMPLE)
    if themes is None:
        busy = experiments.running(NAME, SAMPLE)
        st.button("Rank every theme", key="themes_begin", disabled=busy, on_click=begin)
    else:
        st.fragment(_results)(themes)


def _results(themes: list[Theme]) -> None:
    modes = [mode for mode in OFFLINE_MODES if mode != "baseline"]
    mode = st.segmented_control(
        "From similarity to",
        modes,
        default="semantic",
        required=True,
        format_func=lambda m: TITLES[m],
        key="themes_mode",
        persist_state="session",
    )
    st.html(
        f"<div class='cw-answer' role='status'>{esc(themes_in_words(themes, mode))}</div>"
        f"<div class='cw-quiet'>{esc(MEANINGS[mode])}</div>"
    )
    charts.draw(themes_chart(themes, mode, bridge.theme()), key=f"themes_chart_{mode}")
    with st.expander("Places of the targets"):
        twins.draw(themes_table(themes), key="themes_targets")
    with st.expander("Mean places of the stuffed documents"):
        twins.draw(themes_table(themes, stuffed=True), key="themes_stuffed")
