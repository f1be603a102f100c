"""The list of graph formats, and the choice among them. A further format is one file and one line here."""

from __future__ import annotations

from core.errors import EmptyGraphError, InputError
from core.graph.readers import (
    apoc,
    cytoscape,
    edge_list,
    gexf,
    graphml,
    kg_folder,
    node_link,
    ntriples,
    parquet,
    tables,
)
from core.graph.readers.others import refuse_other_formats
from core.graph.readers.reader import Reader
from core.graph.readers.source import Source

# Of a lone file the first that claims it reads it, so the readers that look at content come first.
READERS: tuple[Reader, ...] = (
    kg_folder.READER,
    parquet.READER,
    graphml.READER,
    gexf.READER,
    ntriples.READER,
    apoc.READER,
    node_link.READER,
    cytoscape.READER,
    edge_list.READER,
    tables.READER,
)
ACCEPTED = "; ".join(reader.title for reader in READERS)


def choose(source: Source) -> tuple[Reader, Source]:
    """The reader for a source, and the files it will read.

    InputError, naming what is read, when nobody or more than one reader can take it; EmptyGraphError for
    an empty file.
    """
    lone = len(source.names) == 1
    if lone and not source.head(source.names[0]).strip():
        raise EmptyGraphError("the file is empty", where=source.names[0])
    refuse_other_formats(source, ACCEPTED)
    if lone:
        by_content = next((reader for reader in READERS if reader.claims(source)), tables.READER)
        if source.names[0].lower().endswith(".json") and by_content in (tables.READER, edge_list.READER):
            raise InputError(
                "this JSON holds no graph of a known shape", where=source.names[0], hint=f"Read are: {ACCEPTED}."
            )
        return by_content, source
    claimed = [(reader, names) for reader in READERS if (names := reader.claims(source))]
    if not claimed:
        raise InputError("no file of a known format is here", where=_some(source.names), hint=f"Read are: {ACCEPTED}.")
    best = claimed[0]
    if best[0] is not kg_folder.READER and (len(claimed) > 1 or (len(best[1]) > 1 and not best[0].several)):
        files = [name for _, names in claimed for name in names]
        raise InputError(
            "these are several graphs", where=_some(files), hint="Choose the one file, or the files, of one graph."
        )
    return best[0], source.only(best[1])


def _some(names: tuple[str, ...] | list[str]) -> str:
    return ", ".join(names[:6]) + (", ..." if len(names) > 6 else "")
