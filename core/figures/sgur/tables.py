"""The tables of a session: questions, rounds, and all of them for a file. Beliefs and reasons: belief.py, why.py."""

from __future__ import annotations

from core.figures.sgur.alignment import alignment_table
from core.figures.sgur.belief import belief_table
from core.figures.sgur.rounds import Round, moved_words, rounds
from core.figures.sgur.why import reasons_table
from core.figures.tables import Cell, Table
from core.sgur.steps import QuestionsStep
from core.trace import Trace


def questions_table(step: QuestionsStep | None) -> Table:
    """The questions of a round with the terms of their gains."""
    rows: list[dict[str, Cell]] = []
    questions = step.questions if step is not None else ()
    for q in questions:
        rows.append(
            {
                "Question": q.observation.name,
                "Gain, bits": round(q.eig_bits, 4),
                "p(yes)": round(q.p_yes, 4),
                "Bits after yes": round(q.entropy_yes, 4),
                "Bits after no": round(q.entropy_no, 4),
                "Asked": "yes" if q.asked else f"too much like {q.like}" if q.like else "",
            }
        )
    columns = ("Question", "Gain, bits", "p(yes)", "Bits after yes", "Bits after no", "Asked")
    return Table("Questions", columns, tuple(rows), tuple(q.observation.id for q in questions))


def history_table(trace: Trace) -> Table:
    """Round by round: what was put in, who leads, and how sure the belief is."""
    made = rounds(trace)
    rows = tuple(_line(one) for one in made)
    columns = ("Round", "Put in", "Leader", "Probability, %", "Entropy, bits", "Candidates")
    return Table("Rounds", columns, rows, tuple(str(one.number) for one in made))


def all_tables(trace: Trace) -> tuple[Table, ...]:
    """Every table of the session: the rounds, and of each round its beliefs, questions, reasons and alignment."""
    tables = [history_table(trace)]
    for one in rounds(trace):
        own = [belief_table(one.belief, one.before), questions_table(one.questions)]
        if one.belief is not None and one.belief.beliefs:
            own.append(reasons_table(one.belief.beliefs[0]))
        if one.alignment is not None and one.alignment.alignments:
            own.append(alignment_table(one.alignment, one.alignment.alignments[0]))
        tables += [Table(f"Round {one.number} {t.name}", t.columns, t.rows, t.keys) for t in own]
    return tuple(tables)


def _line(one: Round) -> dict[str, Cell]:
    leader = one.belief.beliefs[0] if one.belief is not None and one.belief.beliefs else None
    return {
        "Round": one.number,
        "Put in": moved_words(one),
        "Leader": leader.hypothesis.name if leader else "",
        "Probability, %": round(100 * leader.probability, 4) if leader else None,
        "Entropy, bits": round(one.belief.entropy_bits, 4) if one.belief is not None else None,
        "Candidates": one.candidates.compatible if one.candidates is not None else None,
    }
