"""What a run can be downloaded as: a replay that opens by itself, the trace, and its tables."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterable
from typing import TYPE_CHECKING

from core.trace import Trace
from pages.shared.bridge import theme
from pages.shared.shell import Export

if TYPE_CHECKING:
    from core.figures.tables import Table


def of(trace: Trace) -> tuple[Export, ...]:
    """The files of a run; each is made when it is asked for."""
    stem = _stem(trace)
    look = theme()
    return (
        Export("Replay (one HTML file)", f"{stem}.html", "text/html", lambda: _replay(trace, look)),
        Export("Trace (JSON)", f"{stem}.json", "application/json", lambda: trace.to_json().encode()),
        Export("Tables (CSV, zipped)", f"{stem}-tables.zip", "application/zip", lambda: _tables(trace)),
    )


def of_both(one: Trace, other: Trace) -> Export:
    """The tables of a comparison."""
    label, name = "These tables (CSV, zipped)", f"{other.method}-beside-{_stem(one)}-tables.zip"
    return Export(label, name, "application/zip", lambda: _compared(one, other))


def _stem(trace: Trace) -> str:
    return re.sub(r"[^a-z0-9]+", "-", f"{trace.method}-{trace.question}".lower()).strip("-")[:60] or "run"


def _replay(trace: Trace, look: str) -> bytes:
    from core.figures.replay import replay_html

    return replay_html(trace, theme=look).encode()


def _tables(trace: Trace) -> bytes:
    from core.figures.tables import all_tables

    return _zipped(all_tables(trace))


def _compared(one: Trace, other: Trace) -> bytes:
    from core.figures.compare import compare_tables

    return _zipped(compare_tables(one, other))


def _zipped(tables: Iterable[Table]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for table in tables:
            archive.writestr(f"{table.name.lower().replace(' ', '-')}.csv", table.csv())
    return file.getvalue()
