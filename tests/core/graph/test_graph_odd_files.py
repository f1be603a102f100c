"""Real files in odd formats and states: each loads rightly, or is refused with file, line and reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import EmptyGraphError, InputError
from core.graph.contracts import Relation
from core.graph.graph import KnowledgeGraph
from core.graph.readers import ColumnMap, inspect_table, read_graph, read_upload, sniff

pytestmark = pytest.mark.shared


@pytest.fixture(scope="session")
def odd(shared_data: Path) -> Path:
    return shared_data / "odd_graphs"


def around(graph: KnowledgeGraph, name: str) -> dict[str, tuple[Relation, ...]]:
    position = graph.names.index(name)
    return {graph.names[n.position]: n.relations for n in graph.neighbors(position, "", k=200).neighbors}


def test_quaker_nodes_and_edges_are_one_graph(odd: Path) -> None:
    files = {name: (odd / name).read_bytes() for name in ("quaker-nodes.csv", "quaker-edges.csv")}
    loaded = read_upload(files)
    graph, report = loaded.graph, loaded.report
    assert (report.format, report.nodes, report.edges, report.rows) == ("CSV or TSV tables", 96, 162, 258)
    assert (report.rejected, report.nodes_from_edges, report.duplicate_edges) == ((), 0, 0)
    assert report.files[1].columns == {"id": "Id", "name": "Label"}
    keith = graph.node(graph.index_of("George Keith"))
    assert keith.position == 0
    assert graph.name == "quaker"
    assert "historical significance: Quaker schismatic and Church of England clergyman" in keith.text
    assert around(graph, "George Keith")["William Penn"] == (Relation("related to", "out"),)


def test_quaker_edges_alone_make_their_nodes(odd: Path) -> None:
    report = read_graph(odd / "quaker-edges.csv").report
    assert (report.nodes, report.edges, report.nodes_from_edges, report.nameless_nodes) == (96, 162, 96, 96)


def test_quaker_nodes_alone_are_no_graph(odd: Path) -> None:
    with pytest.raises(EmptyGraphError, match="no file of edges") as caught:
        read_graph(odd / "quaker-nodes.csv")
    assert caught.value.where == "quaker-nodes.csv"


def test_gephi_graphml(odd: Path) -> None:
    loaded = read_graph(odd / "got-network.graphml")
    assert (loaded.report.format, loaded.report.nodes, loaded.report.edges) == ("GraphML", 107, 352)
    assert loaded.report.rejected_total == 0
    assert any("undirected" in notice for notice in loaded.report.notices)
    assert around(loaded.graph, "Ygritte").keys() >= {"Qhorin", "Rattleshirt"}
    assert loaded.graph.texts[0] == ""  # "label" is the name and nothing is left


def test_networkx_edge_list_with_a_comment_and_no_last_newline(odd: Path) -> None:
    loaded = read_graph(odd / "hartford_drug.edgelist")
    lines = (odd / "hartford_drug.edgelist").read_text().splitlines()[1:]
    assert (loaded.report.format, loaded.report.edges) == ("edge list", len(set(lines)))
    assert (loaded.report.nodes, loaded.graph.edge_type_names) == (212, ("related to",))
    assert around(loaded.graph, "293")["290"] == (Relation("related to", "out"),)
    assert len(around(loaded.graph, "1")["2"]) == 2  # 1 2 and 2 1 are two edges


def test_a_line_of_two_cells_without_header_must_be_mapped(odd: Path) -> None:
    path = odd / "test-no-header.csv"
    with pytest.raises(InputError, match="the columns are: column 1, column 2") as caught:
        read_graph(path)
    assert caught.value.where == "test-no-header.csv"
    assert "Map the columns" in caught.value.hint
    assert inspect_table(path).sample == (("Selma", "8"),)
    loaded = read_graph(path, columns=ColumnMap(source="column 1", target="column 2", header=False))
    assert (loaded.graph.ids, loaded.report.edges) == (("8", "Selma"), 1)


def test_w3c_ntriples_with_escapes_comments_and_every_line_end(odd: Path) -> None:
    loaded = read_graph(odd / "w3c-test.nt")
    graph = loaded.graph
    assert (loaded.report.format, loaded.report.rows, loaded.report.edges) == ("N-Triples", 30, 30)
    assert loaded.report.rejected == ()
    assert around(graph, "resource6") == {"resource2": (Relation("property", "out"),)}  # parted by a single CR
    assert set(around(graph, "resource7")) == {"simple literal"}
    assert set(around(graph, "resource9")) == {'dquote:"'}
    assert set(around(graph, "resource10")) == {"newline:\n"}
    assert set(around(graph, "resource16")) == {"é"}
    assert set(around(graph, "resource17")) == {"€"}
    chats = [i for i, name in enumerate(graph.names) if name == "chat"]
    assert len(chats) == 3  # XML, French, English: homonyms stay apart
    assert graph.types[graph.names.index("abc")] == "datatype1"


def test_cytoscape_elements(odd: Path) -> None:
    loaded = read_graph(odd / "cytoscapejs-elements.json")
    graph = loaded.graph
    assert (loaded.report.format, loaded.report.nodes, loaded.report.edges) == ("Cytoscape elements", 44, 44)
    assert set(graph.edge_type_names) == {"catalysis", "consumption", "production"}
    hexokinase = graph.node(graph.index_of("glyph9"))
    assert (hexokinase.name, hexokinase.type) == ("hexokinase", "macromolecule")
    assert loaded.report.homonym_examples == ("ATP", "ADP")


def test_gexf(odd: Path) -> None:
    loaded = read_graph(odd / "simple.gexf")
    assert loaded.report.format == "GEXF"
    assert around(loaded.graph, "Hello") == {"Word": (Relation("related to", "out"),)}


@pytest.mark.parametrize("name", ["apoc-all.json", "apoc-id-as-keys.json"])
def test_both_apoc_exports_are_the_same_graph(odd: Path, name: str) -> None:
    loaded = read_graph(odd / name)
    assert (loaded.report.format, loaded.report.nodes, loaded.report.isolated_nodes) == ("Neo4j APOC JSON", 3, 1)
    assert around(loaded.graph, "Adam") == {"Jim": (Relation("KNOWS", "out"),)}
    assert loaded.graph.types == ("User", "User", "User")
    assert "kids: Sam, Anna, Grace" in loaded.graph.texts[0]


@pytest.mark.parametrize(
    ("name", "title"),
    [("pizza.owl", "OWL"), ("sportquads.trig", "TriG"), ("hiragana.n3", "Notation3")],
)
def test_other_rdf_is_refused_by_its_name_with_a_way_out(odd: Path, name: str, title: str) -> None:
    with pytest.raises(InputError, match=f"{title} is not read here") as caught:
        read_graph(odd / name)
    assert caught.value.where == name
    assert "Convert it to N-Triples" in caught.value.hint
    assert "GraphML (.graphml)" in caught.value.hint  # what is read is named


@pytest.mark.parametrize("name", ["pizza.owl", "sportquads.trig", "hiragana.n3"])
def test_they_are_known_by_their_content_too(odd: Path, name: str) -> None:
    with pytest.raises(InputError, match="is not read here"):
        read_upload({"data.txt": (odd / name).read_bytes()})


def test_a_table_about_files_is_not_taken_for_a_graph(odd: Path) -> None:
    with pytest.raises(InputError, match="not clear which column is what"):
        read_graph(odd / "SOURCES.tsv")


def test_a_folder_of_several_graphs_is_refused(odd: Path) -> None:
    with pytest.raises(InputError, match="several graphs"):
        read_graph(odd)


def test_every_file_has_its_test(odd: Path) -> None:
    told = Path(__file__).read_text(encoding="utf-8")
    assert [path.name for path in odd.iterdir() if path.name not in told] == []


def test_metaqa_is_one_graph_of_all_splits(shared_data: Path) -> None:
    assert sniff(shared_data / "metaqa") == "knowledge-graph-completion folder"
    loaded = read_graph(shared_data / "metaqa")
    graph, report = loaded.graph, loaded.report
    assert (report.nodes, report.edges, report.duplicate_edges) == (43234, 129235, 20109)
    assert (report.nodes_from_edges, report.nameless_nodes, report.self_loops) == (1, 1, 12)
    assert report.isolated_nodes == 456
    assert graph.names[graph.index_of("22446")] == "22446"  # the one without a name
    assert [line.line for line in report.rejected] == [22447]  # it names 29 a second time
    assert around(graph, "Kismet")["William Dieterle"] == (Relation("directed by", "out"),)
    assert "3-hop-dev.txt" in report.ignored
    again = read_graph(shared_data / "metaqa")  # from the cache
    assert again.report == report
    assert again.graph.content_id == graph.content_id == again.graph.computed_content_id()


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("03_password.pdf", "PDF"),
        ("34_not_a_pdf.pdf", "PDF"),
        ("09_test.docx", "office document"),
        ("14_blog.html", "web page"),
        ("16_random_bin.txt", "binary"),
        ("27_empty.txt", "empty"),
        ("20_arabic_rtl_cp1256.txt", "not clear which column"),
        ("29_utf16le.txt", "not clear which column"),
        ("26_bom_crlf.csv", "no file of edges"),
    ],
)
def test_documents_are_refused_in_words(shared_data: Path, name: str, reason: str) -> None:
    with pytest.raises(InputError, match=reason) as caught:
        read_graph(shared_data / "odd_documents" / name)
    assert caught.value.where == name
