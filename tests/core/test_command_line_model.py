"""The command line with a model: asked, recorded, replayed with no server; the key is nowhere."""

import json

import pytest
from lying_server import LyingServer
from scripted_model import scripted

from core.__main__ import main
from core.figures.words import money
from core.store import Store
from core.trace import Price

KEY = "sk-secret-4"
NODES = "id,name,type,text\na,Alien,film,A crew.\ns,Ridley Scott,person,A director.\nw,Sigourney Weaver,person,Acts.\n"
EDGES = "source,target,type\na,s,directed by\na,w,stars\n"


@pytest.fixture
def graph(tmp_path):
    folder = tmp_path / "graph"
    folder.mkdir()
    (folder / "nodes.csv").write_text(NODES)
    (folder / "edges.csv").write_text(EDGES)
    return str(folder)


def run(capsys, *words):
    code = main([*words, "--json"])
    out, err = capsys.readouterr()
    return code, json.loads(out), out + err


def test_a_model_decides_is_recorded_and_replays(graph, tmp_path, capsys, monkeypatch, private_home):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    recording = tmp_path / "replies.sqlite"
    command = ["ask", "who directed Alien?", "--graph", graph, "--agents", "2"]
    with LyingServer(answers=scripted) as server:
        model = ["--model", "tiny", "--base-url", server.url.removesuffix("/v1")]
        code, live, printed = run(capsys, *command, *model, "--record", str(recording))
        assert server.keys[0] == f"Bearer {KEY}"
    assert code == 0
    assert [r["id"] for r in live["ranked"]] == ["s"]
    assert "tiny at 127.0.0.1" in live["trace"]["decided_by"]
    assert live["trace"]["usage"]["prompt_tokens"] > 0
    code, again, _ = run(capsys, *command, "--replay", str(recording), "--no-save")
    assert code == 0
    assert again["answer"] == live["answer"]
    assert "recorded" in again["trace"]["decided_by"]
    assert KEY not in printed
    kept = [p for p in [recording, *private_home.rglob("*")] if p.is_file()]
    assert any(p.suffix == ".sqlite3" for p in kept)
    assert not [p for p in kept if KEY.encode() in p.read_bytes()]


def test_a_price_is_kept_with_the_run_and_its_cost_is_said(graph, capsys):
    command = ["ask", "who directed Alien?", "--graph", graph, "--agents", "1"]
    prices = ["--price-prompt", "100", "--price-reply", "1000"]
    with LyingServer(answers=scripted) as server:
        model = ["--model", "tiny", "--base-url", server.url]
        code, body, _ = run(capsys, *command, *model, *prices, "--no-save")
        assert main([*command, *model, *prices]) == 0
    assert code == 0
    usage = body["trace"]["usage"]
    assert usage["price"] == {"prompt": 100, "completion": 1000}
    cost = (usage["prompt_tokens"] * 100 + usage["completion_tokens"] * 1000) / 1e6
    assert f" tokens, cost {money(cost)}" in capsys.readouterr().out
    (line,) = Store().list()
    assert Store().load(line.run_id).usage.price == Price(prompt=100, completion=1000)


@pytest.mark.parametrize(
    ("options", "where"),
    [
        (["--model", "tiny"], "--base-url"),
        (["--model", "tiny", "--base-url", "http://u:p@host"], "base URL"),
        (["--record", "x.sqlite"], "--record"),
        (["--replay", "no-such-file"], "no-such-file"),
        (["--price-prompt", "1"], "--price-prompt"),
        (["--price-reply", "inf", "--model", "tiny", "--base-url", "http://127.0.0.1:9"], "--price-reply"),
    ],
)
def test_options_that_cannot_work_are_refused(graph, capsys, monkeypatch, options, where):
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    code, body, _ = run(capsys, "ask", "who?", "--graph", graph, *options)
    assert code == 2
    assert where in body["error"]["where"]


def test_gold_answers_are_written_and_a_failure_is_a_row(graph, tmp_path, capsys):
    questions = tmp_path / "q.jsonl"
    questions.write_text('{"question": "who directed Alien?", "answers": ["Ridley Scott"]}\n'
                         '{"question": "who stars in Alien?", "answers": ["Sigourney Weaver"]}\n')  # fmt: skip

    def answers(body):
        text = json.dumps(body["messages"])
        return {"answer": "Ridley Scott did."} if "who directed" in text else "no JSON at all"

    out = tmp_path / "gold.jsonl"
    with LyingServer(answers=answers) as server:
        model = ["--model", "tiny", "--base-url", server.url]
        code, body, _ = run(capsys, "gold", "--graph", graph, "--questions", str(questions), "--out", str(out), *model)
    assert code == 0
    assert (body["n"], body["failed"], body["completeness"]) == (2, 1, 1.0)
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert rows[0]["answer"] == "Ridley Scott did."
    assert "none usable" in rows[1]["error"]


def test_gold_needs_a_model(graph, tmp_path, capsys):
    code, body, _ = run(capsys, "gold", "--graph", graph, "--questions", str(tmp_path / "q.jsonl"))
    assert code == 2
    assert body["error"]["where"] == "--model"
