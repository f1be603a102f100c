"""Tables: delimiters, headers, quotes, line ends, rejected lines, odd characters there and back."""

from __future__ import annotations

import csv
import io
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import EmptyGraphError, InputError
from core.graph.readers import ColumnMap, LoadedGraph, inspect_table, read_upload
from core.graph.readers import tables as tables_module

NODES = "id,name,type,text\na,Ann,person,a baker\nb,Bob,person,\nc,Oslo,city,capital\n"
EDGES = "source,target,type\na,b,knows\nb,c,lives in\n"


def load(**files: str | bytes) -> LoadedGraph:
    """Upload files given as name__ending="content"."""
    return read_upload(
        {n.replace("__", "."): c if isinstance(c, bytes) else c.encode() for n, c in files.items()},
    )


def edges_of(loaded: LoadedGraph) -> set[tuple[str, str, str]]:
    graph = loaded.graph
    return {
        (graph.ids[h], graph.edge_type_names[c], graph.ids[t])
        for h, c, t in zip(*(column.tolist() for column in graph.edges()), strict=True)
    }


def test_nodes_and_edges() -> None:
    loaded = load(nodes__csv=NODES, edges__csv=EDGES)
    assert loaded.graph.ids == ("a", "b", "c")
    assert loaded.graph.names == ("Ann", "Bob", "Oslo")
    assert loaded.graph.types == ("person", "person", "city")
    assert loaded.graph.texts == ("a baker", "", "capital")
    assert edges_of(loaded) == {("a", "knows", "b"), ("b", "lives in", "c")}
    assert loaded.graph.name == "nodes and edges"
    assert [(f.name, f.rows, f.delimiter, f.encoding) for f in loaded.report.files] == [
        ("edges.csv", 2, ",", "utf-8"),
        ("nodes.csv", 3, ",", "utf-8"),
    ]


