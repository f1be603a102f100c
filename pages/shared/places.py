"""Which page shows the runs of which method, so that a list, a link or a file leads to the right one."""

from __future__ import annotations

import streamlit as st

from core.trace import Trace

FIRST = "cara"  # shows every walk of a graph
# method -> page, of the methods that have their own
PAGES = {"causal-attention": "causal_attention", "sgur": "sgur", "kerag": "kerag"}


def page_of(method: str) -> str:
    """The name of the page that shows this method's runs: the stem of its file, and its path in the address."""
    return PAGES.get(method, FIRST)


def file_of(method: str) -> str:
    """The page's file, as Streamlit's links name it."""
    return f"pages/{page_of(method)}.py"


def lead(trace: Trace | None, here: str) -> None:
    """Leave this page for the one that shows the run, where that is another one."""
    if trace is not None and page_of(trace.method) != here:
        st.switch_page(file_of(trace.method), query_params={"run": trace.run_id})
