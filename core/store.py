"""The run store: every run, its steps as they happen, and notes on them, in one SQLite file.

A step is on disk when `add_step` returns: one INSERT, one commit (measured at about a tenth of a
millisecond), so `kill -9` loses no finished step and nothing is buffered. A run whose process is gone
reads as "interrupted", with its steps. Reading changes nothing. Not here: running anything
(`core/runs.py`), what a step means, and how SQLite is opened (`core/database.py`).
"""

from __future__ import annotations

import json
import os
import re
import secrets
import sqlite3
import time
import weakref
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from core.database import Database
from core.errors import StoreError, TraceError
from core.owner import Heart, current_owner, is_alive
from core.store_tables import MIGRATIONS, RunSummary, summary
from core.trace import Status, Step, Trace, step_from_json

FILE_NAME = "runs.sqlite3"
_SURROGATES = re.compile("[\ud800-\udfff]")
_RUN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


def default_folder() -> Path:
    """Where runs are kept: CAUSEWAY_HOME, else the platform's folder for a user's data. Looked up at each call."""
    home = os.environ.get("CAUSEWAY_HOME")
    if home:
        try:
            return Path(home).expanduser()
        except RuntimeError:
            raise StoreError("there is no such home folder", where="CAUSEWAY_HOME", hint="Set a full path.") from None
    from platformdirs import user_data_dir

    return Path(user_data_dir("causeway", appauthor=False))


def new_run_id() -> str:
    """A new run id: the time it was made, for people, and 40 random bits, so that it cannot be guessed."""
    return f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(5)}"


# What a reader is told of a run. `dead`: the running runs of processes that are gone.
_SHOWN = "CASE WHEN id IN dead THEN 'interrupted' ELSE status END"
_INSERT_STEP = """INSERT INTO steps (run_id, agent, step, kind, body)
    SELECT id, ?, ?, ?, ? FROM runs WHERE id = ? AND status = 'running'"""


