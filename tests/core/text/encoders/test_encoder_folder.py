from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from core.errors import EncoderError
from core.text.embedding import encoder_status, get_encoder
from core.text.encoders.minilm import _weights_folder

TEXTS = ["The tide comes in.", "Ropes and sails " * 400, "", "港口", "The harbour silts up."]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The packaged MiniLM, as a folder of the user's."""
    folder = tmp_path_factory.mktemp("models") / "my-model"
    shutil.copytree(_weights_folder(), folder)
    return folder


def test_a_folder_gives_the_vectors_of_its_model(model: Path) -> None:
    encoder = get_encoder(f"folder:{model}")
    assert (encoder.dimensions, encoder.title) == (384, "my-model (from a folder)")
    assert encoder is get_encoder(f"folder:{model}")
    vectors, own = encoder.encode(TEXTS), get_encoder("minilm").encode(TEXTS)
    assert vectors.dtype == np.float32
    short = [0, 3, 4]
    np.testing.assert_allclose(vectors[short], own[short], atol=2e-6)
    assert not vectors[2].any()
    assert float(vectors[1] @ own[1]) > 0.95  # its windows are cut at other places
    assert encoder.unknown_share(["🦄 🐙"]) > 0.5 > encoder.unknown_share(["tide"])


def test_a_long_text_is_read_to_its_end(model: Path) -> None:
    encoder = get_encoder(f"folder:{model}")
    text = "ropes and sails " * 300
    a, b = encoder.encode([text, text + "volcano eruption lava " * 300])
    assert float(a @ b) < 0.9


def test_progress(model: Path) -> None:
    shares: list[float | None] = []
    get_encoder(f"folder:{model}").encode([f"buoy {i}" for i in range(40)], lambda what, share: shares.append(share))
    assert [share for share in shares if share is not None] == [0.0, 0.4, 0.8]


def test_folders_that_hold_no_model(tmp_path: Path, model: Path) -> None:
    with pytest.raises(EncoderError, match="no folder of a sentence-transformers model") as caught:
        get_encoder(f"folder:{tmp_path}")
    assert "modules.json" in caught.value.hint
    other = tmp_path / "pickled"
    shutil.copytree(model, other, ignore=shutil.ignore_patterns("*.safetensors"))
    assert encoder_status(f"folder:{other}").reason == "its folder holds no .safetensors file of weights"
    with pytest.raises(EncoderError, match="safetensors"):
        get_encoder(f"folder:{other}")


def test_another_state_of_the_folder_is_another_version(tmp_path: Path, model: Path) -> None:
    other = tmp_path / "my-model"
    shutil.copytree(model, other)
    first = get_encoder(f"folder:{other}").version
    (other / "README.md").write_text("changed")
    assert get_encoder(f"folder:{shutil.move(other, tmp_path / 'again')}").version != first
