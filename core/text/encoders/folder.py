"""Any sentence-transformers model in a folder of this machine. Nothing is fetched, no code of the folder is run.

Weights must be safetensors, since other files of weights can hold programs.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
import json
import os
import warnings
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.errors import EncoderError
from core.retriever import OnProgress
from core.text.pooling import pool, unit_rows, windows

PREFIX = "folder:"
BATCH = 16
_SPARE = 0.9  # of the tokens that the model reads: windows are cut by characters, and some have more tokens than most


class FolderModel:
    """The model in `path`; EncoderError, saying what is missing, when it is no folder of a model."""

    persistent = True

    def __init__(self, path: Path) -> None:
        self._path = path
        self.name = f"{PREFIX}{path}"
        self.title = f"{path.name} (from a folder)"
        self.dimensions = _dimensions(path)
        self._model: Any = None

    @cached_property
    def version(self) -> str:
        """Names the files by size and time, and the packages that read them."""
        digest = hashlib.sha256()
        for file in sorted(self._path.rglob("*")):
            if file.is_file():
                about = file.stat()
                digest.update(f"{file.relative_to(self._path)}|{about.st_size}|{about.st_mtime_ns}\n".encode())
        packages = (importlib.metadata.version(name) for name in ("sentence-transformers", "torch"))
        return f"folder/1/{digest.hexdigest()[:24]}/{'/'.join(packages)}"

    def missing(self) -> str:
        """What keeps it from loading, in words; empty when nothing does. Imports nothing."""
        if importlib.util.find_spec("sentence_transformers") is None:
            return "the package sentence-transformers is not installed"
        return "" if any(self._path.rglob("*.safetensors")) else "its folder holds no .safetensors file of weights"

    def load(self) -> None:
        """Read the model, from its folder and never from the network."""
        os.environ["HF_HUB_OFFLINE"] = "1"
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from sentence_transformers import SentenceTransformer
            from transformers.utils import logging

            quiet: Any = logging
            quiet.disable_progress_bar()

            model = SentenceTransformer(
                str(self._path),
                device="cpu",
                local_files_only=True,
                trust_remote_code=False,
                model_kwargs={"use_safetensors": True},
            )
        found = len(np.asarray(model.encode(["a"], show_progress_bar=False))[0])
        if found != self.dimensions:
            raise ValueError(f"its vectors have {found} dimensions, and its settings say {self.dimensions}")
        self._model = model

    def encode(self, texts: Sequence[str], on_progress: OnProgress | None = None) -> NDArray[np.float32]:
        """(n, dimensions) float32 rows of norm 1. A text longer than the model reads is the mean of its windows'."""
        pieces = [self._windows(text) for text in texts]
        flat = [piece for own in pieces for piece in own]
        order = sorted(range(len(flat)), key=lambda i: len(flat[i]))  # of like length together: less padding
        vectors = np.zeros((len(flat), self.dimensions), np.float32)
        for start in range(0, len(flat), BATCH):
            if on_progress:
                on_progress(f"Reading texts with {self.title}", start / len(flat))
            batch = order[start : start + BATCH]
            found = self._model.encode([flat[i] for i in batch], batch_size=BATCH, show_progress_bar=False)
            vectors[batch] = np.asarray(found, np.float32)
        return pool(unit_rows(vectors), [len(own) for own in pieces])

    def unknown_share(self, texts: Sequence[str]) -> float:
        """Share of word pieces that its vocabulary does not have."""
        if self._model is None:
            self.load()
        tokenizer = self._model.tokenizer
        ids = [i for text in texts for i in self._token_ids(text)]
        return sum(i == tokenizer.unk_token_id for i in ids) / len(ids) if ids else 0.0

    def _windows(self, text: str) -> list[str]:
        limit = int((self._model.max_seq_length or 512) * _SPARE)
        tokens = len(self._token_ids(text))
        return [text] if tokens <= limit else windows(text, max(1, len(text) * limit // tokens))

    def _token_ids(self, text: str) -> list[int]:
        return list(self._model.tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"])


def _dimensions(path: Path) -> int:
    """Length of a vector, as the model's own files say: of a dense layer's output, else of the pooled tokens."""
    hint = "Choose a folder that sentence-transformers has saved: it holds modules.json."
    try:
        modules = json.loads((path / "modules.json").read_text(encoding="utf-8"))
        for module in reversed(modules):
            file = path / str(module["path"]) / "config.json"
            settings = json.loads(file.read_text(encoding="utf-8")) if module["path"] and file.is_file() else {}
            for name in ("out_features", "word_embedding_dimension", "embedding_dimension"):
                if isinstance(settings.get(name), int):
                    return int(settings[name])
        return int(json.loads((path / "config.json").read_text(encoding="utf-8"))["hidden_size"])
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        what = f"this is no folder of a sentence-transformers model: {type(error).__name__}: {error}"
        raise EncoderError(what, where=str(path), hint=hint) from None
