"""The Cranfield collection in its own format: cran.all.1400, cran.qry and cranqrel.

Records begin with `.I number`; .T, .A, .B and .W begin the title, authors, source and text. Four traps: the
judgements number the queries by their order and not by their .I numbers; the text begins with the title
once more; files end in a `.I` of nothing; and grades run the wrong way. Cleverdon's scale is 1 (a complete
answer) to 4 (of minimum interest) and 5 (of no interest). Here a grade is 5 minus his, so 4 is a complete
answer and 1 of minimum interest; 5 and anything that is no grade of his, such as the -1 of some copies,
become 0, not relevant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from core.corpus.assembly import Assembly, Draft
from core.corpus.files import Files
from core.corpus.report import CorpusFile
from core.errors import InputError
from core.graph.readers.text import decode, split_lines
from core.retriever import OnProgress

FORMAT = "Cranfield collection"
DOCUMENTS, QUERIES, JUDGEMENTS = "cran.all.1400", "cran.qry", "cranqrel"
BEST = 5  # one more than the best grade: a grade here is this minus Cleverdon's
_FIELD = re.compile(r"\.([TABW])\s*$")
_RECORD = re.compile(r"\.I\b\s*(\d*)\s*$")


def claims(files: Files) -> bool:
    """Whether the collection's documents are among the files."""
    return bool(_find(files, DOCUMENTS))


def looks_like_it(head: bytes) -> bool:
    """Whether a file begins as the collection's documents do."""
    return re.match(rb"\.I \d+\r?\n\.T\r?\n", head) is not None


def read_documents(files: Files, name: str | None, on_progress: OnProgress | None = None) -> Assembly:
    """The documents, not yet made a corpus; the two empty ones are listed as skipped."""
    file = _find(files, DOCUMENTS) or files.names[0]
    if on_progress:
        on_progress(f"Reading {file}", None)
    assembly = Assembly(FORMAT, name or files.name)
    add_documents(assembly, files.read(file), file)
    return assembly


def add_documents(assembly: Assembly, data: bytes, file: str) -> None:
    """Put the documents of a file in this format into an assembly."""
    decoded = decode(data, file)
    count = characters = 0
    for number, fields in records(decoded.text):
        title, text = (" ".join(fields.get(part, "").split()) for part in "TW")
        if title and text.startswith(title):
            text = text[len(title) :].strip()
        if assembly.add(Draft(number, title, text, file)):
            count, characters = count + 1, characters + len(text)
    assembly.files.append(
        CorpusFile(name=file, format=FORMAT, documents=count, characters=characters, encoding=decoded.encoding)
    )


def read_judgements(files: Files) -> tuple[dict[str, str], dict[str, dict[str, int]]]:
    """Queries by their order from "1", and the grades of documents for each, a higher one better."""
    query_file, grade_file = _find(files, QUERIES), _find(files, JUDGEMENTS)
    if not query_file or not grade_file:
        missing = JUDGEMENTS if query_file else QUERIES
        raise InputError(f"{missing} is not beside {DOCUMENTS}", where=files.name)
    texts = [
        " ".join(fields.get("W", "").split()) for _, fields in records(decode(files.read(query_file), query_file).text)
    ]
    queries = {str(order): text for order, text in enumerate(texts, 1)}
    qrels: dict[str, dict[str, int]] = {}
    for number, line in enumerate(split_lines(decode(files.read(grade_file), grade_file).text), 1):
        cells = line.split()
        if not cells:
            continue
        if len(cells) != 3 or not re.fullmatch(r"-?\d{1,9}", cells[2]):
            raise InputError("this is no judgement", where=f"{grade_file}, line {number}")
        own = qrels.setdefault(cells[0], {})
        own[cells[1]] = max(own.get(cells[1], 0), grade(int(cells[2])))
    return queries, qrels


def grade(cleverdon: int) -> int:
    """A grade of which a higher one is better: 1, 2, 3, 4 become 4, 3, 2, 1; all others 0."""
    return BEST - cleverdon if 1 <= cleverdon < BEST else 0


def records(text: str) -> Iterator[tuple[str, Mapping[str, str]]]:
    """(number after .I, field letter -> its lines) for each record that has a number."""
    number, field, fields = "", "", dict[str, list[str]]()
    for line in [*split_lines(text), ".I"]:
        record = _RECORD.match(line)
        if record:
            if number:
                yield number, {letter: "\n".join(lines) for letter, lines in fields.items()}
            number, field, fields = record[1], "", {}
            continue
        mark = _FIELD.match(line)
        if mark and mark[1] not in fields:
            field = mark[1]
            fields[field] = []
        elif field:
            fields[field].append(line)


def _find(files: Files, name: str) -> str:
    return next((path for path in files.names if PurePosixPath(path).name == name and path.count("/") <= 1), "")
