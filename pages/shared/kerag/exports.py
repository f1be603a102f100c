"""What a KERAG run can be downloaded as: one HTML file, the trace, its tables."""

from __future__ import annotations

import io
import re
import zipfile

from core.trace import Trace
from pages.shared.bridge import theme
from pages.shared.shell import Export


def of(trace: Trace, without: frozenset[int] = frozenset()) -> tuple[Export, ...]:
    """The files of a run; each is made when it is asked for. without: triples taken away, as the screen shows it."""
    stem = re.sub(r"[^a-z0-9]+", "-", f"kerag-{trace.question}".lower()).strip("-")[:60] or "run"
    look = theme()
    return (
        Export("Report (one HTML file)", f"{stem}.html", "text/html", lambda: _report(trace, look, without)),
        Export("Trace (JSON)", f"{stem}.json", "application/json", lambda: trace.to_json().encode()),
        Export("Tables (CSV, zipped)", f"{stem}-tables.zip", "application/zip", lambda: _tables(trace)),
    )


def _report(trace: Trace, look: str, without: frozenset[int]) -> bytes:
    from core.figures.kerag.report import kerag_html

    return kerag_html(trace, theme="dark" if look == "dark" else "light", without=without).encode()


def _tables(trace: Trace) -> bytes:
    from core.figures.kerag.tables import all_tables

    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for table in all_tables(trace):
            archive.writestr(f"{table.name.lower().replace(' ', '-')}.csv", table.csv())
    return file.getvalue()
