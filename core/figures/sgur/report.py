"""A session as one HTML file that opens by double click with no network and runs no script.

Every text goes through the template's escaping. Not here: the tables (tables.py), and the app's page.
"""

from __future__ import annotations

from dataclasses import dataclass

from core.figures.graph_page import environment, look, policy, style
from core.figures.palette import Theme
from core.figures.replay import STATUS
from core.figures.sgur.alignment import alignment_table
from core.figures.sgur.belief import SHOWN, belief_table, rest_words
from core.figures.sgur.rounds import Round, moved_words, rounds
from core.figures.sgur.tables import history_table, questions_table
from core.figures.sgur.why import gain_terms, reasons_table
from core.figures.tables import Table
from core.figures.words import one_line
from core.sgur.wording import percent
from core.trace import Trace


@dataclass(frozen=True, slots=True)
class Bar:
    """A hypothesis of a round, its probability before and after, in percent of the widest bar and in words."""

    name: str
    now: float
    was: float | None
    words: str
    reasons: str


@dataclass(frozen=True, slots=True)
class Section:
    """One round as the file shows it."""

    number: int
    moved: str
    bits: str
    rest: str
    stop: str
    bars: tuple[Bar, ...]
    gains: tuple[tuple[str, str, str], ...]  # question, definition, its numbers
    tables: tuple[Table, ...]


def session_html(trace: Trace, theme: Theme = "light") -> str:
    """The whole session, round after round."""
    made = rounds(trace)
    return (
        environment()
        .get_template("sgur_report.html")
        .render(
            **look(theme),
            csp=policy(),
            page_style=style("replay.css") + style("sgur_report.css"),
            trace=trace,
            facts=_facts(trace, made),
            rounds=[_section(one) for one in made],
            history=history_table(trace),
        )
    )


def _facts(trace: Trace, made: tuple[Round, ...]) -> list[tuple[str, str]]:
    size = ", ".join(f"{n:,} {what}" for what, n in trace.dataset.size.items())
    pairs = [
        ("Method", "SGUR"),
        ("Decided by", trace.decided_by or "not recorded"),
        ("Data", one_line(trace.dataset.name) + (f" ({size})" if size else "")),
        ("Rounds", str(len(made))),
    ]
    pairs += [(name, f"{trace.config[name]}") for name in ("alpha", "beta", "kappa", "batch") if name in trace.config]
    return [*pairs, ("Status", STATUS[trace.status])]


def _section(one: Round) -> Section:
    belief = one.belief
    before = {b.hypothesis.id: 100 * b.probability for b in one.before.beliefs} if one.before is not None else {}
    shown = belief.beliefs[:SHOWN] if belief is not None else ()
    most = max([*(100 * b.probability for b in shown), *before.values(), 1.0])
    bars = tuple(
        Bar(
            name=one_line(b.hypothesis.name),
            now=round(10_000 * b.probability / most, 2),
            was=round(100 * before.get(b.hypothesis.id, 0.0) / most, 2) if one.before is not None else None,
            words=percent(b.probability),
            reasons="; ".join(f"{one_line(r.observation.name)}: {r.words}" for r in b.reasons),
        )
        for b in shown
    )
    tables = [belief_table(belief, one.before), questions_table(one.questions)]
    if belief is not None and belief.beliefs:
        tables.append(reasons_table(belief.beliefs[0]))
    if one.alignment is not None and one.alignment.alignments:
        tables.append(alignment_table(one.alignment, one.alignment.alignments[0]))
    asked = one.questions.asked if one.questions is not None else ()
    return Section(
        number=one.number,
        moved=moved_words(one),
        bits=f"{belief.entropy_bits:.2f} bits of {belief.entropy_most:.2f}" if belief is not None else "",
        rest=rest_words(belief),
        stop=one.stop.reason if one.stop is not None else "",
        bars=bars,
        gains=tuple((q.observation.name, *gain_terms(one.questions, q)) for q in asked) if one.questions else (),
        tables=tuple(t for t in tables if t.rows),
    )
