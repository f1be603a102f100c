"""Two runs of one question side by side: where they part, how their ranked lists differ, what each cost.

Runs are comparable when question and data are the same. Not here: what a run walked (`walks`), the ghost path
on the graph (`cara_view`), who may see which run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.cara.cost import usage
from core.figures.charts import empty_chart, label
from core.figures.exchanges import asked_in_all
from core.figures.palette import Theme, colours, plotly_template
from core.figures.tables import Cell, Table
from core.figures.walks import Move, moves, walked_path
from core.figures.words import agent_name, count, cut, listed, money, named
from core.methods import METHODS
from core.trace import NodeRef, Trace

if TYPE_CHECKING:
    import plotly.graph_objects as go

TOP = 10  # lines of each ranked list that are compared
ROW = 28  # px a line of the slope chart takes


def comparable(one: Trace, other: Trace) -> bool:
    """Whether the two asked the same of the same data."""
    return one.question == other.question and one.dataset.content_id == other.dataset.content_id


def title(trace: Trace) -> str:
    """A run's method in words: "BM25", "CARA without C", "CARA (λ 0.8, α 0.5)"; weights only where they are unusual."""
    name = METHODS[trace.method].title if trace.method in METHODS else trace.method
    if trace.method != "cara":
        return name
    if trace.config.get("assess") is False:
        return f"{name} without C"
    weights = trace.config.get("lambda_", 0.5), trace.config.get("alpha", 0.5)
    return name if weights == (0.5, 0.5) else f"{name} (λ {weights[0]:g}, α {weights[1]:g})"


def titles(one: Trace, other: Trace) -> tuple[str, str]:
    """Both titles; two runs of one method are told apart as this run and the other."""
    a, b = title(one), title(other)
    return (a, b) if a != b else (f"{a}, this run", f"{b}, the other run")


@dataclass(frozen=True, slots=True)
class Parting:
    """Where an agent and its best match in the other run part.

    shared: how many moves both make alike, from the first on. here, there: the first moves that differ; None where
    that agent had ended. Both None: the two never part.
    """

    agent: int
    other_agent: int
    shared: tuple[Move, ...]
    here: Move | None
    there: Move | None

    @property
    def parts(self) -> bool:
        return self.here is not None or self.there is not None


def partings(one: Trace, other: Trace) -> tuple[Parting, ...]:
    """For each agent of `one` that moved: the agent of `other` that goes with it longest, and where the two part.

    Ties go to the agent of the same number, then to the lowest. None when `other` (or `one`) never walks.
    """
    mine, theirs = moves(one), moves(other)
    if not theirs:
        return ()
    found = []
    for agent, own in mine.items():
        match = min(theirs, key=lambda b: (-_alike(own, theirs[b]), b != agent, b))
        n = _alike(own, theirs[match])
        here, there = own[n : n + 1], theirs[match][n : n + 1]
        found.append(
            Parting(agent, match, own[:n], here[0] if here else None, there[0] if there else None)
        )  # fmt: skip
    return tuple(found)


def first_parting(found: Sequence[Parting]) -> Parting | None:
    """The one with the fewest moves in common; None when no agent parts from its match."""
    return min((p for p in found if p.parts), key=lambda p: (len(p.shared), p.agent), default=None)


def where_they_part(one: Trace, other: Trace) -> str:
    """One or two sentences."""
    a, b = titles(one, other)
    here, there = moves(one), moves(other)
    if not here or not there:
        if not here and not there:
            return f"Neither {a} nor {b} walks: both rank all nodes at once, so only their lists can be compared."
        still, walker = (b, a) if here else (a, b)
        first = next(iter((here or there).values()))
        goes = ", then ".join(_nodes(m) for m in first[:3])
        ranked = (other if here else one).ranked
        best = f" The first that {still} ranks is {named(ranked[0].name)}." if ranked else ""
        return f"They part at once: {still} ranks all nodes without a walk, while {walker} goes to {goes}.{best}"
    found = partings(one, other)
    first_one = first_parting(found)
    if first_one is None:
        return f"They never part: every agent of {a} makes the same moves as one of {b}."
    return in_words(first_one, (a, b))


def in_words(parting: Parting, names: tuple[str, str]) -> str:
    """A parting as sentences; `names` are the titles of the two runs."""
    who = agent_name(parting.agent)
    if not parting.parts:
        return f"{who} makes the same {count(len(parting.shared), 'move')} in both."
    last = f", up to {_nodes(parting.shared[-1])}" if parting.shared else ""
    together = (
        f"{who} goes the same way in both for {count(len(parting.shared), 'move')}{last}. Then"
        if parting.shared
        else f"{who} parts at the first move:"
    )
    return f"{together} {_does(names[0], parting.here)}, while {_does(names[1], parting.there)}."


