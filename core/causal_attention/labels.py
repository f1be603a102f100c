"""Which documents a person, or a model, called relevant to which query, kept on disk for a corpus as it is.

Labels belong to a corpus's content id, and to an owner where one server has several. They are qrels, so everything
that is measured on a judged collection can be measured on them. Not here: what is measured.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from core.causal_attention.gate import home_folder
from core.errors import StoreError
from core.trace import Frozen

_guard = threading.Lock()


class Labels(Frozen):
    """Query text -> document id -> 1 for relevant, 0 for not; a document that nobody looked at has no label.

    by_model: the queries that a model labelled, whatever a person changed after.
    """

    format: Literal["causeway.labels/1"] = "causeway.labels/1"
    content_id: str
    queries: dict[str, dict[str, int]] = {}
    by_model: tuple[str, ...] = ()

    @property
    def qrels(self) -> dict[str, dict[str, int]]:
        """The queries that have a relevant document; those without say nothing of a ranking."""
        return {query: dict(own) for query, own in self.queries.items() if any(own.values())}

    @property
    def labelled_by(self) -> str:
        """Who gave the labels that count."""
        useful = set(self.qrels)
        made = useful & set(self.by_model)
        return "a person" if not made else "a model" if made == useful else "a person and a model"

    def grade(self, query: str, document: str) -> int | None:
        """What was said of a document, None when nothing was."""
        return self.queries.get(query, {}).get(document)


def read_labels(content_id: str, owner: str = "", folder: Path | None = None) -> Labels:
    """What was labelled for exactly this content; none when there is nothing, or it cannot be read."""
    try:
        body = json.loads(_path(content_id, owner, folder).read_text(encoding="utf-8"))
        found = Labels.model_validate(body)
    except (OSError, ValueError, ValidationError):
        return Labels(content_id=content_id)
    return found if found.content_id == content_id else Labels(content_id=content_id)


def keep_label(
    content_id: str, query: str, document: str, grade: int | None, owner: str = "", folder: Path | None = None
) -> Labels:
    """Set one label, None takes it back; all labels as they are then. StoreError when they cannot be written."""
    return keep_labels(content_id, query, {document: grade}, owner=owner, folder=folder)


def keep_labels(
    content_id: str,
    query: str,
    grades: Mapping[str, int | None],
    *,
    by_model: bool = False,
    owner: str = "",
    folder: Path | None = None,
) -> Labels:
    """Set a query's labels, all at once; those of other documents stay. See `keep_label`."""
    with _guard:
        before = read_labels(content_id, owner, folder)
        queries = {q: dict(own) for q, own in before.queries.items()}
        own = queries.setdefault(query, {})
        for document, grade in grades.items():
            if grade is None:
                own.pop(document, None)
            else:
                own[document] = int(grade > 0)
        if not own:
            del queries[query]
        named = {*before.by_model, query} if by_model else set(before.by_model)
        made = tuple(sorted(named & set(queries)))
        labels = Labels(content_id=content_id, queries=queries, by_model=made)
        path = _path(content_id, owner, folder)
        draft = path.with_name(f"{path.name}.{os.getpid()}.tmp")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            draft.write_text(labels.model_dump_json(indent=1), encoding="utf-8")
            draft.replace(path)
        except (OSError, ValueError) as error:
            raise StoreError(f"the label cannot be kept: {error}", where=path.name) from None
    return labels


def _path(content_id: str, owner: str, folder: Path | None) -> Path:
    name = hashlib.sha256(f"{content_id}\n{owner}".encode("utf-8", "surrogatepass")).hexdigest()[:40]
    return (folder or home_folder()) / "labels" / f"{name}.json"
