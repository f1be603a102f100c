"""Every folder in sample_data holds what its questions promise: gold answers that follow from its edges.

The gold answers are recomputed here from the plain CSV files, by walking edge by edge, so that nothing of the project's
own graph or search is trusted. A question says how to recompute it in its field "check":

    start    an id, or a list of ids (what they reach is united; with "meet": true, intersected)
    path     steps: "relation>" from source to target, "<relation" from target to source; [] stays at the start
    keep     keep the nodes of this type
    where    [path, id] pairs: keep a node if each path leads from it to its id
    op       set, count, exists (with "end": is that node among them?), max, min
    by       for max and min: a path to what is measured; "measure" is "count" (distinct ends) or "number" (the
             numbers in the name of the end). Without "by": how many walks from the start reach the node

The start itself is never among what a path reaches.
"""

from __future__ import annotations

import csv
import json
import re
from collections import Counter, deque
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from core.evaluation.questions import read_questions
from core.graph.samples import SAMPLES, load_sample

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = sorted(path.parent for path in (ROOT / "sample_data").glob("*/sample.json"))
KINDS = {"lookup", "multi-hop", "count", "superlative", "comparison", "yes/no", "set", "false premise"}
WALKED = {"lookup", "multi-hop"}

Edge = tuple[str, str, str]


class Sample(NamedTuple):
    nodes: list[dict[str, str]]
    edges: list[Edge]
    questions: list[dict[str, Any]]
    about: dict[str, Any]

    def row(self, node: str) -> dict[str, str]:
        return next(row for row in self.nodes if row["id"] == node)


