"""`ask` and `evaluate` with KERAG, its settings in brackets, and mistakes in them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from kerag_world import EDGES, NODES, letters
from lying_server import LyingServer
from test_kerag_planner_model import scripted

from core.__main__ import main
from core.llm.structured import forget_rungs


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The books as files, and an encoder that needs no torch."""
    monkeypatch.setattr("core.linking.lenses.shared", letters())
    books = tmp_path / "books"
    books.mkdir()
    rows = [f'{id_},"{name}",{type_},"{text}"' for id_, (name, type_, text) in NODES.items()]
    (books / "nodes.csv").write_text("\n".join(["id,name,type,text", *rows]) + "\n")
    (books / "edges.csv").write_text("\n".join(["source,target,type", *(f"{s},{t},{r}" for s, r, t in EDGES)]) + "\n")
    return books


def asked(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, Any]:
    code = main([*words, "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_ask_answers_and_saves_a_run_for_the_page(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["ask", "Who wrote The Salt Road?", "--graph", str(folder), "--method", "kerag"])
    out, err = capsys.readouterr()
    assert code == 0
    assert "Ada Holm." in out
    assert "/kerag?run=" in err
    assert "Decided by: offline planner and evaluator" in out


def test_settings_stand_in_brackets(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    question = "Where was the translator of Winter Letters born?"
    one_hop = "kerag[hops=1,drop_relations=false]"
    code, body = asked(capsys, "ask", question, "--graph", str(folder), "--method", one_hop, "--no-save")
    assert code == 0
    assert body["trace"]["config"]["hops"] == 1
    assert body["trace"]["config"]["drop_relations"] is False
    assert [s["kind"] for s in body["trace"]["steps"]].count("kerag.schema") == 1
    assert body["answer"] != "Oslo."
    code, body = asked(capsys, "ask", question, "--graph", str(folder), "--method", "kerag[hops=0]", "--no-save")
    assert code == 2
    assert "hops" in body["error"]["what"]


def test_a_models_run_is_recorded_priced_and_replayed_with_no_server(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    forget_rungs()
    replies = str(tmp_path / "replies.sqlite")
    question = "Where was the translator of The Quiet Harbour born?"
    command = ["ask", question, "--graph", str(folder), "--method", "kerag"]
    with LyingServer(answers=scripted) as server:
        model = ["--model", "tiny", "--base-url", server.url, "--price-prompt", "2"]
        code, live = asked(capsys, *command, *model, "--record", replies)
        assert len(server.requests) == 4
    assert (code, live["answer"]) == (0, "Bergen.")
    assert live["trace"]["usage"]["price"] == {"prompt": 2, "completion": None}
    code, again = asked(capsys, *command, "--replay", replies)
    assert (code, again["answer"], again["ranked"]) == (0, "Bergen.", live["ranked"])
    assert again["trace"]["decided_by"] == "tiny, recorded"
    assert again["trace"]["usage"]["price"] is None


def test_evaluate_compares_it_with_its_own_ablations(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    questions = tmp_path / "q.txt"
    questions.write_text(
        "who wrote [The Salt Road]\tAda Holm\nwhere was the author of [The Quiet Harbour] born\tOslo\n"
    )
    methods = "kerag,kerag[hops=1],bm25"
    code, body = asked(capsys, "evaluate", "--graph", str(folder), "--questions", str(questions), "--method", methods)
    assert code == 0
    own, ablated = body["methods"]["kerag"], body["methods"]["kerag[hops=1]"]
    assert own["hit@1"] >= ablated["hit@1"] >= 0.5
    assert {"accuracy", "missing", "hallucination", "truthfulness"} <= set(own)
    assert own["truthfulness"] == pytest.approx(own["accuracy"] - own["hallucination"])
    assert "accuracy" not in body["methods"]["bm25"]
