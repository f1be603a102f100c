"""Where the bytes of documents come from: a file, a folder with all below it, a zip archive, or an upload.

Readers see names and bytes only. A name is a path below the source, with slashes. Not here: formats.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from core.corpus.archive import is_archive, open_archive
from core.corpus.limits import MAX_FILE_BYTES, MAX_FILES, MAX_TOTAL_BYTES, MAX_UPLOAD_BYTES
from core.errors import InputError

HEAD = 65_536
OWN_PATH = "Open a larger corpus by its path, on a server of your own."


@dataclass(frozen=True, slots=True)
class Files:
    """Named files, read when asked for. skipped: what was not even opened, and why."""

    name: str
    openers: Mapping[str, Callable[[], bytes]]
    skipped: tuple[tuple[str, str], ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The files, in order of their names."""
        return tuple(sorted(self.openers))

    def read(self, name: str) -> bytes:
        """All bytes of a file. InputError when it cannot be read."""
        try:
            return self.openers[name]()
        except OSError as error:
            raise InputError(f"the file cannot be read: {error.strerror or error}", where=name) from None


def files_of_path(path: Path) -> Files:
    """The file, the files of a zip archive, or all files below a folder; hidden ones and links are left out.

    InputError when there is nothing, or more than the limits allow.
    """
    if path.is_dir():
        return _of_folder(path)
    if not path.is_file():
        raise InputError("no such file or folder", where=str(path), hint="Check the spelling of the path.")
    size = path.stat().st_size
    if size > MAX_FILE_BYTES:
        raise InputError(_too_large(size, MAX_FILE_BYTES), where=path.name, hint="Split it into several files.")
    try:
        with path.open("rb") as file:
            head = file.read(HEAD)
    except OSError as error:
        raise InputError(f"the file cannot be read: {error.strerror}", where=str(path)) from None
    if is_archive(path.name, head):
        entries = open_archive(path.read_bytes(), path.name)
        return Files(path.stem, entries.openers, entries.skipped)
    return Files(path.stem, {path.name: path.read_bytes})


def files_of_upload(files: Mapping[str, bytes]) -> Files:
    """Files in memory by name; a zip archive among them counts as its files. InputError above 50 MB in all."""
    if not files:
        raise InputError("no file was given", hint="Choose at least one file.")
    total = sum(map(len, files.values()))
    if total > MAX_UPLOAD_BYTES:
        raise InputError(
            f"the upload has {total / 1024**2:.1f} MB; the limit is {MAX_UPLOAD_BYTES // 1024**2} MB",
            where=", ".join(sorted(files)[:6]),
            hint=OWN_PATH,
        )
    openers: dict[str, Callable[[], bytes]] = {}
    skipped: list[tuple[str, str]] = []
    for given, data in files.items():
        name = _harmless(given)
        if is_archive(name, data[:HEAD]):
            entries = open_archive(data, name)
            prefix = f"{PurePosixPath(name).stem}/" if len(files) > 1 else ""
            openers |= {prefix + entry: opener for entry, opener in entries.openers.items()}
            skipped += entries.skipped
        elif name in openers:
            raise InputError("two files have the same name", where=name, hint="Rename one of them.")
        else:
            openers[name] = _in_memory(data)
    first = PurePosixPath(_harmless(next(iter(files)))).stem
    return Files(first if len(files) == 1 else "upload", openers, tuple(skipped))


def suffix(name: str) -> str:
    """The lower-case ending of a file name, "" when it has none: "a/Report.PDF" -> ".pdf"."""
    return PurePosixPath(name).suffix.lower()


def _of_folder(path: Path) -> Files:
    openers: dict[str, Callable[[], bytes]] = {}
    skipped: list[tuple[str, str]] = []
    total = 0
    for folder, folders, names in os.walk(path, followlinks=False):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            if name.startswith("."):
                continue
            child = Path(folder) / name
            shown = child.relative_to(path).as_posix()
            if child.is_symlink():
                skipped.append((shown, "it is a link to another file"))
                continue
            if not child.is_file():
                skipped.append((shown, "it is no ordinary file"))
                continue
            size = child.stat().st_size
            if size > MAX_FILE_BYTES:
                skipped.append((shown, _too_large(size, MAX_FILE_BYTES)))
                continue
            total += size
            openers[shown] = child.read_bytes
            if len(openers) > MAX_FILES or total > MAX_TOTAL_BYTES:
                raise InputError(
                    f"the folder holds more than {MAX_FILES:,} files or {MAX_TOTAL_BYTES // 1024**2:,} MB",
                    where=path.name,
                    hint="Choose a part of it.",
                )
    if not openers and not skipped:
        raise InputError("the folder holds no file", where=path.name, hint="Choose a folder with documents in it.")
    return Files(path.resolve().name, openers, tuple(skipped))


def _harmless(name: str) -> str:
    """An uploaded file's name: a browser may send folders, of which those that lead upwards are dropped."""
    parts = [part for part in name.replace("\\", "/").split("/") if part not in ("", ".", "..")]
    return "/".join(parts) or "file"


def _too_large(size: int, limit: int) -> str:
    return f"it has {size / 1024**2:,.1f} MB; the limit is {limit // 1024**2:,} MB"


def _in_memory(data: bytes) -> Callable[[], bytes]:
    return lambda: data
