from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.__main__ import main


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "a.txt").write_text("The harbour was closed for a week, and ships had to wait. See http://a.b")
    (docs / "b.txt").write_text("The harbour was closed for a week, and ships had to wait. See")
    (docs / "c.txt").write_text("")
    return docs


def test_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["corpus", "info", str(folder), "--json"]) == 0
    body = json.loads(capsys.readouterr().out)
    assert (body["name"], body["documents"], body["chunks"], body["languages"]) == ("docs", 1, 1, {"en": 1})
    assert body["encoder"] == {"name": "minilm", "reason": "MiniLM: the texts are English."}
    assert body["report"]["skipped"] == [{"name": "c.txt", "reason": "the file is empty"}]
    assert body["report"]["duplicates"] == [{"id": "b.txt", "source": "b.txt", "same_as": "a.txt"}]


def test_for_people(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["corpus", "info", str(folder)]) == 0
    out = capsys.readouterr().out
    assert "docs: 1 document, " in out
    assert "Skipped: 1\n  c.txt: the file is empty" in out
    assert "b.txt is the same as a.txt" in out
    assert "Cleaned: 1 address." in out


def test_a_mistake(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["corpus", "info", str(folder / "c.txt"), "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["error"]["what"] == "the file is empty"
