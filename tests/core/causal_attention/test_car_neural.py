from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from core.causal_attention.neural import CrossEncoder, MaxSim, max_sim
from core.errors import EncoderError
from core.text.encoders.minilm import MiniLmModel


@pytest.fixture(scope="module")
def model() -> MiniLmModel:
    loaded = MiniLmModel()
    loaded.load()
    return loaded


def test_token_vectors_are_those_behind_the_sentence_vector(model: MiniLmModel) -> None:
    # The sentence's vector is the mean over all tokens with the two marks; without them it is close to it.
    tokens, none = model.token_vectors(["a wing in a slipstream", ""])
    assert tokens.shape == (6, 384)  # slip and ##stream are two
    assert none.shape == (0, 384)
    np.testing.assert_allclose(np.linalg.norm(tokens, axis=1), 1, atol=1e-5)
    assert float(tokens.mean(axis=0) @ model.encode(["a wing in a slipstream"])[0]) > 0.5
    (long,) = model.token_vectors(["wing " * 2000], most_windows=2)
    assert 400 < len(long) <= 508


class Tokens:
    """Vectors of tokens, written down."""

    asked = 0

    def token_vectors(self, texts: list[str], most_windows: int) -> list[np.ndarray]:
        self.asked += len(texts)
        table = {"x": [1, 0], "y": [0, 1], "z": [0.6, 0.8]}
        return [np.array([table[t] for t in text.split()], np.float32).reshape(-1, 2) for text in texts]


def test_max_sim_by_hand() -> None:
    scorer = MaxSim()
    scorer._model = tokens = Tokens()
    # x: best of (0, .6) = .6; y: best of (1, .8) = 1; mean .8
    assert scorer.score("x y", ["y z", "x", ""]) == pytest.approx([0.8, 0.5, 0.0], abs=1e-3)
    assert scorer.score("", ["y z"]) == [0.0]
    before = tokens.asked
    scorer.score("x y", ["y z"])
    assert tokens.asked == before  # it remembers


def test_max_sim_reads_english() -> None:
    near, far = max_sim().score("how wings are heated", ["Heating of wings in flight.", "A recipe for pear cider."])
    assert near > far
    assert max_sim().stand_in


def test_a_folder_without_a_cross_encoder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EncoderError, match=r"config\.json"):
        CrossEncoder(tmp_path)
    (tmp_path / "config.json").write_text("{", encoding="utf-8")
    with pytest.raises(EncoderError, match="cannot be loaded"):
        CrossEncoder(tmp_path).score("a", ["b"])
    assert CrossEncoder(tmp_path).score("a", []) == []


def test_a_cross_encoder_in_a_local_folder(tmp_path: Path) -> None:
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "apple", "rope"]
    (tmp_path / "vocab.txt").write_text("\n".join(words), encoding="utf-8")
    BertTokenizerFast(str(tmp_path / "vocab.txt")).save_pretrained(tmp_path)
    config = BertConfig(
        vocab_size=7, hidden_size=8, num_hidden_layers=1, num_attention_heads=2, intermediate_size=8, num_labels=1
    )
    BertForSequenceClassification(config).save_pretrained(tmp_path)
    assert json.loads((tmp_path / "config.json").read_text())["model_type"] == "bert"
    scorer = CrossEncoder(tmp_path)
    scores = scorer.score("apple", ["apple rope", "rope"])
    assert len(scores) == 2
    assert scores == scorer.score("apple", ["apple rope", "rope"])
    assert not scorer.stand_in
