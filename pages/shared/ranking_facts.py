"""How a ranking was made: what was read of the query, with which threshold and settings; all rankings as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from core.causal_attention.steps import RankingStep, ReadQuery, Retrieved
from core.trace import Trace
from pages.shared.text import esc

if TYPE_CHECKING:
    from core.causal_attention.index import CausalIndex


def notice(text: str) -> None:
    """What a reader must know, as a line."""
    st.html(f"<p class='cw-note'>{esc(text)}</p>")


def draw(trace: Trace, index: CausalIndex | None) -> None:
    """The panel; all of it comes from the trace."""
    read = next((s for s in trace.steps if isinstance(s, ReadQuery)), None)
    if read is not None:
        words = ", ".join(f"{k.term} {k.weight:.2f}" for k in read.keywords) or "none"
        facts = [
            ("Query keywords and their weights", words),
            ("Threshold τ", f"{read.tau:.2f} (the encoder's own: {read.tau_auto:.2f})"),
            ("Keywords by", read.extractor),
        ]
        rows = "".join(f"<tr><td>{esc(label)}</td><td dir='auto'>{esc(value)}</td></tr>" for label, value in facts)
        st.html(f"<div class='cw-prose'><table>{rows}</table></div>")
    st.dataframe(_table(trace), hide_index=True, height="auto")


def _table(trace: Trace) -> list[dict[str, object]]:
    """A row a document: its place in each ranking."""
    found = next((s for s in trace.steps if isinstance(s, Retrieved)), None)
    ranks: dict[str, dict[str, int]] = {
        s.label or s.mode: {p.id: p.rank for p in s.places} for s in trace.steps if isinstance(s, RankingStep)
    }
    return [
        {
            "Document": c.document.name,
            "Similarity": round(c.score, 2),
            **{mode: own.get(c.document.id) for mode, own in ranks.items()},
        }
        for c in (found.candidates if found else ())
    ]
