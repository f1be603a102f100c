"""GraphML and GEXF: other programs' output, odd structure, and documents made to do harm."""

from __future__ import annotations

import io

import networkx
import pytest

from core.errors import InputError
from core.graph.readers import LoadedGraph, read_upload

OPEN = '<?xml version="1.0" encoding="UTF-8"?><graphml xmlns="http://graphml.graphdrawing.org/xmlns">'


def load(text: str | bytes, name: str = "graph.graphml") -> LoadedGraph:
    return read_upload({name: text.encode() if isinstance(text, str) else text})


def triples(loaded: LoadedGraph) -> set[tuple[str, str, str]]:
    graph = loaded.graph
    columns = (column.tolist() for column in graph.edges())
    return {(graph.ids[h], graph.edge_type_names[c], graph.ids[t]) for h, c, t in zip(*columns, strict=True)}


def test_what_networkx_writes_reads_back() -> None:
    peer = networkx.MultiDiGraph()
    peer.add_node("a", name="Ann & <Co>", type="person", text="bakes\nbread", age=30)
    peer.add_node("b", name="Bob")
    peer.add_edge("a", "b", relation="knows", weight=0.5)
    peer.add_edge("a", "b", relation="pays")
    buffer = io.BytesIO()
    networkx.write_graphml(peer, buffer)
    loaded = load(buffer.getvalue())
    node = loaded.graph.node(0)
    assert (node.name, node.type, node.text) == ("Ann & <Co>", "person", "bakes\nbread\nage: 30")
    assert triples(loaded) == {("a", "knows", "b"), ("a", "pays", "b")}


def test_neo4j_attributes_defaults_and_keys_after_use() -> None:
    loaded = load(
        OPEN
        + '<key id="k" for="node" attr.name="colour"><default>red</default></key>'
        + '<graph edgedefault="directed">'
        + '<node id="n0" labels=":Person:Baker"><data key="labels">:Person</data><data key="m">Ann</data></node>'
        + '<node id="n1"><data key="k">blue</data></node>'
        + '<edge id="e0" source="n0" target="n1" label="KNOWS"><data key="label">KNOWS</data></edge>'
        + '</graph><key id="m" for="node" attr.name="name"/></graphml>'
    )
    first, second = loaded.graph.node(0), loaded.graph.node(1)
    assert (first.name, first.type) == ("Ann", "Person")
    assert "colour: red" in first.text
    assert second.text == "colour: blue"
    assert triples(loaded) == {("n0", "KNOWS", "n1")}


def test_labels_drawn_by_yed_and_nested_graphs() -> None:
    loaded = load(
        OPEN.replace("<graphml", '<graphml xmlns:y="http://www.yworks.com/xml/graphml"')
        + '<key for="node" id="d0" yfiles.type="nodegraphics"/>'
        + '<graph edgedefault="directed"><node id="g"><data key="d0"><y:ShapeNode>'
        + "<y:NodeLabel>Group\n</y:NodeLabel></y:ShapeNode></data>"
        + '<graph edgedefault="directed"><node id="g::n"><port name="p"/></node></graph></node>'
        + '<edge source="g::n" target="g"><data key="d1"><y:EdgeLabel>part of</y:EdgeLabel></data></edge>'
        + "</graph></graphml>"
    )
    assert dict(zip(loaded.graph.ids, loaded.graph.names, strict=True)) == {"g": "Group", "g::n": "g::n"}
    assert triples(loaded) == {("g::n", "part of", "g")}


def test_empty_ids_missing_types_and_hyperedges_are_counted_not_fatal() -> None:
    report = load(
        OPEN
        + '<graph edgedefault="directed">\n<node id="a"/>\n<node id=""/>\n<node/>\n'
        + '<edge source="a" target="b"/>\n<edge source="a" target="c"/>\n<edge source="a"/>\n'
        + "<edge source='b' target='c'/><edge source='c' target='d'/>"
        + '<hyperedge><endpoint node="a"/></hyperedge></graph></graphml>'
    ).report
    assert {(r.line, r.reason) for r in report.rejected} == {
        (3, "the node has no id"),
        (4, "the node has no id"),
        (7, "the edge has no target"),
        (8, "hyperedges are not read"),
    }
    assert (report.nodes, report.edges, report.nodes_from_edges) == (4, 4, 3)


