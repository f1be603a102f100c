"""Zip archives, opened with care: nothing is written to disk, and what is unpacked is counted as it comes.

An archive that leads out of itself, or that unpacks to far more than text does, is refused as a whole; an
archive within an archive is left closed.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Callable, Sequence
from typing import NamedTuple

from core.corpus.limits import MAX_ARCHIVE_BYTES, MAX_ARCHIVE_FILES, MAX_ARCHIVE_RATIO, RATIO_MATTERS
from core.errors import InputError

UNPACK = "Unpack it, look at what is in it, and choose the files."
_ARCHIVES = (".zip", ".tar", ".gz", ".tgz", ".bz2", ".xz", ".7z", ".rar", ".zst")


class Entries(NamedTuple):
    """The files of an archive by name, and those that were left out with the reason."""

    openers: dict[str, Callable[[], bytes]]
    skipped: tuple[tuple[str, str], ...]


def is_archive(name: str, head: bytes) -> bool:
    """Whether this is a zip archive of files, and not an office document, which is one inside."""
    return head.startswith((b"PK\x03\x04", b"PK\x05\x06")) and name.lower().endswith(".zip")


def open_archive(data: bytes, name: str) -> Entries:
    """The files of a zip archive. InputError when it is damaged, locked, a bomb, or leads out of itself."""
    archive = checked_zip(data, name)
    openers: dict[str, Callable[[], bytes]] = {}
    skipped: list[tuple[str, str]] = []
    for entry in archive.infolist():
        shown = entry.filename.replace("\\", "/")
        parts = shown.split("/")
        if entry.is_dir() or any(part.startswith(".") or part == "__MACOSX" for part in parts):
            continue
        if shown.lower().endswith(_ARCHIVES):
            skipped.append((shown, "it is an archive within an archive, which is not opened"))
        elif entry.external_attr >> 16 & 0o170000 == 0o120000:
            skipped.append((shown, "it is a link to another file"))
        elif shown in openers:
            skipped.append((shown, "the archive holds a file of this name twice"))
        else:
            openers[shown] = _opener(archive, entry, name)
    if not openers and not skipped:
        raise InputError("the archive holds no file", where=name, hint="Choose another one.")
    return Entries(openers, tuple(skipped))


def checked_zip(data: bytes, name: str) -> zipfile.ZipFile:
    """An opened zip file, office documents among them, whose directory was found harmless; else InputError."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
        entries = archive.infolist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError, EOFError) as error:
        raise InputError(f"the archive is damaged: {error}", where=name, hint="Get it once more.") from None
    _check(entries, len(data), name)
    return archive


def read_entry(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, name: str) -> bytes:
    """The bytes of one entry. A directory can lie: zipfile gives no more than it declares, and compares the sum.

    InputError when the entry is damaged or declares too little.
    """
    try:
        return archive.read(entry)
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, OSError, ValueError) as error:
        what = f"this part of the archive cannot be unpacked: {error}"
        raise InputError(what, where=f"{name}, {entry.filename}") from None


def _check(entries: Sequence[zipfile.ZipInfo], packed: int, name: str) -> None:
    if len(entries) > MAX_ARCHIVE_FILES:
        what = f"the archive holds {len(entries):,} files; the limit is {MAX_ARCHIVE_FILES:,}"
        raise InputError(what, where=name, hint=UNPACK)
    unpacked = sum(entry.file_size for entry in entries)
    if unpacked > MAX_ARCHIVE_BYTES:
        what = f"the archive unpacks to {unpacked / 1024**2:,.0f} MB; the limit is {MAX_ARCHIVE_BYTES // 1024**2} MB"
        raise InputError(what, where=name, hint=UNPACK)
    if unpacked > RATIO_MATTERS and unpacked > MAX_ARCHIVE_RATIO * packed:
        what = f"the archive unpacks to {unpacked / max(packed, 1):,.0f} times its size, which no text does"
        raise InputError(what, where=name, hint=UNPACK)
    for entry in entries:
        path = entry.filename.replace("\\", "/")
        if path.startswith("/") or re.match("[A-Za-z]:", path) or ".." in path.split("/"):
            what = f"the archive holds a file that would lie outside of it: {entry.filename[:120]!r}"
            raise InputError(what, where=name, hint=UNPACK)
        if entry.flag_bits & 1:
            raise InputError("the archive is locked with a password", where=name, hint="Unpack it with its password.")


def _opener(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, name: str) -> Callable[[], bytes]:
    return lambda: read_entry(archive, entry, name)