def read(folder: Path) -> Sample:
    with (folder / "nodes.csv").open(encoding="utf-8", newline="") as file:
        nodes = list(csv.DictReader(file, strict=True))
    with (folder / "edges.csv").open(encoding="utf-8", newline="") as file:
        edges = [(row["source"], row["target"], row["type"]) for row in csv.DictReader(file, strict=True)]
    lines = (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    about = json.loads((folder / "sample.json").read_text(encoding="utf-8"))
    return Sample(nodes, edges, [json.loads(line) for line in lines], about)


@pytest.fixture(params=FOLDERS, ids=lambda folder: folder.name)
def folder(request: pytest.FixtureRequest) -> Path:
    assert isinstance(request.param, Path)
    return request.param


@pytest.fixture
def sample(folder: Path) -> Sample:
    return read(folder)


# ---- the oracle: walks, one edge at a time


def step(sample: Sample, walks: Counter[str], way: str) -> Counter[str]:
    """One step of all walks; the count at a node is how many walks end there."""
    backwards = way.startswith("<")
    relation = way[1:] if backwards else way[:-1]
    assert backwards != way.endswith(">"), f"{way!r} needs exactly one arrow"
    assert any(kind == relation for _, _, kind in sample.edges), f"no edge is called {relation!r}"
    ends: Counter[str] = Counter()
    for source, target, kind in sample.edges:
        if kind == relation:
            here, there = (target, source) if backwards else (source, target)
            if here in walks:
                ends[there] += walks[here]
    return ends


def follow(sample: Sample, start: str, path: list[str]) -> Counter[str]:
    walks = Counter({start: 1})
    for way in path:
        walks = step(sample, walks, way)
    return walks


def numbers(name: str) -> tuple[float, ...]:
    """The numbers in a name: a year, a length, or the parts of an ISO date, most significant first."""
    found = tuple(float(number) for number in re.findall(r"\d+(?:\.\d+)?", name.replace(",", "")))
    assert found, f"no number in {name!r}"
    return found


def measured(sample: Sample, node: str, check: dict[str, Any]) -> tuple[float, ...] | None:
    """What max and min compare; None for a node that has no such value."""
    ends = follow(sample, node, check["by"])
    if check.get("measure", "count") == "count":
        return (float(len(ends)),)
    assert len(ends) <= 1, f"{node} has several values"
    return numbers(sample.row(next(iter(ends)))["name"]) if ends else None


def reached(sample: Sample, check: dict[str, Any]) -> Counter[str]:
    starts = [check["start"]] if isinstance(check["start"], str) else check["start"]
    ids = {row["id"] for row in sample.nodes}
    assert starts
    assert set(starts) <= ids, f"unknown start in {starts}"
    each = [follow(sample, start, check["path"]) for start in starts]
    total = sum(each, Counter())
    if check.get("meet"):
        total = Counter({node: total[node] for node in set.intersection(*(set(ends) for ends in each))})
    if check["path"]:
        for start in starts:
            del total[start]
    if "keep" in check:
        total = Counter({node: n for node, n in total.items() if sample.row(node)["type"] == check["keep"]})
    for path, end in check.get("where", []):
        assert end in ids, f"unknown end {end}"
        total = Counter({node: n for node, n in total.items() if end in follow(sample, node, path)})
    return total


def recompute(sample: Sample, check: dict[str, Any]) -> tuple[set[str], str | None]:
    """The nodes that answer, and for counts and yes/no questions the literal answer."""
    found = reached(sample, check)
    match check["op"]:
        case "set":
            return set(found), None
        case "count":
            return set(found), str(len(found))
        case "exists":
            return set(), "yes" if (check["end"] in found if "end" in check else bool(found)) else "no"
        case "max" | "min":
            if "by" in check:
                values = {node: value for node in found if (value := measured(sample, node, check)) is not None}
            else:
                values = {node: (float(walks),) for node, walks in found.items()}
            best = (max if check["op"] == "max" else min)(values.values())
            return {node for node, value in values.items() if value == best}, None
    raise AssertionError(f"unknown op {check['op']!r}")


def distances(sample: Sample, starts: set[str], limit: int) -> set[str]:
    """The nodes within `limit` edges of a start, whatever their direction."""
    seen, queue = set(starts), deque((start, 0) for start in starts)
    while queue:
        node, far = queue.popleft()
        if far < limit:
            for source, target, _ in sample.edges:
                for here, there in ((source, target), (target, source)):
                    if here == node and there not in seen:
                        seen.add(there)
                        queue.append((there, far + 1))
    return seen


TOY = Sample(
    nodes=[
        {"id": "a", "name": "Ann", "type": "person", "text": ""},
        {"id": "b", "name": "Bo", "type": "person", "text": ""},
        {"id": "x", "name": "First", "type": "book", "text": ""},
        {"id": "y", "name": "Second", "type": "book", "text": ""},
        {"id": "1999", "name": "1999", "type": "year", "text": ""},
        {"id": "2004", "name": "2004-05-06", "type": "year", "text": ""},
    ],
    edges=[
        ("x", "a", "by"),
        ("y", "a", "by"),
        ("y", "b", "by"),
        ("x", "1999", "from"),
        ("y", "2004", "from"),
    ],
    questions=[],
    about={},
)


@pytest.mark.parametrize(
    ("check", "answers", "value"),
    [
        ({"start": "a", "path": ["<by"], "op": "set"}, {"x", "y"}, None),
        ({"start": "a", "path": ["<by"], "op": "count"}, {"x", "y"}, "2"),
        ({"start": "a", "path": ["<by", "by>"], "op": "set"}, {"b"}, None),
        ({"start": ["a", "b"], "path": ["<by"], "meet": True, "op": "set"}, {"y"}, None),
        ({"start": "a", "path": ["<by"], "where": [[["from>"], "1999"]], "op": "set"}, {"x"}, None),
        ({"start": "b", "path": ["<by"], "where": [[["from>"], "1999"]], "op": "set"}, set(), None),
        ({"start": "x", "path": ["by>", "<by"], "keep": "person", "op": "set"}, set(), None),
        ({"start": "b", "path": ["<by", "by>"], "end": "a", "op": "exists"}, set(), "yes"),
        ({"start": "b", "path": ["<by"], "end": "x", "op": "exists"}, set(), "no"),
        ({"start": "a", "path": ["<by"], "by": ["from>"], "measure": "number", "op": "max"}, {"y"}, None),
        ({"start": "a", "path": ["<by"], "by": ["from>"], "measure": "number", "op": "min"}, {"x"}, None),
        ({"start": ["x", "y"], "path": [], "by": ["by>"], "op": "max"}, {"y"}, None),
        ({"start": ["1999", "2004"], "path": ["<from", "by>"], "op": "max"}, {"a"}, None),
    ],
)
def test_the_oracle_on_a_graph_worked_by_hand(check: dict[str, Any], answers: set[str], value: str | None) -> None:
    assert recompute(TOY, check) == (answers, value)


def test_the_oracle_walks_both_ways_when_it_measures_distance() -> None:
    assert distances(TOY, {"b"}, 1) == {"b", "y"}
    assert distances(TOY, {"b"}, 2) == {"b", "y", "a", "2004"}


# ---- the folders


def test_each_folder_is_a_sample_and_each_sample_a_folder() -> None:
    assert {folder.name for folder in FOLDERS} == {sample.name for sample in SAMPLES.values()}
    assert len(FOLDERS) >= 3


def test_it_is_read_without_a_rejected_line(folder: Path, sample: Sample) -> None:
    loaded = load_sample(folder.name)
    assert loaded.report.rejected == ()
    assert loaded.report.duplicate_edges == 0
    assert loaded.report.nodes_from_edges == 0
    assert sorted(loaded.graph.ids) == sorted(row["id"] for row in sample.nodes)
    assert loaded.graph.dataset.size["edges"] == len(sample.edges)


def test_nodes_and_edges_are_consistent(sample: Sample) -> None:
    ids = [row["id"] for row in sample.nodes]
    assert 200 <= len(ids) <= 800
    assert len(set(ids)) == len(ids)
    assert all(set(row) == {"id", "name", "type", "text"} for row in sample.nodes)
    for row in sample.nodes:
        for field in ("id", "name", "type"):
            assert row[field], row
        for field in row.values():
            assert field == field.strip(), row
    assert len(set(sample.edges)) == len(sample.edges)
    known = set(ids)
    assert [edge for edge in sample.edges if edge[0] not in known or edge[1] not in known or not edge[2]] == []
    assert [edge for edge in sample.edges if edge[0] == edge[1]] == []


def test_nearly_every_node_can_be_walked_to(sample: Sample) -> None:
    busiest = Counter(end for source, target, _ in sample.edges for end in (source, target)).most_common(1)[0][0]
    assert len(distances(sample, {busiest}, len(sample.nodes))) >= 0.98 * len(sample.nodes)


def test_the_graph_is_rich_in_text(sample: Sample) -> None:
    words = [len(row["text"].split()) for row in sample.nodes]
    assert sum(count >= 5 for count in words) >= 0.4 * len(words)
    long = [row["text"] for row in sample.nodes if len(row["text"].split()) >= 12]
    assert len(set(long)) == len(long), "the same text stands at two nodes"


def test_questions_are_well_formed(sample: Sample) -> None:
    ids = {row["id"] for row in sample.nodes}
    names = {row["name"] for row in sample.nodes}
    assert len(sample.questions) >= 20
    assert len({question["id"] for question in sample.questions}) == len(sample.questions)
    assert len({question["question"] for question in sample.questions}) == len(sample.questions)
    for question in sample.questions:
        what = question["id"]
        assert {"id", "question", "answers", "kind", "hops", "mention", "value", "note"} <= set(question), what
        assert set(question) <= {"id", "question", "answers", "kind", "hops", "mention", "value", "note", "check"}, what
        assert question["kind"] in KINDS, what
        assert question["hops"] in (1, 2, 3), what
        assert isinstance(question["value"], str), what
        assert set(question["answers"]) <= ids, what
        assert len(set(question["answers"])) == len(question["answers"]), what
        for mention in filter(None, question["mention"].split("; ")):
            assert mention in names, what
            assert mention in question["question"], what


def test_values_are_literal_answers(sample: Sample) -> None:
    for question in sample.questions:
        what, kind, value = question["id"], question["kind"], question["value"]
        if kind == "count":
            assert value.isdigit(), what
        elif kind == "yes/no":
            assert value in ("yes", "no"), what
        elif kind == "comparison":
            assert value, what
        elif kind == "false premise":
            assert value in ("false premise", "unknown"), what
            assert question["answers"] == [], what
            assert question["note"], what
        else:
            assert question["answers"], what


def test_every_kind_of_question_is_there(sample: Sample) -> None:
    kinds = Counter(question["kind"] for question in sample.questions)
    assert kinds["lookup"] + kinds["multi-hop"] >= 14
    assert {"count", "superlative", "yes/no", "false premise"} <= set(kinds)
    assert {question["hops"] for question in sample.questions if question["kind"] in WALKED} == {1, 2, 3}


def test_walked_answers_lie_within_reach_of_the_mention(sample: Sample) -> None:
    for question in sample.questions:
        if question["kind"] in WALKED:
            mentions = question["mention"].split("; ")
            starts = {row["id"] for row in sample.nodes if row["name"] in mentions}
            assert starts, question["id"]
            assert set(question["answers"]) <= distances(sample, starts, question["hops"]), question["id"]


def test_gold_answers_follow_from_the_edges(sample: Sample) -> None:
    checked = [question for question in sample.questions if "check" in question]
    assert len(checked) >= 0.75 * len(sample.questions)
    for question in checked:
        answers, value = recompute(sample, question["check"])
        what = question["id"]
        match question["kind"], question["check"]["op"]:
            case _, "exists":
                assert question["value"] == value, what
            case "count", "count":
                assert question["value"] == value, what
                assert set(question["answers"]) in (set(), answers), what
            case "false premise", "set":
                assert answers == set(), what
            case _, "set" | "max" | "min":
                assert set(question["answers"]) == answers, what
            case kind, op:
                pytest.fail(f"{what}: a question of kind {kind!r} cannot be checked by {op!r}")


def test_the_question_reader_ties_every_answer_to_its_node(folder: Path, sample: Sample) -> None:
    questions = read_questions(folder / "questions.jsonl", load_sample(folder.name).graph)
    assert [question.text for question in questions] == [question["question"] for question in sample.questions]
    for question, raw in zip(questions, sample.questions, strict=True):
        tied = [gold.ids for gold in question.answers]
        assert tied == [(answer,) for answer in raw["answers"]], raw["id"]


def test_the_first_suggestion_fools_plain_similarity(folder: Path, sample: Sample) -> None:
    by_id = {question["id"]: question for question in sample.questions}
    suggested = [by_id[name] for name in sample.about["suggested"]]
    assert len(suggested) >= 3
    first = suggested[0]
    assert first["kind"] in WALKED
    assert first["note"], "the note says why similarity is fooled"
    graph = load_sample(folder.name).graph
    found = [graph.ids[hit.position] for hit in graph.search(first["question"], k=5)]
    assert len(found) == 5
    assert not set(found) & set(first["answers"])


def test_the_card_names_the_sample(folder: Path, sample: Sample) -> None:
    assert set(sample.about) - {"first"} == {"name", "title", "blurb", "licence", "suggested"}
    assert sample.about["name"] == folder.name
    assert SAMPLES[folder.name].suggested == tuple(sample.about["suggested"])
    for field in ("title", "blurb", "licence"):
        assert sample.about[field].strip(), field
    assert (folder / "README.md").read_text(encoding="utf-8").strip()
