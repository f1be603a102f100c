from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from core.text import word_vectors
from core.text.word_vectors import clear_word_vectors, keep_word_vectors, read_word_vectors, word_vector_file

ROOT = Path(__file__).resolve().parents[3]


def vectors(n: int, seed: int = 0) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    return np.random.default_rng(seed).standard_normal((n, 4)).astype(np.float32)


def test_what_is_kept_comes_back_bit_for_bit() -> None:
    rows = vectors(3)
    assert read_word_vectors("v1", ["a"], 4) == {}
    keep_word_vectors("v1", ["a", "中文", ""], rows)
    known = read_word_vectors("v1", ["中文", "a", "other"], 4)
    assert set(known) == {"a", "中文"}
    assert known["a"].tolist() == rows[0].tolist()
    assert known["中文"].tolist() == rows[1].tolist()


def test_versions_are_kept_apart_and_a_wrong_length_is_no_vector() -> None:
    keep_word_vectors("v1", ["a"], vectors(1))
    assert read_word_vectors("v2", ["a"], 4) == {}
    assert read_word_vectors("v1", ["a"], 5) == {}


def test_more_words_than_a_query_can_name() -> None:
    texts = [f"word {i}" for i in range(1_234)]
    rows = vectors(1_234)
    keep_word_vectors("v1", texts, rows)
    known = read_word_vectors("v1", texts, 4)
    assert all(known[text].tolist() == row.tolist() for text, row in zip(texts, rows, strict=True))


def test_long_texts_are_not_kept() -> None:
    long = "x" * 201
    keep_word_vectors("v1", [long, "x" * 200], vectors(2))
    assert set(read_word_vectors("v1", [long, "x" * 200], 4)) == {"x" * 200}


def test_the_oldest_go_when_there_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_vectors, "ROWS", 10)
    keep_word_vectors("other", ["kept"], vectors(1))
    texts = [f"word {i}" for i in range(25)]
    for text in texts:
        keep_word_vectors("v1", [text], vectors(1))
    assert set(read_word_vectors("v1", texts, 4)) == set(texts[-10:])
    assert set(read_word_vectors("other", ["kept"], 4)) == {"kept"}


def test_a_broken_file_is_replaced(private_home: Path) -> None:
    word_vector_file().parent.mkdir(parents=True)
    word_vector_file().write_bytes(b"this is no database, and long enough to be read as one" * 100)
    assert read_word_vectors("v1", ["a"], 4) == {}
    keep_word_vectors("v1", ["a"], vectors(1))
    assert set(read_word_vectors("v1", ["a"], 4)) == {"a"}


def test_a_folder_that_cannot_be_written_is_passed_over(private_home: Path) -> None:
    private_home.write_text("a file where the folder should be")
    keep_word_vectors("v1", ["a"], vectors(1))
    assert read_word_vectors("v1", ["a"], 4) == {}


def test_clearing() -> None:
    keep_word_vectors("v1", ["a"], vectors(1))
    clear_word_vectors()
    assert not word_vector_file().exists()
    assert read_word_vectors("v1", ["a"], 4) == {}
    clear_word_vectors()


def test_two_processes_keep_words_at_once() -> None:
    script = """
import sys
import numpy as np
from core.text.word_vectors import keep_word_vectors, read_word_vectors
for i in range(100):
    text = f"{sys.argv[1] if i % 2 else 'both'} {i}"
    keep_word_vectors("v1", [text], np.full((1, 4), i, np.float32))
    assert read_word_vectors("v1", [text], 4)[text].tolist() == [i] * 4
"""
    command = [sys.executable, "-W", "error", "-c", script]
    processes = [subprocess.Popen([*command, name], cwd=ROOT, stderr=subprocess.PIPE) for name in ("one", "two")]
    for process in processes:
        _, err = process.communicate(timeout=120)
        assert process.returncode == 0, err.decode()
    known = read_word_vectors("v1", [f"{name} {i}" for i in range(100) for name in ("one", "two", "both")], 4)
    assert len(known) == 150