@pytest.mark.parametrize("delimiter", [",", "\t", ";", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_any_delimiter_line_end_and_unicode_encoding(delimiter: str, end: str, encoding: str) -> None:
    def dress(text: str) -> bytes:
        return text.replace("Ann", "Zoë").replace(",", delimiter).replace("\n", end).encode(encoding)

    loaded = load(nodes__csv=dress(NODES), edges__csv=dress(EDGES))
    assert loaded.graph.names == ("Zoë", "Bob", "Oslo")
    assert edges_of(loaded) == {("a", "knows", "b"), ("b", "lives in", "c")}


@pytest.mark.parametrize(
    ("encoding", "rows", "edge"),
    [
        ("cp1252", "Köln,Bonn,near\n", ("Köln", "near", "Bonn")),
        ("cp1252", "Prag,Düsseldorf,über Nürnberg\nZürich,Genève,à côté de\n", ("Zürich", "à côté de", "Genève")),
        ("cp1250", "Łódź,Kraków,leży blisko\nGdańsk,Wrocław,łączy się\n", ("Łódź", "leży blisko", "Kraków")),
        ("cp1251", "Москва,Петербург,далеко от\nОмск,Томск,ближе\n", ("Омск", "ближе", "Томск")),
        ("cp932", "東京,大阪,新幹線で結ばれている\n京都,奈良,近い\n", ("京都", "近い", "奈良")),
        ("gb18030", "北京,上海,高铁连接\n广州,深圳,相邻的城市\n", ("广州", "相邻的城市", "深圳")),
        ("cp1256", "القاهرة,الإسكندرية,قريبة من\n", ("القاهرة", "قريبة من", "الإسكندرية")),
    ],
)
def test_old_encodings_are_guessed_and_said_to_be_guessed(encoding: str, rows: str, edge: tuple[str, ...]) -> None:
    loaded = load(edges__csv=f"source,target,type\n{rows}".encode(encoding))
    assert edge in edges_of(loaded)
    assert loaded.report.files[0].encoding != "utf-8"
    assert any("is a guess" in notice for notice in loaded.report.notices)


def test_a_delimiter_may_stand_in_quotes_and_in_texts_of_another_delimiter() -> None:
    loaded = load(edges__csv='source;target;type\n"a;b";c, d;"says ""hi"""\n')
    assert edges_of(loaded) == {("a;b", 'says "hi"', "c, d")}


def test_a_quoted_cell_may_hold_line_ends_and_the_next_line_keeps_its_number() -> None:
    loaded = load(edges__csv='source,target,type\na,b,"two\nlines"\nonly one\nb,c,r\nc,d,r\n')
    assert ("a", "two\nlines", "b") in edges_of(loaded)
    assert [(line.line, line.reason) for line in loaded.report.rejected] == [(4, "the line has 1 cells, not 3")]


def test_a_quote_that_never_closes_does_not_swallow_the_file() -> None:
    rows = "".join(f"n{i}\tr\tn{i + 1}\n" for i in range(20))
    loaded = load(edges__tsv='source\ttype\ttarget\n5" disk\tr\t"quoted"\n"open\tr\tn0\n' + rows)
    assert ('5" disk', "r", "quoted") in edges_of(loaded)
    assert ('"open', "r", "n0") in edges_of(loaded)
    assert loaded.report.edges == 22
    assert any("quotes that do not close" in notice for notice in loaded.report.notices)


def test_a_declared_delimiter_is_obeyed() -> None:
    loaded = load(edges__csv="sep=|\nsource|target|type\na|b|r\nb|c\n a |c|r\n")
    assert edges_of(loaded) == {("a", "r", "b"), ("a", "r", "c")}
    assert loaded.report.rejected[0].line == 4


def test_spare_delimiters_at_the_end_of_lines_are_forgiven() -> None:
    assert edges_of(load(edges__csv="source,target,type\na,b,r,,\n")) == {("a", "r", "b")}


@pytest.mark.parametrize(
    "header",
    [
        "source,relation,target",
        "Subject,Predicate,Object",
        "HEAD,rel,TAIL",
        "from,type,to",
        ":START_ID,:TYPE,:END_ID",
        "src,edge_type,dst",
        "h,r,t",
        "Source Node,Edge Label,Target Node",
    ],
)
def test_columns_are_known_by_many_names(header: str) -> None:
    assert edges_of(load(data__csv=f"{header}\na,knows,b\n")) == {("a", "knows", "b")}


def test_neo4j_import_headers_of_nodes() -> None:
    nodes = "personId:ID,name,:LABEL,born\np1,Ann,Person,1990\n"
    loaded = load(nodes__csv=nodes, edges__csv=":START_ID,:END_ID,:TYPE\np1,p2,KNOWS\n")
    node = loaded.graph.node(0)
    assert (node.id, node.name, node.type, node.text) == ("p1", "Ann", "Person", "born: 1990")


def test_triples_without_a_header() -> None:
    loaded = load(triples__tsv="a\tr\tb\nb\tr\tc\nc\ts\ta\na\ts\tc\nb\tr\ta\n")
    assert edges_of(loaded) >= {("a", "r", "b"), ("c", "s", "a")}
    assert (loaded.report.edges, loaded.report.rows) == (5, 5)
    assert any("no header" in notice for notice in loaded.report.notices)


UNKNOWN = "pelicula,vinculo,persona\nKes,r,Ken\nRiff,r,Ken\nRain,s,Ken\nKes,s,Barry\n"


def test_an_unknown_header_is_told_from_triples_and_its_names_are_listed() -> None:
    with pytest.raises(InputError, match="the columns are: pelicula, vinculo, persona"):
        load(data__csv=UNKNOWN)
    summary = inspect_table(UNKNOWN.encode(), "data.csv")
    assert (summary.has_header, summary.columns) == (True, ("pelicula", "vinculo", "persona"))
    assert summary.sample[0] == ("Kes", "r", "Ken")
    assert inspect_table(UNKNOWN.encode(), "data.csv", header=False).sample[0] == summary.columns
    mapped = read_upload(
        {"data.csv": UNKNOWN.encode()}, columns=ColumnMap(source="pelicula", relation="vinculo", target="persona")
    )
    assert ("Kes", "s", "Barry") in edges_of(mapped)
    assert mapped.report.edges == 4


def test_a_map_can_say_that_there_is_no_header() -> None:
    columns = ColumnMap(source="column 1", relation="column 2", target="column 3", header=False)
    assert read_upload({"data.csv": UNKNOWN.encode()}, columns=columns).report.edges == 5


def test_a_map_per_file() -> None:
    files = {"things.csv": b"code;wort;art\n1;Ann;p\n2;Bob;p\n", "ties.csv": b"x;y\n1;2\n"}
    maps = {
        "things.csv": ColumnMap(id="code", name="wort", type="art", header=True),
        "ties.csv": ColumnMap(source="x", target="y", header=True),
    }
    loaded = read_upload(files, columns=maps)
    assert loaded.graph.names == ("Ann", "Bob")
    assert edges_of(loaded) == {("1", "related to", "2")}


def test_a_map_of_a_column_that_is_not_there_is_refused_with_the_columns() -> None:
    with pytest.raises(InputError, match="no column 'wer'") as caught:
        read_upload({"e.csv": EDGES.encode()}, columns=ColumnMap(source="wer", target="target"))
    assert caught.value.hint == "The columns are: source, target, type."


def test_other_columns_of_nodes_join_the_text_unless_they_are_left_out() -> None:
    nodes = b"id,name,year,colour\na,Ann,1990,red\nb,Bob,,\n"
    loaded = read_upload({"nodes.csv": nodes, "edges.csv": EDGES.encode()})
    assert loaded.graph.texts[:2] == ("year: 1990\ncolour: red", "")
    maps = {"nodes.csv": ColumnMap(id="id", name="name", text=("colour",), attributes=())}
    chosen = read_upload({"nodes.csv": nodes, "edges.csv": EDGES.encode()}, columns=maps)
    assert chosen.graph.texts[0] == "red"
    assert "nodes.csv: column year" in chosen.report.ignored


def test_edge_rows_may_describe_their_ends() -> None:
    text = (
        "relation,x_index,x_type,x_name,y_index,y_type,y_name\n"
        "treats,1,drug,Aspirin,2,disease,Headache\ncauses,3,gene,ABC,2,disease,Headache\n"
    )
    graph = load(kg__csv=text).graph
    assert [(n.name, n.type) for n in map(graph.node, range(3))] == [
        ("Aspirin", "drug"),
        ("Headache", "disease"),
        ("ABC", "gene"),
    ]


def test_several_edge_tables_lend_their_names_as_types() -> None:
    loaded = load(
        acted_in__csv="source,target\np,f\n", directed__csv="source,target\nq,f\n", people__csv="id,name\np,P\nq,Q\n"
    )
    assert edges_of(loaded) == {("p", "acted in", "f"), ("q", "directed", "f")}


def test_every_row_that_is_left_out_is_counted_with_number_and_reason() -> None:
    nodes = "id,name\na,Ann\na,Ann\na,Another\n,Nobody\nb,Bob\nc,Ann\n"
    edges = "source,target,type\na,b,r\na,b,r\na,b,s\nb,,r\na,a,r\nx,b,\nc,b,r\n"
    report = load(nodes__csv=nodes, edges__csv=edges).report
    assert [(r.file, r.line, r.reason) for r in report.rejected] == [
        ("edges.csv", 5, "the edge has no target"),
        ("nodes.csv", 4, "the id belongs to an earlier node"),
        ("nodes.csv", 5, "the node has no id"),
    ]
    assert report.rejected_by_reason == {
        "the edge has no target": 1,
        "the id belongs to an earlier node": 1,
        "the node has no id": 1,
    }
    assert (report.rejected_total, report.duplicate_nodes, report.duplicate_edges) == (3, 1, 1)
    assert (report.parallel_pairs, report.self_loops, report.nodes_from_edges) == (1, 1, 1)
    assert (report.homonyms, report.homonym_examples) == (1, ("Ann",))
    assert (report.nodes, report.edges, report.isolated_nodes, report.nameless_nodes) == (4, 5, 0, 1)


def test_the_report_keeps_200_lines_and_counts_all() -> None:
    good = "".join(f"a{i},b,r\n" for i in range(400))
    report = load(edges__csv="source,target,type\n" + good + "bad\n" * 300).report
    assert (len(report.rejected), report.rejected_total, report.rows) == (200, 300, 700)
    long = load(edges__csv="source,target,type\na,b,r\n" + "x" * 5000 + "\na,c,r\n").report
    assert len(long.rejected[0].excerpt) == 120


def test_mostly_unusable_files_are_refused_with_the_first_reason() -> None:
    with pytest.raises(InputError, match=r"3 of 4 rows cannot be used; the first: the edge has no source") as caught:
        load(edges__csv="source,target,type\n,b,r\n,b,r\n,b,r\na,b,r\n")
    assert caught.value.where == "edges.csv, line 2"


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"nodes.csv": NODES}, "no file of edges"),
        ({"edges.csv": "source,target,type\n"}, "no node and no edge"),
        ({"nodes.csv": NODES, "edges.csv": "source,target,type\n"}, "3 nodes and no edge"),
        ({"edges.csv": ""}, "empty"),
        ({"edges.csv": " \n\n"}, "empty"),
    ],
)
def test_a_graph_without_edges_is_refused(files: dict[str, str], message: str) -> None:
    with pytest.raises(EmptyGraphError, match=message) as caught:
        read_upload({name: text.encode() for name, text in files.items()})
    assert caught.value.where