class Store:
    """The runs in `folder` (default: `default_folder()`). Safe for many threads, many stores and many processes.

    StoreError, with what to do, when the file cannot be opened, is damaged, is of a newer version, or
    cannot be written to (read-only, full disk). Text is kept as it is, but for lone surrogates, which
    no file can hold: they become U+FFFD.
    """

    def __init__(self, folder: Path | str | None = None) -> None:
        self.folder = default_folder() if folder is None else Path(folder).expanduser()
        self._database = Database(self.folder / FILE_NAME, MIGRATIONS)
        self._heart = Heart(_beat_in(self._database))
        weakref.finalize(self, self._heart.stop)

    @property
    def path(self) -> Path:
        """The file that holds the runs."""
        return self._database.path

    def close(self) -> None:
        """Close the file; the store is of no use afterwards."""
        self._heart.stop()
        self._database.close()

    # Writing a run as it happens

    def begin(self, run_id: str, head: Trace, *, label: str = "") -> None:
        """Note that a run began; `head` is its trace so far. StoreError if the id is taken."""
        if not _RUN_ID.fullmatch(run_id):
            raise StoreError(f"{run_id!r} cannot be a run's id", hint="Use letters, digits, '.', '_' and '-'.")
        self._insert(run_id, head.model_copy(update={"status": "running"}), label)
        self._heart.watch(run_id)

    def add_step(self, run_id: str, step: Step) -> bool:
        """Store a step; it is on disk when this returns. False, and nothing stored, if the run has ended or is gone."""
        values = (step.agent, step.index, step.kind, _json(step), run_id)
        with self._database.reading() as connection:
            return connection.execute(_INSERT_STEP, values).rowcount == 1

    def finish(self, run_id: str, trace: Trace) -> bool:
        """Store what came of a run. Steps that were not stored as they happened are added; none is taken away.

        False, and nothing stored, if the run had ended before. A status of "running" becomes "finished".
        """
        if trace.status == "running":
            trace = trace.model_copy(update={"status": "finished"})
        with self._database.writing() as connection:
            ended = connection.execute(
                "UPDATE runs SET status = ?, head = ? WHERE id = ? AND status = 'running'",
                (trace.status, _head(run_id, trace), run_id),
            )
            if ended.rowcount:
                known = set(connection.execute("SELECT agent, step, kind FROM steps WHERE run_id = ?", (run_id,)))
                missing = [s for s in trace.steps if (s.agent, s.index, s.kind) not in known]
                _insert_steps(connection, run_id, missing)
        self._heart.forget(run_id)
        return bool(ended.rowcount)

    def end(self, run_id: str, status: Status, *, error: str = "", seconds: float = 0.0) -> bool:
        """End a run whose method gave back no trace: what is stored is kept. False if it had ended before."""
        trace = self._read_head(run_id)
        return self.finish(run_id, trace.model_copy(update={"status": status, "error": error, "seconds": seconds}))

    # Whole traces

    def save(self, trace: Trace, *, label: str = "", run_id: str = "") -> str:
        """Store a complete trace under `run_id` (default: a new id) and return the id."""
        run_id = run_id or new_run_id()
        self._insert(run_id, trace, label)
        return run_id

    def replace(self, run_id: str, trace: Trace) -> None:
        """Put a later state of an ended run in its place, all at once: a session goes on, or a round was taken back.

        Its label and its place in the list stay. StoreError if there is no such run, or it is still running.
        """
        if self._read_head(run_id).status == "running":
            raise StoreError(f"run {run_id} is still running", hint="Stop it first.")
        if trace.status == "running":
            trace = trace.model_copy(update={"status": "finished"})
        texts = map(_clean, (trace.method, trace.question, trace.dataset.name, trace.dataset.content_id))
        with self._database.writing() as connection:
            connection.execute(
                "UPDATE runs SET method = ?, question = ?, dataset = ?, dataset_id = ?, status = ?, head = ?"
                " WHERE id = ?",
                (*texts, trace.status, _head(run_id, trace), run_id),
            )
            connection.execute("DELETE FROM steps WHERE run_id = ?", (run_id,))
            _insert_steps(connection, run_id, trace.steps)

    def import_trace(self, trace: Trace, *, label: str = "") -> str:
        """Store a trace that came from elsewhere and return its run id.

        A run of the same content that is here already is recognised: its id is returned, nothing is
        stored. Otherwise the trace keeps its id, unless that is taken or unfit: then it gets a new one.
        A trace taken from a run that was still running is kept as "interrupted".
        """
        if trace.status == "running":
            trace = trace.model_copy(update={"status": "interrupted"})
        try:
            trace = Trace.from_json(_clean(trace.to_json()))
        except (RecursionError, ValueError):
            raise TraceError("the trace is nested too deeply to be read") from None
        with self._database.reading() as connection:
            rows = connection.execute(
                "SELECT id FROM runs WHERE method = ? AND question = ? AND dataset_id = ? AND status != 'running' "
                "ORDER BY id != ?, created",
                (trace.method, trace.question, trace.dataset.content_id, trace.run_id),
            ).fetchall()
            taken = connection.execute("SELECT 1 FROM runs WHERE id = ?", (trace.run_id,)).fetchone()
        for (known,) in rows:
            if self.load(known).same_content(trace):
                return str(known)
        keep = _RUN_ID.fullmatch(trace.run_id) and not taken
        return self.save(trace, label=label, run_id=trace.run_id if keep else "")

    def load(self, run_id: str) -> Trace:
        """A run's trace, steps in order of arrival. StoreError if there is no such run.

        A running one shows its steps so far, with status "running", or "interrupted" if its process is gone.
        """
        head, steps = self._read_head(run_id), self.steps_after(run_id)[1]
        update: dict[str, Any] = {"steps": steps, "run_id": run_id}
        if head.status in ("running", "interrupted") and not head.seconds:
            update["seconds"] = max((s.at + s.seconds for s in steps), default=0.0)
        return head.model_copy(update=update)

    def steps_after(self, run_id: str, arrival: int = 0) -> tuple[int, tuple[Step, ...]]:
        """The steps that arrived after number `arrival`, and the last one's number, to ask with next time."""
        with self._database.reading() as connection:
            rows = connection.execute(
                "SELECT arrival, body FROM steps WHERE run_id = ? AND arrival > ? ORDER BY arrival", (run_id, arrival)
            ).fetchall()
        return (rows[-1][0] if rows else arrival), tuple(step_from_json(body) for _, body in rows)

    def export(self, run_id: str) -> str:
        """A run's trace as JSON text, the same that *Download trace* gives."""
        return self.load(run_id).to_json()

    def delete(self, run_id: str) -> None:
        """Delete a run with its steps and notes. StoreError if there is none, or it is still running."""
        if self._read_head(run_id).status == "running":
            raise StoreError(f"run {run_id} is still running", hint="Stop it first.")
        with self._database.writing() as connection:
            connection.execute("DELETE FROM runs WHERE id = ?", (run_id,))

    def list(
        self,
        limit: int | None = 50,
        method: str | None = None,
        status: Status | None = None,
        text: str | None = None,
        label: str | None = None,
    ) -> list[RunSummary]:
        """The newest runs first.

        text: what the question or the data set's name must contain, upper and lower case alike.
        label: only the runs that were begun with this label ("": with none).
        """
        conditions, values = ["1"], []
        for condition, value in (
            ("method = ?", method),
            (f"{_SHOWN} = ?", status),
            ("instr(casefold(question || char(10) || dataset), casefold(?))", text or None),
            ("label = ?", label),
        ):
            if value is not None:
                conditions.append(condition)
                values.append(_clean(value))
        query = f"""WITH dead AS (SELECT value FROM json_each(?))
            SELECT id, {_SHOWN}, method, question, label, dataset, dataset_id, head,
                (SELECT count(*) FROM steps WHERE run_id = runs.id)
            FROM runs WHERE {" AND ".join(conditions)} ORDER BY created DESC, rowid DESC LIMIT ?"""
        with self._database.reading() as connection:
            rows = connection.execute(query, (self._dead(), *values, -1 if limit is None else limit)).fetchall()
        return [summary(row) for row in rows]

    # Inside

    def _insert(self, run_id: str, trace: Trace, label: str) -> None:
        now = time.time()
        texts = map(_clean, (trace.method, trace.question, label, trace.dataset.name, trace.dataset.content_id))
        owner = current_owner() if trace.status == "running" else ""
        try:
            with self._database.writing() as connection:
                connection.execute(
                    "INSERT INTO runs (id, method, question, label, dataset, dataset_id, status, created, owner,"
                    " heartbeat, head) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    (run_id, *texts, trace.status, now, owner, now, _head(run_id, trace)),
                )
                _insert_steps(connection, run_id, trace.steps)
        except sqlite3.IntegrityError:
            raise StoreError(
                f"there is a run {run_id} already", hint="Choose another id, or delete that run."
            ) from None

    def _read_head(self, run_id: str) -> Trace:
        with self._database.reading() as connection:
            row = connection.execute(
                "SELECT head, status, owner, heartbeat FROM runs WHERE id = ?", (_clean(run_id),)
            ).fetchone()
        if row is None:
            raise self._no_run(run_id)
        head = Trace.from_json(row[0])
        if row[1] == "running" and not is_alive(row[2], row[3]):
            head = head.model_copy(update={"status": "interrupted"})
        return head

    def _dead(self) -> str:
        """The running runs of processes that are gone, as a JSON list of ids."""
        with self._database.reading() as connection:
            rows = connection.execute("SELECT id, owner, heartbeat FROM runs WHERE status = 'running'").fetchall()
        return json.dumps([run_id for run_id, owner, heartbeat in rows if not is_alive(owner, heartbeat)])

    def _no_run(self, run_id: str) -> StoreError:
        return StoreError(
            f"there is no run {run_id}", where=str(self.path), hint="`runs list` names the runs there are."
        )


