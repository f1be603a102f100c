"""Questions with gold answers, read from a file and tied to the nodes of a graph.

Three formats, told apart by content:

- text: one question a line, a tab, the answers joined by "|". The topic may stand in [brackets]; they
  are removed here, so no method ever sees them.
- JSON lines (or one JSON array): {"id", "question", "answers": [names or ids], "kind", "hops", "mention",
  "value", "note", "check"}; all but "question" may be missing. "value" is an answer that is no node (a number,
  "yes"), "check" says how the answer follows from the edges.
- a table (CSV or TSV) whose header names the same columns; answers joined by "|".

An answer is tied to the nodes of exactly that name; homonyms all count as that one answer. Without such
a name, to the node of that id. The name comes first, since in a data set whose ids are numbers the
answer 1984 means the year; only a file whose every answer is an id, and not every one a name, is taken
to speak in ids.
Not here: how well a ranking does on a question (metrics.py).
"""

from __future__ import annotations

import csv
import json
import random
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from core.errors import QuestionError
from core.graph.readers.text import decode, split_lines
from core.trace import Frozen

MAX_BYTES = 50 * 1024**2
# Kinds of questions whose answer need not be a node: a number, a word, or nothing at all.
UNANSWERABLE = frozenset({"false premise", "unanswerable"})
NO_NODE_KINDS = UNANSWERABLE | {"count", "yes/no", "yes no", "boolean"}
_COLUMNS = ("id", "question", "answers", "kind", "hops", "mention", "value", "note", "check")


class Named(Protocol):
    """What answers are looked up in: node ids and names, in the same order."""

    @property
    def ids(self) -> Sequence[str]: ...

    @property
    def names(self) -> Sequence[str]: ...


class Gold(Frozen):
    """One right answer: its name, and the nodes that are it, any of which counts; none if the graph lacks it."""

    name: str
    ids: tuple[str, ...] = ()


class Question(Frozen):
    """A question as a method sees it (`text`), and what is known of it. `literal`: answers that are no node.

    value: the answer as a number, a date, yes or no, where it is one. check: how to recompute the answer.
    """

    text: str
    answers: tuple[Gold, ...] = ()
    kind: str = ""
    hops: int | None = None
    mention: str = ""
    id: str = ""
    note: str = ""
    literal: tuple[str, ...] = ()
    value: str = ""
    check: dict[str, Any] = {}

    @property
    def scored(self) -> bool:
        """Whether a ranking of nodes can be judged by it."""
        return any(gold.ids for gold in self.answers)

    @property
    def unanswerable(self) -> bool:
        """Whether the right answer is that it is not known."""
        return plain_kind(self.kind) in UNANSWERABLE

    @property
    def judged(self) -> bool:
        """Whether an answer can be judged by it."""
        return bool(self.answers or self.literal or self.value or self.unanswerable)


class Unresolved(Frozen):
    """An answer that is neither a name nor an id of the graph."""

    line: int
    question: str
    answer: str


class QuestionSet(Frozen):
    """The questions of a file, in its order, and which answers the graph does not have."""

    name: str
    questions: tuple[Question, ...]
    unresolved: tuple[Unresolved, ...] = ()


class _Raw(NamedTuple):
    line: int
    fields: dict[str, Any]  # by the names of _COLUMNS; answers is a list of strings


def read_questions(path: Path | str, graph: Named) -> list[Question]:
    """The questions of a file. QuestionError with file and line for what is no question, or an unknown answer."""
    return list(load_questions(path, graph).questions)


def load_questions(path: Path | str, graph: Named, *, strict: bool = True) -> QuestionSet:
    """`parse_questions` of a file on disk. QuestionError when it cannot be read."""
    path = Path(path)
    try:
        if path.stat().st_size > MAX_BYTES:
            raise QuestionError("the file is over 50 MB", where=path.name, hint="Split it.")
        data = path.read_bytes()
    except OSError as error:
        raise QuestionError(f"the questions cannot be read: {error.strerror or error}", where=str(path)) from None
    return parse_questions(data, path.name, graph, strict=strict)


