"""Columns of strings: cleaned of lone surrogates, packed into bytes and offsets, and hashed.

Packed columns are what the cache stores (two plain arrays, no pickle). Not here: graphs, file formats.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
REPLACEMENT = "\ufffd"


def clean(text: str) -> tuple[str, int]:
    """`text` with every lone surrogate replaced by U+FFFD, and how many there were.

    JSON, SQLite and UTF-8 all refuse lone surrogates, so one of them would break every later save.
    """
    return _LONE_SURROGATE.subn(REPLACEMENT, text)


def clean_column(texts: Sequence[str]) -> tuple[tuple[str, ...], int]:
    """`clean` for a whole column. The usual column is proved clean by one encoding of it all."""
    try:
        "".join(texts).encode("utf-8")
    except UnicodeEncodeError:
        pairs = [clean(text) for text in texts]
        return tuple(text for text, _ in pairs), sum(count for _, count in pairs)
    return tuple(texts), 0


class PackedColumn(NamedTuple):
    """A column of n strings: their UTF-8 bytes end to end, and n + 1 offsets into them."""

    data: NDArray[np.uint8]  # (bytes,)
    offsets: NDArray[np.int64]  # (n + 1,)

    def unpack(self) -> tuple[str, ...]:
        """The strings again. ValueError when offsets and bytes do not fit (a damaged file)."""
        offsets = self.offsets
        if len(offsets) == 0 or offsets[0] != 0 or offsets[-1] != len(self.data) or np.any(np.diff(offsets) < 0):
            raise ValueError("offsets do not fit the bytes of a packed column")
        whole = self.data.tobytes()
        bounds = offsets.tolist()
        if whole.isascii():  # then characters are bytes, and one decoding serves all
            text = whole.decode("ascii")
            return tuple(text[a:b] for a, b in pairwise(bounds))
        return tuple(whole[a:b].decode("utf-8") for a, b in pairwise(bounds))


def pack(texts: Sequence[str]) -> PackedColumn:
    """Pack clean strings; UnicodeEncodeError when one holds a lone surrogate."""
    encoded = [text.encode("utf-8") for text in texts]
    offsets = np.zeros(len(encoded) + 1, dtype=np.int64)
    np.cumsum(np.fromiter(map(len, encoded), dtype=np.int64, count=len(encoded)), out=offsets[1:])
    return PackedColumn(np.frombuffer(b"".join(encoded), dtype=np.uint8), offsets)


def fingerprint(texts: Sequence[str]) -> bytes:
    """Bytes that tell any two columns apart: the lengths in characters, then the text end to end."""
    lengths = np.fromiter(map(len, texts), dtype="<i8", count=len(texts))
    return lengths.tobytes() + "".join(texts).encode("utf-8")
