"""The table twins of a KERAG run: plan, neighbourhood, reasoning, cited triples, cost. Names, never ids."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from core.figures.kerag.parts import Parts, parts_of
from core.figures.tables import Cell, Table
from core.figures.words import cut, one_line, relation_words
from core.kerag.steps import RetrieveStep
from core.trace import Trace

Row = tuple[str, Mapping[str, Cell]]
OPERATIONS = {"say": "say so", "min": "find the least", "max": "find the most", "exists": "check"}
CALLS = {"plan": "decisions of the planner", "summarise": "summaries", "failed": "failed", "global_search": "searches"}


def _table(name: str, columns: Sequence[str], rows: Sequence[Row]) -> Table:
    filled = tuple({column: row.get(column) for column in columns} for _, row in rows)
    return Table(name, tuple(columns), filled, tuple(key for key, _ in rows))


def plan_table(parts: Parts) -> Table:
    """What was seen at each hop, and its fate. Keys are "hop.row"."""
    columns = (
        "Hop", "Relation", "Direction", "Kept", "Decided", "Relevance", "Triples", "Leads to", "Covers", "Examples",
        "Why",
    )  # fmt: skip
    rows: list[Row] = []
    for step in parts.schema:
        for number, seen in enumerate(step.relations):
            row: dict[str, Cell] = {
                "Hop": step.hop,
                "Relation": relation_words(seen.relation),
                "Direction": "forwards" if seen.direction == "out" else "backwards",
                "Kept": "yes" if seen.kept else "no",
                "Decided": "by hand" if seen.by == "hand" else "by the planner",
                "Relevance": round(seen.relevance, 4) if step.exchange is None else None,  # a model gives none
                "Triples": seen.edges,
                "Leads to": one_line(", ".join(seen.node_types)),
                "Covers": one_line(", ".join(seen.covers)),
                "Examples": cut(", ".join(seen.examples), 160),
                "Why": cut(seen.reason, 240),
            }
            rows.append((f"{step.hop}.{number}", row))
    return _table("Plan", columns, rows)


def relations_table(step: RetrieveStep) -> Table:
    """The kept triples by relation, most first. Keys are relations."""
    by_relation = Counter(relation for _, relation, _, _ in step.triples)
    rows: list[Row] = []
    for relation, n in sorted(by_relation.items(), key=lambda item: (-item[1], step.relations[item[0]])):
        hops = sorted({h for _, r, _, h in step.triples if r == relation})
        words = relation_words(step.relations[relation])
        rows.append((step.relations[relation], {"Relation": words, "Triples": n, "Hops": ", ".join(map(str, hops))}))
    return _table("Relations retrieved", ("Relation", "Triples", "Hops"), rows)


def triples_table(parts: Parts, without: Collection[int] = ()) -> Table:
    """Every kept triple, the cited ones first, with their numbers. Keys are places."""
    found, numbers = parts.retrieved, parts.numbers
    columns = ("Number", "Head", "Relation", "Tail", "Hop", "Cited in lines", "Taken away")
    if found is None:
        return _table("Triples", columns, ())
    lines: dict[int, list[int]] = {}
    for line in parts.summary.lines if parts.summary else ():
        for triple in line.triples:
            lines.setdefault(triple, []).append(line.number)
    places = sorted(range(len(found.triples)), key=lambda t: (numbers.get(t, len(found.triples) + 1), t))
    rows: list[Row] = []
    for triple in places:
        head, relation, tail = found.triple(triple)
        row: dict[str, Cell] = {
            "Number": numbers.get(triple),
            "Head": cut(head.name, 120),
            "Relation": relation_words(relation),
            "Tail": cut(tail.name, 120),
            "Hop": found.triples[triple][3],
            "Cited in lines": ", ".join(map(str, lines.get(triple, ()))),
            "Taken away": "yes" if triple in without else "",
        }
        rows.append((str(triple), row))
    return _table("Triples", columns, rows)


def reasoning_table(parts: Parts) -> Table:
    """The lines of the reasoning. Keys are their numbers."""
    numbers = parts.numbers
    rows: list[Row] = []
    for line in parts.summary.lines if parts.summary else ():
        cites = "".join(f"[{numbers[t]}]" for t in line.triples if t in numbers)
        row: dict[str, Cell] = {
            "Line": line.number,
            "What it does": OPERATIONS.get(line.operation, line.operation),
            "Reasoning": one_line(line.text),
            "Value": line.value,
            "Cites": cites,
        }
        rows.append((str(line.number), row))
    return _table("Reasoning", ("Line", "What it does", "Reasoning", "Value", "Cites"), rows)


def answer_table(parts: Parts) -> Table:
    """The answer: its value, and its nodes. Keys are node ids."""
    summary = parts.summary
    rows: list[Row] = []
    if summary is not None:
        if summary.value or not summary.known:
            rows.append(("", {"Answer": summary.value or "I don't know", "Type": ""}))
        rows += [(n.id, {"Answer": cut(n.name, 160), "Type": n.type}) for n in summary.answers]
    return _table("Answer", ("Answer", "Type"), rows)


def cost_rows(trace: Trace) -> Table:
    """What each step took, and what the graph was asked in all. Keys are steps, "" for the run."""
    titles = {"kerag.topic": "Topic", "kerag.plan": "Plan", "kerag.retrieve": "Retrieve", "kerag.summary": "Summarise"}
    rows: list[Row] = []
    for step in trace.steps:
        what = titles.get(step.kind, "Failed" if step.kind.endswith("failed") else "Step")
        hop = getattr(step, "hop", None)
        told = f"Hop {hop}" if hop is not None else what
        rows.append((str(step.index), {"What": told, "How many": None, "ms": round(1000 * step.seconds, 1)}))
    for call, n in trace.usage.calls.items():
        rows.append(("", {"What": f"Calls: {CALLS.get(call, call.replace('_', ' '))}", "How many": n, "ms": None}))
    rows.append(("", {"What": "Nodes looked at", "How many": trace.usage.nodes_examined, "ms": None}))
    for name, tokens in (("prompts", trace.usage.prompt_tokens), ("replies", trace.usage.completion_tokens)):
        if tokens is not None:
            rows.append(("", {"What": f"Tokens of {name}", "How many": tokens, "ms": None}))
    rows.append(("", {"What": "The whole run", "How many": None, "ms": round(1000 * trace.seconds, 1)}))
    return _table("Cost", ("What", "How many", "ms"), rows)


def all_tables(trace: Trace) -> tuple[Table, ...]:
    """The tables of a run, for export together."""
    parts = parts_of(trace.steps)
    own = (answer_table(parts), plan_table(parts), triples_table(parts), reasoning_table(parts))
    return (*own, cost_rows(trace))
