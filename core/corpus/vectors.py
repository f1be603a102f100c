"""A vector for each document of a corpus, and which encoder should make them.

A document's vector is the mean of its chunks' unit vectors, scaled to norm 1 (CAR-10). Vectors are kept on
disk in blocks of documents by their texts, so that a stopped indexing goes on where it was, and a corpus
to which documents were added encodes those alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.corpus.chunks import chunks
from core.corpus.document import Corpus, Document
from core.errors import EncoderError, StoppedError
from core.retriever import OnProgress, ShouldStop
from core.text.embedding import UNKNOWN_LIMIT, Encoder, embed_all, encoder_status, get_encoder, text_key
from core.text.pooling import pool

BLOCK_CHARACTERS = 262_144  # of a block: half a minute of MiniLM on two cores is the most that a stop loses
BLOCK_DOCUMENTS = 2_048
USE_LANGUAGES = ("ar", "zh", "en", "fr", "de", "it", "ja", "ko", "nl", "pl", "pt", "es", "th", "tr", "ru")
ENOUGH = 0.95  # share of the documents whose language is known
_SAMPLE_DOCUMENTS = 200
_SAMPLE_CHARACTERS = 500  # of each


class EncoderChoice(NamedTuple):
    """An encoder's name, and in one sentence why it."""

    name: str
    reason: str


def document_vectors(
    corpus: Corpus,
    encoder: Encoder,
    on_progress: OnProgress | None = None,
    should_stop: ShouldStop | None = None,
) -> NDArray[np.float32]:
    """(documents, dimensions) float32 rows of norm 1; a zero row where the encoder can read nothing.

    StoppedError when `should_stop()` turns true, which is asked between batches; what was finished by
    then is kept. EncoderError when the encoder cannot be loaded.
    """
    stop = should_stop or (lambda: False)
    contents = [len(document.content) for document in corpus.documents]
    total, done = max(sum(contents), 1), 0
    vectors = np.zeros((len(corpus), encoder.dimensions), np.float32)
    for start, end in _blocks(contents):
        own = sum(contents[start:end])

        def report(what: str, share: float | None, done: int = done, own: int = own) -> None:
            _stop_if(stop)
            if on_progress:
                on_progress(what, None if share is None else (done + share * own) / total)

        _stop_if(stop)
        vectors[start:end] = _block(corpus.documents[start:end], encoder, report)
        done += own
    return vectors


def choose_encoder(corpus: Corpus) -> EncoderChoice:
    """The encoder for the languages of a corpus: MiniLM for English, the multilingual one for those it reads.

    One that is not installed, or does not know 5 % of a sample's word pieces, is passed over; "letters",
    which compares spellings, is always left. The reason says all of it.
    """
    named = {code: n for code, n in corpus.report.languages.items() if code}
    known = sum(named.values())
    texts = sample_texts(corpus)
    against: list[str] = []
    if named.get("en", 0) >= ENOUGH * known:
        unfit = _unfit("minilm", texts)
        if not unfit:
            finding = "the texts are English" if known else "no language other than English was recognised"
            return EncoderChoice("minilm", f"MiniLM: {finding}.")
        against.append(unfit)
    else:
        against.append(f"MiniLM reads English only, and these texts are {_shares(named, known)}")
    unread = sorted(code for code in named if code not in USE_LANGUAGES)
    if sum(named[code] for code in unread) > (1 - ENOUGH) * known:
        unfit = f"the multilingual encoder does not read {', '.join(unread)}"
    else:
        unfit = _unfit("use", texts)
    if not unfit:
        return EncoderChoice("use", f"The multilingual encoder: {against[0]}.")
    return EncoderChoice("letters", f"Spelling alone, without meaning: {against[0]}; {unfit}.")


def encoder_warning(texts: Sequence[str], encoder: Encoder) -> str:
    """A sentence for the user when the encoder does not know more than 5 % of the texts' word pieces, else ""."""
    share = encoder.unknown_share(texts)
    if share <= UNKNOWN_LIMIT:
        return ""
    return f"{encoder.title} does not know {share:.0%} of these texts' word pieces, so its similarities mean little."


def sample_texts(corpus: Corpus) -> list[str]:
    """The beginnings of up to 200 documents, taken evenly: enough to tell whether a model knows their words."""
    step = max(1, len(corpus) // _SAMPLE_DOCUMENTS)
    return [document.content[:_SAMPLE_CHARACTERS] for document in corpus.documents[::step][:_SAMPLE_DOCUMENTS]]


def _block(documents: Sequence[Document], encoder: Encoder, report: OnProgress) -> NDArray[np.float32]:
    """(documents, dimensions) vectors of one block, from disk where its chunks were encoded before."""
    pieces = [chunks(document.content) for document in documents]
    flat = [piece for own in pieces for piece in own]
    return pool(embed_all(flat, encoder, text_key(flat), report), [len(own) for own in pieces])


def _blocks(lengths: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Stretches of documents of about 262,144 characters and at most 2,048 documents; a longer one is alone."""
    start = size = 0
    for i, length in enumerate(lengths):
        if i > start and (size + length > BLOCK_CHARACTERS or i - start >= BLOCK_DOCUMENTS):
            yield start, i
            start, size = i, 0
        size += length
    if lengths:
        yield start, len(lengths)


def _unfit(name: str, texts: Sequence[str]) -> str:
    """What speaks against an encoder for these texts, "" when nothing does."""
    status = encoder_status(name)
    if not status.available:
        return f"{status.title} is not available ({status.reason})"
    try:
        share = get_encoder(name).unknown_share(texts)
    except EncoderError as error:
        return error.what
    return f"{status.title} does not know {share:.0%} of the word pieces" if share > UNKNOWN_LIMIT else ""


def _shares(named: dict[str, int], known: int) -> str:
    first = sorted(named, key=lambda code: (-named[code], code))[:4]
    return ", ".join(f"{named[code] / known:.0%} {code}" for code in first)


def _stop_if(stop: ShouldStop) -> None:
    if stop():
        raise StoppedError("the indexing was stopped", hint="Start it again: what was done is kept.")
