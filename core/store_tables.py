"""The tables of the run store, one migration a version, and one line of a list of runs.

A migration is never changed once released: a new version is a new function at the end of `MIGRATIONS`.
"""

from __future__ import annotations

import json
import sqlite3
from typing import Any

from core.trace import Frozen, Status

UNREADABLE = "what is stored of this run cannot be read"


class RunSummary(Frozen):
    """One line of a list of runs. `top` is the name ranked first; `seconds` is 0 while a run is running."""

    run_id: str
    method: str
    question: str
    label: str
    status: Status
    error: str
    dataset: str
    dataset_id: str
    decided_by: str
    started_at: str
    seconds: float
    steps: int
    top: str


def _first_tables(connection: sqlite3.Connection) -> None:
    connection.execute(
        """CREATE TABLE runs (
            id TEXT PRIMARY KEY, method TEXT NOT NULL, question TEXT NOT NULL, label TEXT NOT NULL,
            dataset TEXT NOT NULL, dataset_id TEXT NOT NULL, status TEXT NOT NULL, created REAL NOT NULL,
            owner TEXT NOT NULL, heartbeat REAL NOT NULL,
            head TEXT NOT NULL)"""  # head: the trace without its steps, as JSON
    )
    connection.execute("CREATE INDEX runs_created ON runs (created)")
    connection.execute("CREATE INDEX runs_status ON runs (status)")
    connection.execute(
        """CREATE TABLE steps (
            arrival INTEGER PRIMARY KEY,
            run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
            agent INTEGER NOT NULL, step INTEGER NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL)"""
    )
    connection.execute("CREATE INDEX steps_run ON steps (run_id)")


def _annotations(connection: sqlite3.Connection) -> None:
    # agent and step are NULL for a note on the whole run.
    connection.execute(
        """CREATE TABLE annotations (
            id INTEGER PRIMARY KEY,
            run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
            agent INTEGER, step INTEGER, tag TEXT NOT NULL, note TEXT NOT NULL DEFAULT '',
            severity INTEGER NOT NULL DEFAULT 0, created REAL NOT NULL)"""
    )
    connection.execute("CREATE INDEX annotations_run ON annotations (run_id)")


MIGRATIONS = (_first_tables, _annotations)


def summary(row: tuple[Any, ...]) -> RunSummary:
    """A summary from a row of the columns named here, in this order."""
    run_id, status, method, question, label, dataset, dataset_id, text, steps = row
    try:
        head = json.loads(text)
    except ValueError:  # one damaged row must not hide the others
        head = {"error": UNREADABLE, "decided_by": "", "started_at": "", "seconds": 0.0, "ranked": []}
    return RunSummary(
        run_id=run_id,
        method=method,
        question=question,
        label=label,
        status=status,
        error=head["error"],
        dataset=dataset,
        dataset_id=dataset_id,
        decided_by=head["decided_by"],
        started_at=head["started_at"],
        seconds=head["seconds"],
        steps=steps,
        top=head["ranked"][0]["name"] if head["ranked"] else "",
    )
