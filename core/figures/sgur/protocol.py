"""A protocol run as rows: how often each method had the truth among the first, and how far the first method is ahead.

Not here: the run itself (core/sgur/protocol.py), and what was measured with whole protocols (measured.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.evaluation.diagnosis import difference, summary
from core.figures.sgur.measured import NAMES, points
from core.figures.tables import Cell, Table

if TYPE_CHECKING:
    from core.sgur.protocol import Places

SHOWN = 3  # k of Hit@k by round


def protocol_table(result: Places) -> Table:
    """A row a method, the first one first; differences to it in points, with paired 95 % intervals."""
    names = list(result.places)
    told = [f"{r} terms" if r else "all terms" for r in result.rounds]
    hits = [f"Hit@{SHOWN} after {r}, %" for r in told]
    gaps = [f"First ahead after {r}" for r in told]
    rows: list[dict[str, Cell]] = []
    for name in names if result.patients else ():
        made = summary(result.places[name], result.seconds[name])
        row: dict[str, Cell] = {"Method": NAMES.get(name, name)}
        row |= {hit: round(100 * x, 2) for hit, x in zip(hits, made[f"hit@{SHOWN}"], strict=True)}
        row |= {"Hit@10 at the end, %": round(100 * made["hit@10"][-1], 2), "MRR": round(made["mrr"], 4)}
        row |= {"MTTC, rounds": round(made["mttc"], 4), "ms a round": round(1000 * made["median_seconds_per_round"], 2)}
        ahead = difference(result.places[names[0]], result.places[name])[f"hit@{SHOWN}"]
        row |= {gap: "" if name == names[0] else points(*x) for gap, x in zip(gaps, ahead, strict=True)}
        rows.append(row)
    columns = ("Method", *hits, "Hit@10 at the end, %", "MRR", "MTTC, rounds", "ms a round", *gaps)
    return Table("Protocol run", columns, tuple(rows), tuple(names) if rows else ())
