"""A ranking as one HTML file that opens by double click with no network: the slope chart, every document, the tables.

Text of the data goes through the template's escaping or is set as text by our scripts, which the page's own policy
names by hash. The other methods' file is `core.figures.replay`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from core.causal_attention.steps import Mode, ReadQuery
from core.corpus.document import Document
from core.figures.causal_attention.document_view import document_html, document_view, why_html
from core.figures.causal_attention.ranking import TITLES, Ranking, headline, ranking_of, signed
from core.figures.causal_attention.slope import ROWS, slope_data
from core.figures.causal_attention.tables import query_table, ranking_table
from core.figures.graph_page import environment, look, policy, script, style
from core.figures.palette import Theme
from core.figures.replay import STATUS
from core.figures.words import one_line
from core.trace import Trace


def rerank_html(
    trace: Trace,
    theme: Theme = "light",
    *,
    documents: Mapping[str, Document] | None = None,
    judged: Mapping[str, int] | None = None,
    between: Sequence[Mode] = (),
    selected: str = "",
) -> str:
    """The file. documents: the texts by id, where the corpus is at hand; without them their keywords are shown."""
    ranking = ranking_of(trace)
    page, slope = script("rerank_page.js"), script("slope.js")
    shown = ranking.inside if ranking is not None else ()
    start = selected if any(line.id == selected for line in shown) else (shown[0].id if shown else "")
    views = []
    if ranking is not None:
        for line in shown:
            view = document_view(trace, ranking, line.id, (documents or {}).get(line.id), judged)
            if view is not None:
                views.append(
                    (line.id, Markup(document_html(view)), Markup(why_html(view)))
                )  # escaped by its own template
    return (
        environment()
        .get_template("rerank.html")
        .render(
            **look(theme),
            csp=policy(slope, page),
            slope=slope,
            page=page,
            page_style=style("replay.css") + style("rerank_file.css"),
            slope_style=style("slope.css"),
            document_style=style("rerank.css"),
            data=slope_data(ranking, theme, between=between, selected=start, judged=judged, rows=max(ROWS, len(shown)))
            if ranking is not None and shown
            else None,
            trace=trace,
            title=TITLES[ranking.mode] if ranking is not None else "",
            facts=_facts(trace, ranking),
            headline=headline(ranking, judged) if ranking is not None else ["This run ended before it ranked."],
            documents=views,
            claims=trace.answer.claims if trace.answer is not None else (),
            tables=[ranking_table(ranking, judged), query_table(trace)] if ranking is not None else [],
        )
    )


def _facts(trace: Trace, ranking: Ranking | None) -> list[tuple[str, str]]:
    """What a reader must know first, as pairs of a word and its value."""
    size = ", ".join(f"{n:,} {what}" for what, n in trace.dataset.size.items())
    pairs = [
        ("Method", "Causal attention"),
        ("Data", one_line(trace.dataset.name) + (f" ({size})" if size else "")),
        ("Decided by", trace.decided_by or "not recorded"),
    ]
    if ranking is not None:
        pairs.append(("Ranking", TITLES[ranking.mode]))
        pairs += settings_words(ranking)
        read = next(s for s in trace.steps if isinstance(s, ReadQuery))
        pairs.append(("Query keywords", ", ".join(k.term for k in read.keywords) or "none"))
    pairs.append(("Status", STATUS[trace.status]))
    return [*pairs, ("Error", one_line(trace.error))] if trace.error else pairs


def settings_words(ranking: Ranking) -> list[tuple[str, str]]:
    """The settings that made a ranking, as pairs of a word and its value."""
    config = ranking.config
    pairs = [("τ", f"{ranking.tau:.2f}"), ("Keywords a document", str(config.keywords))]
    pairs.append(("Ranked again", f"{ranking.size} of {len(ranking.lines)}"))
    if ranking.decider == "hybrid":
        pairs.append(("Weight of similarity", f"{config.weight:.2f}"))
        if config.shared_weight:
            pairs.append(("Weight of |A|", signed(config.shared_weight)))
    return pairs
