from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.__main__ import main
from core.causal_attention.diagnostic import Ranks, means, theme_table
from core.errors import InputError

ROWS = [
    ("a1", "apples", "target", "Trees are shaken and ladders set: what falls is carried off in baskets."),
    ("a2", "apples", "stuffed", "apple harvest apple harvest apple harvest apple"),
    ("a3", "apples", "unrelated", "Pistons move in an engine."),
    ("b1", "boats", "target", "Tar is laid between the planks before the boat is launched."),
    ("b2", "boats", "stuffed", "boat repair boat repair boat repair"),
]


def folder_of(tmp_path: Path, rows: list[tuple[str, str, str, str]]) -> Path:
    corpus = [
        {"_id": id_, "title": "", "text": text, "metadata": {"theme": theme, "role": role, "language": "en"}}
        for id_, theme, role, text in rows
    ]
    queries = [
        {"_id": "apples", "text": "apple harvest", "metadata": {"theme": "apples"}},
        {"_id": "boats", "text": "boat repair", "metadata": {"theme": "boats"}},
    ]
    for name, items in (("corpus", corpus), ("queries", queries)):
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, items)), encoding="utf-8")
    return tmp_path


def test_each_theme_ranks_its_own_documents(tmp_path: Path) -> None:
    table = theme_table(folder_of(tmp_path, ROWS), encoder="letters")
    assert [theme.name for theme in table] == ["apples", "boats"]
    for theme, size in zip(table, (3, 2), strict=True):
        for ranks in theme.ranks.values():
            assert 1 <= ranks.target <= size
            assert ranks.target != ranks.stuffed
    assert table[0].ranks["baseline"].stuffed == 1
    assert table[0].ranks["exact"].stuffed == 3  # all it says is absorbed
    assert table[0].helps


def test_means_by_hand(tmp_path: Path) -> None:
    one, two = theme_table(folder_of(tmp_path, ROWS), encoder="letters")
    pair = [one._replace(ranks={"baseline": Ranks(1, 2.5)}), two._replace(ranks={"baseline": Ranks(4, 1.5)})]
    assert means(pair) == {"baseline": Ranks(2.5, 2.0)}
    assert means([]) == {}


def test_what_is_no_diagnostic_corpus_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no corpus\.jsonl"):
        theme_table(tmp_path)
    with pytest.raises(InputError, match="no target"):
        theme_table(folder_of(tmp_path, ROWS[1:]))
    (tmp_path / "corpus.jsonl").write_text('{"_id": "a"}', encoding="utf-8")
    with pytest.raises(InputError, match="theme and role"):
        theme_table(tmp_path)


def test_the_command_prints_the_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = str(folder_of(tmp_path, ROWS))
    assert main(["themes", "--corpus", folder, "--encoder", "letters", "--json"]) == 0
    body = json.loads(capsys.readouterr().out)
    assert body["themes"][0]["stuffed"]["exact"] == 3
    assert set(body["mean"]["en"]["baseline"]) == {"target", "stuffed"}
    assert main(["themes", "--corpus", folder, "--encoder", "letters"]) == 0
    assert "apples" in capsys.readouterr().out
