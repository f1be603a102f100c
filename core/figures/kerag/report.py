"""A KERAG run as one HTML file that opens by double click with no network: answer, graph, plan, reasoning, triples.

Text of the data goes through the template's escaping or is set as text by our scripts, which the page's own policy
names by hash.
"""

from __future__ import annotations

from collections.abc import Collection

from core.figures.graph_page import environment, look, page_data, player, policy, script, style, vis
from core.figures.kerag.parts import headline, in_words, parts_of, triple_words
from core.figures.kerag.tables import cost_rows, plan_table, reasoning_table, triples_table
from core.figures.kerag.view import kerag_view
from core.figures.palette import Theme
from core.figures.replay import STATUS
from core.figures.tables import Table
from core.figures.words import count, one_line
from core.kerag.take_away import take_away
from core.trace import Trace

HEIGHT = 600
MOST_ROWS = 1_000  # triples that a file lists


def kerag_html(trace: Trace, theme: Theme = "light", *, without: Collection[int] = ()) -> str:
    """The file. without: places of triples that were taken away; what becomes of the answer is said, too."""
    parts = parts_of(trace.steps)
    view = kerag_view(trace, without=without)
    page = script("graph_page.js")
    head, below = headline(parts.summary)
    left = take_away(trace, without) if without else None
    triples = triples_table(parts, without)
    shown = Table(triples.name, triples.columns, triples.rows[:MOST_ROWS], triples.keys[:MOST_ROWS])
    gone = [triple_words(parts.retrieved, t) for t in sorted(without)] if parts.retrieved is not None else []
    return (
        environment()
        .get_template("kerag.html")
        .render(
            **look(theme),
            csp=policy(vis(), player(), page),
            vis=vis(),
            player=player(),
            page=page,
            page_style=style("replay.css"),
            data=page_data(view, theme) | {"large": False},
            height=HEIGHT,
            drawn=bool(view.nodes),
            trace=trace,
            facts=_facts(trace),
            head=head or "This run ended before it answered.",
            below=below,
            gone=gone,
            after=in_words(left.after) if left is not None else "",
            lines=parts.summary.lines if parts.summary is not None else (),
            numbers=parts.numbers,
            tables=[plan_table(parts), reasoning_table(parts), shown, cost_rows(trace)],
            cut_to=MOST_ROWS if len(triples.rows) > MOST_ROWS else None,
            left_out=parts.retrieved.left_out if parts.retrieved is not None else (),
        )
    )


def _facts(trace: Trace) -> list[tuple[str, str]]:
    """What a reader must know first, as pairs of a word and its value."""
    size = ", ".join(f"{n:,} {what}" for what, n in trace.dataset.size.items())
    parts = parts_of(trace.steps)
    pairs = [
        ("Method", "KERAG"),
        ("Data", one_line(trace.dataset.name) + (f" ({size})" if size else "")),
        ("Decided by", trace.decided_by or "not recorded"),
    ]
    if parts.plan is not None:
        pairs.append(("Plan", f"{count(parts.plan.hops, 'hop')}, a {parts.plan.question_kind} question"))
    if parts.retrieved is not None:
        pairs.append(("Retrieved", count(parts.retrieved.total, "triple")))
    if parts.summary is not None and parts.summary.reason:
        pairs.append(("Note", one_line(parts.summary.reason)))
    pairs.append(("Status", STATUS[trace.status]))
    return [*pairs, ("Error", one_line(trace.error))] if trace.error else pairs
