"""The page before a run: questions that the sample suggests, one of each kind, and a trace file to open."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from pages.shared.kerag import form
from pages.shared.open_trace import open_trace
from pages.shared.text import esc

if TYPE_CHECKING:
    from pages.shared.datasets import Dataset

A_ROW = 4
KINDS = {
    "count": "it counts",
    "superlative": "it finds the most or the least",
    "comparison": "it weighs one against the other",
    "yes/no": "it says yes or no",
    "set": "it joins or subtracts",
    "false premise": "it should say “I don't know”",
    "multi-hop": "it goes on from what it found",
    "lookup": "it looks up",
}


def draw(dataset: Dataset | None) -> None:
    """The cards."""
    if dataset is None:
        st.html("<p>Choose a data set above: a sample, or one of your own that was loaded on the Data page.</p>")
        return
    suggested = form.suggestions(dataset)
    if suggested:
        st.html("<p>Ask for a fact, a number, a comparison, yes or no. Or take one of these:</p>")
    else:
        st.html("<p>Ask a question about this graph: name one of its nodes, and what you want to know of it.</p>")
    for row in range(0, len(suggested), A_ROW):
        columns = st.columns(A_ROW)
        for number, (column, (kind, text)) in enumerate(
            zip(columns, suggested[row : row + A_ROW], strict=False), row + 1
        ):
            with column, st.container(border=True, height="stretch", vertical_alignment="distribute"):
                told = f"{kind}: {KINDS[kind]}" if kind in KINDS else kind
                told = told[:1].upper() + told[1:]
                st.html(f"<div class='cw-card'><span class='cw-quiet'>{esc(told)}</span><b>{esc(text)}</b></div>")
                st.button("Ask", key=f"kerag_example_{number}", on_click=form.take, args=(text,))
    open_trace(expanded=False)