def parse_questions(data: bytes, file: str, graph: Named, *, strict: bool = True) -> QuestionSet:
    """The questions in `data`, in any encoding, tied to `graph`.

    strict: an answer the graph does not have is a QuestionError (not for the kinds in `NO_NODE_KINDS`);
    else it is listed in `unresolved` and stays in its question without a node, as one never found.
    """
    text = decode(data, file).text
    raws = list(_rows(text, file))
    if not raws:
        raise QuestionError("there is no question in the file", where=file)
    index = _Index(graph, raws)
    questions, unresolved = [], []
    for number, raw in enumerate(raws, 1):
        question, missing = _question(raw, index, number)
        if not question.text:
            raise QuestionError("the question is empty", where=f"{file}, line {raw.line}")
        questions.append(question)
        unresolved += missing
    if strict and unresolved:
        first = unresolved[0]
        more = f" (and {len(unresolved) - 1} more)" if len(unresolved) > 1 else ""
        raise QuestionError(
            f"the graph has no node named {first.answer!r}{more}",
            where=f"{file}, line {first.line}",
            hint="Correct the answer, or do without strict reading: such answers then count as never found.",
        )
    return QuestionSet(name=file, questions=tuple(questions), unresolved=tuple(unresolved))


def choose(questions: Iterable[Question], limit: int | None = None, shuffle: int | None = None) -> list[Question]:
    """The first `limit` questions that can be scored; with `shuffle`, of the order drawn with that seed."""
    scored = [q for q in questions if q.scored]
    if shuffle is not None:
        random.Random(shuffle).shuffle(scored)
    return scored[:limit]


def choose_judged(
    questions: Iterable[Question], limit: int | None = None, shuffle: int | None = None
) -> list[Question]:
    """The questions of `choose`, and between them those whose answer is no node but can be judged."""
    order = list(questions)
    chosen = choose(order, limit, shuffle)
    if shuffle is not None:
        return chosen + ([q for q in order if q.judged and not q.scored] if limit is None else [])
    wanted = {id(q) for q in chosen}
    last = max((i for i, q in enumerate(order) if id(q) in wanted), default=-1)
    until = len(order) if limit is None else last + 1
    return [q for q in order[:until] if id(q) in wanted or (q.judged and not q.scored)]


def strip_brackets(text: str) -> tuple[str, str]:
    """The text without its outermost pairs of square brackets, and what stood in the first pair.

    Unbalanced brackets are left as they are: then they are part of the words.
    """
    depth, pairs, opened = 0, [], 0
    for at, character in enumerate(text):
        if character == "[":
            opened = at if depth == 0 else opened
            depth += 1
        elif character == "]":
            depth -= 1
            if depth < 0:
                return text, ""
            if depth == 0:
                pairs.append((opened, at))
    if depth or not pairs:
        return text, ""
    drop = {at for pair in pairs for at in pair}
    return "".join(c for at, c in enumerate(text) if at not in drop), text[pairs[0][0] + 1 : pairs[0][1]]


# --- formats ----------------------------------------------------------------------------------------------------


def _rows(text: str, file: str) -> Iterator[_Raw]:
    lines = split_lines(text)
    first = next((line for line in lines if line.strip()), "")
    if first.lstrip().startswith("{"):
        return _json_rows(
            ((n, _json(line, f"{file}, line {n}")) for n, line in enumerate(lines, 1) if line.strip()), file
        )
    if first.lstrip().startswith("[") and file.casefold().endswith(".json"):
        return _json_rows(enumerate(_json(text, file), 1), file, "item")
    delimiter = next((d for d in "\t,;" if "question" in _cells(first, d)), None)
    if delimiter is not None:
        return _table_rows(lines, file, delimiter)
    if file.casefold().endswith(".csv"):
        raise QuestionError("the header has no column `question`", where=f"{file}, line 1")
    return _text_rows(lines, file)


def _cells(line: str, delimiter: str) -> list[str]:
    return [cell.strip().casefold() for cell in next(csv.reader([line], delimiter=delimiter), [])]


def _text_rows(lines: Sequence[str], file: str) -> Iterator[_Raw]:
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        question, tab, answers = line.partition("\t")
        if not tab:
            raise QuestionError(
                "there is no tab between question and answers",
                where=f"{file}, line {number}",
                hint="Write: question, tab, answers joined by |.",
            )
        text, mention = strip_brackets(question)
        yield _Raw(number, {"question": text, "mention": mention, "answers": answers.split("|")})