def _beat_in(database: Database) -> Callable[[list[str]], None]:
    """What the store's heart does. It holds the database, not the store, so that an unused store can go."""

    def beat(runs: list[str]) -> None:
        # The run's own writes will report what is wrong; a missed beat alone loses nothing.
        with suppress(StoreError, sqlite3.Error), database.reading() as connection:
            connection.execute(
                "UPDATE runs SET heartbeat = ? WHERE status = 'running' AND id IN (SELECT value FROM json_each(?))",
                (time.time(), json.dumps(runs)),
            )

    return beat


def _insert_steps(connection: sqlite3.Connection, run_id: str, steps: Sequence[Step]) -> None:
    connection.executemany(
        "INSERT INTO steps (run_id, agent, step, kind, body) VALUES (?, ?, ?, ?, ?)",
        ((run_id, s.agent, s.index, s.kind, _json(s)) for s in steps),
    )


def _json(step: Step) -> str:
    # Not model_dump_json: it refuses lone surrogates and turns NaN into null.
    return _clean(json.dumps(step.model_dump(mode="json"), ensure_ascii=False))


def _head(run_id: str, trace: Trace) -> str:
    return _clean(trace.model_copy(update={"steps": (), "run_id": run_id}).to_json())


def _clean(text: str) -> str:
    return _SURROGATES.sub("\ufffd", text)
