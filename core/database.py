"""One SQLite file: opened in WAL mode, brought to the current schema, with sqlite's errors put in words.

Several processes may have the same file open, and several threads one `Database`: writes of this
process go through one lock per file, so they never wait on sqlite's own polling; other processes are
waited for (`BUSY_SECONDS`). Not here: what the tables mean (`core/store.py`).

Durability: `synchronous=NORMAL` in WAL. A committed transaction is in the operating system's hands
before the call returns, so it outlives `kill -9`; only a power cut may take the last few.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from core.errors import StoreError

BUSY_SECONDS = 5.0
Migration = Callable[[sqlite3.Connection], None]

_LOCKS: dict[Path, threading.RLock] = {}
_LOCKS_GUARD = threading.Lock()


def _lock_of(path: Path) -> threading.RLock:
    with _LOCKS_GUARD:
        return _LOCKS.setdefault(path.resolve(), threading.RLock())


class Database:
    """A connection to `path`, created and migrated when needed. StoreError when that is impossible.

    migrations: migration i takes the schema from version i to i + 1 (SQLite's `user_version`); the
    list only ever grows. A file of a newer version is refused, and nothing is done to it.
    """

    def __init__(self, path: Path, migrations: Sequence[Migration]) -> None:
        self.path = path
        self._migrations = tuple(migrations)
        self._lock = _lock_of(path)
        with self._lock:
            self._open()

    def _open(self) -> None:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(
                f"the folder for runs cannot be made: {error.strerror or error}",
                where=str(self.path.parent),
                hint="Set CAUSEWAY_HOME to a folder that can be written to.",
            ) from None
        self._pid = os.getpid()
        with self._worded():
            # Autocommit: a single statement is a transaction; longer ones are opened by `writing`.
            self._connection = sqlite3.connect(
                self.path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
            )
            self._finalizer = weakref.finalize(self, self._connection.close)
            try:
                self._prepare()
            except BaseException:
                self._finalizer()
                raise

    def _prepare(self) -> None:
        connection = self._connection
        version = self._version()  # reads the file's header: a file that is no database is refused here
        known = len(self._migrations)
        if version > known:
            raise StoreError(
                f"the run store has schema version {version}, this program knows up to {known}",
                where=str(self.path),
                hint="Use the newer Causeway that wrote it, or set CAUSEWAY_HOME to another folder.",
            )
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute("PRAGMA foreign_keys=ON")
        connection.create_function("casefold", 1, str.casefold, deterministic=True)
        if version < known:
            self._migrate()

    def _version(self) -> int:
        return int(self._connection.execute("PRAGMA user_version").fetchone()[0])

    def _migrate(self) -> None:
        connection = self._connection
        connection.execute("BEGIN IMMEDIATE")
        try:
            # Asked again inside the transaction: another process may have migrated in between.
            for number in range(self._version(), len(self._migrations)):
                self._migrations[number](connection)
                connection.execute(f"PRAGMA user_version={number + 1}")
            connection.execute("COMMIT")
        except BaseException:
            self._roll_back()
            raise

    def _roll_back(self) -> None:
        # sqlite has already rolled back by itself after some errors (a full disk).
        with suppress(sqlite3.Error):
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """The connection, for one or a few statements; each single statement commits by itself."""
        with self._lock, self._worded():
            if self._pid != os.getpid():  # a forked child must not touch its parent's connection
                self._finalizer.detach()
                self._open()
            yield self._connection

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction: all of it is kept, or none."""
        with self.reading() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                self._roll_back()
                raise

    @contextmanager
    def _worded(self) -> Iterator[None]:
        """Turn sqlite's errors into StoreErrors that say what to do. Mistakes in our SQL stay what they are."""
        try:
            yield
        except (sqlite3.ProgrammingError, sqlite3.IntegrityError, sqlite3.InterfaceError):
            raise
        except sqlite3.DatabaseError as error:
            raise self._explain(error) from error

    def _explain(self, error: sqlite3.DatabaseError) -> StoreError:
        code = (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF
        what, hint = _EXPLANATIONS.get(
            code, (f"the run store failed: {error}", "See the message; nothing was moved or deleted.")
        )
        return StoreError(what, where=str(self.path), hint=hint)

    def close(self) -> None:
        """Close the connection. The object is of no use afterwards."""
        with self._lock:
            self._finalizer()


_DAMAGED = (
    "the run store is damaged or not a database",
    "Nothing was changed. Move the file (with its -wal and -shm files) elsewhere to start afresh, or put a copy back.",
)
_EXPLANATIONS: dict[int, tuple[str, str]] = {
    sqlite3.SQLITE_FULL: ("the disk is full", "What was stored before is kept. Free some space and try again."),
    sqlite3.SQLITE_IOERR: ("the disk could not be read or written", "Check the disk and its free space, then retry."),
    sqlite3.SQLITE_READONLY: (
        "the run store cannot be written to",
        "Change the file's permissions, or set CAUSEWAY_HOME to another folder.",
    ),
    sqlite3.SQLITE_CANTOPEN: (
        "the run store cannot be opened",
        "Check that its folder exists and can be written to, or set CAUSEWAY_HOME to another folder.",
    ),
    sqlite3.SQLITE_PERM: ("the run store may not be opened", "Change its permissions, or set CAUSEWAY_HOME."),
    sqlite3.SQLITE_BUSY: (
        f"another process kept the run store locked for {BUSY_SECONDS:.0f} seconds",
        "Try again; if it lasts, end the process that holds it.",
    ),
    sqlite3.SQLITE_LOCKED: ("the run store is locked", "Try again."),
    sqlite3.SQLITE_CORRUPT: _DAMAGED,
    sqlite3.SQLITE_NOTADB: _DAMAGED,
}
