"""The table twins of one ranking: documents, the words of one document or of all, and the query's keywords."""

from __future__ import annotations

from collections.abc import Mapping

from core.causal_attention.rescore import one
from core.causal_attention.steps import ReadQuery
from core.figures.causal_attention.ranking import TITLES, Line, Ranking, note
from core.figures.causal_attention.why import why_rank
from core.figures.tables import Cell, Table, evidence_table
from core.figures.words import cut, one_line
from core.trace import Trace

TITLE = 120  # characters of a title in a cell
WORDS = (
    "Word",
    "Set",
    "Weight",
    "Share of weight",
    "Nearest query word",
    "Cosine to it",
    "Cosine to the query",
    "Part of s_c",
)


def ranking_table(ranking: Ranking, judged: Mapping[str, int] | None = None) -> Table:
    """Every candidate in the order of the ranking, with its place in all the others. Keys are document ids."""
    places = tuple(f"Place: {TITLES[m].lower()}" for m in ranking.modes)
    columns = (
        "Place",
        "Document",
        "Shift",
        "s_sim",
        "s_c",
        "Absorbed",
        "Words in A",
        "Words in B",
        "Reason",
        *places,
        *(("Judged",) if judged else ()),
    )
    rows = tuple(_row(line, ranking, judged) for line in ranking.ordered)
    return Table("Ranking", columns, rows, tuple(line.id for line in ranking.ordered))


def _row(line: Line, ranking: Ranking, judged: Mapping[str, int] | None) -> dict[str, Cell]:
    row: dict[str, Cell] = {
        "Place": line.places[ranking.mode],
        "Document": cut(line.name, TITLE),
        "Shift": line.shift(ranking.mode),
        "s_sim": round(line.similarity, 4),
        "s_c": None if line.causal is None else round(line.causal, 4),
        "Absorbed": round(line.absorbed, 4) if line.inside else None,
        "Words in A": len(line.shared) if line.inside else None,
        "Words in B": len(line.rest) if line.inside else None,
        "Reason": note(line, ranking),
    }
    row |= {f"Place: {TITLES[m].lower()}": line.places[m] for m in ranking.modes}
    if judged:
        row["Judged"] = judged.get(line.id, 0)
    return row


def words_table(trace: Trace, ranking: Ranking, id_: str) -> Table:
    """The keywords of one document, heaviest first. Keys are the words."""
    words = why_rank(trace, ranking, id_).words
    rows: tuple[dict[str, Cell], ...] = tuple(
        {
            "Word": word.term,
            "Set": word.side,
            "Weight": round(word.weight, 4),
            "Share of weight": round(word.share, 4),
            "Nearest query word": word.nearest,
            "Cosine to it": round(word.nearest_cosine, 4) if word.nearest else None,
            "Cosine to the query": round(word.query_cosine, 4),
            "Part of s_c": round(word.part, 4) if word.side == "B" else None,
        }
        for word in words
    )
    return Table("Words", WORDS, rows, tuple(word.term for word in words))


def all_words_table(trace: Trace, ranking: Ranking) -> Table:
    """The keywords of every document of S1, in the order of the ranking. Keys are document ids."""
    rows: list[dict[str, Cell]] = []
    keys: list[str] = []
    for line in ranking.inside:
        own = words_table(trace, ranking, line.id)
        head: dict[str, Cell] = {"Document": cut(line.name, TITLE)}
        rows += [head | row for row in own.rows]
        keys += [line.id] * len(own.rows)
    return Table("Words", ("Document", *WORDS), tuple(rows), tuple(keys))


def query_table(trace: Trace) -> Table:
    """The query's keywords with their weights. Keys are the words."""
    words = one(trace.steps, ReadQuery).keywords
    rows: tuple[dict[str, Cell], ...] = tuple(
        {"Query word": one_line(word.term), "Weight": round(word.weight, 4)} for word in words
    )
    return Table("Query", ("Query word", "Weight"), rows, tuple(word.term for word in words))


def all_tables(trace: Trace, ranking: Ranking, judged: Mapping[str, int] | None = None) -> list[Table]:
    """The tables of a ranking, for export together."""
    return [
        ranking_table(ranking, judged),
        all_words_table(trace, ranking),
        query_table(trace),
        evidence_table(trace),
    ]
