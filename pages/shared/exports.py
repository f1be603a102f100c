"""What a run can be downloaded as: a replay that opens by itself, the trace, and its tables."""

from __future__ import annotations

import io
import re
import zipfile

from core.trace import Trace
from pages.shared.bridge import theme
from pages.shared.shell import Export


def of(trace: Trace) -> tuple[Export, ...]:
    """The files of a run; each is made when it is asked for."""
    stem = re.sub(r"[^a-z0-9]+", "-", f"{trace.method}-{trace.question}".lower()).strip("-")[:60] or "run"
    look = theme()
    return (
        Export("Replay (one HTML file)", f"{stem}.html", "text/html", lambda: _replay(trace, look)),
        Export("Trace (JSON)", f"{stem}.json", "application/json", lambda: trace.to_json().encode()),
        Export("Tables (CSV, zipped)", f"{stem}-tables.zip", "application/zip", lambda: _tables(trace)),
    )


def _replay(trace: Trace, look: str) -> bytes:
    from core.figures.replay import replay_html

    return replay_html(trace, theme=look).encode()


def _tables(trace: Trace) -> bytes:
    from core.figures.tables import all_tables

    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for table in all_tables(trace):
            archive.writestr(f"{table.name.lower()}.csv", table.csv())
    return file.getvalue()
