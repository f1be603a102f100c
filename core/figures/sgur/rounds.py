"""A session's steps by round: what was put in, the belief before and after, the questions. No figure is drawn here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from core.sgur.steps import (
    AlignmentStep,
    AnswerStep,
    BeliefStep,
    CandidatesStep,
    QuestionsStep,
    StopStep,
    ToldStep,
)
from core.trace import Step, Trace

MOST_GAPS = 4  # that are named
PARTS = {  # of a round: what each is called
    "moved": "what was told or answered",
    "candidates": "its candidates",
    "belief": "its belief",
    "alignment": "its alignments",
    "questions": "its questions",
    "stop": "whether it may end",
}
S = TypeVar("S", bound=Step)


@dataclass(frozen=True, slots=True)
class Round:
    """One round. `before`: the belief of the round before it; None in the first."""

    number: int
    moved: ToldStep | AnswerStep | None
    candidates: CandidatesStep | None
    belief: BeliefStep | None
    before: BeliefStep | None
    alignment: AlignmentStep | None
    questions: QuestionsStep | None
    stop: StopStep | None


def rounds(trace: Trace) -> tuple[Round, ...]:
    """The rounds in order."""
    by_round: dict[int, list[Step]] = {}
    for step in trace.steps:
        by_round.setdefault(getattr(step, "round", 1), []).append(step)
    made: list[Round] = []
    for number, steps in sorted(by_round.items()):
        made.append(
            Round(
                number=number,
                moved=_first(steps, ToldStep) or _first(steps, AnswerStep),
                candidates=_first(steps, CandidatesStep),
                belief=_first(steps, BeliefStep),
                before=made[-1].belief if made else None,
                alignment=_first(steps, AlignmentStep),
                questions=_first(steps, QuestionsStep),
                stop=_first(steps, StopStep),
            )
        )
    return tuple(made)


def round_at(trace: Trace, number: int | None) -> Round | None:
    """That round, or the last one; None of a session before its first round."""
    made = rounds(trace)
    chosen = [r for r in made if r.number == number]
    return chosen[0] if chosen else made[-1] if made else None


def gaps(trace: Trace) -> str:
    """What is missing of a session, in words; empty when it is whole. Sessions are whole unless a file was edited."""
    made = rounds(trace)
    found = []
    last = made[-1].number if made else 0
    if len(made) < last:
        there = {one.number for one in made}
        first = next(n for n in range(1, last) if n not in there)
        absent = last - len(made)
        found.append(
            f"round {first} is missing" if absent == 1 else f"{absent:,} rounds are missing, round {first} first"
        )
    for one in made:
        if lacks := [name for name in PARTS if getattr(one, name) is None]:
            found.append(f"round {one.number} lacks {', '.join(PARTS[name] for name in lacks)}")
    more = f"; and so on, {len(found)} gaps in all" if len(found) > MOST_GAPS else ""
    return "; ".join(found[:MOST_GAPS]) + more


def moved_words(one: Round) -> str:
    """What was put in, in words."""
    if isinstance(one.moved, ToldStep):
        reading = one.moved.reading
        told = [m.observation.name for m in reading.observed] + [f"no {m.observation.name}" for m in reading.excluded]
        return "told: " + (", ".join(told) or "nothing that was recognised")
    if isinstance(one.moved, AnswerStep):
        words = {"yes": "yes", "no": "no", "unknown": "don't know"}
        return "answered: " + ", ".join(f"{g.observation.name}, {words[g.reply]}" for g in one.moved.answers)
    return ""


def _first(steps: list[Step], kind: type[S]) -> S | None:
    return next((s for s in steps if isinstance(s, kind)), None)
