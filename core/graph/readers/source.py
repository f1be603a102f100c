"""Where the bytes of a graph come from: one file, the files of a folder, or an upload in memory.

Readers see names and bytes only, so a path and an upload are read by the same code. Not here: formats.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path, PurePath
from typing import Any

from core.errors import InputError

HEAD = 65_536
_BETWEEN_WORDS = re.compile(r"[ _.-]+|(?<=[a-z0-9])(?=[A-Z])")


class Source:
    """Named files, read when asked for. `name` is what the graph will be called."""

    def __init__(self, name: str, openers: Mapping[str, Callable[[int | None], bytes]]) -> None:
        self.name = name
        self.names: tuple[str, ...] = tuple(sorted(openers))
        self._openers = dict(openers)
        self._read: dict[str, bytes] = {}
        self.parsed: dict[str, Any] = {}  # what a reader's test has parsed and its `read` will need

    @classmethod
    def of_path(cls, path: Path) -> Source:
        """The file, or the files lying directly in the folder (hidden ones left out)."""
        if path.is_dir():
            files = [child for child in path.iterdir() if child.is_file() and not child.name.startswith(".")]
            if not files:
                raise InputError(
                    "the folder holds no file", where=path.name, hint="Choose a folder with a graph in it."
                )
        elif path.is_file():
            files = [path]
        else:
            raise InputError("no such file or folder", where=str(path), hint="Check the spelling of the path.")
        return cls(path.stem if path.is_file() else path.name, {child.name: _opener(child) for child in files})

    @classmethod
    def of_bytes(cls, files: Mapping[str, bytes]) -> Source:
        """Files in memory, by name. A browser may send a name with folders in it: only the last part counts.

        The source is called by what the names have in common.
        """
        if not files:
            raise InputError("no file was given", hint="Choose at least one file.")
        names = {PurePath(name.replace("\\", "/")).name or "file": data for name, data in files.items()}
        if len(names) < len(files):
            raise InputError("two files have the same name", hint="Rename one of them.")
        return cls(_common_name(list(names)), {name: _in_memory(data) for name, data in names.items()})

    def only(self, names: tuple[str, ...]) -> Source:
        """The same source with these files alone."""
        part = Source(self.name, {name: self._openers[name] for name in names})
        part.parsed = self.parsed
        part._read = {name: data for name, data in self._read.items() if name in names}
        return part

    def read(self, name: str) -> bytes:
        """All bytes of a file, kept for the next reader that asks."""
        if name not in self._read:
            self._read[name] = self._open(name, None)
        return self._read[name]

    def head(self, name: str) -> bytes:
        """The first bytes of a file, enough to tell its format."""
        return self._read[name][:HEAD] if name in self._read else self._open(name, HEAD)

    def _open(self, name: str, limit: int | None) -> bytes:
        try:
            return self._openers[name](limit)
        except OSError as error:
            raise InputError(f"the file cannot be read: {error.strerror}", where=name) from None


def suffix(name: str) -> str:
    """The lower-case ending of a file name, "" when it has none: "Graph.CSV" -> ".csv"."""
    return PurePath(name).suffix.lower()


def stem(name: str) -> str:
    """The lower-case file name without its ending."""
    return PurePath(name).stem.lower()


def _common_name(names: Sequence[str]) -> str:
    """The stem of a lone file; the words with which all names begin, or else end: "quaker-nodes", "quaker-edges" ->
    "quaker"; names that share none are listed: "nodes and edges", "people and 2 more files".
    """
    stems = [PurePath(name).stem for name in names]
    if len(stems) == 1:
        return stems[0]
    words = [[word for word in _BETWEEN_WORDS.split(stem) if word] for stem in stems]
    common = _alike(words) or _alike([own[::-1] for own in words])[::-1]
    if common:
        return "-".join(common)
    return f"{stems[0]} and {stems[1]}" if len(stems) == 2 else f"{stems[0]} and {len(stems) - 1} more files"


def _alike(names: Sequence[Sequence[str]]) -> list[str]:
    """The words with which all begin."""
    common = []
    for words in zip(*names, strict=False):
        if len(set(words)) > 1:
            break
        common.append(words[0])
    return common


def _opener(path: Path) -> Callable[[int | None], bytes]:
    def read(limit: int | None) -> bytes:
        with path.open("rb") as file:
            return file.read() if limit is None else file.read(limit)

    return read


def _in_memory(data: bytes) -> Callable[[int | None], bytes]:
    return lambda limit: data if limit is None else data[:limit]
