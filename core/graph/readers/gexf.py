"""Reader of GEXF, Gephi's format: nodes with labels and attribute values, edges with a kind or a label.

Times, weights and colours are not read. Edges that are not directed keep the direction written.
"""

from __future__ import annotations

from core.errors import InputError
from core.graph.readers.assembly import Assembly
from core.graph.readers.attributes import describe_edge, describe_node
from core.graph.readers.columns import ColumnChoice
from core.graph.readers.reader import Reader
from core.graph.readers.safe_xml import parse_xml, root_element
from core.graph.readers.source import Source, suffix
from core.graph.report import FileReport, LoadedGraph
from core.retriever import OnProgress


def claims(source: Source) -> tuple[str, ...]:
    """Files that end in .gexf, or XML files whose root is gexf."""
    candidates = [name for name in source.names if suffix(name) in (".gexf", ".xml") or len(source.names) == 1]
    return tuple(n for n in candidates if suffix(n) == ".gexf" or root_element(source.head(n)) == "gexf")


def read(source: Source, choice: ColumnChoice, on_progress: OnProgress | None) -> LoadedGraph:
    """Read one GEXF file."""
    file = source.names[0]
    data = source.read(file)
    if root_element(data[:65_536]) not in ("gexf", ""):
        raise InputError("the outermost element is not gexf", where=file)
    assembly = Assembly("GEXF", source.name)
    handler = _Gexf(assembly, file)
    encoding = parse_xml(data, file, handler, on_progress)
    assembly.add_file(FileReport(name=file, rows=handler.count, encoding=encoding))
    return assembly.finish()


class _Gexf:
    """Nodes and edges as they close; attributes are declared before them."""

    def __init__(self, assembly: Assembly, file: str) -> None:
        self._assembly, self._file = assembly, file
        self._titles: dict[tuple[str, str], str] = {}
        self._class = ""
        self._stack: list[tuple[int, dict[str, str]]] = []
        self.count = 0

    def start(self, name: str, attributes: dict[str, str], line: int) -> None:
        if name == "graph" and attributes.get("defaultedgetype", "undirected") != "directed":
            self._assembly.notice("The graph is undirected; each edge is kept in the direction in which it is written.")
        elif name == "attributes":
            self._class = attributes.get("class", "")
        elif name == "attribute":
            self._titles[self._class, attributes.get("id", "")] = attributes.get("title", "")
        elif name in ("node", "edge"):
            self._stack.append((line, dict(attributes)))
            self.count += 1
        elif name == "attvalue" and self._stack:
            item = self._stack[-1][1]
            kind = "edge" if "source" in item else "node"
            key = attributes.get("for", attributes.get("id", ""))
            title = self._titles.get((kind, key)) or key
            item.setdefault(title, attributes.get("value", ""))

    def end(self, name: str, text: str) -> None:
        if name == "node" and self._stack:
            line, item = self._stack.pop()
            described = describe_node(item, skip=("id", "pid", "start", "end"))
            self._assembly.add_node(self._file, line, item.get("id", "").strip(), *described)
        elif name == "edge" and self._stack:
            line, item = self._stack.pop()
            skip = ("id", "source", "target", "weight", "type", "start", "end")
            relation = item.get("label", "").strip() or item.get("kind", "").strip() or describe_edge(item, skip=skip)
            source, target = item.get("source", "").strip(), item.get("target", "").strip()
            self._assembly.add_edge(self._file, line, source, relation, target)


READER = Reader("GEXF", "GEXF (.gexf)", claims, read)
