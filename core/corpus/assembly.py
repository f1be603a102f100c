"""Drafts of documents to a `Corpus`: ids made unique, identical content kept once, all of it counted.

Not here: where drafts come from.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from core.corpus.chunks import chunk_count
from core.corpus.document import Corpus, Document, content_id
from core.corpus.language import language_of
from core.corpus.limits import MAX_DOCUMENTS
from core.corpus.report import LISTED, CorpusFile, CorpusReport, Duplicate, Skipped
from core.errors import EmptyCorpusError, InputError
from core.graph.columns import clean

EMPTY = "it holds no text"


@dataclass(frozen=True, slots=True)
class Draft:
    """A document as a reader found it. titled: whether the title is part of its content, and no file name."""

    id: str
    title: str
    text: str
    source: str = ""
    titled: bool = True


@dataclass(slots=True)
class Assembly:
    """Gathers what readers find; `finish` makes the corpus. `same_as`: id of each duplicate -> the id that was kept."""

    format: str
    name: str
    drafts: list[Draft] = field(default_factory=list)
    files: list[CorpusFile] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    skipped_total: int = 0
    notices: dict[str, None] = field(default_factory=dict)
    cleaning: Counter[str] = field(default_factory=Counter)
    surrogates: int = 0
    same_as: dict[str, str] = field(default_factory=dict)

    def add(self, draft: Draft) -> bool:
        """Take a document, or list it as skipped when it is blank; whether it was taken."""
        if not draft.text.strip() and not (draft.titled and draft.title.strip()):
            self.skip(f"{draft.source}, document {draft.id}" if draft.source else draft.id, EMPTY)
            return False
        if len(self.drafts) >= MAX_DOCUMENTS:
            raise InputError(
                f"there are more than {MAX_DOCUMENTS:,} documents", where=draft.source, hint="Choose a part of them."
            )
        self.drafts.append(draft)
        return True

    def skip(self, name: str, reason: str) -> None:
        """List what is left out."""
        self.skipped_total += 1
        if len(self.skipped) < LISTED:
            self.skipped.append(Skipped(name=name, reason=reason))

    def notice(self, text: str) -> None:
        """Tell a reader of the report, once."""
        self.notices[text] = None

    def finish(self) -> Corpus:
        """The corpus. EmptyCorpusError, with the first reasons, when nothing was left to index."""
        drafts, renamed = self._with_own_ids()
        kept, duplicates = _without_duplicates(drafts)
        self.same_as = {duplicate.id: duplicate.same_as for duplicate in duplicates}
        if not kept:
            reasons = "; ".join(f"{one.name}: {one.reason}" for one in self.skipped[:5])
            raise EmptyCorpusError(
                f"no document with text was found{' (' + reasons + ')' if reasons else ''}",
                where=self.name,
                hint="Choose files that hold text; scanned pages need text recognition first.",
            )
        documents = tuple(Document(d.id, d.title, d.text, d.source, _language(d)) for d in kept)
        if renamed:
            self.notice(f"{renamed:,} documents had an id that another one has; they got a number behind it.")
        report = CorpusReport(
            format=self.format,
            files=tuple(self.files),
            documents=len(documents),
            characters=sum(len(document.text) for document in documents),
            chunks=sum(chunk_count(document.content) for document in documents),
            languages=dict(Counter(document.language for document in documents).most_common()),
            skipped=tuple(self.skipped),
            skipped_total=self.skipped_total,
            duplicates=tuple(duplicates[:LISTED]),
            duplicates_total=len(duplicates),
            renamed=renamed,
            cleaning=dict(sorted(self.cleaning.items())),
            surrogates_replaced=self.surrogates,
            notices=tuple(self.notices),
        )
        return Corpus(documents, self.name, content_id(documents), report)

    def _with_own_ids(self) -> tuple[list[Draft], int]:
        """Drafts free of lone surrogates, each with an id of its own, and how many had to get a new one."""
        taken: set[str] = set()
        result, renamed = [], 0
        for draft in self.drafts:
            parts = [clean(part) for part in (draft.id.strip(), draft.title.strip(), draft.text.strip(), draft.source)]
            self.surrogates += sum(count for _, count in parts)
            id_, title, text, source = (part for part, _ in parts)
            id_ = id_ or "document"
            own, number = id_, 1
            while own in taken:
                number += 1
                own = f"{id_} ({number})"
            renamed += own != id_
            taken.add(own)
            result.append(Draft(own, title, text, source, draft.titled))
        return result, renamed


def _language(draft: Draft) -> str:
    return language_of(f"{draft.title}\n{draft.text}" if draft.titled else draft.text)


def build_corpus(documents: Iterable[Document], name: str) -> Corpus:
    """A corpus of documents made in memory; blank ones are skipped, identical ones kept once, languages filled in."""
    assembly = Assembly("documents in memory", name)
    for document in documents:
        assembly.add(Draft(document.id, document.title, document.text, document.source))
    return assembly.finish()


def natural_key(id_: str) -> tuple[tuple[int, int, str], ...]:
    """Sorts "doc2" before "doc10"."""
    return tuple(map(_sort_part, filter(None, re.split("([0-9]+)", id_))))


def _sort_part(part: str) -> tuple[int, int, str]:
    if part[0] not in "0123456789":
        return 1, 0, part
    digits = part.lstrip("0")
    return 0, len(digits), digits


def _without_duplicates(drafts: Sequence[Draft]) -> tuple[list[Draft], list[Duplicate]]:
    """Each content once. Kept is the one whose id sorts first, so that the order of reading decides nothing."""
    groups: dict[tuple[str, str], list[Draft]] = {}
    for draft in drafts:
        groups.setdefault((draft.title if draft.titled else "", draft.text), []).append(draft)
    kept, duplicates = [], []
    for group in groups.values():
        best = min(group, key=lambda draft: natural_key(draft.id)) if len(group) > 1 else group[0]
        kept.append(best)
        duplicates += [Duplicate(id=d.id, source=d.source, same_as=best.id) for d in group if d is not best]
    return kept, duplicates
