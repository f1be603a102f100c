"""The regime gate's verdict drawn (CAR-7): reliability over the number of probes, and the probes it rests on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from core.causal_attention.experiment import Experiment
from core.causal_attention.gate import GATED_MODES, Verdict
from core.causal_attention.steps import Mode
from core.figures.causal_attention.ranking import TITLES
from core.figures.causal_attention_experiments.curves import mode_curves
from core.figures.palette import Theme
from core.figures.tables import Cell, Table

if TYPE_CHECKING:
    import plotly.graph_objects as go

STATISTICS = {
    "overlap": "Keyword overlap: share of a document's keywords that are the query's",
    "absorbed": "Absorbed: share of the keyword weight that is in A",
    "gap": "Top-1 gap: how far the best similarity is from the second",
}

GAIN = "Gain of the hybrid"


def _modes(verdict: Verdict) -> list[Mode]:
    return [mode for mode in GATED_MODES if mode in verdict.delta]


def reliability_chart(verdict: Verdict, theme: Theme = "light") -> go.Figure:
    """The share of draws that decide as all probes do, over the number of probes drawn."""
    sizes = sorted(verdict.reliability)
    values = {mode: [verdict.reliability[n].get(mode, 0.0) for n in sizes] for mode in _modes(verdict)}
    lowest = min((v for own in values.values() for v in own), default=0.5)
    return mode_curves(
        sizes,
        values,
        theme,
        x_title="probes drawn",
        y_title="share of draws that decide so",
        y_range=(min(0.45, lowest - 0.05), 1.03),
    )


def reliability_table(verdict: Verdict) -> Table:
    """The twin of the chart, a row for each number of probes."""
    modes = _modes(verdict)
    rows: list[dict[str, Cell]] = [
        {"Probes": n, **{TITLES[m]: verdict.reliability[n].get(m) for m in modes}} for n in sorted(verdict.reliability)
    ]
    return Table("Gate", ("Probes", *(TITLES[m] for m in modes)), tuple(rows), tuple(str(r["Probes"]) for r in rows))


def delta_table(verdict: Verdict) -> Table:
    """What each ranking changes, and whether that switches it on."""
    rows: list[dict[str, Cell]] = [
        {
            "Ranking": TITLES[mode],
            f"Change of {verdict.metric}": verdict.delta[mode],
            "Gate": "on" if verdict.enable[mode] else "off",
        }
        for mode in _modes(verdict)
    ]
    return Table("Gate verdict", tuple(rows[0]) if rows else ("Ranking",), tuple(rows), tuple(_modes(verdict)))


def probes_table(experiment: Experiment, queries: Mapping[str, str]) -> Table:
    """Each probe's nDCG@10 in each ranking and its three statistics, those that gain least by the hybrid first."""
    modes = [m for m in ("baseline", *GATED_MODES) if m in experiment.scores]
    columns = ("Query", *(TITLES[m] for m in modes), GAIN, *(words.partition(":")[0] for words in STATISTICS.values()))
    found: list[tuple[float, str, dict[str, Cell]]] = []
    for i, query in enumerate(experiment.queries):
        values = {m: experiment.scores[m][i].ndcg_10 for m in modes}
        gain = values.get("hybrid", 0.0) - values.get("baseline", 0.0)
        found.append((gain, query, {"Query": queries.get(query, query), GAIN: gain}))
        found[-1][2].update({TITLES[m]: v for m, v in values.items()})
        measured = experiment.statistics[i]._asdict()
        found[-1][2].update({words.partition(":")[0]: measured[name] for name, words in STATISTICS.items()})
    found.sort(key=lambda one: (one[0], one[1]))
    rows = tuple({column: row[column] for column in columns} for _, _, row in found)
    return Table("Gate probes", columns, rows, tuple(query for _, query, _ in found))
