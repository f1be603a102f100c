"""Predict, then reveal: which document answers best? The game before the rankings are shown, from a trace alone.

Offered are the documents that similarity or the ranking puts first, shuffled by the question, without place or
score. Not here: what was guessed (the page's session).
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from core.figures.causal_attention.ranking import TITLES, Line, Ranking, signed
from core.figures.words import count, quoted

MOST = 8  # documents offered
EACH = 5  # of the first by similarity, and as many of the first by the ranking


@dataclass(frozen=True, slots=True)
class Game:
    """The documents to choose from, and the first of both rankings. best: judged best, empty where none was."""

    offered: tuple[Line, ...]
    by_similarity: str
    by_ranking: str
    best: tuple[str, ...]

    def is_right(self, id_: str) -> bool:
        """Whether the guess is judged best; where nobody judged, whether the ranking puts it first."""
        return id_ in self.best if self.best else id_ == self.by_ranking


def game_of(ranking: Ranking, judged: Mapping[str, int] | None = None) -> Game | None:
    """The game; None with fewer than two documents. Judged documents of S1 are always offered."""
    ordered = ranking.inside
    if len(ordered) < 2:
        return None
    similar = sorted(ordered, key=lambda line: line.places["baseline"])
    grades = {line.id: (judged or {}).get(line.id, 0) for line in ordered}
    best = max(grades.values())
    right = tuple(line.id for line in ordered if best > 0 and grades[line.id] == best)
    wanted = [line for line in ordered if line.id in right]
    for pair in zip(similar[:EACH], ordered[:EACH], strict=True):
        wanted += pair
    offered = sorted({line.id: line for line in wanted[: MOST + 4]}.values(), key=lambda line: line.id)
    chosen = list(dict.fromkeys(line.id for line in wanted))[:MOST]
    offered = [line for line in offered if line.id in chosen]
    random.Random(ranking.question).shuffle(offered)
    return Game(tuple(offered), similar[0].id, ordered[0].id, right)


@dataclass(frozen=True, slots=True)
class Guess:
    """What was guessed, and whether it, the first by similarity and the first of the ranking are judged best.

    None where nobody judged.
    """

    document: str
    right: bool | None
    similarity_right: bool | None
    ranking_right: bool | None


def guess_of(game: Game, document: str) -> Guess:
    """A guess with its judgement."""
    if not game.best:
        return Guess(document, None, None, None)
    return Guess(document, document in game.best, game.by_similarity in game.best, game.by_ranking in game.best)


def score_words(guesses: Iterable[Guess]) -> str:
    """How many guesses were right, beside what both rankings would have got."""
    made = list(guesses)
    judged = [guess for guess in made if guess.right is not None]
    if not judged:
        return "No guess on a judged query yet." if made else "No guess yet."
    alike, ranked = (
        count(sum(bool(getattr(g, name)) for g in judged), "time") for name in ("similarity_right", "ranking_right")
    )
    return (
        f"{sum(bool(g.right) for g in judged)} of {len(judged)} right; the first by similarity would have been right "
        f"{alike}, the first of the ranking {ranked}."
    )


def verdict(game: Game, ranking: Ranking, guess: str) -> str:
    """What came of a guess, in a few sentences."""
    line, top, alike = ranking.line(guess), ranking.line(game.by_ranking), ranking.line(game.by_similarity)
    if line is None or top is None or alike is None:
        return ""
    name = TITLES[ranking.mode].lower()
    yours = f"You chose {quoted(line.name)}: place {line.places['baseline']} by similarity, "
    yours += f"{line.places[ranking.mode]} by {name}."
    if game.best:
        best = ranking.line(game.best[0])
        told = (
            "That is the one judged to answer best."
            if game.is_right(guess)
            else (f"Judged to answer best is {quoted(best.name)}." if best is not None else "")
        )
    else:
        told = "Nobody has judged these documents, so only you know whether it answers."
    if top.id == alike.id:
        both = f"Similarity and {name} both put {quoted(top.name)} first."
    else:
        both = f"Similarity puts {quoted(alike.name)} first (cosine {signed(alike.similarity)}); "
        both += f"{name} puts {quoted(top.name)} first."
    return f"{told} {yours} {both}"