def test_edges_by_name_where_nodes_have_other_ids_are_refused_with_advice() -> None:
    with pytest.raises(InputError, match="no edge end is the id of a node") as caught:
        load(nodes__csv=NODES, edges__csv="source,target,type\nAnn,Bob,knows\n")
    assert "map the nodes' id" in caught.value.hint


def test_hostile_names_stay_text() -> None:
    hostile = [
        "<script>alert(1)</script>",
        '" onmouseover="alert(1)',
        "<a href='javascript:alert(1)'>x</a>",
        '=HYPERLINK("http://x")',
        "\u202eevil\u202c",
        "שלום עולם",
        "x" * 10_000,
        "{{7*7}} ${7*7} %s",
        "a\u2028b\x85c\x0bd",
    ]
    buffer = io.StringIO()
    csv.writer(buffer).writerows([["id", "name"], *([f"n{i}", name] for i, name in enumerate(hostile))])
    edges = "source,target,type\n" + "".join(f"n{i},n0,<b>r</b>\n" for i in range(len(hostile)))
    graph = load(nodes__csv=buffer.getvalue(), edges__csv=edges).graph
    assert list(graph.names) == hostile
    assert graph.edge_type_names == ("<b>r</b>",)


CELL = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)
WORD = CELL.map(str.strip).filter(bool)


