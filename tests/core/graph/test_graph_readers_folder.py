"""Folders and uploads: which files are one graph, the knowledge-graph-completion layout, limits."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import EmptyGraphError, InputError
from core.graph import readers
from core.graph.readers import ACCEPTED, FORMATS, read_graph, read_upload, sniff
from core.graph.readers.registry import READERS


def put(folder: Path, **files: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_bytes(text.encode())
    return folder


def test_the_completion_layout(tmp_path: Path) -> None:
    folder = put(
        tmp_path / "kg",
        train__tsv="1\t0\t2\r\n2\t0\t1\r\n",
        dev__tsv="1\t0\t2\n",
        test__tsv="1\t1\t9\nbroken line\n",
        entity2text__txt="1\tAnn\n2\tBob\x85Bobson \x0b\u2028\n3\t\n",
        entity2textlong__txt="1\tAnn bakes bread.\n",
        relation2text__txt="0\tknows\n",
        README__md="about",
    )
    loaded = read_graph(folder)
    graph, report = loaded.graph, loaded.report
    assert (graph.name, report.format) == ("kg", "knowledge-graph-completion folder")
    assert graph.ids == ("1", "2", "3", "9")
    assert graph.names == ("Ann", "Bob\x85Bobson", "3", "9")
    assert graph.texts[0] == "Ann bakes bread."
    assert graph.edge_type_names == ("1", "knows")  # relation 1 has no name and keeps its id
    assert (report.edges, report.duplicate_edges, report.isolated_nodes) == (3, 1, 1)
    assert [(r.file, r.line) for r in report.rejected] == [("test.tsv", 2)]
    assert report.ignored == ("README.md",)


@pytest.mark.parametrize("ending", ["tsv", "txt"])
def test_splits_without_names(tmp_path: Path, ending: str) -> None:
    folder = put(tmp_path, **{f"train__{ending}": "a\tr\tb\n", f"valid__{ending}": "b\tr\tc\n"})
    assert read_graph(folder).graph.ids == ("a", "b", "c")


def test_a_lone_train_file_is_a_table_of_triples(tmp_path: Path) -> None:
    folder = put(tmp_path, train__tsv="a\tr\tb\nb\tr\tc\n")
    assert sniff(folder / "train.tsv") == "CSV or TSV tables"


def test_nodes_and_edges_among_other_files(tmp_path: Path) -> None:
    folder = put(
        tmp_path / "sample",
        nodes__csv="id,name\na,Ann\n",
        edges__csv="source,target\na,b\n",
        questions__csv="id,question\n1,who?\n",
        notes__txt="hello\n",
        sample__json='{"title": "x"}',
        broken__json="{",
    )
    report = read_graph(folder).report
    assert [file.name for file in report.files] == ["edges.csv", "nodes.csv"]
    assert set(report.ignored) == {"questions.csv", "notes.txt", "sample.json", "broken.json"}


def test_several_graphs_in_a_folder_are_refused(tmp_path: Path) -> None:
    one = '<graphml><graph><edge source="a" target="b"/></graph></graphml>'
    with pytest.raises(InputError, match="several graphs"):
        read_graph(put(tmp_path, a__graphml=one, b__graphml=one))


def test_one_graph_beside_other_files(tmp_path: Path) -> None:
    one = '<graphml><graph><edge source="a" target="b"/></graph></graphml>'
    report = read_graph(put(tmp_path, a__graphml=one, LICENSE="free", notes__md="x")).report
    assert (report.format, report.ignored) == ("GraphML", ("LICENSE", "notes.md"))


def test_what_is_not_there_or_has_no_graph(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file or folder"):
        read_graph(tmp_path / "nowhere")
    with pytest.raises(InputError, match="holds no file"):
        read_graph(put(tmp_path / "empty"))
    with pytest.raises(InputError, match="no file of a known format") as caught:
        read_graph(put(tmp_path / "other", a__md="x", b__png="y"))
    assert ACCEPTED in caught.value.hint
    with pytest.raises(EmptyGraphError, match="the file is empty"):
        read_graph(put(tmp_path / "e", e__nt="") / "e.nt")


def test_uploads_above_the_limit_are_refused_before_they_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readers, "MAX_UPLOAD_BYTES", 3 * 1024 * 1024)

    def never(*args: object) -> None:
        raise AssertionError("it was read")

    monkeypatch.setattr(readers, "choose", never)
    with pytest.raises(InputError, match=r"the upload has 4\.0 MB; the limit is 3 MB") as caught:
        read_upload({"a.csv": bytes(2 * 1024**2), "b.csv": bytes(2 * 1024**2)})
    assert caught.value.where == "a.csv, b.csv"
    assert readers.MAX_UPLOAD_BYTES == 3 * 1024 * 1024


@pytest.mark.parametrize(
    ("files", "name"),
    [
        (("quaker-nodes.csv", "quaker-edges.csv"), "quaker"),
        (("nodes_quaker.csv", "edges_quaker.csv"), "quaker"),
        (("quakerNodes.csv", "quakerEdges.csv"), "quaker"),
        (("nodes.csv", "edges.csv"), "nodes and edges"),
        (("people.csv", "places.csv", "edges.csv"), "people and 2 more files"),
    ],
)
def test_an_upload_is_called_by_what_its_files_are_called(files: tuple[str, ...], name: str) -> None:
    texts = {f: b"source,target\na,b\n" if "dges" in f else b"id,name\na,A\nb,B\n" for f in files}
    if len(files) == 3:
        texts["places.csv"] = b"id,name\nc,C\n"
    assert read_upload(texts).graph.name == name


def test_a_stray_table_is_named_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("id,name\na,A\nb,B\n")
    (tmp_path / "knows.csv").write_text("source,target\na,b\n")
    (tmp_path / "budget.csv").write_text("month,amount,note\nJan,1,x\nFeb,2,y\nMar,3,z\nApr,4,u\nMay,5,v\n")
    with pytest.raises(InputError) as caught:
        read_graph(tmp_path)
    assert caught.value.where == "budget.csv"
    assert caught.value.hint.startswith("If it is no part of the graph, leave this file out.")
    (tmp_path / "budget.csv").unlink()
    assert len(read_graph(tmp_path).graph) == 2
    with pytest.raises(InputError) as alone:
        read_upload({"budget.csv": b"month,amount,note\nJan,1,x\nFeb,2,y\nMar,3,z\nApr,4,u\nMay,5,v\n"})
    assert alone.value.hint.startswith("Map the columns")


def test_uploads_by_odd_names() -> None:
    edges = b"source,target\na,b\n"
    assert read_upload({"../../etc/C:\\x\\graph.csv": edges}).graph.name == "graph"
    with pytest.raises(InputError, match="no file was given"):
        read_upload({})
    with pytest.raises(InputError, match="same name"):
        read_upload({"a/e.csv": edges, "b/e.csv": edges})


def test_a_path_and_an_upload_are_the_same_graph(tmp_path: Path) -> None:
    folder = put(tmp_path, nodes__csv="id,name\na,Ann\n", edges__csv="source,target\na,b\n")
    by_path = read_graph(folder, name="mine")
    by_upload = read_upload({path.name: path.read_bytes() for path in folder.iterdir()}, name="mine")
    assert by_path.graph.content_id == by_upload.graph.content_id
    assert by_path.report == by_upload.report
    assert by_path.graph.name == "mine"


def test_a_pickle_is_never_opened(tmp_path: Path) -> None:
    (tmp_path / "graph.pkl").write_bytes(b"cos\nsystem\n(S'touch /tmp/x'\ntR.")
    with pytest.raises(InputError, match="pickle is not read here"):
        read_graph(tmp_path / "graph.pkl")


def test_the_registry_names_each_format_once() -> None:
    assert len({reader.name for reader in READERS}) == len(READERS) == len(FORMATS)
    assert all(title in ACCEPTED for title in FORMATS)
