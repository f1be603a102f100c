"""Which column of a table is what: `ColumnMap`, and the guess made of it from column names.

Not here: reading the table.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from core.trace import Frozen


class ColumnMap(Frozen):
    """Columns by name ("column 1", "column 2", .. where the table has no header). None: there is none.

    An edge table has source, target, relation, and what it may say of its two ends. A node table has id,
    name, type, the columns that make up the text, and the attributes, which join the text as "column:
    value" (None: all other columns). header: whether the first row names the columns; None: find out.
    """

    id: str | None = None
    name: str | None = None
    type: str | None = None
    text: tuple[str, ...] = ()
    attributes: tuple[str, ...] | None = None
    source: str | None = None
    target: str | None = None
    relation: str | None = None
    source_name: str | None = None
    source_type: str | None = None
    target_name: str | None = None
    target_type: str | None = None
    header: bool | None = None

    @property
    def is_edges(self) -> bool:
        """Whether it names both ends of edges."""
        return self.source is not None and self.target is not None

    @property
    def is_nodes(self) -> bool:
        """Whether it names the id of nodes."""
        return self.id is not None

    def columns(self) -> tuple[str, ...]:
        """All columns that it names."""
        parts = [value for part, value in self if part not in ("text", "attributes", "header") and value]
        return (*parts, *self.text, *(self.attributes or ()))

    def used(self) -> dict[str, str]:
        """Part -> column, for the report."""
        parts = self.model_dump(exclude={"header", "text", "attributes"}, exclude_none=True)
        lists = {"text": self.text, "attributes": self.attributes or ()}
        return {**parts, **{part: ", ".join(columns) for part, columns in lists.items() if columns}}


ColumnChoice = ColumnMap | Mapping[str, ColumnMap] | None  # one map for all tables, or one a file name


def map_for(choice: ColumnChoice, file: str) -> ColumnMap | None:
    """The map that was chosen for a file, None if its columns are to be guessed."""
    return choice if isinstance(choice, ColumnMap) or choice is None else choice.get(file)


# Compared without case, spaces and punctuation. In order of trust: the first that the table has is taken.
_NODE_PARTS: dict[str, tuple[str, ...]] = {
    "id": (
        "id",
        "nodeid",
        "entityid",
        "identifier",
        "key",
        "uid",
        "uri",
        "iri",
        "node",
        "entity",
        "nodeindex",
        "index",
    ),
    "name": ("name", "label", "title", "displayname", "nodename", "entityname", "entity", "node", "fullname"),
    "type": ("type", "nodetype", "entitytype", "kind", "class", "category", "labels", "group", "ntype"),
}
_TEXT = ("text", "description", "desc", "abstract", "summary", "comment", "definition", "content", "details", "body")
_EDGE_PARTS: dict[str, tuple[str, ...]] = {
    "source": (
        *("source", "src", "from", "head", "subject", "start", "startid", "sourceid", "fromid", "headid"),
        *("subjectid", "subj", "node1", "h", "s", "u", "xindex", "entity1", "sourcenode", "startnode", "nodefrom"),
    ),
    "target": (
        *("target", "dst", "dest", "destination", "to", "tail", "object", "end", "endid", "targetid", "toid", "tailid"),
        *("objectid", "obj", "node2", "t", "o", "v", "yindex", "entity2", "targetnode", "endnode", "nodeto"),
    ),
    "relation": (
        *("relation", "type", "rel", "predicate", "edgetype", "relationship", "relationtype", "relationshiptype"),
        *("label", "edgelabel", "property", "edge", "kind", "r", "p", "reltype", "interaction", "link", "name"),
    ),
    "source_name": ("sourcename", "headname", "subjectname", "fromname", "xname"),
    "source_type": ("sourcetype", "headtype", "subjecttype", "fromtype", "xtype"),
    "target_name": ("targetname", "tailname", "objectname", "toname", "yname"),
    "target_type": ("targettype", "tailtype", "objecttype", "totype", "ytype"),
}


def plain(column: str) -> str:
    """A column name without case, spaces and punctuation: "Node ID" and "node_id" are one."""
    return re.sub(r"[\W_]+", "", column.casefold())


def guess_columns(columns: Sequence[str]) -> ColumnMap:
    """The best guess from names alone: an edge table if both ends are found, else a node table, else empty."""
    edges = _find(columns, _EDGE_PARTS)
    if "source" in edges and "target" in edges:
        return ColumnMap(**edges)
    nodes = _find(columns, _NODE_PARTS)
    for column in columns:  # Neo4j's import files: "personId:ID", ":LABEL"
        if column.upper().endswith(":ID"):
            nodes["id"] = column
        elif column.upper() == ":LABEL":
            nodes["type"] = column
    if nodes.get("name") == nodes.get("type") is not None:
        del nodes["name"]
    if "id" not in nodes and "name" in nodes and len(columns) > 1:
        nodes["id"] = nodes["name"]  # a table keyed by its names
    if "id" not in nodes:
        return ColumnMap()
    texts = tuple(column for word in _TEXT for column in columns if plain(column) == word)
    return ColumnMap(**nodes, text=texts)


def _find(columns: Sequence[str], parts: dict[str, tuple[str, ...]]) -> dict[str, str]:
    by_plain: dict[str, str] = {}
    for column in columns:
        by_plain.setdefault(plain(column), column)
    found: dict[str, str] = {}
    for part, words in parts.items():
        for word in words:
            if word in by_plain and by_plain[word] not in found.values():
                found[part] = by_plain[word]
                break
    return found
