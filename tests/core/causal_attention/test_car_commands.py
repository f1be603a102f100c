from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.__main__ import main
from core.store import Store
from core.trace import Trace

DOCUMENTS = {
    "d1": "Apple harvest: the ladder stands by the tree, baskets are carried to the barn before noon.",
    "d2": "Apple harvest apple harvest apple harvest apple harvest.",
    "d3": "Ropes and knots for climbers on rock.",
    "d4": "A song about the harvest moon at night.",
    "d5": "Pistons and valves of a steam engine.",
    "d6": "Cider is pressed from pears and kept in a barrel.",
}
QUERIES = {"q1": "apple harvest", "q2": "steam engine valves", "q3": "pear cider"}
QRELS = "query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td4\t1\nq2\td5\t1\nq3\td6\t1\n"


@pytest.fixture
def beir(tmp_path: Path) -> Path:
    folder = tmp_path / "judged"
    (folder / "qrels").mkdir(parents=True)
    corpus = [json.dumps({"_id": id_, "title": "", "text": text}) for id_, text in DOCUMENTS.items()]
    (folder / "corpus.jsonl").write_text("\n".join(corpus), encoding="utf-8")
    queries = [json.dumps({"_id": id_, "text": text}) for id_, text in QUERIES.items()]
    (folder / "queries.jsonl").write_text("\n".join(queries), encoding="utf-8")
    (folder / "qrels" / "test.tsv").write_text(QRELS, encoding="utf-8")
    return folder


def told(capsys: pytest.CaptureFixture[str], *words: object, code: int = 0) -> Any:
    assert main([*map(str, words), "--json"]) == code
    return json.loads(capsys.readouterr().out)


def test_evaluate_ir(beir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    body = told(capsys, "evaluate-ir", "--corpus", beir, "--encoder", "letters", "--modes", "hybrid,baseline")
    assert body["n"] == 3
    assert list(body["modes"]) == ["baseline", "hybrid"]
    for scores in body["modes"].values():
        assert set(scores) == {"ndcg@10", "p@5", "mrr@10"}
        assert all(0 <= value <= 1 for value in scores.values())
    assert main(["evaluate-ir", "--corpus", str(beir), "--encoder", "letters"]) == 0
    assert "3 queries, 6 documents" in capsys.readouterr().out


def test_gate_is_remembered_and_followed(beir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    body = told(capsys, "gate", "--corpus", beir, "--encoder", "letters")
    assert set(body["delta"]) == set(body["enable"]) == {"semantic", "hybrid"}
    assert set(body["reliability"]["30"]) == {"semantic", "hybrid"}
    assert body["verdict"].startswith(("On:", "Off:"))
    for mode, delta in body["delta"].items():
        assert body["enable"][mode] == (delta > 0)
    ranked = told(
        capsys, "rerank", "--corpus", beir, "--query", "apple", "--mode", "gated", "--encoder", "letters", "--no-save"
    )
    gate = next(s for s in ranked["trace"]["steps"] if s["kind"] == "car.gate")
    assert gate["known"]
    assert gate["enable"] == any(body["enable"].values())


def test_stuffing(beir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    body = told(capsys, "stuffing", "--corpus", beir, "--encoder", "letters", "--m", "0,2", "--generator", "all")
    assert body["m"] == [0, 2]
    assert set(body["modes"]) == {"baseline", "exact", "semantic", "hybrid", "gated"}
    assert all(len(values) == 2 for values in body["modes"].values())
    assert set(body["generators"]) == {"repeated", "off-topic", "synonyms"}
    assert main(["stuffing", "--corpus", str(beir), "--encoder", "letters", "--m", "0,1", "--queries", "2"]) == 0
    assert "2 queries" in capsys.readouterr().out


def test_rerank_names_the_documents_that_repeat_another(beir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    copies = [json.dumps({"_id": id_, "text": DOCUMENTS["d5"]}) for id_ in ("d50", "d51", "d52", "d53")]
    copies.append(json.dumps({"_id": "d60", "text": DOCUMENTS["d6"]}))
    with (beir / "corpus.jsonl").open("a", encoding="utf-8") as file:
        file.write("\n" + "\n".join(copies))
    words = ("rerank", "--corpus", beir, "--query", "pear cider", "--encoder", "letters", "--no-save")
    body = told(capsys, *words)
    assert {(c["id"], c["same_as"]) for c in body["duplicates"]} == {
        ("d50", "d5"), ("d51", "d5"), ("d52", "d5"), ("d53", "d5"), ("d60", "d6"),
    }  # fmt: skip
    said = next(n for n in body["notices"] if "word for word" in n)
    assert said.startswith("5 documents repeat another word for word; each text is ranked once: “d50” is the same as")
    assert said.endswith(", and 2 more.")
    assert len(body["ranked"]) == len(DOCUMENTS)
    assert main([*map(str, words)]) == 0
    assert said in " ".join(capsys.readouterr().out.split())


def test_an_empty_query_is_refused_before_anything_is_read(capsys: pytest.CaptureFixture[str]) -> None:
    error = told(capsys, "rerank", "--corpus", "not here", "--query", " ", code=2)["error"]
    assert (error["what"], error["where"]) == ("the query is empty", "--query")


def test_rerank_saves_a_trace_that_reads_back(beir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    body = told(
        capsys, "rerank", "--corpus", beir, "--query", "apple harvest", "--mode", "exact", "--encoder", "letters"
    )
    assert body["ranked"][-1]["id"] == "d2"  # all it says is what the query says
    assert set(body["rankings"]) == {"baseline", "exact", "semantic", "fallback", "hybrid"}
    trace = Trace.from_json(json.dumps(body["trace"]))
    assert Store().load(trace.run_id).same_content(trace)
    assert main(["rerank", "--corpus", str(beir), "--query", "apple", "--encoder", "letters", "--no-save"]) == 0
    assert "by similarity" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "where"),
    [
        (["rerank", "--query", "x", "--tau", "7"], "tau"),
        (["rerank", "--query", "x", "--mode", "magic"], "mode"),
        (["rerank", "--query", "x", "--mode", "cross-encoder"], "--cross-encoder"),
        (["rerank", "--query", "x", "--keywords", "magic"], "--keywords"),
        (["rerank", "--query", "x", "--model-keywords"], "--model-keywords"),
        (["rerank", "--query", "x", "--cross-encoder", "nowhere"], "nowhere"),
        (["evaluate-ir", "--modes", "magic"], "--modes"),
        (["evaluate-ir", "--modes", "cross-encoder", "--encoder", "letters"], "--cross-encoder"),
        (["stuffing", "--m", "1,-2"], "--m"),
        (["stuffing", "--generator", "magic"], "--generator"),
    ],
)
def test_mistakes_are_told(beir: Path, capsys: pytest.CaptureFixture[str], words: list[str], where: str) -> None:
    body = told(capsys, *words, "--corpus", beir, code=2)
    assert body["error"]["where"] == where


def test_no_such_corpus(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for command in (["rerank", "--query", "x"], ["evaluate-ir"], ["gate"], ["stuffing"]):
        body = told(capsys, *command, "--corpus", tmp_path / "nowhere", code=2)
        assert body["error"]["what"]
