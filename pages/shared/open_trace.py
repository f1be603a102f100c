"""Open a trace file: it is checked, kept in the store, and shown like any other run."""

from __future__ import annotations

import streamlit as st

from core.trace import Trace
from pages.shared import places, runs
from pages.shared.messages import caught

LIMIT_MB = 50


def open_trace(*, expanded: bool) -> None:
    """The uploader for a trace file, which is opened on the page of its method."""
    with st.expander("Open a trace file", expanded=expanded, key="open_trace"):
        file = st.file_uploader(
            "A file made by Download, Trace (JSON)", type=["json"], key="trace_file", max_upload_size=LIMIT_MB
        )
        if file is None or st.session_state.get("opened_file") == file.file_id:
            return
        st.session_state["opened_file"] = file.file_id
        with caught(kept="the page as it was"):
            trace = Trace.from_json(file.getvalue())
            run_id = runs.store().import_trace(trace, label=runs.label())
            if places.page_of(trace.method) != places.FIRST:
                st.switch_page(places.file_of(trace.method), query_params={"run": run_id})
            st.session_state.pop("filled_from", None)
            runs.show(run_id)
        st.rerun()