@given(
    rows=st.lists(st.tuples(WORD, CELL, CELL, CELL), min_size=1, max_size=6, unique_by=lambda row: row[0]),
    data=st.data(),
)
def test_a_graph_written_as_csv_reads_back(rows: list[tuple[str, str, str, str]], data: st.DataObject) -> None:
    ids = [row[0] for row in rows]
    edges = data.draw(
        st.lists(st.tuples(st.sampled_from(ids), st.sampled_from(ids), WORD), min_size=1, max_size=8, unique=True)
    )
    loaded = read_upload(
        {
            "nodes.csv": written(["id", "name", "type", "text"], rows),
            "edges.csv": written(["source", "target", "type"], edges),
        }
    )
    graph = loaded.graph
    assert loaded.report.rejected == ()
    assert list(graph.ids) == ids
    assert list(graph.names) == [name.strip() or id_ for id_, name, _, _ in rows]
    assert list(graph.types) == [type_.strip() for _, _, type_, _ in rows]
    assert list(graph.texts) == [text.strip() for _, _, _, text in rows]
    assert edges_of(loaded) == {(head, kind, tail) for head, tail, kind in edges}


def written(header: list[str], rows: list[tuple[str, ...]]) -> bytes:
    buffer = io.StringIO(newline="")
    csv.writer(buffer, quoting=csv.QUOTE_ALL).writerows([header, *rows])
    return buffer.getvalue().encode()


def test_the_order_of_edge_lines_changes_nothing() -> None:
    lines = [f"n{i % 17},n{i * 7 % 23},r{i % 5}" for i in range(200)]
    shuffled = random.Random(0).sample(lines, len(lines))
    first = load(edges__csv="\n".join(["source,target,type", *lines]))
    second = load(edges__csv="\n".join(["source,target,type", *shuffled]))
    assert first.graph.ids == second.graph.ids
    assert first.graph.content_id == second.graph.content_id


def test_progress_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables_module, "_PROGRESS_EVERY", 2)
    told: list[tuple[str, float | None]] = []
    read_upload(
        {"edges.csv": ("source,target,type\n" + "a,b,r\n" * 10).encode()},
        on_progress=lambda what, share: told.append((what, share)),
    )
    shares = [share for what, share in told if what == "Reading edges.csv"]
    assert len(shares) == 5
    assert shares == sorted(shares)
    assert all(share is not None and 0 <= share <= 1 for share in shares)