BOMB = (
    '<?xml version="1.0"?><!DOCTYPE graphml [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">'
    '<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">]>'
    '<graphml><graph><node id="&c;"/><edge source="a" target="b"/></graph></graphml>'
)
OUTSIDE = (
    '<?xml version="1.0"?><!DOCTYPE graphml [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
    '<graphml><graph><node id="a">&x;</node><edge source="a" target="b"/></graph></graphml>'
)
PARAMETER = '<?xml version="1.0"?><!DOCTYPE graphml [<!ENTITY % x SYSTEM "http://127.0.0.1:9/x">%x;]><graphml/>'


@pytest.mark.parametrize("text", [BOMB, OUTSIDE, PARAMETER], ids=["billion laughs", "external entity", "parameter"])
@pytest.mark.parametrize("name", ["g.graphml", "g.gexf", "g.xml"])
def test_entities_are_refused_before_they_expand(text: str, name: str) -> None:
    text = text.replace("graphml", "gexf") if name == "g.gexf" else text
    with pytest.raises(InputError, match="declares the entity") as caught:
        load(text, name)
    assert caught.value.where == f"{name}, line 1"


def test_a_plain_doctype_is_harmless() -> None:
    text = '<!DOCTYPE graphml SYSTEM "http://127.0.0.1:9/graphml.dtd"><graphml><graph><edge source="a" target="b"/>'
    assert load(text + "</graph></graphml>").report.edges == 1


@pytest.mark.parametrize(
    ("text", "message", "where"),
    [
        (OPEN + "<graph>\n<node id='a'>\n</graph></graphml>", "mismatched tag", "graph.graphml, line 3"),
        (OPEN + "<graph>\n<node id='a'/>", "no element found|unclosed", "graph.graphml, line 2"),
        ("<html><body>404</body></html>", "web page|not graphml", "graph.graphml"),
        (OPEN.replace("UTF-8", "klingon") + "</graphml>", "encoding 'klingon'", "graph.graphml"),
    ],
)
def test_broken_documents_are_refused_with_their_line(text: str, message: str, where: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        load(text)
    assert caught.value.where.startswith(where)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "iso-8859-1", "windows-1252", "gb18030"])
def test_declared_encodings(encoding: str) -> None:
    text = f'<?xml version="1.0" encoding="{encoding}"?><graphml><graph><node id="Zoë"/>'
    text += '<edge source="Zoë" target="b"/></graph></graphml>'
    loaded = load(text.encode(encoding), "g.xml")
    assert loaded.graph.ids == ("Zoë", "b")
    assert loaded.report.files[0].encoding == encoding


def test_gexf_attributes_and_kinds() -> None:
    loaded = load(
        '<gexf xmlns="http://www.gexf.net/1.2draft"><graph defaultedgetype="directed">'
        '<attributes class="node"><attribute id="0" title="type"/><attribute id="1" title="born"/></attributes>'
        '<attributes class="edge"><attribute id="0" title="relation"/></attributes>'
        '<nodes><node id="a" label="Ann"><attvalues><attvalue for="0" value="person"/>'
        '<attvalue for="1" value="1990"/></attvalues></node><node id="b" label="Bob"/></nodes><edges>'
        '<edge id="e" source="a" target="b" type="directed" weight="2">'
        '<attvalues><attvalue for="0" value="knows"/></attvalues></edge>'
        '<edge id="f" source="b" target="a" kind="pays"/></edges></graph></gexf>',
        "g.gexf",
    )
    node = loaded.graph.node(0)
    assert (node.name, node.type, node.text) == ("Ann", "person", "born: 1990")
    assert triples(loaded) == {("a", "knows", "b"), ("b", "pays", "a")}
