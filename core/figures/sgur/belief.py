"""The belief as bars, before outlined and after filled, and the entropy round by round; each with its table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.figures.charts import empty_chart, label
from core.figures.palette import Theme, colours, plotly_template
from core.figures.sgur.rounds import Round, moved_words, rounds
from core.figures.tables import Cell, Table
from core.sgur.steps import BeliefStep
from core.sgur.wording import percent
from core.trace import Trace

if TYPE_CHECKING:
    import plotly.graph_objects as go

ROW = 30  # px a hypothesis takes
EDGE = 92
SHOWN = 10  # hypotheses drawn
NAMED = 40  # characters of a name


def belief_bars(
    after: BeliefStep | None,
    before: BeliefStep | None = None,
    theme: Theme = "light",
    *,
    top: int = SHOWN,
    selected: str = "",
    before_name: str = "before",
    after_name: str = "now",
) -> go.Figure:
    """The leading hypotheses with their probability in percent. `before` may be a round, or the belief without a
    previewed answer. A bar's customdata begins with its hypothesis. All others together: `rest_words`.
    """
    import plotly.graph_objects as go

    if after is None or not after.beliefs:
        return empty_chart(theme, "There is no belief yet: tell something first.")
    c = colours(theme)
    shown = after.beliefs[:top]
    lines = [f"{label(_ends(b.hypothesis.name), NAMED)}  {b.place:g}" for b in shown]
    if len(set(lines)) < len(lines):  # namesakes at one place: plotly would draw them on one line
        lines = [f"{line} ({n})" for n, line in enumerate(lines, 1)]
    now = [100 * b.probability for b in shown]
    ids = [b.hypothesis.id for b in shown]
    named = [[b.hypothesis.id, label(b.hypothesis.name, 160)] for b in shown]
    figure = go.Figure()
    if before is not None:
        was = {b.hypothesis.id: 100 * b.probability for b in before.beliefs}
        old = [was.get(b.hypothesis.id, 0.0) for b in shown]
        figure.add_bar(
            y=lines,
            x=old,
            orientation="h",
            name=before_name,
            marker={"color": "rgba(0,0,0,0)", "line": {"color": c.muted, "width": 1.5}},
            width=0.78,
            customdata=named,
            hovertemplate="%{customdata[1]}<br>" + before_name + " %{x:.2f} %<extra></extra>",
        )
    figure.add_bar(
        y=lines,
        x=now,
        orientation="h",
        name=after_name,
        marker={
            "color": [c.current if i == selected else c.visited for i in ids],
            "line": {"width": 0},
        },
        width=0.42,
        customdata=named,
        text=[percent(b.probability) for b in shown],
        textposition="outside",
        cliponaxis=False,
        hovertemplate="%{customdata[1]}<br>" + after_name + " %{x:.2f} %<extra></extra>",
    )
    most = max([*now, *(figure.data[0].x if before is not None else ())], default=1.0)
    figure.update_layout(
        template=plotly_template(theme),
        barmode="overlay",
        showlegend=before is not None,
        height=EDGE + ROW * len(lines),
        xaxis={"title": {"text": "probability, %"}, "range": [0, max(most, 1.0) * 1.22], "nticks": 6},
        yaxis={"autorange": "reversed", "categoryorder": "array", "categoryarray": lines},
        margin={"l": 8, "r": 8, "t": 36 if before is not None else 12, "b": 44},
    )
    return figure


def _ends(name: str) -> str:
    """A long name with its middle left out: names of one family differ at their ends."""
    line = " ".join(name.split())
    return line if len(line) <= NAMED else f"{line[: NAMED - 17].rstrip()}…{line[-16:].lstrip()}"


def rest_words(after: BeliefStep | None, top: int = SHOWN) -> str:
    """What the bars leave out, in a sentence; empty when they show all."""
    if after is None:
        return ""
    others = len(after.beliefs[top:]) + after.rest_count
    if not others:
        return ""
    share = max(0.0, 1.0 - sum(b.probability for b in after.beliefs[:top]))
    return f"The other {others:,} share {percent(share)} among them."


def belief_table(after: BeliefStep | None, before: BeliefStep | None = None) -> Table:
    """The same as rows, with the parts of each distance."""
    was = {b.hypothesis.id: b.probability for b in before.beliefs} if before is not None else {}
    plain = all(b.place == int(b.place) for b in (after.beliefs if after is not None else ()))
    rows: list[dict[str, Cell]] = []
    for b in after.beliefs if after is not None else ():
        rows.append(
            {
                "Place": int(b.place) if plain else b.place,
                "Hypothesis": b.hypothesis.name,
                "Probability, %": round(100 * b.probability, 4),
                "Before, %": round(100 * was[b.hypothesis.id], 4) if b.hypothesis.id in was else None,
                "Distance": round(b.distance, 6),
                "Features": round(b.parts.feature, 6),
                "Structure": round(b.parts.structure, 6),
                "Unmatched": round(b.parts.unmatched, 6),
                "Size": round(b.parts.size, 6),
                "Denied": round(b.parts.denied, 6),
                "Why": "; ".join(f"{r.observation.name}: {r.words}" for r in b.reasons),
            }
        )
    columns = (
        "Place",
        "Hypothesis",
        "Probability, %",
        "Before, %",
        *("Distance", "Features", "Structure", "Unmatched", "Size", "Denied"),
        "Why",
    )
    keys = tuple(b.hypothesis.id for b in after.beliefs) if after is not None else ()
    return Table("Beliefs", columns, tuple(rows), keys)


def entropy_curve(trace: Trace, theme: Theme = "light", *, at: int | None = None) -> go.Figure:
    """The entropy of the belief after each round, in bits, from what it is without any evidence."""
    import plotly.graph_objects as go

    made = [r for r in rounds(trace) if r.belief is not None]
    if not made:
        return empty_chart(theme, "The curve begins with the first round.")
    c = colours(theme)
    x = [0, *(r.number for r in made)]
    y = [made[0].belief.entropy_most if made[0].belief else 0.0, *(_bits(r) for r in made)]
    words = ["before anything was told", *(moved_words(r) for r in made)]
    figure = go.Figure()
    figure.add_scatter(
        x=x,
        y=y,
        mode="lines+markers+text",
        line={"color": c.visited, "width": 2},
        marker={
            "size": [13 if n == at else 8 for n in x],
            "symbol": ["star" if n == at else "circle" for n in x],
            "color": [c.current if n == at else c.visited for n in x],
        },
        text=[f"{value:.2f}" for value in y],
        textposition="top center",
        customdata=[[label(w, 90)] for w in words],
        hovertemplate="%{y:.2f} bits<br>%{customdata[0]}<extra></extra>",
        cliponaxis=False,
    )
    figure.update_layout(
        template=plotly_template(theme),
        height=220,
        showlegend=False,
        xaxis={"title": {"text": "round"}, "tickmode": "array", "tickvals": x, "range": [-0.3, max(x) + 0.3]},
        yaxis={"title": {"text": "entropy, bits"}, "range": [0, max(y) * 1.25 + 0.1]},
        margin={"l": 8, "r": 8, "t": 16, "b": 44},
    )
    return figure


def entropy_table(trace: Trace) -> Table:
    """The curve as rows."""
    made = [r for r in rounds(trace) if r.belief is not None]
    rows: tuple[dict[str, Cell], ...] = tuple(
        {"Round": r.number, "Entropy, bits": round(_bits(r), 4), "What was put in": moved_words(r)} for r in made
    )
    return Table("Entropy", ("Round", "Entropy, bits", "What was put in"), rows, tuple(str(r.number) for r in made))


def _bits(one: Round) -> float:
    return one.belief.entropy_bits if one.belief is not None else 0.0
