"""Where the replies of a model are kept, run by run, beside the run store: SQLite files that hold no key."""

from __future__ import annotations

import re
from pathlib import Path

from core.store import default_folder

RUN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


def path_of(run_id: str) -> Path | None:
    """The file for a run's replies, whether it is there or not; None for what can be no run's id."""
    return default_folder() / "recordings" / f"{run_id}.sqlite" if RUN_ID.fullmatch(run_id) else None


def kept(run_id: str) -> Path | None:
    """The file of a run's replies; None when none were kept."""
    path = path_of(run_id)
    return path if path is not None and path.is_file() else None


def delete(run_id: str) -> None:
    """Delete a run's replies, with what SQLite puts beside the file."""
    path = path_of(run_id)
    for suffix in ("", "-wal", "-shm") if path is not None else ():
        Path(f"{path}{suffix}").unlink(missing_ok=True)