def walked_in_words(one: Trace, other: Trace) -> str:
    """How much of the two paths, agents united, is the same; empty when one of the runs does not walk."""
    if not moves(one) or not moves(other):
        return ""
    a, b = titles(one, other)
    mine, theirs = ({n.id: n for n in walked_path(t).nodes} for t in (one, other))
    both = count(sum(i in theirs for i in mine), "node")

    def alone(own: Mapping[str, NodeRef], others: Mapping[str, NodeRef]) -> str:
        return listed([named(n.name, 40) for i, n in own.items() if i not in others], 3) or "none"

    return f"Both went to {both}. {a} alone: {alone(mine, theirs)}. {b} alone: {alone(theirs, mine)}."


def ranked_table(one: Trace, other: Trace, top: int = TOP) -> Table:
    """The first `top` of either list: ranks in both, and how many places a node stands higher in `one`. Keys: ids."""
    a, b = titles(one, other)
    of_a, of_b = f"Rank: {a}", f"Rank: {b}"
    columns = ("Node", "Type", of_a, of_b, "Shift")
    here, there = _ranks(one), _ranks(other)
    rows: list[tuple[str, Mapping[str, Cell]]] = []
    for node in _either(one, other, top):
        mine, theirs = here.get(node.id), there.get(node.id)
        shift = (
            "only here" if theirs is None
            else "only there" if mine is None
            else f"{theirs - mine:+d}" if theirs != mine else "same"
        )  # fmt: skip
        ranks = {of_a: "" if mine is None else str(mine), of_b: "" if theirs is None else str(theirs)}
        rows.append((node.id, {"Node": cut(node.name, 80), "Type": node.type, **ranks, "Shift": shift}))
    return _as_table("Ranked lists", columns, rows)


def cost_table(one: Trace, other: Trace) -> Table:
    """What each run cost, a row per kind of cost. Tokens only where one of them asked a model."""
    a, b = titles(one, other)
    pairs: list[tuple[str, Cell, Cell]] = [
        ("Seconds", f"{one.seconds:.2f}", f"{other.seconds:.2f}"),
        ("Agents", f"{len(one.agents):,}", f"{len(other.agents):,}"),
        ("Steps", f"{len(one.steps):,}", f"{len(other.steps):,}"),
        ("Nodes seen", f"{_seen(one):,}", f"{_seen(other):,}"),
    ]
    for call in dict.fromkeys((*one.usage.calls, *other.usage.calls)):
        words = call.replace("_", " ")
        x, y = (f"{t.usage.calls.get(call, 0):,}" for t in (one, other))
        pairs.append((f"Calls: {words}", x, y))
    if any(t.usage.prompt_tokens is not None for t in (one, other)):
        pairs.append(("Tokens", _tokens(one), _tokens(other)))
    if any(t.usage.price is not None for t in (one, other)):
        pairs.append(("Cost of tokens", _money(one), _money(other)))
    rows = [(name, {"Cost": name, a: x, b: y}) for name, x, y in pairs]
    return _as_table("Cost of both", ("Cost", a, b), rows)


def partings_table(one: Trace, other: Trace) -> Table:
    """Each agent of `one` that moved: its match in the other run, how far they go together, and where they part."""
    a, b = titles(one, other)
    columns = ("Agent", "Matched with", "Moves alike", f"Then: {a}", f"Then: {b}")
    rows: list[tuple[str, Mapping[str, Cell]]] = []
    for p in partings(one, other):
        then = [_move_in_words(p.here), _move_in_words(p.there)] if p.parts else ["", ""]
        cells: tuple[Cell, ...] = (agent_name(p.agent), agent_name(p.other_agent), len(p.shared), *then)
        rows.append((str(p.agent), dict(zip(columns, cells, strict=True))))
    return _as_table("Where they part", columns, rows)


def compare_tables(one: Trace, other: Trace) -> tuple[Table, ...]:
    """What can be exported of a comparison: both lists at full length, the cost, and where the agents part."""
    whole = max(len(one.ranked), len(other.ranked))
    return ranked_table(one, other, whole), cost_table(one, other), partings_table(one, other)