def _json(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise QuestionError(f"not valid JSON: {error}", where=where, hint="Write one object a line.") from None


def _json_rows(rows: Iterable[tuple[int, Any]], file: str, unit: str = "line") -> Iterator[_Raw]:
    for number, row in rows:
        if not isinstance(row, dict) or not isinstance(row.get("question"), str):
            raise QuestionError(
                'an object with "question" and "answers" was expected', where=f"{file}, {unit} {number}"
            )
        answers = row.get("answers", row.get("answer", []))
        fields = {name: row[name] for name in _COLUMNS if row.get(name) is not None}
        fields["answers"] = [_word(a) for a in (answers if isinstance(answers, list) else [answers])]
        yield _Raw(number, fields)


def _word(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else str(value)


def _table_rows(lines: Sequence[str], file: str, delimiter: str) -> Iterator[_Raw]:
    rows = csv.reader((line + "\n" for line in lines), delimiter=delimiter)
    header: list[str] = []
    try:
        for row in rows:
            if not any(cell.strip() for cell in row):
                continue
            if not header:
                header = [cell.strip().casefold() for cell in row]
                header = ["answers" if name == "answer" else name for name in header]
                continue
            fields: dict[str, Any] = {n: cell for n, cell in zip(header, row, strict=False) if n in _COLUMNS}
            fields["answers"] = fields.get("answers", "").split("|")
            yield _Raw(rows.line_num, fields)
    except csv.Error as error:
        raise QuestionError(f"the table cannot be read: {error}", where=f"{file}, line {rows.line_num}") from None


# --- answers to nodes -------------------------------------------------------------------------------------------


class _Index:
    """Where the answers of a file stand in the graph; one pass over the graph, keeping only what is asked for."""

    def __init__(self, graph: Named, raws: Sequence[_Raw]) -> None:
        wanted = {a.strip() for raw in raws for a in raw.fields["answers"]}
        self.by_name: dict[str, list[str]] = {}
        self.by_id: dict[str, str] = {}
        for id_, name in zip(graph.ids, graph.names, strict=True):
            if name in wanted or name.strip() in wanted:
                self.by_name.setdefault(name.strip(), []).append(id_)
            if id_ in wanted:
                self.by_id[id_] = name
        nodes = {a.strip() for raw in raws if not _may_lack_node(raw) for a in raw.fields["answers"]} - {""}
        self.ids_first = nodes <= self.by_id.keys() and not nodes <= self.by_name.keys()

    def find(self, answer: str) -> Gold | None:
        """The answer's nodes; None when the graph has none."""
        as_id = answer in self.by_id
        if as_id and (self.ids_first or answer not in self.by_name):
            return Gold(name=self.by_id[answer], ids=(answer,))
        if answer in self.by_name:
            return Gold(name=answer, ids=tuple(self.by_name[answer]))
        return None


def _may_lack_node(raw: _Raw) -> bool:
    return _kind(raw) in NO_NODE_KINDS


def _kind(raw: _Raw) -> str:
    return plain_kind(str(raw.fields.get("kind", "")))


def plain_kind(kind: str) -> str:
    """A kind of question as it is compared: lower case, words separated by blanks."""
    return kind.strip().casefold().replace("_", " ").replace("-", " ")


def _question(raw: _Raw, index: _Index, number: int) -> tuple[Question, list[Unresolved]]:
    fields = raw.fields
    text = " ".join(str(fields.get("question", "")).split())
    golds: dict[tuple[str, ...], Gold] = {}
    literal = [v for v in (_word(fields.get("value")).strip(),) if v]
    unresolved: list[Unresolved] = []
    for answer in map(str.strip, fields["answers"]):
        if not answer:
            continue
        gold = index.find(answer)
        if gold is not None:
            golds.setdefault(gold.ids, gold)
        elif _may_lack_node(raw):
            literal.append(answer)
        else:
            golds.setdefault((answer,), Gold(name=answer))
            unresolved.append(Unresolved(line=raw.line, question=text, answer=answer))
    hops = str(fields.get("hops", "")).strip()
    return Question(
        text=text,
        answers=tuple(golds.values()),
        kind=str(fields.get("kind", "")).strip(),
        hops=int(hops) if hops.isascii() and hops.isdigit() else None,
        mention=str(fields.get("mention", "")).strip(),
        id=str(fields.get("id", "")).strip() or f"q{number}",
        note=str(fields.get("note", "")).strip(),
        literal=tuple(literal),
        value=_word(fields.get("value")).strip(),
        check=fields["check"] if isinstance(fields.get("check"), dict) else {},
    ), unresolved
