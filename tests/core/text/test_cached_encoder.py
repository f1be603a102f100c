from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from core.errors import EncoderError
from core.retriever import OnProgress
from core.text import cached_encoder
from core.text.cached_encoder import CachedEncoder


class Lengths:
    """A model whose vector of a text tells the text's length and its first letter."""

    name, title, dimensions, persistent, version = "lengths", "Lengths", 2, True, "lengths/1"

    def __init__(self, fault: Exception | None = None) -> None:
        self.asked: list[list[str]] = []
        self.loads = 0
        self.fault = fault

    def missing(self) -> str:
        return ""

    def load(self) -> None:
        self.loads += 1
        if self.fault:
            raise self.fault

    def encode(self, texts: Sequence[str], on_progress: OnProgress | None = None) -> Any:
        assert self.loads
        self.asked.append(list(texts))
        if on_progress:
            on_progress("reading", 0.0)
        angles = [len(text) + ord(text[0]) / 1e3 for text in texts]
        return np.array([[np.cos(a), np.sin(a)] for a in angles], np.float32)

    def unknown_share(self, texts: Sequence[str]) -> float:
        return 0.25


def test_a_text_is_asked_of_the_model_once() -> None:
    model = Lengths()
    encoder = CachedEncoder(model)
    first = encoder.encode(["a", "bb", "a", ""])
    again = encoder.encode(["bb", "a"])
    assert model.asked == [["a", "bb"]]
    assert first.shape == (4, 2)
    assert first.dtype == np.float32
    assert first[0].tolist() == first[2].tolist() == again[1].tolist()
    assert first[3].tolist() == [0, 0]
    assert encoder.encode([]).shape == (0, 2)


def test_a_word_known_from_an_earlier_process_loads_no_model() -> None:
    vector = CachedEncoder(Lengths()).encode(["known"])
    model = Lengths()
    later = CachedEncoder(model)
    assert later.encode(["known", " known ", ""])[:2].tolist() == [vector[0].tolist()] * 2
    assert model.loads == 0
    assert not later.loaded
    later.encode(["known", "new"])
    assert (model.loads, model.asked) == (1, [["new"]])


def test_a_model_that_is_cheap_is_not_kept_on_disk() -> None:
    first, second = Lengths(), Lengths()
    first.persistent = second.persistent = False  # type: ignore[misc]
    CachedEncoder(first).encode(["a"])
    CachedEncoder(second).encode(["a"])
    assert second.asked == [["a"]]


def test_blanks_need_no_model_and_surrogates_are_replaced() -> None:
    model = Lengths()
    encoder = CachedEncoder(model)
    assert encoder.encode(["", "  \n", "\t"]).tolist() == [[0, 0]] * 3
    assert model.loads == 0
    encoder.encode(["\ud800x"])
    assert model.asked == [["\ufffdx"]]


def test_a_change_to_a_result_does_not_reach_the_memory() -> None:
    encoder = CachedEncoder(Lengths())
    encoder.encode(["a"])[:] = 7
    assert encoder.encode(["a"]).max() <= 1


def test_a_model_that_fails_to_load_says_so_each_time_and_is_tried_once() -> None:
    model = Lengths(ImportError("no such library"))
    encoder = CachedEncoder(model)
    for _ in range(2):
        with pytest.raises(EncoderError, match="no such library") as caught:
            encoder.encode(["a"])
        assert "pip install" in caught.value.hint
    assert model.loads == 1
    assert "no such library" in encoder.missing()


def test_a_broken_tokenizer_is_an_encoder_error(monkeypatch: pytest.MonkeyPatch) -> None:
    model = Lengths()
    assert CachedEncoder(model).unknown_share(["a"]) == 0.25

    def broken(texts: Sequence[str]) -> float:
        raise OSError("tokenizer.json")

    monkeypatch.setattr(model, "unknown_share", broken)
    with pytest.raises(EncoderError, match=r"tokenizer\.json"):
        CachedEncoder(model).unknown_share(["a"])


def test_one_text_instead_of_a_list_is_a_mistake() -> None:
    with pytest.raises(TypeError):
        CachedEncoder(Lengths()).encode("abc")


def test_memory_is_bounded_and_the_least_recently_used_text_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cached_encoder, "MEMORY_BYTES", 3 * 4 * 2)
    model = Lengths()
    model.persistent = False  # type: ignore[misc]
    encoder = CachedEncoder(model)
    encoder.encode(["a", "b", "c"])
    encoder.encode(["a"])
    encoder.encode(["d"])
    encoder.encode(["a", "b"])
    assert model.asked == [["a", "b", "c"], ["d"], ["b"]]


def test_a_whole_collection_is_not_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cached_encoder, "BULK", 2)
    model = Lengths()
    encoder = CachedEncoder(model)
    encoder.encode(["a", "b", "c"])
    encoder.encode(["a"])
    assert model.asked == [["a", "b", "c"], ["a"]]


def test_an_exception_of_on_progress_ends_the_encoding_and_nothing_is_half_kept() -> None:
    def stop(what: str, share: float | None) -> None:
        if share is not None:
            raise KeyboardInterrupt

    model = Lengths()
    encoder = CachedEncoder(model)
    with pytest.raises(KeyboardInterrupt):
        encoder.encode(["a"], stop)
    assert encoder.encode(["a"]).shape == (1, 2)
    assert model.asked == [["a"], ["a"]]


def test_loading_is_reported() -> None:
    told: list[str] = []
    encoder = CachedEncoder(Lengths())
    encoder.load(lambda what, share: told.append(what))
    encoder.load(lambda what, share: told.append(what))
    assert told == ["Loading Lengths"]
    assert encoder.loaded


def test_threads_that_ask_for_the_same_texts_get_one_computation() -> None:
    class Slow(Lengths):
        def encode(self, texts: Sequence[str], on_progress: OnProgress | None = None) -> Any:
            time.sleep(0.05)
            return super().encode(texts, on_progress)

    model = Slow()
    encoder = CachedEncoder(model)
    results: list[Any] = []
    threads = [threading.Thread(target=lambda: results.append(encoder.encode(["a", "bb"]))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert model.loads == 1
    assert model.asked == [["a", "bb"]]
    assert all(result.tolist() == results[0].tolist() for result in results)
    assert len(results) == 6
