"""Folders of derived data (indexes, vectors, read graphs) kept on disk between runs, up to a size limit.

Each entry is a folder that appears whole or not at all: it is written under a temporary name and renamed.
Any number of threads and processes may read and write at once. Nothing here is the only copy of anything:
an entry can vanish at any time, so a reader treats a missing file as an absent entry and makes it anew.

Layout: ROOT/KIND/DIGEST/ with the writer's files and entry.json, which names the key and the size of each
file; its modification time says when the entry was last used. ROOT/.tmp holds what is being written or removed.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import shutil
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from core.errors import StoreError

LIMIT_BYTES = 4 * 1024**3
MANIFEST = "entry.json"
STALE_SECONDS = 24 * 3600.0  # a temporary folder this old belongs to a process that died


class CacheEntry(NamedTuple):
    """One folder of the cache. `used_at`: seconds since the epoch, of the last read or write."""

    kind: str
    key: str
    path: Path
    bytes: int
    used_at: float


def cache_root() -> Path:
    """CAUSEWAY_HOME/cache where that variable is set now, else the platform's folder for caches."""
    home = os.environ.get("CAUSEWAY_HOME")
    if home:
        return Path(home) / "cache"
    import platformdirs

    return Path(platformdirs.user_cache_dir("causeway"))


class DiskCache:
    """A cache of folders by kind ("bm25", "vectors") and key; the least recently used go first."""

    def __init__(self, root: Path | None = None, limit_bytes: int = LIMIT_BYTES) -> None:
        self._root = root
        self.limit_bytes = limit_bytes

    @property
    def root(self) -> Path:
        """Where the entries lie; asked anew each time, as the environment may change."""
        return self._root or cache_root()

    def get_folder(self, kind: str, key: str) -> Path | None:
        """The entry's folder, now the most recently used; None when there is none or it was damaged (and is gone)."""
        path = self._path(kind, key)
        entry = _read_entry(path)
        if entry is None or (entry.kind, entry.key) != (kind, key):
            if path.exists():
                self._discard(path)
            return None
        try:
            os.utime(path / MANIFEST)
        except OSError:  # a read-only cache, or evicted this instant
            return path if path.is_dir() else None
        return path

    def put_folder(self, kind: str, key: str, writer: Callable[[Path], None]) -> Path:
        """Let `writer` fill an empty folder, then make it the entry, and evict others until under the limit.

        An entry that another writer finished first is kept: the same key means the same content. Any error
        of `writer` leaves nothing behind; an OSError, its own or the disk's, becomes a StoreError.
        """
        path = self._path(kind, key)
        draft = self._temporary()
        try:
            draft.mkdir(parents=True)
            writer(draft)
            files = {str(f.relative_to(draft)): f.stat().st_size for f in sorted(draft.rglob("*")) if f.is_file()}
            manifest = {"kind": kind, "key": key, "files": files}
            (draft / MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")
            self._publish(draft, path)
        except OSError as error:
            hint = "Free some space on that disk, or set CAUSEWAY_HOME to a folder that can be written."
            raise StoreError(f"the cache cannot be written: {error}", where=str(self.root), hint=hint) from error
        finally:
            shutil.rmtree(draft, ignore_errors=True)
        self._evict(keep=path)
        return path

    def remove(self, kind: str, key: str) -> None:
        """Forget an entry, for a reader that found its content unusable."""
        self._discard(self._path(kind, key))

    def entries(self) -> tuple[CacheEntry, ...]:
        """All whole entries, the least recently used first."""
        found = (_read_entry(path) for path in self.root.glob("[!.]*/*"))
        return tuple(sorted((e for e in found if e is not None), key=lambda e: (e.used_at, e.kind, e.key)))

    def size(self) -> int:
        """Bytes of all entries' files."""
        return sum(entry.bytes for entry in self.entries())

    def clear(self, kind: str | None = None) -> int:
        """Remove every entry, or every one of a kind; returns the bytes freed."""
        going = [entry for entry in self.entries() if kind in (None, entry.kind)]
        for entry in going:
            self._discard(entry.path)
        return sum(entry.bytes for entry in going)

    def _path(self, kind: str, key: str) -> Path:
        if not re.fullmatch(r"[a-z0-9][a-z0-9_-]*", kind):
            raise ValueError(f"{kind!r} is not a kind of cache entry: small letters, digits, - and _")
        digest = hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()
        return self.root / kind / digest[:40]

    def _temporary(self) -> Path:
        return self.root / ".tmp" / uuid.uuid4().hex

    def _publish(self, draft: Path, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        for _ in range(100):
            try:
                draft.rename(path)
                return
            except OSError as error:
                # Taken, and perhaps free again by now: another process may evict it between the two calls.
                if error.errno not in (errno.EEXIST, errno.ENOTEMPTY, errno.ENOTDIR, errno.EACCES):
                    raise
            if _read_entry(path) is not None:
                return
            self._discard(path)
        raise OSError(f"{path} cannot be replaced")

    def _discard(self, path: Path) -> None:
        """Take the folder out of sight at once, then delete it; a file held open elsewhere may delay that."""
        grave = self._temporary()
        try:
            grave.parent.mkdir(parents=True, exist_ok=True)
            path.rename(grave)
        except OSError:
            return
        if grave.is_dir():
            shutil.rmtree(grave, ignore_errors=True)
        else:
            grave.unlink(missing_ok=True)

    def _evict(self, keep: Path) -> None:
        entries = self.entries()
        total = sum(entry.bytes for entry in entries)
        for entry in entries:
            if total <= self.limit_bytes:
                break
            if entry.path != keep:
                self._discard(entry.path)
                total -= entry.bytes
        for leftover in (self.root / ".tmp").glob("*"):
            try:
                stale = time.time() - leftover.stat().st_mtime > STALE_SECONDS
            except OSError:
                continue
            if stale:
                shutil.rmtree(leftover, ignore_errors=True)


def _read_entry(path: Path) -> CacheEntry | None:
    """The entry at `path`, or None where a file is missing or not of the size it was written with."""
    try:
        manifest = json.loads((path / MANIFEST).read_text(encoding="utf-8"))
        files = {str(name): int(size) for name, size in manifest["files"].items()}
        if any((path / name).stat().st_size != size for name, size in files.items()):
            return None
        used_at = (path / MANIFEST).stat().st_mtime
        return CacheEntry(str(manifest["kind"]), str(manifest["key"]), path, sum(files.values()), used_at)
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return None
