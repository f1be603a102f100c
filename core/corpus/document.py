"""`Document` and `Corpus`: texts with ids, read once and never changed.

Not here: file formats (`core.corpus.readers`), vectors (`core.corpus.vectors`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from core.corpus.report import CorpusReport
from core.graph.columns import fingerprint
from core.trace import DatasetRef


@dataclass(frozen=True, slots=True)
class Document:
    """A text with an id that is unique in its corpus.

    source: the file it came from, and where in it. language: as `core.corpus.language` names it, "" unknown.
    """

    id: str
    title: str
    text: str
    source: str = ""
    language: str = ""

    @property
    def content(self) -> str:
        """What encoders and keyword extractors read: the title, then the text, the title once."""
        if not self.title or self.text.startswith(self.title):
            return self.text
        return f"{self.title}\n{self.text}" if self.text else self.title


@dataclass(frozen=True, slots=True)
class Corpus:
    """Documents in the order they were read, without duplicates; see `core.corpus.assembly` for how it is made.

    content_id: a hash of ids, titles and texts that does not depend on their order or on the corpus's name.
    """

    documents: tuple[Document, ...]
    name: str
    content_id: str
    report: CorpusReport
    _positions: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        positions = {document.id: i for i, document in enumerate(self.documents)}
        if len(positions) < len(self.documents):
            raise ValueError("two documents of a corpus have the same id")
        object.__setattr__(self, "_positions", positions)

    def __len__(self) -> int:
        return len(self.documents)

    def __iter__(self) -> Iterator[Document]:
        return iter(self.documents)

    def index_of(self, id_: str) -> int:
        """The position of a document. KeyError when there is none."""
        return self._positions[id_]

    def __contains__(self, id_: object) -> bool:
        return id_ in self._positions

    @property
    def dataset(self) -> DatasetRef:
        """The corpus as a trace names it."""
        return DatasetRef(
            content_id=self.content_id, name=self.name, kind="corpus", size={"documents": len(self.documents)}
        )


def content_id(documents: Sequence[Document]) -> str:
    """sha256 over ids, titles and texts, in order of id."""
    ordered = sorted(documents, key=lambda document: document.id)
    digest = hashlib.sha256(b"corpus/1")
    for column in ("id", "title", "text"):
        digest.update(fingerprint([getattr(document, column) for document in ordered]))
    return f"sha256:{digest.hexdigest()}"
