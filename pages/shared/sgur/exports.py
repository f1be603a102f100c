"""What a session can be downloaded as: a report that opens by itself, the trace, and its tables."""

from __future__ import annotations

import io
import re
import zipfile
from typing import TYPE_CHECKING

from pages.shared.bridge import theme
from pages.shared.shell import Export

if TYPE_CHECKING:
    from core.trace import Trace


def of(trace: Trace) -> tuple[Export, ...]:
    """The files of a session; each is made when it is asked for."""
    stem = re.sub(r"[^a-z0-9]+", "-", f"sgur-{trace.question}".lower()).strip("-")[:60]
    look = theme()
    return (
        Export("Report (one HTML file)", f"{stem}.html", "text/html", lambda: _report(trace, look)),
        Export("Session (JSON)", f"{stem}.json", "application/json", lambda: trace.to_json().encode()),
        Export("Tables (CSV, zipped)", f"{stem}-tables.zip", "application/zip", lambda: _tables(trace)),
    )


def _report(trace: Trace, look: str) -> bytes:
    from core.figures.sgur.report import session_html

    return session_html(trace, "dark" if look == "dark" else "light").encode()


def _tables(trace: Trace) -> bytes:
    from core.figures.sgur.tables import all_tables

    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for table in all_tables(trace):
            archive.writestr(f"{table.name.lower().replace(' ', '-')}.csv", table.csv())
    return file.getvalue()
