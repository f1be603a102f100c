"""The stuffing simulator drawn: each ranking's nDCG@10 by the number of stuffed documents, and what that says.

Where one document is the only right answer nDCG@10 is its place in disguise, and is told as the place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.causal_attention.steps import Mode
from core.causal_attention.stuffing import Simulation
from core.figures.causal_attention.ranking import TITLES
from core.figures.causal_attention_experiments.curves import mode_curves
from core.figures.palette import Theme
from core.figures.tables import Cell, Table
from core.figures.words import count, listed

if TYPE_CHECKING:
    import plotly.graph_objects as go


def stuffing_chart(simulation: Simulation, at: int, theme: Theme = "light") -> go.Figure:
    """The curves up to `at` stuffed documents a query, the rest faint."""
    return mode_curves(
        simulation.m,
        simulation.modes,
        theme,
        x_title="stuffed documents a query",
        y_title="nDCG@10",
        y_range=(-0.02, 1.03),
        at=at,
    )


def stuffing_table(simulation: Simulation, *, one_answer: bool = False) -> Table:
    """The twin of the chart, a row for each m. one_answer: the place of the one right document instead of nDCG@10."""
    rows: list[dict[str, Cell]] = []
    for i, m in enumerate(simulation.m):
        values: dict[str, Cell] = {
            TITLES[mode]: place(own[i]) if one_answer else own[i] for mode, own in simulation.modes.items()
        }
        rows.append({"Stuffed": m, **values, "Gate": "on" if simulation.enabled[i] else "off"})
    gate = ("Gate",) if "gated" in simulation.modes else ()
    columns = ("Stuffed", *(TITLES[mode] for mode in simulation.modes), *gate)
    rows = [{column: row[column] for column in columns} for row in rows]
    return Table("Stuffing", columns, tuple(rows), tuple(str(m) for m in simulation.m))


def place(ndcg: float) -> str:
    """The place of the only relevant document, from nDCG@10 = 1 / log2(place + 1)."""
    return str(round(2 ** (1 / ndcg) - 1)) if ndcg > 0 else "beyond 10"


def stuffing_in_words(simulation: Simulation, at: int, *, one_answer: bool = False) -> str:
    """What m stuffed documents did to similarity, and which rankings stand above it then."""
    i = max((i for i, m in enumerate(simulation.m) if m <= at), default=0)
    base = simulation.modes["baseline"]

    def told(value: float) -> str:
        return f"place {place(value)}" if one_answer else f"{value:.2f}"

    others: list[Mode] = [m for m in simulation.modes if m not in ("baseline", "gated")]
    above = [f"{TITLES[m].lower()} {told(simulation.modes[m][i])}" for m in others if simulation.modes[m][i] > base[i]]
    what = "The answer" if one_answer else "nDCG@10"
    if simulation.m[i] == 0:
        return f"Without stuffing similarity has {told(base[i])}." + (
            f" Above it: {listed(above, 4)}." if above else " No ranking is above it."
        )
    moved = "stays at" if told(base[i]) == told(base[0]) else "goes by similarity from"
    way = told(base[0]) if moved == "stays at" else f"{told(base[0])} to {told(base[i])}"
    stuffed = count(simulation.m[i], "stuffed document")
    tail = f" Above similarity: {listed(above, 4)}." if above else " No ranking is above similarity here."
    return f"With {stuffed} a query, {what if not one_answer else 'the answer'} {moved} {way}.{tail}"
