"""Reader of GraphML, as Gephi, yEd, networkx, igraph and Neo4j write it.

Data keys become the name, type and text of nodes and the relation of edges by their names; weights and
other data of edges are not read. yEd's labels are found inside their drawing. Nested graphs are laid
flat; ports are passed over; hyperedges are rejected. Edges of an undirected graph keep the direction written.
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

_DRAWN_LABELS = ("NodeLabel", "EdgeLabel")


def claims(source: Source) -> tuple[str, ...]:
    """Files that end in .graphml, or XML files whose root is graphml."""
    candidates = [name for name in source.names if suffix(name) in (".graphml", ".xml") or len(source.names) == 1]
    return tuple(n for n in candidates if suffix(n) == ".graphml" or root_element(source.head(n)) == "graphml")


def read(source: Source, choice: ColumnChoice, on_progress: OnProgress | None) -> LoadedGraph:
    """Read one GraphML file."""
    file = source.names[0]
    data = source.read(file)
    if root_element(data[:65_536]) not in ("graphml", ""):
        raise InputError("the outermost element is not graphml", where=file)
    assembly = Assembly("GraphML", source.name)
    handler = _GraphML(assembly, file)
    encoding = parse_xml(data, file, handler, on_progress)
    handler.finish()
    assembly.add_file(FileReport(name=file, rows=handler.count, encoding=encoding))
    return assembly.finish()


class _Item:
    """A node or an edge that is open."""

    def __init__(self, attributes: dict[str, str], line: int) -> None:
        self.attributes = attributes
        self.line = line
        self.data: dict[str, str] = {}
        self.drawn = ""


class _GraphML:
    """Collects nodes and edges as elements close. Edges wait, since a key may stand after its use."""

    def __init__(self, assembly: Assembly, file: str) -> None:
        self._assembly, self._file = assembly, file
        self._keys: dict[str, tuple[str, str]] = {}  # id -> (name, what it is for)
        self._defaults: dict[str, str] = {}  # key id -> value
        self._key = ""
        self._open: list[_Item] = []
        self._nodes: list[_Item] = []
        self._edges: list[_Item] = []
        self._data_key = ""
        self.count = 0

    def start(self, name: str, attributes: dict[str, str], line: int) -> None:
        if name in ("node", "edge", "hyperedge"):
            self._open.append(_Item(attributes, line))
            self.count += 1
        elif name == "key":
            self._key = attributes.get("id", "")
            title = attributes.get("attr.name") or attributes.get("yfiles.type") or self._key
            self._keys[self._key] = (title, attributes.get("for", "all"))
        elif name == "data":
            self._data_key = attributes.get("key", "")
        elif name == "graph" and attributes.get("edgedefault") == "undirected":
            self._assembly.notice("The graph is undirected; each edge is kept in the direction in which it is written.")

    def end(self, name: str, text: str) -> None:
        item = self._open[-1] if self._open else None
        if name == "data" and item is not None and text.strip():
            item.data[self._data_key] = text.strip()
        elif name == "default":
            self._defaults[self._key] = text.strip()
        elif name in _DRAWN_LABELS and item is not None:
            item.drawn = item.drawn or text.strip()
        elif name == "node" and item is not None:
            self._nodes.append(self._open.pop())
        elif name == "edge" and item is not None:
            self._edges.append(self._open.pop())
        elif name == "hyperedge" and item is not None:
            self._open.pop()
            self._assembly.reject(self._file, item.line, "hyperedges are not read")

    def finish(self) -> None:
        """Hand all over."""
        for node in self._nodes:
            labels = node.attributes.get("labels", "").strip(":").split(":")[0]  # Neo4j's own attribute
            described = describe_node(self._named(node, "node"))
            self._assembly.add_node(
                self._file,
                node.line,
                node.attributes.get("id", "").strip(),
                described.name or node.drawn,
                labels or described.type.strip(":").split(":")[0],
                described.text,
            )
        for edge in self._edges:
            data = self._named(edge, "edge")
            self._assembly.add_edge(
                self._file,
                edge.line,
                edge.attributes.get("source", "").strip(),
                edge.attributes.get("label", "").strip() or describe_edge(data) or edge.drawn,
                edge.attributes.get("target", "").strip(),
            )

    def _named(self, item: _Item, kind: str) -> dict[str, str]:
        """The item's data by the names of their keys, defaults put in."""
        defaults = {
            key: value for key, value in self._defaults.items() if value and self._keys[key][1] in (kind, "all")
        }
        return {self._keys.get(key, (key, ""))[0]: value for key, value in {**defaults, **item.data}.items()}


READER = Reader("GraphML", "GraphML (.graphml)", claims, read)
