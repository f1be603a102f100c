from __future__ import annotations

import json
from pathlib import Path

import pytest
from made_files import zip_of

from core.corpus.beir import read_beir
from core.corpus.cranfield import grade, records
from core.corpus.readers import read_corpus
from core.errors import InputError

LINES = [
    {"_id": "d1", "title": "Tides", "text": "The moon pulls the sea. http://a.b"},
    {"_id": "d2", "title": "", "text": "Harbours silt up."},
    {"_id": "d3", "title": "", "text": ""},
    {"_id": "d10", "title": "", "text": "Harbours silt up."},
]
QUERIES = [{"_id": "q1", "text": "why tides"}, {"_id": "q2", "text": "silt"}]
QRELS = "query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td3\t1\nq2\td10\t2\nq2\td2\t1\n"


def beir(folder: Path, qrels: str = QRELS, **files: str) -> Path:
    (folder / "qrels").mkdir(parents=True)
    (folder / "corpus.jsonl").write_text("\n".join(map(json.dumps, LINES)), encoding="utf-8")
    (folder / "queries.jsonl").write_text("\n".join(map(json.dumps, QUERIES)), encoding="utf-8")
    (folder / "qrels" / "test.tsv").write_text(qrels, encoding="utf-8")
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def test_a_folder(tmp_path: Path) -> None:
    found = read_beir(beir(tmp_path / "sea"))
    assert [d.id for d in found.corpus] == ["d1", "d2"]
    assert found.corpus.documents[0].text.endswith("http://a.b")  # a benchmark is not cleaned
    assert found.queries == {"q1": "why tides", "q2": "silt"}
    # d10 is d2 again: the better of the two grades counts. The empty d3 stays judged.
    assert found.qrels == {"q1": {"d1": 2, "d3": 1}, "q2": {"d2": 2}}
    assert found.corpus.report.skipped[0].name == "corpus.jsonl, document d3"
    assert (found.corpus.name, found.corpus.dataset.kind) == ("sea", "corpus")
    assert found.corpus.dataset.size == {"documents": 2}


def test_as_a_corpus_and_from_a_zip(tmp_path: Path) -> None:
    folder = beir(tmp_path / "sea")
    packed = tmp_path / "sea.zip"
    packed.write_bytes(zip_of({f"sea/{p.relative_to(folder)}": p.read_bytes() for p in folder.rglob("*.*")}))
    found = read_beir(packed)
    plain = read_beir(folder)
    assert (found.queries, found.qrels, found.corpus.content_id) == (
        *(plain.queries, plain.qrels),
        plain.corpus.content_id,
    )
    assert read_corpus(folder) == plain.corpus


def test_of_several_splits_the_test_split_is_taken(tmp_path: Path) -> None:
    folder = beir(tmp_path / "sea")
    (folder / "qrels" / "train.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td2\t1\n")
    assert read_beir(folder).qrels["q1"] == {"d1": 2, "d3": 1}
    (folder / "qrels" / "test.tsv").unlink()
    assert read_beir(folder).qrels == {"q1": {"d2": 1}}


def test_trec_order_and_no_header(tmp_path: Path) -> None:
    assert read_beir(beir(tmp_path / "sea", "q1\t0\td1\t1\n\n")).qrels == {"q1": {"d1": 1}}


@pytest.mark.parametrize(
    ("file", "text", "where"),
    [
        ("corpus.jsonl", '{"_id": "a", "text": "b"}\n{"_id": ', "corpus.jsonl, line 2"),
        ("corpus.jsonl", '\n{"text": "b"}', "corpus.jsonl, line 2"),
        ("corpus.jsonl", '["a"]', "corpus.jsonl, line 1"),
        ("qrels/test.tsv", "query-id\tcorpus-id\tscore\nq1\td1\tgood", "qrels/test.tsv, line 2"),
        ("qrels/test.tsv", "query-id\tcorpus-id\tscore\nq1\td1\t0.5", "qrels/test.tsv, line 2"),
        ("qrels/test.tsv", "query-id\tcorpus-id\tscore\nq1 d1 1", "qrels/test.tsv, line 2"),
    ],
)
def test_a_mistake_is_told_with_its_line(tmp_path: Path, file: str, text: str, where: str) -> None:
    folder = beir(tmp_path / "sea")
    (folder / file).write_text(text)
    with pytest.raises(InputError) as caught:
        read_beir(folder)
    assert caught.value.where == where


@pytest.mark.parametrize("missing", ["corpus.jsonl", "queries.jsonl", "qrels/test.tsv"])
def test_a_missing_part_is_named(tmp_path: Path, missing: str) -> None:
    folder = beir(tmp_path / "sea")
    (folder / missing).unlink()
    with pytest.raises(InputError) as caught:
        read_beir(folder)
    assert missing.split("/")[0] in str(caught.value)


def test_grades_of_cranfield_run_the_other_way() -> None:
    assert [grade(g) for g in (1, 2, 3, 4, 5, -1, 0)] == [4, 3, 2, 1, 0, 0, 0]


def test_records_of_cranfield() -> None:
    text = ".I 7\r\n.T\r\na title\r\n.W\r\na text\r\n.W\r\n.I 009\r\n.W\r\n.I\r\n"
    assert list(records(text)) == [("7", {"T": "a title", "W": "a text\n.W"}), ("009", {"W": ""})]


def cranfield(folder: Path) -> Path:
    folder.mkdir()
    (folder / "cran.all.1400").write_text(
        ".I 1\n.T\nwing .\n.A\nx\n.B\n.W\nwing .\nlift of\nit\n.I 2\n.T\n.A\n.B\n.W\n.I\n"
    )
    (folder / "cran.qry").write_text(".I 030\r\n.W\r\nlift ?\r\n.I 002\r\n.W\r\nheat\r\nflow\r\n.I\r\n")
    (folder / "cranqrel").write_text("1 1 1\n1 2 -1\n2 1 4\n")
    return folder


def test_a_small_cranfield(tmp_path: Path) -> None:
    found = read_beir(cranfield(tmp_path / "c"))
    assert [(d.id, d.title, d.text) for d in found.corpus] == [("1", "wing .", "lift of it")]
    assert found.corpus.documents[0].content == "wing .\nlift of it"
    assert found.queries == {"1": "lift ?", "2": "heat flow"}  # by order, not by .I
    assert found.qrels == {"1": {"1": 4, "2": 0}, "2": {"1": 1}}


def test_cranfield_without_its_judgements(tmp_path: Path) -> None:
    folder = cranfield(tmp_path / "c")
    (folder / "cranqrel").unlink()
    assert len(read_corpus(folder)) == 1
    with pytest.raises(InputError, match="cranqrel is not beside"):
        read_beir(folder)


@pytest.mark.shared
def test_the_real_cranfield(shared_data: Path) -> None:
    found = read_beir(shared_data / "cranfield")
    assert (len(found.corpus), len(found.queries), len(found.qrels)) == (1398, 225, 225)
    assert sum(map(len, found.qrels.values())) == 1837
    assert {one.name.split()[-1] for one in found.corpus.report.skipped} == {"471", "995"}
    assert list(found.queries) == [str(n) for n in range(1, 226)]
    assert found.queries["3"].startswith("what problems of heat conduction")  # .I 004
    assert found.qrels["1"]["184"] == 3
    assert {g for grades in found.qrels.values() for g in grades.values()} == {1, 2, 3, 4}
    assert found.corpus.report.languages["en"] >= 1397
