"""Bytes to text: byte-order mark, then UTF-8, then UTF-16 by its zeros, then a guess; binary is refused.

Not here: what the text means.
"""

from __future__ import annotations

import codecs
import re
from typing import NamedTuple

from core.errors import InputError
from core.graph.columns import clean

_MARKS = (  # UTF-32 first: its little-endian mark begins with the one of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_CONTROL = bytes(set(range(32)) - {9, 10, 11, 12, 13, 26, 27})
_EAST_ASIAN = frozenset(
    "big5 big5hkscs gb2312 gbk gb18030 johab cp932 cp949 cp950 euc_kr euc_jp "
    "shift_jis shift_jis_2004 shift_jisx0213 euc_jis_2004 euc_jisx0213".split()
)
_SAMPLE = 200_000  # bytes of lines beyond ASCII that the guess looks at


class Decoded(NamedTuple):
    """Text, the encoding it was read in, and how many lone surrogates were replaced in it."""

    text: str
    encoding: str
    surrogates: int = 0
    guessed: bool = False


def decode(data: bytes, file: str) -> Decoded:
    """The text of a file. InputError when it is binary, or in no encoding that can be told."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _strict(data[len(mark) :], encoding, file)
    if b"\0" in data:
        encoding = _utf16_without_mark(data)
        if not encoding:
            raise _binary(file)
        return _strict(data, encoding, file)
    try:
        return Decoded(data.decode("utf-8"), "utf-8")
    except UnicodeDecodeError:
        pass
    if len(data) - len(data.translate(None, _CONTROL)) > len(data) // 200:
        raise _binary(file)
    try:  # UTF-8 but for surrogates, which some exporters write one by one
        return _strict(data, "utf-8", file)
    except InputError:
        return _guess(data, file)


def split_lines(text: str) -> list[str]:
    """Lines ended by LF or CRLF; by CR only where the text has no LF at all. No other character ends a line."""
    lines = text.replace("\r\n", "\n").split("\n" if "\n" in text else "\r")
    if lines and not lines[-1]:
        lines.pop()
    return lines


def _strict(data: bytes, encoding: str, file: str) -> Decoded:
    try:
        text = data.decode(encoding, "surrogatepass")
    except UnicodeDecodeError as error:
        raise InputError(
            f"byte {error.start} is not valid {encoding.upper()}", where=file, hint="Save the file as UTF-8."
        ) from None
    if "\0" in text:
        raise _binary(file)
    if encoding == "utf-8":  # a pair written as two surrogates is the character it stands for
        text = re.sub("[\ud800-\udbff][\udc00-\udfff]", _join_pair, text)
    text, surrogates = clean(text)
    return Decoded(text, encoding, surrogates)


def _join_pair(pair: re.Match[str]) -> str:
    return pair.group().encode("utf-16-le", "surrogatepass").decode("utf-16-le")


def _utf16_without_mark(data: bytes) -> str:
    """Western text in UTF-16 has a zero in every other byte; "" when this is not so."""
    sample = data[:4096]
    half = len(sample) // 2
    if not half or len(data) % 2:
        return ""
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    if max(even, odd) < 0.4 * half or max(even, odd) < 5 * min(even, odd):
        return ""
    return "utf-16-le" if odd > even else "utf-16-be"


def _guess(data: bytes, file: str) -> Decoded:
    """Only lines beyond ASCII tell encodings apart, so only they are looked at."""
    from charset_normalizer import from_bytes

    telling = b"\n".join(line for line in re.split(rb"[\r\n]+", data) if not line.isascii())[:_SAMPLE]
    matches = from_bytes(telling)
    best = matches.best()
    if best is None:
        raise _binary(file)
    candidates = [best.encoding]
    if not best.encoding.startswith("cp125"):
        # Few bytes beyond ASCII fit old DOS and Mac pages as well as the Western page of Windows, which is far
        # more common. Single ones between letters are no East Asian text either.
        runs = re.findall(rb"[\x80-\xff]+", telling)
        single = sum(len(run) == 1 for run in runs) > 0.8 * len(runs)
        if any(match.encoding == "cp1252" for match in matches) or (single and best.encoding in _EAST_ASIAN):
            candidates.insert(0, "cp1252")
    for encoding in candidates:
        try:
            return Decoded(data.decode(encoding), encoding, guessed=True)
        except UnicodeDecodeError:
            continue
    raise InputError("the encoding of this text cannot be told", where=file, hint="Save the file as UTF-8.")


def _binary(file: str) -> InputError:
    return InputError(
        "this is not text but binary data", where=file, hint="Choose a file of a format named on the page."
    )
