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
    "eig": "expected information gain",
    "random": "questions by lot",
    "rarest": "the leader's rarest observation",
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
    """Hit@k in percent by round, MRR, and by round how far ours is ahead, in points with the paired 95 % interval."""
    hit, unit = f"Hit@{entry['k']}", entry["unit"]
    rounds = [f"{hit} after {r} {unit}, %" for r in entry["rounds"]]
    gaps = [f"Ours ahead after {r}" for r in entry["rounds"]]
    rows: list[dict[str, Cell]] = []
    for method in entry["methods"]:
        row: dict[str, Cell] = {"Method": NAMES.get(method["method"], method["method"])}
        row |= {name: round(100 * value, 1) for name, value in zip(rounds, method["hits"], strict=True)}
        row["MRR"] = method["mrr"]
        row |= dict.fromkeys(gaps, "")
        row |= {name: points(*gap) for name, gap in zip(gaps, method["ahead_by"], strict=False)}
        rows.append(row)
    columns = ("Method", *rounds, "MRR", *gaps)
    return Table(entry["title"], columns, tuple(rows), tuple(m["method"] for m in entry["methods"]))


def points(mean: float, low: float, high: float) -> str:
    """A difference of shares with its interval, in percentage points."""
    return f"{100 * mean:+.1f} [{100 * low:+.1f}, {100 * high:+.1f}]"
