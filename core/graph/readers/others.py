"""Formats that are known and not read here: recognised, so that they are refused by their name with a way out.

Not here: the formats that are read.
"""

from __future__ import annotations

import re

from core.errors import InputError
from core.graph.readers.safe_xml import root_element
from core.graph.readers.source import Source, suffix

_TO_NTRIPLES = "Convert it to N-Triples (.nt), for example with rapper, riot or rdflib."
_UNPACK = "Unpack it and choose the files in it."
_AS_CSV = "Save its sheets or tables as CSV: one of nodes, one of edges."
_BY_SUFFIX: dict[str, tuple[str, str]] = {
    ".ttl": ("Turtle", _TO_NTRIPLES),
    ".n3": ("Notation3", _TO_NTRIPLES),
    ".trig": ("TriG", _TO_NTRIPLES),
    ".nq": ("N-Quads", _TO_NTRIPLES),
    ".owl": ("OWL", _TO_NTRIPLES),
    ".rdf": ("RDF/XML", _TO_NTRIPLES),
    ".jsonld": ("JSON-LD", _TO_NTRIPLES),
    ".gml": ("GML", "Convert it to GraphML, for example with networkx or Gephi."),
    ".dot": ("Graphviz", "Convert it to GraphML or CSV."),
    ".gv": ("Graphviz", "Convert it to GraphML or CSV."),
    ".net": ("Pajek", "Convert it to GraphML, for example with networkx or Gephi."),
    ".xlsx": ("an Excel workbook", _AS_CSV),
    ".xls": ("an Excel workbook", _AS_CSV),
    ".ods": ("a spreadsheet", _AS_CSV),
    ".zip": ("a zip archive", _UNPACK),
    ".gz": ("a gzip archive", _UNPACK),
    ".bz2": ("a bzip2 archive", _UNPACK),
    ".xz": ("an xz archive", _UNPACK),
    ".7z": ("a 7-Zip archive", _UNPACK),
    ".tar": ("a tar archive", _UNPACK),
    ".pdf": ("a PDF document", "A graph is read from files of nodes and edges."),
    ".docx": ("a Word document", "A graph is read from files of nodes and edges."),
    ".pkl": ("a pickle", "Pickles can run code and are never opened; save the graph as GraphML or JSON."),
    ".pickle": ("a pickle", "Pickles can run code and are never opened; save the graph as GraphML or JSON."),
}
_BY_MAGIC: tuple[tuple[bytes, str, str], ...] = (
    (b"PK\x03\x04", "a zip archive or an office document", _UNPACK),
    (b"\x1f\x8b", "a gzip archive", _UNPACK),
    (b"SQLite format 3\0", "an SQLite database", _AS_CSV),
    (b"%PDF-", "a PDF document", "A graph is read from files of nodes and edges."),
)
_TURTLE = re.compile(rb"^[ \t]*(@prefix|@base|prefix[ \t]+\S*:[ \t]*<)", re.IGNORECASE | re.MULTILINE)
_XML = {
    "RDF": ("RDF/XML", _TO_NTRIPLES),
    "Ontology": ("OWL/XML", _TO_NTRIPLES),
    "html": ("a web page", "Download the data that it offers."),
}


def refuse_other_formats(source: Source, accepted: str) -> None:
    """InputError when the one file of a source is of a known other format."""
    if len(source.names) != 1:
        return
    file = source.names[0]
    head = source.head(file)
    found: tuple[str, str] | None = None
    for magic, title, hint in _BY_MAGIC:
        if head.startswith(magic):
            found = title, hint
    found = found or _BY_SUFFIX.get(suffix(file)) or _XML.get(root_element(head))
    if found is None and _TURTLE.search(head) and not head.lstrip().startswith((b"<?xml", b"{", b"[")):
        found = "Turtle or a kin of it", _TO_NTRIPLES
    if found is not None:
        raise InputError(f"{found[0]} is not read here", where=file, hint=f"{found[1]} Read are: {accepted}.")
