"""A run as one HTML file that opens by double click with no network: the graph with its player, and all its numbers.

All text goes through the template's escaping or is set as text by our scripts, which the page's own policy names
by hash; whatever else a name may contain is never run. Not here: the graph part (`graph_page`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from core.cara.steps import AssessStep, NeighborsStep
from core.figures.cara_view import cara_view
from core.figures.explain import (
    CAUSAL,
    MEANINGS,
    SCORE,
    Segment,
    assessment_of,
    key_phrases,
    link_sentences,
    numbers,
    path_sentence,
    question_segments,
    reading_of,
)
from core.figures.graph_page import environment, look, page_data, player, policy, script, style, vis
from core.figures.hops import hops
from core.figures.palette import PATTERNS, Theme, agent_colour
from core.figures.tables import FusedLine, Table, cost_rows, fused_lines, fused_table, steps_table
from core.figures.words import agent_name, count, cut, one_line
from core.trace import Trace

MOST_ROWS = 3000  # candidates that a file explains in full; beyond, each hop keeps its best
HEIGHT = 644
TEXT = 1200  # characters of a claim
STATUS = {
    "running": "still running",
    "finished": "finished",
    "stopped": "stopped by hand",
    "failed": "failed",
    "interrupted": "interrupted",
}


class Claim(NamedTuple):
    """A sentence of the answer and the numbers of its citations."""

    text: str
    citations: tuple[tuple[int, str, str, str], ...]  # number, node id, name, quote


class Bar(NamedTuple):
    """One agent's part of a fused score, as a share of the largest score."""

    agent: int
    percent: float
    words: str


def replay_html(trace: Trace, theme: Theme = "light") -> str:
    """The run as a single file, below 3 MB at the paper's largest setting: 3 agents, 150 steps, 20 candidates each."""
    view = cara_view(trace)
    explained, cut_to = _hops(trace)
    data = page_data(view, theme) | {"hops": explained, "equations": {"cau": CAUSAL, "s": SCORE}, "meanings": MEANINGS}
    page = script("replay_page.js")
    lines, claims = fused_lines(trace), _claims(trace)
    return (
        environment()
        .get_template("replay.html")
        .render(
            **look(theme),
            csp=policy(vis(), player(), page),
            vis=vis(),
            player=player(),
            page=page,
            page_style=style("replay.css"),
            data=data,
            height=HEIGHT,
            trace=trace,
            question=_question(trace),
            evidence=list(dict.fromkeys(e for claim in claims for e in claim.citations)),
            facts=_facts(trace),
            claims=claims,
            fused=_fused(trace, lines),
            bars={line.node.id: _bars(line, lines) for line in lines},
            agents=[(agent, agent_name(agent), agent_colour(agent, theme), _hatch(agent)) for agent in trace.agents],
            steps=steps_table(trace),
            cost=cost_rows(trace),
            cut_to=cut_to,
            shown=view.shown_words,
        )
    )


def _question(trace: Trace) -> list[Segment]:
    """The question, marked as the first agent read it."""
    reading = reading_of(trace, trace.agents[0]) if trace.agents else None
    return question_segments(trace.question, reading) or [Segment(trace.question)]


def _facts(trace: Trace) -> list[tuple[str, str]]:
    """What a reader must know first, as pairs of a word and its value."""
    size = ", ".join(f"{n:,} {what}" for what, n in trace.dataset.size.items())
    pairs = [
        ("Method", trace.method.upper()),
        ("Decided by", trace.decided_by or "not recorded"),
        ("Data", one_line(trace.dataset.name) + (f" ({size})" if size else "")),
        ("Run", f"{count(len(trace.agents), 'agent')}, {count(len(trace.steps), 'step')}, {trace.seconds:.2f} s"),
        ("Status", STATUS[trace.status]),
    ]
    return [*pairs, ("Error", one_line(trace.error))] if trace.error else pairs


def _claims(trace: Trace) -> list[Claim]:
    """The answer sentence by sentence; a node cited twice keeps its number. Text beyond the claims comes first."""
    if trace.answer is None:
        return []
    number = {node_id: i for i, node_id in enumerate(trace.answer.citations, 1)}
    claims = [
        Claim(
            cut(claim.text, TEXT),
            tuple((number[e.node.id], e.node.id, cut(e.node.name, 80), cut(e.quote, 280)) for e in claim.evidence),
        )
        for claim in trace.answer.claims
    ]
    whole = one_line(trace.answer.text)
    if whole and whole != one_line(" ".join(claim.text for claim in trace.answer.claims)):
        claims.insert(0, Claim(cut(whole, TEXT), ()))
    return claims


def _fused(trace: Trace, lines: Sequence[FusedLine]) -> Table:
    """The fused list; a file shows its first hundred lines."""
    table = fused_table(trace)
    return Table(table.name, table.columns, table.rows[:100], table.keys[:100])


def _bars(line: FusedLine, lines: Sequence[FusedLine]) -> list[Bar]:
    most = max(other.fused.score for other in lines)
    return [
        Bar(agent, round(100 * part / most, 2), f"{agent_name(agent)}, rank {line.fused.ranks[agent]}: {part:.4f}")
        for agent, part in sorted(line.fused.contributions.items())
    ]


def _hatch(agent: int) -> str:
    """The angle of an agent's stripes in bars; none for the first."""
    pattern = PATTERNS[agent % len(PATTERNS)]
    return {"": "", "/": "135deg", ".": "90deg", "x": "45deg", "-": "0deg", "\\": "45deg", "+": "90deg", "|": "90deg"}[
        pattern
    ]


def _hops(trace: Trace) -> tuple[dict[str, Any], int | None]:
    """Every hop's candidates with their numbers, by "agent.index" of the Neighbors call; and the cut, if any."""
    calls = hops(trace)
    total = sum(len(hop.candidates) for hop, _ in calls)
    most = max(3, MOST_ROWS // len(calls)) if total > MOST_ROWS else None
    readings = {agent: reading_of(trace, agent) for agent in trace.agents}
    explained: dict[str, Any] = {}
    for hop, assess in calls:
        order = {a.id: i for i, a in enumerate(assess.assessments)} if assess is not None else {}
        candidates = sorted(hop.candidates, key=lambda c: (order.get(c.node.id, len(order)), -c.bm25))[:most]
        explained[f"{hop.agent}.{hop.index}"] = {
            "who": f"{agent_name(hop.agent)}, step {hop.index}",
            "path": path_sentence(hop),
            "weighed": assess.index if assess is not None else None,
            "phrases": key_phrases(hop, None, readings[hop.agent])[:40],
            "total": hop.total,
            "rows": [_row(hop, assess, candidate.node.id) for candidate in candidates],
        }
    return explained, most


def _row(hop: NeighborsStep, assess: AssessStep | None, node_id: str) -> dict[str, Any]:
    candidate = next(c for c in hop.candidates if c.node.id == node_id)
    a = assessment_of(assess, node_id)
    return {
        "id": node_id,
        "name": cut(candidate.node.name, 120),
        "type": candidate.node.type,
        "links": link_sentences(hop, candidate),
        "text": cut(candidate.text, 280),
        "bm25": f"{candidate.bm25:.2f}",
        "numbers": numbers(a, assess.lambda_, assess.alpha) if a is not None and assess is not None else None,
        "why": cut(a.rationale, 240) if a is not None else "",
        "explains": list(a.explains) if a is not None else [],
        "terms": {name: f"{value:.2f}" for name, value in a.terms.items()} if a is not None else {},
    }