def ranks_chart(
    one: Trace, other: Trace, theme: Theme = "light", *, top: int = TOP, selected: str | None = None
) -> go.Figure:
    """A slope chart from the other run's ranks (left) to this run's (right). A node missing in a list has no line."""
    import plotly.graph_objects as go

    c = colours(theme)
    here, there = _ranks(one), _ranks(other)
    shown = _either(one, other, top)
    if not shown:
        return empty_chart(theme, "Neither run ranked a node.")
    bottom = top + 1
    below = [sum(1 for n in shown if ranks.get(n.id, 0) > top) for ranks in (there, here)]
    figure = go.Figure()
    for node in shown:
        a, b = there.get(node.id), here.get(node.id)
        chosen = node.id == selected
        rises, falls = (b or bottom) < (a or bottom), (b or bottom) > (a or bottom)
        colour = c.current if chosen else c.visited if rises else c.document if falls else c.idle
        symbol = "triangle-up" if rises else "triangle-down" if falls else "circle"
        text = label(node.name, 24)
        ends = [(x, min(rank, bottom), rank) for x, rank in ((0, a), (1, b)) if rank is not None]
        # Several nodes beyond the last line share its place: only their number can be read there.
        words = [
            (f"{text}  {rank}" if x == 0 else f"{rank}  {text}") if y < bottom or below[x] == 1 else ""
            for x, y, rank in ends
        ]
        figure.add_scatter(
            x=[x for x, _, _ in ends],
            y=[y for _, y, _ in ends],
            mode="lines+markers+text",
            text=words,
            textposition=["middle left" if x == 0 else "middle right" for x, _, _ in ends],
            textfont={"size": 12, "color": c.ink if chosen or len(ends) == 2 else c.muted},
            line={"color": colour, "width": 3 if chosen or rises else 2, "dash": "dash" if falls else "solid"},
            marker={
                "size": 8,
                "color": colour,
                "symbol": "circle-open" if len(ends) == 1 else symbol,
            },
            customdata=[[node.id]] * len(ends),
            hovertemplate=f"{text}: {a or 'not ranked'} there, {b or 'not ranked'} here<extra></extra>",
            showlegend=False,
            cliponaxis=False,
        )  # fmt: skip
    for x, many in enumerate(below):
        if many > 1:
            figure.add_annotation(
                x=x, y=bottom, text=f"{many} further down", showarrow=False, font={"size": 12, "color": c.muted},
                xanchor="right" if x == 0 else "left", xshift=-10 if x == 0 else 10,
            )  # fmt: skip
    both = sum(n.id in here and n.id in there for n in shown)
    names = titles(one, other)
    lowest = max(min(r, bottom) for n in shown for r in (there.get(n.id), here.get(n.id)) if r is not None)
    figure.update_layout(
        template=plotly_template(theme),
        height=96 + ROW * lowest,
        title={"text": f"{both} of {count(len(shown), 'node')} in both lists"},
        xaxis={
            "range": [-1.0, 2.0],
            "tickvals": [0, 1],
            "ticktext": [label(names[1]), label(names[0])],
            "side": "top",
            "showgrid": False,
            "zeroline": False,
            "fixedrange": True,
        },
        yaxis={"range": [lowest + 0.6, 0.4], "visible": False, "fixedrange": True},
        margin={"l": 8, "r": 8, "t": 72, "b": 8},
    )
    return figure


def _alike(one: Sequence[Move], other: Sequence[Move]) -> int:
    """How many moves, from the first on, go to the same nodes."""
    n = 0
    for a, b in zip(one, other, strict=False):
        if not a.same_as(b):
            break
        n += 1
    return n


def _move_in_words(move: Move | None) -> str:
    return "ends" if move is None else f"{move.verb} {_nodes(move)} (step {move.index})"


def _does(name: str, move: Move | None) -> str:
    return f"{name} {_move_in_words(move)}"


def _nodes(move: Move) -> str:
    return listed([named(n.name, 40) for n in move.nodes], 3)


def _ranks(trace: Trace) -> dict[str, int]:
    return {line.id: rank for rank, line in enumerate(trace.ranked, 1)}


def _either(one: Trace, other: Trace, top: int) -> list[NodeRef]:
    lines = {r.id: NodeRef(id=r.id, name=r.name, type=r.type) for r in (*one.ranked[:top], *other.ranked[:top])}
    return list(lines.values())


def _seen(trace: Trace) -> int:
    return trace.usage.nodes_examined or usage(trace.steps).nodes_examined


def _tokens(trace: Trace) -> str:
    used = trace.usage
    if used.prompt_tokens is None and used.completion_tokens is None:
        return "none"
    return f"{(used.prompt_tokens or 0) + (used.completion_tokens or 0):,}"


def _money(trace: Trace) -> str:
    cost = asked_in_all(trace).cost(trace.usage.price)
    return "not known" if cost is None else money(cost)


def _as_table(name: str, columns: Sequence[str], rows: Sequence[tuple[str, Mapping[str, Cell]]]) -> Table:
    return Table(name, tuple(columns), tuple(dict(row) for _, row in rows), tuple(key for key, _ in rows))
