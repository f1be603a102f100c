"""The table twin of each figure: the same numbers as rows, for reading, sorting, and export as CSV.

A row's key is what it stands for (a node's id, or a step), kept beside the row so that choosing a row selects
the node without an id on the screen. Not here: figures.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from core.cara.cost import cost_table
from core.cara.fusion import RRF_CONSTANT, Fused, agent_lists, fuse
from core.cara.steps import AppendStep, AssessStep, GlobalSearchStep, NeighborsStep
from core.figures.captions import ACTIONS, kind_of, made_by, reason, told
from core.figures.explain import assessment_of
from core.figures.hops import hop_of, in_order_of_arrival
from core.figures.words import agent_name, cut, one_line, relation_words
from core.peers.steps import PeerSearchStep
from core.trace import NodeRef, Trace

if TYPE_CHECKING:
    import pandas as pd

Cell = str | int | float | None
TEXT = 240  # characters of a node's text in a cell
SMALL = 0.1  # numbers below it (fused scores) need more than two decimals


@dataclass(frozen=True)
class Table:
    """Rows with the same columns. `keys[i]` is what row i stands for."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[dict[str, Cell], ...]
    keys: tuple[str, ...]

    @cached_property
    def numeric(self) -> frozenset[str]:
        """The columns that hold numbers."""
        cells = {column: [row[column] for row in self.rows if row[column] is not None] for column in self.columns}
        return frozenset(c for c, own in cells.items() if own and all(isinstance(v, int | float) for v in own))

    def written(self, row: int, column: str) -> str:
        """A cell as people read it: "" for nothing, and the same number of decimals all down a column."""
        value = self.rows[row][column]
        if value is None or isinstance(value, str):
            return value or ""
        decimals = self._decimals[column]
        return f"{round(value, decimals) + 0.0:,.{decimals}f}"  # + 0.0: no minus before nothing

    @cached_property
    def _decimals(self) -> dict[str, int]:
        """Per column: none for whole numbers, two for others, four where all are so small that two would hide them."""
        made = {}
        for column in self.columns:
            fractions = [abs(v) for row in self.rows if isinstance(v := row[column], float)]
            made[column] = 0 if not fractions else 4 if 0 < max(fractions) < SMALL else 2
        return made

    def frame(self) -> pd.DataFrame:
        """The rows as a data frame, with the columns even when there is no row."""
        import pandas as pd

        frame = pd.DataFrame(list(self.rows), columns=list(self.columns))
        for column in self.columns:
            values = [row.get(column) for row in self.rows]
            if None in values and all(v is None or type(v) is int for v in values) and any(values):
                frame[column] = frame[column].astype("Int64")  # a missing rank must not turn the others into 1.00
        return frame

    def csv(self) -> str:
        """The rows as CSV. A text that a spreadsheet would take for a formula gets an apostrophe before it."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows([_safe(row.get(column)) for column in self.columns] for row in self.rows)
        return out.getvalue()


def _safe(cell: Cell) -> Cell:
    return f"'{cell}" if isinstance(cell, str) and cell[:1] in ("=", "+", "-", "@", "\t", "\r") else cell


def _table(name: str, columns: Sequence[str], rows: Sequence[tuple[str, Mapping[str, Cell]]]) -> Table:
    filled = tuple({column: row.get(column) for column in columns} for _, row in rows)
    return Table(name, tuple(columns), filled, tuple(key for key, _ in rows))


def steps_table(trace: Trace, agent: int | None = None) -> Table:
    """Every step in order of arrival, or one agent's. Keys are "agent.index"."""
    columns = ("Agent", "Step", "Action", "What happened", "Best", "Score", "Candidates", "Why", "ms")
    rows: list[tuple[str, Mapping[str, Cell]]] = []
    for step in in_order_of_arrival(trace):
        if agent is not None and step.agent != agent:
            continue
        hop = hop_of(trace, step) if isinstance(step, AssessStep) else None
        row: dict[str, Cell] = {
            "Agent": made_by(step),
            "Step": step.index,
            "Action": ACTIONS[kind_of(step)],
            "What happened": told(step, hop),
            "Why": reason(step),
            "ms": round(1000 * step.seconds, 1),
        }
        if isinstance(step, AssessStep):
            row["Candidates"] = len(step.assessments)
            if step.assessments:
                best = step.assessments[0]
                names = {c.node.id: c.node.name for c in hop.candidates} if hop is not None else {}
                row |= {"Best": cut(names.get(best.id, ""), 80), "Score": round(best.score, 4)}
        elif isinstance(step, NeighborsStep):
            row["Candidates"] = len(step.candidates)
        elif isinstance(step, GlobalSearchStep | PeerSearchStep):
            row["Candidates"] = len(step.found)
        elif isinstance(step, AppendStep) and step.nodes:
            row |= {"Best": cut(step.nodes[0].node.name, 80), "Score": round(step.nodes[0].score, 4)}
        rows.append((f"{step.agent}.{step.index}", row))
    return _table("Steps", columns, rows)


