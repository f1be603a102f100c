"""Rows of a table and objects of JSON to documents: both are named values, of which a map says which are what."""

from __future__ import annotations

from collections.abc import Mapping

from core.corpus.assembly import Assembly, Draft
from core.corpus.cleaning import clean_text
from core.corpus.columns import DocumentColumns
from core.corpus.report import CorpusFile


class RowTaker:
    """Takes rows into an assembly and counts them."""

    def __init__(self, assembly: Assembly, file: str, format_: str, plan: DocumentColumns) -> None:
        self._assembly, self._file, self._format, self._plan = assembly, file, format_, plan
        self._documents = self._characters = 0

    def take(self, line: int, values: Mapping[str, str]) -> None:
        """One row. A row of which the text is blank is listed as skipped; a title alone is a text."""
        plan = self._plan
        parts = [(column, values.get(column, "").strip()) for column in plan.text]
        if len(plan.text) == 1:
            text = parts[0][1]
        else:  # several columns keep their names, since values alone may mean little
            text = "\n".join(f"{column}: {value}" for column, value in parts if value)
        cleaned = clean_text(text)
        title = " ".join(values.get(plan.title, "").split()) if plan.title else ""
        id_ = values.get(plan.id, "").strip() if plan.id else ""
        source = f"{self._file}, line {line}"
        if not cleaned.text and not title:
            self._assembly.skip(source, "it holds no text")
            return
        self._assembly.cleaning.update(cleaned.counts)
        self._assembly.add(Draft(id_ or f"{self._file}:{line}", title, cleaned.text, source))
        self._documents += 1
        self._characters += len(cleaned.text)

    def finish(self, encoding: str) -> None:
        """Put the file into the report."""
        self._assembly.files.append(
            CorpusFile(
                name=self._file,
                format=self._format,
                documents=self._documents,
                characters=self._characters,
                encoding=encoding,
                columns=self._plan.used(),
            )
        )
