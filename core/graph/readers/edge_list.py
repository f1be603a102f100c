"""Reader of edge lists: two ids a line, parted by white space, as networkx and SNAP write them.

Lines that begin with # or % are comments. What follows the two ids (weights, attributes) is not read, and
the report says so. The edges have no type, so they are all "related to".
"""

from __future__ import annotations

from core.graph.readers.assembly import Assembly
from core.graph.readers.columns import ColumnChoice
from core.graph.readers.reader import Reader
from core.graph.readers.source import Source, suffix
from core.graph.readers.text import decode, split_lines
from core.graph.report import FileReport, LoadedGraph
from core.retriever import OnProgress

SUFFIXES = (".edgelist", ".edges", ".el", ".ncol")


def claims(source: Source) -> tuple[str, ...]:
    """A lone file with the ending of an edge list."""
    return tuple(name for name in source.names if suffix(name) in SUFFIXES)[:1]


def read(source: Source, choice: ColumnChoice, on_progress: OnProgress | None) -> LoadedGraph:
    """Read the list. A line of one word is rejected."""
    assembly = Assembly("edge list", source.name)
    for file in source.names:
        decoded = decode(source.read(file), file)
        count = 0
        for number, line in enumerate(split_lines(decoded.text), 1):
            words = line.split()
            if not words or words[0][0] in "#%":
                continue
            count += 1
            if len(words) < 2:
                assembly.reject(file, number, "the line has one id, not two", line)
                continue
            if len(words) > 2:
                assembly.ignore(f"{file}: what follows the two ids of a line")
            assembly.add_edge(file, number, words[0], "", words[1])
        assembly.add_file(FileReport(name=file, rows=count, encoding=decoded.encoding), decoded.surrogates)
    return assembly.finish()


READER = Reader("edge list", "edge lists parted by white space (.edgelist)", claims, read)