def candidates_table(hop: NeighborsStep, assess: AssessStep | None) -> Table:
    """The hop's candidates, best first by score (by BM25 when there was no assessment). Keys are node ids."""
    columns = ("Rank", "Candidate", "Type", "Relation", "s", "cau", "c", "e", "p", "BM25", "Rationale", "Text")
    places = {a.id: i for i, a in enumerate(assess.assessments)} if assess is not None else {}
    candidates = sorted(hop.candidates, key=lambda c: (places.get(c.node.id, len(places)), -c.bm25))
    rows: list[tuple[str, Mapping[str, Cell]]] = []
    for rank, candidate in enumerate(candidates, 1):
        a = assessment_of(assess, candidate.node.id)
        row: dict[str, Cell] = {
            "Rank": rank,
            "Candidate": cut(candidate.node.name, 80),
            "Type": candidate.node.type,
            "Relation": "; ".join(
                ("→ " if link.direction == "out" else "← ") + relation_words(link.type) for link in candidate.links
            ),
            "BM25": round(candidate.bm25, 2),
            "Text": cut(candidate.text, TEXT),
        }
        if a is not None:
            row |= {
                "s": round(a.score, 4),
                "cau": round(a.causal, 4),
                "c": round(a.consequentiality, 4),
                "e": round(a.essentiality, 4),
                "p": round(a.path_consistency, 4),
                "Rationale": cut(a.rationale, TEXT),
            }
        rows.append((candidate.node.id, row))
    return _table("Candidates", columns, rows)


@dataclass(frozen=True, slots=True)
class FusedLine:
    """A node of the fused list, with both fusions' ranks."""

    node: NodeRef
    rank: int
    fused: Fused
    count_rank: int


def rrf_constant(trace: Trace) -> float:
    """The run's RRF constant; 60 where the trace does not say."""
    value = trace.config.get("rrf_constant", RRF_CONSTANT)
    return float(value) if isinstance(value, int | float) and value > 0 else RRF_CONSTANT


def fused_lines(trace: Trace) -> list[FusedLine]:
    """The agents' lists fused by RRF, each node with its rank by count beside it (CARA-7)."""
    lists = agent_lists(trace)
    names = {node.id: node for nodes in lists.values() for node in nodes}
    ids = {agent: [node.id for node in nodes] for agent, nodes in lists.items()}
    by_count = {f.id: rank for rank, f in enumerate(fuse(ids, "count"), 1)}
    fused = fuse(ids, "rrf", rrf_constant(trace))
    return [FusedLine(names[f.id], rank, f, by_count[f.id]) for rank, f in enumerate(fused, 1)]


