"""What a ranking can be downloaded as: a page that opens by itself, the trace, and its tables.

What is downloaded is what is on the screen: ranked again, when a slider was moved.
"""

from __future__ import annotations

import io
import re
import zipfile

import streamlit as st

from core.trace import Trace
from pages.shared import corpora
from pages.shared.bridge import theme
from pages.shared.shell import Export

SHOWN = "rerank_shown"  # in the session: run -> the trace as it is drawn


def remember(trace: Trace) -> None:
    """Call with what is drawn; a download comes later, when no page is being made."""
    shown: dict[str, Trace] = st.session_state.setdefault(SHOWN, {})
    shown.clear()
    shown[trace.run_id] = trace


def of(trace: Trace) -> tuple[Export, ...]:
    """The files of a ranking; each is made when it is asked for."""
    stem = re.sub(r"\W+", "-", f"{trace.method}-{trace.question}".lower()).strip("-")[:60] or "ranking"
    shown: dict[str, Trace] = st.session_state.setdefault(SHOWN, {})
    look, opened = theme(), corpora.of(trace)

    def now() -> Trace:
        return shown.get(trace.run_id, trace)

    def page() -> bytes:
        from core.figures.causal_attention.replay import rerank_html
        from pages.shared.document_panel import judged_in

        documents = {d.id: d for d in opened.corpus} if opened is not None else None
        return rerank_html(now(), look, documents=documents, judged=judged_in(opened, trace.question)).encode()

    def tables() -> bytes:
        from core.figures.causal_attention.ranking import ranking_of
        from core.figures.causal_attention.tables import all_tables
        from pages.shared.document_panel import judged_in

        ranking = ranking_of(now())
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for table in all_tables(now(), ranking, judged_in(opened, trace.question)) if ranking else ():
                archive.writestr(f"{table.name.lower()}.csv", table.csv())
        return file.getvalue()

    return (
        Export("Ranking (one HTML file)", f"{stem}.html", "text/html", page),
        Export("Trace (JSON)", f"{stem}.json", "application/json", lambda: now().to_json().encode()),
        Export("Tables (CSV, zipped)", f"{stem}-tables.zip", "application/zip", tables),
    )
