"""Opening what a person points at: documents, and judged queries where there are some."""

import io
import json
import zipfile

import pytest

from core.corpus.opening import open_corpus, open_corpus_upload
from core.corpus.samples import CORPUS_SAMPLES, find_corpus_samples, load_corpus_sample
from core.errors import ConfigError, EmptyCorpusError, InputError

CORPUS = b'{"_id": "a", "text": "apples are red"}\n{"_id": "b", "text": "pears are green"}\n'
QUERIES = b'{"_id": "q", "text": "what is red?"}\n'
QRELS = b"query-id\tcorpus-id\tscore\nq\ta\t1\n"


def test_documents_alone_have_no_queries(tmp_path):
    (tmp_path / "note.txt").write_text("A note about pears.")
    opened = open_corpus(tmp_path)
    assert [d.text for d in opened.corpus] == ["A note about pears."]
    assert (opened.queries, opened.qrels) == ({}, {})


def test_a_collection_in_a_folder_or_a_zip_brings_its_queries(tmp_path):
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        for name, data in (("corpus.jsonl", CORPUS), ("queries.jsonl", QUERIES), ("qrels/test.tsv", QRELS)):
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_bytes(data)
            file.writestr(f"mine/{name}", data)
    for opened in (open_corpus(tmp_path, name="mine"), open_corpus_upload({"mine.zip": archive.getvalue()})):
        assert opened.corpus.name == "mine"
        assert opened.queries == {"q": "what is red?"}
        assert opened.qrels == {"q": {"a": 1}}


def test_an_upload_has_no_folders_so_tables_beside_the_corpus_are_its_judgements():
    opened = open_corpus_upload({"corpus.jsonl": CORPUS, "queries.jsonl": QUERIES, "dev.tsv": QRELS})
    assert opened.qrels == {"q": {"a": 1}}
    beside = open_corpus_upload({"other.jsonl": CORPUS, "table.tsv": b"title\ttext\nA\tabout apples\n"})
    assert {d.text for d in beside.corpus} == {"apples are red", "pears are green", "about apples"}


@pytest.mark.parametrize(
    ("others", "said"),
    [
        ({}, "there is no queries.jsonl beside corpus.jsonl"),
        ({"queries.jsonl": QUERIES}, "there is no qrels/*.tsv"),
        ({"queries.jsonl": QUERIES, "test.tsv": b"q\ta\tmuch\nq\tb\tmore\n"}, "this is no judgement"),
    ],
)
def test_queries_that_cannot_be_read_leave_the_documents_with_a_notice(others, said):
    opened = open_corpus_upload({"corpus.jsonl": CORPUS, **others})
    assert len(opened.corpus) == 2
    assert opened.queries == {}
    assert any(said in notice for notice in opened.corpus.report.notices)


def test_documents_that_cannot_be_read_are_refused_with_line_and_reason():
    with pytest.raises(InputError, match="line 2") as refused:
        open_corpus_upload({"corpus.jsonl": b'{"_id": "a", "text": "x"}\nnot json\n'})
    assert "corpus.jsonl" in refused.value.where
    with pytest.raises(EmptyCorpusError):
        open_corpus_upload({"empty.txt": b""})
    with pytest.raises(InputError, match="no such file"):
        open_corpus("/nowhere/at/all")


@pytest.mark.parametrize("name", list(CORPUS_SAMPLES))
def test_each_sample_opens_with_its_suggested_queries(name):
    sample, opened = CORPUS_SAMPLES[name], load_corpus_sample(name)
    assert opened.corpus.name == sample.title
    assert len(sample.suggested) == 6
    assert set(sample.suggested) <= set(opened.queries)
    assert set(opened.qrels) == set(opened.queries)
    assert sample.blurb
    assert sample.licence


def test_a_sample_that_is_not_there_or_not_described_is_told(tmp_path):
    with pytest.raises(ConfigError, match="company"):
        load_corpus_sample("nothing")
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / "sample.json").write_text(json.dumps({"title": "Odd"}))
    with pytest.raises(InputError, match=r"odd/sample\.json"):
        find_corpus_samples(tmp_path)