def fused_table(trace: Trace) -> Table:
    """The fused list: RRF score and rank beside the rank by count. Keys are node ids.

    A method without agents' lists has its own ranked list here.
    """
    lines = fused_lines(trace)
    if not lines:
        return _table(
            "Ranked",
            ("Rank", "Node", "Type", "Score"),
            [
                (r.id, {"Rank": i, "Node": cut(r.name, 80), "Type": r.type, "Score": round(r.score, 4)})
                for i, r in enumerate(trace.ranked, 1)
            ],
        )
    columns = (
        "Rank",
        "Node",
        "Type",
        "RRF",
        "Rank by count",
        "Agents",
        *(f"{agent_name(a)} rank" for a in trace.agents),
    )
    rows: list[tuple[str, Mapping[str, Cell]]] = []
    for line in lines:
        row: dict[str, Cell] = {
            "Rank": line.rank,
            "Node": cut(line.node.name, 80),
            "Type": line.node.type,
            "RRF": round(line.fused.score, 5),
            "Rank by count": line.count_rank,
            "Agents": line.fused.votes,
        }
        rows.append((line.node.id, row | {f"{agent_name(a)} rank": r for a, r in line.fused.ranks.items()}))
    return _table("Fused", columns, rows)


def cost_rows(trace: Trace) -> Table:
    """What the run cost, by agent and in all (CARA-12). Keys are agents, "" for the whole run."""
    columns = (
        "Who",
        "GlobalSearch",
        "Neighbors",
        "Causal module",
        "Append",
        "Failed",
        "Nodes seen",
        "Tokens",
        "Seconds",
    )
    rows: list[tuple[str, Mapping[str, Cell]]] = [
        (
            "" if row.agent is None else str(row.agent),
            {
                "Who": "The run" if row.agent is None else agent_name(row.agent),
                "GlobalSearch": row.global_search,
                "Neighbors": row.neighbors,
                "Causal module": row.assess,
                "Append": row.append,
                "Failed": row.failed,
                "Nodes seen": row.nodes,
                "Tokens": row.tokens,
                "Seconds": round(row.seconds, 3),
            },
        )
        for row in cost_table(trace)
    ]
    return _table("Cost", columns, rows)


def evidence_table(trace: Trace) -> Table:
    """The answer claim by claim, with the evidence quoted. Keys are the cited nodes' ids."""
    columns = ("Claim", "Evidence", "Type", "Quote", "Relation")
    claims = trace.answer.claims if trace.answer is not None else ()
    rows = [
        (
            e.node.id,
            {
                "Claim": one_line(claim.text),
                "Evidence": cut(e.node.name, 80),
                "Type": e.node.type,
                "Quote": one_line(e.quote),
                "Relation": relation_words(e.link) if e.link else "",
            },
        )
        for claim in claims
        for e in claim.evidence
    ]
    return _table("Evidence", columns, rows)


def all_tables(trace: Trace) -> list[Table]:
    """The tables of a run, for export together; every hop's candidates as one table."""
    return [steps_table(trace), all_candidates(trace), fused_table(trace), evidence_table(trace), cost_rows(trace)]


def all_candidates(trace: Trace) -> Table:
    """The candidates of every hop, with agent and step. Keys are node ids."""
    rows: list[tuple[str, Mapping[str, Cell]]] = []
    columns: tuple[str, ...] = ()
    assessed = {(s.agent, s.source): s for s in trace.steps if isinstance(s, AssessStep)}
    for step in sorted(trace.steps, key=lambda s: (s.agent, s.index)):
        if isinstance(step, NeighborsStep):
            table = candidates_table(step, assessed.get((step.agent, step.index)))
            columns = ("Agent", "Step", "Around", *table.columns)
            head: dict[str, Cell] = {
                "Agent": agent_name(step.agent),
                "Step": step.index,
                "Around": cut(step.node.name, 80),
            }
            rows += [(key, head | row) for key, row in zip(table.keys, table.rows, strict=True)]
    return _table("Candidates", columns or ("Agent", "Step", "Around", "Candidate"), rows)


def schema_table(edge_types: Mapping[str, int], inverse_of: Mapping[str, str]) -> Table:
    """The relations of a graph with their number of edges. Keys are edge types."""
    rows: list[tuple[str, Mapping[str, Cell]]] = [
        (t, {"Relation": one_line(t), "Edges": n, "Inverse of": one_line(inverse_of.get(t, ""))})
        for t, n in edge_types.items()
    ]
    return _table("Relations", ("Relation", "Edges", "Inverse of"), rows)
