"""Graph files to graphs: `read_graph` for a path, `read_upload` for bytes, `inspect_table` for a column mapper.

A file is taken whole, its unusable lines listed in the report, or refused with file, line and reason.
Not here: the formats, each in its own file and listed in `registry`.
"""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import Path

from core.errors import InputError
from core.graph.cache import keep_graph, open_graph
from core.graph.readers.columns import ColumnChoice, ColumnMap
from core.graph.readers.delimited import TableSummary, open_table, summarise
from core.graph.readers.parquet import is_parquet, summarise_parquet
from core.graph.readers.registry import ACCEPTED, READERS, choose
from core.graph.readers.source import Source
from core.graph.report import LoadedGraph, ReadReport
from core.retriever import OnProgress

__all__ = [
    "ACCEPTED",
    "FORMATS",
    "MAX_UPLOAD_BYTES",
    "ColumnMap",
    "LoadedGraph",
    "ReadReport",
    "TableSummary",
    "inspect_table",
    "read_graph",
    "read_upload",
    "sniff",
]

MAX_UPLOAD_BYTES = 50 * 1024 * 1024
FORMATS: tuple[str, ...] = tuple(reader.title for reader in READERS)
VERSION = 1  # of all readers together: raise it when one of them reads differently, and kept graphs are read anew


def read_graph(
    path: str | PathLike[str],
    *,
    columns: ColumnChoice = None,
    name: str | None = None,
    on_progress: OnProgress | None = None,
) -> LoadedGraph:
    """Read the graph in a file or folder, from the cache if the same bytes were read before.

    columns: a column map for its tables, or one for each file name; None: guess. name: what to call the
    graph; the file's or folder's name by default. InputError or EmptyGraphError says file, line and reason.
    """
    return _read(Source.of_path(Path(path)), columns, name, on_progress)


def read_upload(
    files: Mapping[str, bytes],
    *,
    columns: ColumnChoice = None,
    name: str | None = None,
    on_progress: OnProgress | None = None,
) -> LoadedGraph:
    """The same for files in memory, by name. InputError, before anything is read, above 50 MB in all."""
    total = sum(map(len, files.values()))
    if total > MAX_UPLOAD_BYTES:
        raise InputError(
            f"the upload has {total / 1024**2:.1f} MB; the limit is {MAX_UPLOAD_BYTES // 1024**2} MB",
            where=", ".join(sorted(files)),
            hint="Open a larger graph by its path, on a server of your own.",
        )
    return _read(Source.of_bytes(files), columns, name, on_progress)


def sniff(path: str | PathLike[str]) -> str:
    """The name of the format that would read this file or folder. InputError when there is none."""
    return choose(Source.of_path(Path(path)))[0].name


def inspect_table(data: str | PathLike[str] | bytes, name: str = "", header: bool | None = None) -> TableSummary:
    """Columns, first rows and the guess for a table: what a column mapper shows. `name` is for bytes.

    header: whether the first row names the columns; None: find out. InputError when it is no table.
    """
    source = Source.of_bytes({name or "table": data}) if isinstance(data, bytes) else Source.of_path(Path(data))
    file = source.names[0]
    content = source.read(file)
    return summarise_parquet(content, file) if is_parquet(content) else summarise(open_table(content, file, header))


def _read(source: Source, columns: ColumnChoice, name: str | None, on_progress: OnProgress | None) -> LoadedGraph:
    reader, part = choose(source)
    chosen = columns.model_dump_json() if isinstance(columns, ColumnMap) else repr(sorted((columns or {}).items()))
    contents = {file: part.read(file) for file in part.names}
    recipe = f"{VERSION} {reader.name} {chosen}"
    loaded = open_graph(contents, recipe)
    if loaded is None:
        loaded = reader.read(part, columns, on_progress)
        keep_graph(contents, recipe, loaded)
    unread = tuple(file for file in source.names if file not in part.names)
    report = loaded.report.model_copy(update={"ignored": unread + loaded.report.ignored})
    return LoadedGraph(loaded.graph.with_name(name or source.name), report)
