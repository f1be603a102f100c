"""Collections with judged queries: BEIR folders (CAR-9), and Cranfield in its own format.

A BEIR folder holds corpus.jsonl and queries.jsonl, one JSON object a line, and qrels/*.tsv. Of several
splits the test split is taken, else all together. Texts are taken as they are: a benchmark is not cleaned.

Not here: metrics.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path, PurePosixPath
from typing import Any

from core.corpus import cranfield
from core.corpus.assembly import Assembly, Draft
from core.corpus.document import Corpus
from core.corpus.files import Files, files_of_path
from core.corpus.json_lines import json_lines
from core.corpus.report import CorpusFile
from core.errors import InputError
from core.graph.readers.text import decode, split_lines
from core.retriever import OnProgress

FORMAT = "BEIR folder"
_ID_NAMES = ("_id", "id")


@dataclass(frozen=True, slots=True)
class BeirSet:
    """A corpus, queries by id, and for each judged query the grades of documents: a higher grade is better.

    A document that was left out as a duplicate hands its grades to the one that was kept. A grade may be
    of a document that is not in the corpus (an empty one): it counts for what could be found at best.
    """

    corpus: Corpus
    queries: dict[str, str]
    qrels: dict[str, dict[str, int]]


def read_beir(
    folder: str | PathLike[str], *, name: str | None = None, on_progress: OnProgress | None = None
) -> BeirSet:
    """Read a BEIR folder (or a zip of one), or Cranfield's files. InputError says file, line and reason."""
    return beir_of_files(files_of_path(Path(folder)), name, on_progress)


def beir_of_files(files: Files, name: str | None = None, on_progress: OnProgress | None = None) -> BeirSet:
    """The same for files that are at hand already."""
    if cranfield.claims(files):
        return _of_cranfield(files, name, on_progress)
    if not claims(files):
        raise InputError(
            "this is no BEIR folder",
            where=files.name,
            hint="It needs corpus.jsonl, queries.jsonl and qrels/test.tsv; Cranfield's own files are read, too.",
        )
    assembly = read_documents(files, name, on_progress)
    corpus = assembly.finish()
    found = {part: _find(files, part) for part in ("queries.jsonl",)}
    if not found["queries.jsonl"]:
        raise InputError("there is no queries.jsonl beside corpus.jsonl", where=files.name)
    queries = _queries(files, found["queries.jsonl"])
    return BeirSet(corpus, queries, _of_kept(_qrels(files), assembly.same_as))


def claims(files: Files) -> bool:
    """Whether there is a corpus.jsonl, in the folder or one level below."""
    return bool(_find(files, "corpus.jsonl"))


def read_documents(files: Files, name: str | None, on_progress: OnProgress | None) -> Assembly:
    """The documents of a BEIR folder, not yet made a corpus. InputError with the line of what is not valid."""
    file = _find(files, "corpus.jsonl")
    assembly = Assembly(FORMAT, name or files.name)
    decoded = decode(files.read(file), file)
    count = characters = 0
    for line, item in json_lines(decoded.text, file, on_progress):
        id_ = _id(item, file, line)
        title, text = (str(item.get(part) or "") for part in ("title", "text"))
        if assembly.add(Draft(id_, title, text, file)):
            count, characters = count + 1, characters + len(text)
    assembly.surrogates += decoded.surrogates
    assembly.files.append(
        CorpusFile(name=file, format=FORMAT, documents=count, characters=characters, encoding=decoded.encoding)
    )
    return assembly


def _of_cranfield(files: Files, name: str | None, on_progress: OnProgress | None) -> BeirSet:
    assembly = cranfield.read_documents(files, name, on_progress)
    corpus = assembly.finish()
    queries, qrels = cranfield.read_judgements(files)
    return BeirSet(corpus, queries, _of_kept(qrels, assembly.same_as))


def _find(files: Files, name: str) -> str:
    """The path of a file of that name at the top or one level below (a zip often holds one folder), else ""."""
    found = [path for path in files.names if PurePosixPath(path).name == name and path.count("/") <= 1]
    return min(found, key=lambda path: path.count("/"), default="")


def _queries(files: Files, file: str) -> dict[str, str]:
    text = decode(files.read(file), file).text
    return {_id(item, file, line): str(item.get("text") or "") for line, item in json_lines(text, file)}


def _id(item: Mapping[str, Any], file: str, line: int) -> str:
    for name in _ID_NAMES:
        value = item.get(name)
        if isinstance(value, (str, int)) and not isinstance(value, bool) and str(value).strip():
            return str(value).strip()
    raise InputError("the object has no _id", where=f"{file}, line {line}", hint='Write {"_id": "..", "text": ".."}.')


def _qrels(files: Files) -> dict[str, dict[str, int]]:
    tables = [path for path in files.names if path.endswith(".tsv") and PurePosixPath(path).parent.name == "qrels"]
    if not tables:
        raise InputError("there is no qrels/*.tsv", where=files.name, hint="Judgements stand in qrels/test.tsv.")
    chosen = [path for path in tables if PurePosixPath(path).name == "test.tsv"] or tables
    qrels: dict[str, dict[str, int]] = {}
    for file in chosen:
        lines = split_lines(decode(files.read(file), file).text)
        for number, line in enumerate(lines, 1):
            cells = [cell.strip() for cell in line.split("\t")]
            if cells == [""] or (number == 1 and not _is_grade(cells[-1])):  # the header
                continue
            if len(cells) == 4:  # TREC's order: query, iteration, document, grade
                del cells[1]
            if len(cells) != 3 or not _is_grade(cells[2]):
                hint = "A line holds query id, document id and a whole-number grade, with tabs between."
                raise InputError("this is no judgement", where=f"{file}, line {number}", hint=hint)
            qrels.setdefault(cells[0], {})[cells[1]] = int(float(cells[2]))
    return qrels


def _is_grade(cell: str) -> bool:
    try:
        return float(cell) == int(float(cell))
    except (ValueError, OverflowError):
        return False


def _of_kept(qrels: dict[str, dict[str, int]], same_as: Mapping[str, str]) -> dict[str, dict[str, int]]:
    """Grades with each duplicate's grade given to the document that was kept; the better one counts."""
    result: dict[str, dict[str, int]] = {}
    for query, grades in qrels.items():
        own = result.setdefault(query, {})
        for id_, grade in grades.items():
            kept = same_as.get(id_, id_)
            own[kept] = max(grade, own.get(kept, grade))
    return result
