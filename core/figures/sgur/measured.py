"""What the protocols measured here, out of a file that the command's own replies were put into; nothing is computed.

The file is assets/measured/sgur.json; each entry names its command and the day.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from core.figures.tables import Cell, Table

FILE = Path(__file__).resolve().parents[3] / "assets" / "measured" / "sgur.json"
NAMES = {
    "sgur": "SGUR, partial alignment",
    "closed-form": "closed form alone",
    "semantic-only": "semantic only (ablation)",
    "structure-only": "structure only (ablation)",
    "uniform": "uniform importance (ablation)",
    "full-fgw": "full alignment (ablation)",
    "shared-terms": "shared terms",
    "ic-overlap": "IC overlap",
    "resnik": "Resnik",
    "naive-bayes": "naive Bayes with frequencies",
    "pagerank": "personalised PageRank",
    "ensemble": "ensemble of ranks [ours]",
    "sgur-tuned": "SGUR, tuned on other folds",
    "sgur-denied": "SGUR, denials told, too",
    "sgur-routed": "SGUR, words routed by L0",
    "sgur-ids": "SGUR, given the terms",
}


class Measured(NamedTuple):
    """One protocol: its title, the command that repeats it, the day, and its table."""

    title: str
    command: str
    day: str
    table: Table


@cache
def measured() -> tuple[Measured, ...]:
    """All protocols in the file's order."""
    entries: list[dict[str, Any]] = json.loads(FILE.read_text(encoding="utf-8"))
    return tuple(Measured(e["title"], e["command"], e["measured_on"], _table(e)) for e in entries)


def _table(entry: dict[str, Any]) -> Table:
    """Hit@3 in percent by round, MRR, and how far ours is ahead with its paired interval after the last round."""
    rounds = [f"Hit@3 after {r}, %" for r in entry["rounds"]]
    columns = ("Method", *rounds, "MRR", "Ours ahead by, %", "95 % interval")
    rows: list[dict[str, Cell]] = []
    for method in entry["methods"]:
        ahead = method["ahead_by"][-1] if method["ahead_by"] else None
        row: dict[str, Cell] = {"Method": NAMES.get(method["method"], method["method"])}
        row |= {name: round(100 * value, 1) for name, value in zip(rounds, method["hit@3"], strict=True)}
        row["MRR"] = method["mrr"]
        row["Ours ahead by, %"] = round(100 * ahead[0], 1) if ahead else None
        row["95 % interval"] = f"{100 * ahead[1]:+.1f} to {100 * ahead[2]:+.1f}" if ahead else ""
        rows.append(row)
    return Table(entry["title"], columns, tuple(rows), tuple(m["method"] for m in entry["methods"]))
